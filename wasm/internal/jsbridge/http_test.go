package jsbridge

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
)

var _ web.Transport = (*HTTP)(nil)

const unreachable = `{"code":"NETWORK_ERROR","key":"error.http.unreachable","params":{"host":"api.test"}}`

type answered struct {
	res web.Response
	err error
}

func get(t *testing.T, h *HTTP, url string) chan answered {
	done := make(chan answered, 1)
	go func() {
		res, err := h.Do(t.Context(), web.Request{
			Method: "POST", URL: url, Header: map[string]string{"authorization": "Bearer {{secret:k}}"}, Body: []byte("{}"), Stream: true,
		})
		done <- answered{res, err}
	}()
	return done
}

func TestAnAnswerIsReadPieceByPieceUntilItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		done := get(t, NewHTTP(c), "https://api.test/v1")
		sent := reply(t, c, port, `{"handle":3,"status":200,"headers":{"Content-Type":"text/event-stream"}}`, "")
		want := `{"method":"POST","url":"https://api.test/v1","headers":{"authorization":"Bearer {{secret:k}}"},"body":"{}","buffered":false,"redact":false}`
		if sent.Payload != want {
			t.Fatalf("sent %s, want %s", sent.Payload, want)
		}
		a := <-done
		if a.err != nil || a.res.Status() != 200 || a.res.Header("content-TYPE") != "text/event-stream" {
			t.Fatalf("got %+v", a)
		}
		type piece struct {
			data []byte
			err  error
		}
		read := func(result string, blobs ...[]byte) piece {
			got := make(chan piece, 1)
			go func() {
				data, err := a.res.Read(t.Context())
				got <- piece{data, err}
			}()
			if p := reply(t, c, port, result, "", blobs...).Payload; p != `{"handle":3}` {
				t.Fatalf("sent %s", p)
			}
			return <-got
		}
		if p := read(`{"blob":1,"done":false}`, nil, []byte("data")); string(p.data) != "data" || p.err != nil {
			t.Fatalf("got %q, %v", p.data, p.err)
		}
		if p := read(`{"blob":9,"done":false}`); !fault.Is(p.err, fault.Internal) {
			t.Fatalf("a blob that is not there: %v", p.err)
		}
		if p := read(`{"blob":-1,"done":true}`); !errors.Is(p.err, io.EOF) {
			t.Fatalf("got %v, want io.EOF", p.err)
		}
		a.res.Close() // after the end there is nothing to close
		if _, err := a.res.Read(t.Context()); !errors.Is(err, io.EOF) || len(port.take()) != 0 {
			t.Fatalf("an ended answer was asked for again: %v", err)
		}
	})
}

func TestAHostThatFetchCannotReachIsReachedByTheBufferedClientFromThenOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		h := NewHTTP(c)
		head := `{"handle":1,"status":200,"headers":{}}`
		buffered := func(e protocol.Envelope) bool { return strings.Contains(e.Payload, `"buffered":true`) }

		done := get(t, h, "https://api.test/a")
		if buffered(reply(t, c, port, "", unreachable)) || !buffered(reply(t, c, port, head, "")) {
			t.Fatal("not fetch first and then the buffered client")
		}
		if a := <-done; a.err != nil || !web.Buffered(a.res) {
			t.Fatalf("%v, or it does not say that it is buffered", a.err)
		}
		done = get(t, h, "https://api.test/b")
		if !buffered(reply(t, c, port, head, "")) {
			t.Fatal("the host was not remembered")
		}
		if a := <-done; !web.Buffered(a.res) {
			t.Fatal("it does not say that it is buffered")
		}
		done = get(t, h, "https://other.test/")
		if buffered(reply(t, c, port, head, "")) {
			t.Fatal("another host was taken for the same")
		}
		if a := <-done; web.Buffered(a.res) {
			t.Fatal("it says that it is buffered")
		}
	})
}

func TestWhatNeitherClientReachesIsANetworkErrorAndIsNotRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		h := NewHTTP(c)
		for range 2 {
			done := get(t, h, "https://api.test/")
			reply(t, c, port, "", unreachable)
			reply(t, c, port, "", unreachable)
			if a := <-done; !fault.Is(a.err, fault.Network) || a.res != nil {
				t.Fatalf("got %+v", a)
			}
		}
	})
}

func TestOtherErrorsAreNotTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		done := get(t, NewHTTP(c), "https://api.test/")
		reply(t, c, port, "", `{"code":"AUTH_REQUIRED","key":"error.secret.missing","params":{"name":"k"}}`)
		if a := <-done; !fault.Is(a.err, fault.Auth) || a.res != nil {
			t.Fatalf("got %+v", a)
		}
		synctest.Wait()
		if sent := port.take(); len(sent) != 0 {
			t.Fatalf("sent %+v", sent)
		}
	})
}

func TestAnAddressWithoutAHostIsRefusedBeforeItIsSent(t *testing.T) {
	port := &memory{}
	h := NewHTTP(NewConn(port))
	for _, url := range []string{"", "api.test/v1", "/v1", "http://%zz"} {
		_, err := h.Do(context.Background(), web.Request{URL: url})
		if !fault.Is(err, fault.Validation) || len(port.take()) != 0 {
			t.Errorf("%q: want the error fault.Validation and no take, got %v", url, err)
		}
	}
}

func TestClosingEarlyTellsTheShellOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		done := get(t, NewHTTP(c), "https://api.test/")
		reply(t, c, port, `{"handle":4,"status":200,"headers":{}}`, "")
		a := <-done
		a.res.Close()
		a.res.Close()
		sent := port.take()
		if len(sent) != 1 || sent[0].Method != "http.close" || sent[0].Payload != `{"handle":4}` {
			t.Fatalf("sent %+v", sent)
		}
	})
}

func TestARequestThatNamesItsClientGoesByThatOneAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for via, want := range map[string]bool{web.ViaFetch: false, web.ViaApp: true} {
			port := &memory{}
			c := NewConn(port)
			h := NewHTTP(c)
			done := make(chan error, 1)
			go func() {
				_, err := h.Do(t.Context(), web.Request{Method: "POST", URL: "https://api.test/", Via: via})
				done <- err
			}()
			sent := reply(t, c, port, "", unreachable)
			if got := strings.Contains(sent.Payload, `"buffered":true`); got != want {
				t.Errorf("%s: want a buffered request: %v, got %s", via, want, sent.Payload)
			}
			if !strings.Contains(sent.Payload, `"headers":{}`) {
				t.Errorf("no headers are an empty list to the host: %s", sent.Payload)
			}
			// A failure is the answer: nothing is sent a second time.
			if err := <-done; !fault.Is(err, fault.Network) {
				t.Errorf("%s: want the error fault.Network, got %v", via, err)
			}
		}
	})
}
