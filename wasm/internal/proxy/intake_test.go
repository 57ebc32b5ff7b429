//go:build !js

package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// dial opens connections that send a beginning, and then what they like.
func (s *system) dial(n int, beginning string) []net.Conn {
	s.t.Helper()
	var out []net.Conn
	for range n {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _ = c.Close() })
		if _, err := io.WriteString(c, beginning); err != nil {
			s.t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

const slowBody = "POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"

func TestWhoeverSendsSlowlyLocksNobodyOut(t *testing.T) {
	for name, beginning := range map[string]string{
		"slow bodies":  slowBody,
		"slow headers": "POST /v1/responses HTTP/1.1\r\nHost: loc",
		"silence":      "",
		"idle":         "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		for _, n := range []int{70, 400} { // more than slots, and than may wait
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				s := start(t, saying("x"))
				s.dial(n, beginning)
				for range 3 {
					if res := s.streamed(`{"input":"x"}`); res["status"] != "completed" {
						t.Fatalf("want res[\"status\"] \"completed\", got %v", res)
					}
				}
			})
		}
	}
}

func TestABodyThatComesTooSlowlyIsCutOffAndOneThatKeepsComingIsNot(t *testing.T) {
	s := start(t, saying("x"), func(c *Config) { c.Limits.ReadGrace = 50 * time.Millisecond })
	c := s.dial(1, slowBody)[0]
	answer, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408") {
		t.Errorf("want no error and answer beginning with \"HTTP/1.1 408\", got %v %.100q", err, answer)
	}
	large := `{"input":"` + strings.Repeat("long ", 1<<20) + `"}`
	if res := s.streamed(large); res["status"] != "completed" {
		t.Errorf("want res[\"status\"] \"completed\", got %v", res["error"])
	}
}

func TestLargeBodiesTogetherHaveABudgetThatSmallOnesDoNotNeed(t *testing.T) {
	in := intake{max: 1 << 20}
	held, hold := io.Pipe()
	took := make(chan error, 1)
	go func() {
		_, err := in.take(httptest.NewRecorder(), held, time.Hour, time.Hour)
		took <- err
	}()
	if _, err := hold.Write(make([]byte, freeBody+1<<20)); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return in.held.Load() == 1<<20 })
	if _, err := in.take(httptest.NewRecorder(), strings.NewReader(strings.Repeat("x", freeBody+1)), time.Hour, time.Hour); !errors.Is(err, errCrowded) {
		t.Errorf("one more large body: %v", err)
	}
	if b, err := in.take(httptest.NewRecorder(), strings.NewReader(strings.Repeat("x", freeBody)), time.Hour, time.Hour); err != nil || len(b) != freeBody {
		t.Errorf("a small body: %v", err)
	}
	_ = hold.Close()
	if err := <-took; err != nil || in.held.Load() != 0 {
		t.Errorf("%v, %d bytes are counted after the end", err, in.held.Load())
	}
}

func TestAClientThatDoesNotReadItsAnswerGivesItsSlotBack(t *testing.T) {
	long := strings.Repeat("word ", 2000)
	s := start(t, newScripted(func(ctx context.Context, p Prompt, emit func(Delta)) (Usage, error) {
		if !strings.Contains(fmt.Sprint(p.Items), "endless") {
			emit(Delta{Text: "x"})
			return Usage{}, nil
		}
		for ctx.Err() == nil {
			emit(Delta{Text: long})
		}
		return Usage{}, ctx.Err()
	}), func(c *Config) {
		c.Limits.MaxConcurrent, c.Limits.WriteTimeout, c.Limits.MaxOutput = 1, 50*time.Millisecond, 1<<30
	})
	body := `{"stream":true,"input":"endless"}`
	s.dial(1, fmt.Sprintf("POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	waitFor(t, func() bool { return strings.Contains(s.log.String(), `"outcome":"client_gone"`) })
	resp, err := s.post(t.Context(), `{"input":"x"}`)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("want no error and StatusCode http.StatusOK, got %v %v", resp, err)
	}
}
