//go:build !js

package webclient_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"embedded-agent/wasm/internal/web"
	"embedded-agent/wasm/internal/web/webclient"
)

func TestAKeyIsPutIntoTheHeaderThatNamesItAndTheAnswerIsReadAsItArrives(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Got", r.Header.Get("Authorization")+" "+string(body))
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "one")
	}))
	defer srv.Close()
	tr := &webclient.Transport{Client: srv.Client(), Name: "mine", Key: "sk-1"}
	resp, err := tr.Do(t.Context(), web.Request{Method: "POST", URL: srv.URL, Body: []byte("words"), Header: map[string]string{
		"Authorization": "Bearer " + web.SecretRef("mine"), "X-Other": web.SecretRef("other"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Close()
	if resp.Status() != http.StatusTeapot || resp.Header("x-got") != "Bearer sk-1 words" {
		t.Errorf("want the key and the words sent, got %d %q", resp.Status(), resp.Header("x-got"))
	}
	text := ""
	for {
		chunk, err := resp.Read(t.Context())
		text += string(chunk)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if text != "one" {
		t.Errorf("want %q, got %q", "one", text)
	}
}

func TestTheEndOfAContextEndsARead(t *testing.T) {
	asked := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		close(asked)
		<-r.Context().Done()
	}))
	defer srv.Close()
	resp, err := (&webclient.Transport{Client: srv.Client()}).Do(t.Context(), web.Request{Method: "GET", URL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Close()
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := resp.Read(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("want %v, got %v", context.Canceled, err)
	}
}
