//go:build !js

package proxy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"embedded-agent/wasm/internal/web"
)

func TestARedirectOfTheEndpointIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		var led atomic.Int64
		far := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led.Add(1) }))
		near := httptest.NewServer(http.RedirectHandler(far.URL, status))
		b := NewChat(near.URL+"/v1", "own-key").(*chatBackend)
		_, err := b.Ask(t.Context(), Prompt{Model: "m", Instructions: "words of a note"}, func(Delta) {})
		if err == nil || led.Load() != 0 {
			t.Errorf("%d: %v, %d requests elsewhere", status, err, led.Load())
		}
		res, err := b.transport.Do(t.Context(), web.Request{Method: "GET", URL: near.URL + "/v1/models", Header: map[string]string{"Authorization": "Bearer " + web.SecretRef("key")}})
		if err != nil || res.Status() != status || led.Load() != 0 {
			t.Errorf("%d: %v, %d requests elsewhere", status, err, led.Load())
		}
		if err == nil {
			res.Close()
		}
		if strings.Contains(near.URL, far.URL) {
			t.Error("the two are one")
		}
		b.Close()
		near.Close()
		far.Close()
	}
}
