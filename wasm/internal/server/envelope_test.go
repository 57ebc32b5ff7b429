package server

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/record"
	"embedded-agent/wasm/internal/tool"
)

// recorded are the lines of a run's file, as JSON.
func recorded(t *testing.T, mem *hosttest.Memory, run, name string) []map[string]any {
	t.Helper()
	data := mem.StoreFiles()[history.Dir(run)+"/"+name]
	recs, _, good, err := record.Read(name, data)
	if err != nil || good != len(data) {
		t.Fatalf("%s: %v, %d of %d bytes", name, err, good, len(data))
	}
	var out []map[string]any
	for _, r := range recs {
		var v map[string]any
		if err := json.Unmarshal(r, &v); err != nil {
			t.Fatalf("%s: want no error, got %s: %v", name, r, err)
		}
		out = append(out, v)
	}
	return out
}

func envelopeSchema(t *testing.T, name string) *tool.Schema {
	t.Helper()
	raw, err := os.ReadFile("../audit/testdata/" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := tool.CompileSchema(name, raw)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkEnvelopes holds every line that a run has emitted against its schema,
// and the three streams against each other.
func checkEnvelopes(t *testing.T, mem *hosttest.Memory, run string) {
	t.Helper()
	files := map[string][]map[string]any{}
	for file, schema := range map[string]string{"calls.jsonl": "ToolCall", "results.jsonl": "ToolResult", "events.jsonl": "ExecutionEvent"} {
		s := envelopeSchema(t, schema)
		files[file] = recorded(t, mem, run, file)
		for _, line := range files[file] {
			if vs := s.Validate(line); vs != nil {
				t.Fatalf("%s: want nothing, got %v\n%v", file, vs, line)
			}
			if line["runId"] != run {
				t.Fatalf("%s: of run %v", file, line["runId"])
			}
		}
	}
	results := map[any]map[string]any{}
	for _, r := range files["results.jsonl"] {
		if results[r["callId"]] != nil {
			t.Fatalf("two results of %v", r["callId"])
		}
		results[r["callId"]] = r
	}
	confirmation := ""
	for _, c := range files["calls.jsonl"] {
		r := results[c["callId"]]
		if r == nil {
			t.Fatalf("no result of %v", c)
		}
		for _, k := range []string{"stepId", "tool", "version", "attempt", "call_id"} {
			if c[k] != r[k] {
				t.Errorf("%s of a call is %v, of its result %v", k, c[k], r[k])
			}
		}
		if confirmation == "" {
			confirmation = c["confirmationId"].(string)
		}
		if c["confirmationId"] != confirmation {
			t.Errorf("another confirmationId: %v", c)
		}
		if r["startedAt"].(string) > r["endedAt"].(string) {
			t.Errorf("ended before it started: %v", r)
		}
	}
	if len(results) != len(files["calls.jsonl"]) {
		t.Errorf("%d calls, %d results", len(files["calls.jsonl"]), len(results))
	}
	checkEvents(t, files["events.jsonl"], results)
}

func checkEvents(t *testing.T, events []map[string]any, results map[any]map[string]any) {
	t.Helper()
	state, scheduled := map[any]string{}, map[any]bool{}
	var runs []string
	for _, e := range events {
		kind := e["type"].(string)
		id := e["callId"]
		switch {
		case strings.HasPrefix(kind, "run."):
			runs = append(runs, kind)
		case kind == "step.scheduled":
			scheduled[e["stepId"]] = true
		case kind == "step.progress":
			if id != nil && state[id] != "started" {
				t.Errorf("progress of %v, which is %q", id, state[id])
			}
		case kind == "step.started":
			if !scheduled[e["stepId"]] {
				t.Errorf("%v started before its step was scheduled", id)
			}
			if state[id] != "" {
				t.Errorf("%v started twice", id)
			}
			state[id] = "started"
		case id != nil && (kind == "step.finished" || kind == "step.failed"):
			if state[id] != "started" {
				t.Errorf("%v ended, which is %q", id, state[id])
			}
			state[id] = "ended"
			r := results[id]
			failed := r["ok"] == false && r["status"] != "skipped"
			if r == nil || failed != (kind == "step.failed") {
				t.Errorf("%s of a call that is %v", kind, r["status"])
			}
		}
	}
	for id := range results {
		if state[id] != "ended" {
			t.Errorf("call %v is %q in the events", id, state[id])
		}
	}
	if slices.Index(runs, "run.started") < slices.Index(runs, "run.confirmed") || runs[len(runs)-1] != "run.finished" ||
		strings.Count(strings.Join(runs, " "), "run.started") != 1 || strings.Count(strings.Join(runs, " "), "run.finished") != 1 {
		t.Errorf("the run's events are %v", runs)
	}
	if last := events[len(events)-1]["type"]; last != "run.finished" {
		t.Errorf("after the end came %v", last)
	}
}

func TestEveryLineThatARunEmitsFitsItsSchemaAndTheOthers(t *testing.T) {
	files, everything := workload(t)
	for _, c := range []struct {
		name, plan string
		drift      func(m *hosttest.Memory)
	}{
		{name: "every writing tool", plan: everything},
		{name: "a drift", plan: editPlan, drift: func(m *hosttest.Memory) { m.Put("B.md", "drift") }},
		{name: "failures that are skipped", plan: planOf("skips",
			`{"id":"a","tool":"vault.readFile","args":{"path":"Nowhere.md"},"onError":"skip","retry":{"maxAttempts":3,"backoffMs":1}}`,
			`{"id":"b","tool":"vault.createFile","args":{"path":"X.md","content":"$steps.a.content"},"onError":"skip"}`,
			`{"id":"c","tool":"vault.createFile","args":{"path":"Untouched.md","content":"","onCollision":"error"},"onError":"skip"}`,
			`{"id":"d","tool":"vault.createFile","args":{"path":"{p}.md","content":"{p}"},"foreach":{"from":["ok","a/../../b","ok2"],"itemName":"p"},"onError":"skip"}`,
			`{"id":"e","tool":"vault.createFile","args":{"path":"Y.md","content":"y"},"preview":"Make “Y”"}`)},
		{name: "a command", plan: planOf("command", `{"id":"a","tool":"commands.run","args":{"id":"no:such"},"onError":"skip"}`, `{"id":"b","tool":"vault.createFile","args":{"path":"X.md","content":"x"}}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := map[string]string{"A.md": twoNotes["A.md"], "B.md": "b\n", "C.md": "c\n"}
			for p, text := range files {
				all[p] = text
			}
			mem := hosttest.New(hosttest.Options{Files: all, Active: "Active.md", Commands: []hosttest.Command{{ID: "a:b"}}})
			ui := begin(t, mem, free)
			r, err := ui.s.tx.OpenPlan(t.Context(), []byte(c.plan), nil, false)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Approvable {
				t.Fatalf("want a review that can be approved, got %+v", r.Problem)
			}
			if c.drift != nil {
				justBefore(mem, func() { c.drift(mem) })
			}
			call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
			for {
				e := ui.await("question or end", func(e protocol.Event) bool {
					return e.Type == protocol.EventQuestionOpened || e.Type == protocol.EventRunState && e.Run.State == "finished"
				})
				if e.Question == nil {
					break
				}
				call[protocol.Empty](ui, "answer", protocol.Answer{ID: e.Question.ID, Yes: true})
			}
			checkEnvelopes(t, mem, r.Run)
		})
	}
}

func TestEffectsAreWhatWasObservedAndNotWhatWasIntended(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	r := ui.open(editPlan)
	justBefore(mem, func() { mem.Put("B.md", "drift") })
	ui.approve(r)
	for _, line := range recorded(t, mem, r.Run, "results.jsonl") {
		effects := line["effects"] != nil
		if want := line["stepId"] == "a1" || line["stepId"] == "a2"; effects != want {
			t.Errorf("%v (%v) has effects: %v", line["stepId"], line["status"], line["effects"])
		}
	}
}
