package server

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// atPace gives a panel whose clock goes on by so much each time it is looked at.
func atPace(t *testing.T, mem *hosttest.Memory, step time.Duration, heard func(protocol.Event)) *panel {
	t.Helper()
	ui := &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	var n atomic.Int64
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, err := New(Deps{Host: mem.Host(), Emit: func(e protocol.Event) { heard(e); ui.hear(e) }, Now: func() time.Time { return began.Add(time.Duration(n.Add(1)) * step) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: free, Platform: protocol.Platform{Name: "linux", Language: "en"}})
	return ui
}

const longPlan = `{"goal":"long","assumptions":[],"riskLevel":"writes","steps":[
{"id":"many","tool":"vault.createFile","args":{"path":"New/{n}.md","content":"{n}"},"foreach":{"from":["a","b","c","d","e","f","g","h","i","j","k","l"],"itemName":"n"}},
{"id":"tags","tool":"tags.rename","args":{"folder":"N","from":"old","to":"new"},"dependsOn":["many"]}]}`

func longVault() *hosttest.Memory {
	files := map[string]string{}
	for _, n := range strings.Split("abcdefghijkl", "") {
		files["N/"+n+".md"] = "#old text\n"
	}
	return hosttest.New(hosttest.Options{Files: files})
}

func TestHowFarCallsAndStepsAreIsToldNowAndThen(t *testing.T) {
	mem := longVault()
	var (
		mu   sync.Mutex
		told = map[string]int{}
	)
	ui := atPace(t, mem, 200*time.Millisecond, func(e protocol.Event) {
		mu.Lock()
		defer mu.Unlock()
		if x := e.Exec; x != nil && x.Type == "step.progress" && x.Progress.Total == 12 && x.Progress.Done < 12 {
			told[x.StepID]++
		}
	})
	end := ui.do(longPlan)
	checkEnvelopes(t, mem, end.Run)
	far := map[string][]float64{}
	for _, e := range recorded(t, mem, end.Run, "events.jsonl") {
		if e["type"] != "step.progress" {
			continue
		}
		p := e["payload"].(map[string]any)
		if p["total"] != 12.0 || (e["callId"] != nil) != (e["stepId"] == "tags") {
			t.Errorf("want p[\"total\"] 12.0 and equal to (e[\"stepId\"] == \"tags\"), got %v", e)
		}
		step := e["stepId"].(string)
		if n := len(far[step]); n > 0 && far[step][n-1] >= p["done"].(float64) {
			t.Errorf("%s goes back: %v, then %v", step, far[step], p["done"])
		}
		far[step] = append(far[step], p["done"].(float64))
	}
	for _, step := range []string{"many", "tags"} {
		if n := len(far[step]); n == 0 || n > 11 || far[step][n-1] >= 12 {
			t.Errorf("%s: told %v", step, far[step])
		}
	}
	view, err := audit.ToolEvents(t.Context(), mem.Host().Store, history.Dir(end.Run))
	if err != nil {
		t.Fatal(err)
	}
	state := map[string]string{}
	for _, e := range view {
		was := state[e.ToolCallID]
		state[e.ToolCallID] = e.Type
		switch {
		case e.Type == "tool_execution_start" && was == "" && len(e.Args) > 0:
		case e.Type == "tool_execution_update" && (was == "tool_execution_start" || was == e.Type) && e.Update["total"] == 12.0:
		case e.Type == "tool_execution_end" && was != "" && was != e.Type && !e.IsError && e.Result != nil:
		default:
			t.Errorf("after %q: %+v", was, e)
		}
	}
	if len(state) != 13 {
		t.Errorf("%d calls in the other view", len(state))
	}
	mu.Lock()
	defer mu.Unlock()
	if told["many"] == 0 || told["tags"] == 0 {
		t.Errorf("the panel was told %v", told)
	}
}

func TestWhatIsOverAtOnceTellsNoProgress(t *testing.T) {
	mem := longVault()
	ui := atPace(t, mem, 0, func(protocol.Event) {})
	end := ui.do(longPlan)
	for _, e := range recorded(t, mem, end.Run, "events.jsonl") {
		if e["type"] == "step.progress" {
			t.Errorf("want e[\"type\"] other than \"step.progress\", got %v", e)
		}
	}
}
