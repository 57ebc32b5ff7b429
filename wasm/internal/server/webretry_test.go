//go:build !js

package server

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
	"embedded-agent/wasm/internal/web/webtest"
)

// timedWeb notes when each request came.
type timedWeb struct {
	web.Transport
	mu sync.Mutex
	at []time.Time
}

func (w *timedWeb) Do(ctx context.Context, r web.Request) (web.Response, error) {
	w.mu.Lock()
	w.at = append(w.at, time.Now())
	w.mu.Unlock()
	return w.Transport.Do(ctx, r)
}

const againPlan = `{"goal":"Read","assumptions":[],"riskLevel":"read-only","steps":[
{"id":"get","tool":"http.request","args":{"url":"https://api.example.com/news"},"retry":{"maxAttempts":3,"backoffMs":1500}}]}`

func TestAWebPageThatIsReadAgainIsReadAfterThePauseThatThePlanOrItsServerAsksFor(t *testing.T) {
	busy := func(wait string) llmtest.Answer {
		return llmtest.Answer{Status: 503, Header: map[string]string{"retry-after": wait, "date": "Sun, 22 Nov 2026 10:00:00 GMT"}, Body: []byte("later")}
	}
	good := llmtest.Answer{Header: map[string]string{"content-type": "text/plain"}, Body: []byte("news")}
	for _, c := range []struct {
		name    string
		answers []llmtest.Answer
		pauses  []time.Duration // at least
		found   bool
	}{
		{"seconds", []llmtest.Answer{busy("2"), busy("7"), good}, []time.Duration{2 * time.Second, 7 * time.Second}, true},
		{"a date", []llmtest.Answer{busy("Sun, 22 Nov 2026 10:00:30 GMT"), good}, []time.Duration{30 * time.Second}, true},
		{"nothing", []llmtest.Answer{busy(""), busy(""), good}, []time.Duration{750 * time.Millisecond, 1500 * time.Millisecond}, true},
		{"longer than the settings allow", []llmtest.Answer{busy("3600"), good}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := &timedWeb{Transport: llmtest.NewTransport(c.answers...)}
				ui := newWebPanel(t, web, webtest.Allowed(), againPlan)
				defer ui.s.Close()
				turn := ui.await("end of the turn", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded }).Turn
				if (turn.Findings != nil) != c.found {
					t.Fatalf("want as in the case, got %+v", turn)
				}
				if len(web.at) != len(c.pauses)+1 {
					t.Fatalf("%d requests", len(web.at))
				}
				for i, least := range c.pauses {
					if d := web.at[i+1].Sub(web.at[i]); d < least {
						t.Errorf("pause %d was %v, want at least %v", i+1, d, least)
					}
				}
				told := slices.ContainsFunc(turn.Notes, func(m protocol.Message) bool { return strings.HasSuffix(m.Key, "stepAgain") })
				if told != (len(c.pauses) > 0) {
					t.Errorf("want told equal to (len(c.pauses) > 0), got %v", turn.Notes)
				}
			})
		})
	}
}
