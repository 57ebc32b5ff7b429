//go:build peers && !js

package proxy

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/sentinel"
)

// talker is a model made of rules, for the loops of test/peers/proxy/run.mjs.
func talker(ctx context.Context, p Prompt, emit func(Delta)) (Usage, error) {
	say := func(s string) (Usage, error) {
		for _, r := range s {
			emit(Delta{Text: string(r)})
		}
		return Usage{Input: 10, Output: 5}, nil
	}
	call := func(city string) string { return block("get_weather", fmt.Sprintf("{%q:%q}", "city", city)) }
	question := ""
	var outputs []string
	for _, it := range p.Items {
		switch {
		case it.Kind == sentinel.ItemMessage && it.Role == sentinel.RoleUser:
			question = itemText(it)
		case it.Kind == sentinel.ItemOutput:
			outputs = append(outputs, it.Output)
		}
	}
	verb, rest, _ := strings.Cut(question, ": ")
	cities := strings.Split(rest, ", ")
	switch {
	case verb == "weather" && len(outputs) == 0:
		calls := make([]string, len(cities))
		for i, c := range cities {
			calls[i] = call(c)
		}
		return say("Let me look. " + strings.Join(calls, "\n"))
	case verb == "steps" && len(outputs) < len(cities):
		return say(call(cities[len(outputs)]))
	case verb == "weather" || verb == "steps":
		return say("It is " + strings.Join(outputs, " and ") + ".")
	case verb == "broken call":
		return say("Hm. " + block("get_weather", `{"town":1}`))
	case verb == "endless":
		for ctx.Err() == nil {
			emit(Delta{Text: "and "})
		}
		return Usage{}, &llm.Error{Code: llm.CodeCancelled, Message: "Stopped."}
	case strings.HasPrefix(question, "echo "):
		return say(question)
	default:
		return say("Just talking. Ünï 🦊")
	}
}

// tap keeps a copy of every event stream that a handler writes.
type tap struct {
	next    http.Handler
	mu      sync.Mutex
	streams []*tapped
}

type tapped struct {
	http.ResponseWriter
	buf  bytes.Buffer
	left func() bool // the client went away before the end
}

func (w *tapped) Write(p []byte) (int, error) {
	w.buf.Write(p)
	return w.ResponseWriter.Write(p)
}

func (w *tapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (t *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tw := &tapped{ResponseWriter: w, left: func() bool { return r.Context().Err() != nil }}
	t.next.ServeHTTP(tw, r)
	if tw.left() || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		return
	}
	t.mu.Lock()
	t.streams = append(t.streams, tw)
	t.mu.Unlock()
}

func TestOfficialClientsRunWholeToolLoops(t *testing.T) {
	dir := "../../../test/peers/proxy"
	if _, err := os.Stat(dir + "/node_modules"); err != nil {
		t.Skip("the clients are not installed: npm ci in test/peers/proxy")
	}
	b := newScripted(talker)
	limits := DefaultLimits()
	watch := &tap{next: New(Config{Origins: DefaultOrigins(), Limits: limits}, b).Handler()}
	srv := httptest.NewServer(watch)
	defer srv.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "run.mjs", srv.URL+"/v1")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("the clients are not content: %v", err)
	}
	b.waitFree()
	watch.mu.Lock()
	defer watch.mu.Unlock()
	if len(watch.streams) < 25 {
		t.Errorf("only %d streams were seen", len(watch.streams))
	}
	for i, s := range watch.streams {
		if _, problems := checkStream(s.buf.Bytes()); problems != nil {
			t.Errorf("stream %d: what the clients did not notice: %s", i, strings.Join(problems, "; "))
		}
	}
}
