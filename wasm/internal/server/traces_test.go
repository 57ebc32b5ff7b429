package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/trace"
)

// tree writes a trace as kinds and names under their parents.
func tree(spans []protocol.Span) string {
	var b strings.Builder
	var walk func(parent, indent string)
	walk = func(parent, indent string) {
		for _, s := range spans {
			if s.Parent == parent {
				fmt.Fprintf(&b, "%s%s %s %s\n", indent, s.Kind, s.Name, s.Status)
				walk(s.ID, indent+" ")
			}
		}
	}
	walk("", "")
	return b.String()
}

func TestTheTraceOfAnAgentsTurnAndItsRunHasPoliciesModelCallsToolCallsAndTheRun(t *testing.T) {
	mem := note()
	r := newRig(t, mem, free, nil,
		llmtest.Reply(llm.Call("1", "vault.readFile", []byte(`{"path":"None.md"}`)), llm.Call("2", "vault.createFile", []byte(`{"path":"B.md","content":"x"}`))),
		llmtest.Say("Done."))
	end := r.say("go")
	run := strings.TrimPrefix(end.TracesURL, "obsidian://embedded-agent?run=")
	if run == end.TracesURL || run != end.Run {
		t.Fatalf("%q does not open %s", end.TracesURL, end.Run)
	}
	p := call[protocol.Review](r.panel, "review.get", protocol.RunRef{Run: run})
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: run, Approval: p.Approval})
	r.finished()
	if _, ok := mem.StoreFiles()[history.Dir(run)+"/"+history.TraceFile]; !ok {
		t.Fatal("the run folder has no trace")
	}
	if _, ok := mem.StoreFiles()[history.TurnDir(run)+"/"+history.TraceFile]; ok {
		t.Error("the turn's trace is there twice")
	}
	for _, x := range []*rig{r, newRig(t, mem.CrashClone(), free, nil)} {
		got := call[protocol.Trace](x.panel, "trace.get", protocol.RunRef{Run: run})
		const read = `  tool execute_tool vault.readFile NOT_FOUND
   policy policy_check ok
`
		const create = `  tool execute_tool vault.createFile ok
   policy policy_check ok
`
		want := `run run ok
 run invoke_agent embedded-agent ok
  policy policy_check ok
  model chat gpt-5.1 ok
` + read + create + `  policy policy_check ok
  model chat gpt-5.1 ok
 run run_plan ok
  tool execute_tool vault.createFile ok
`
		// The two calls of one answer run at once: either can begin first.
		if tr := tree(got.Spans); tr != want && tr != strings.Replace(want, read+create, create+read, 1) {
			t.Errorf("got\n%s\nwant\n%s", tr, want)
		}
		calls := call[protocol.RunDetail](x.panel, "run.get", protocol.RunRef{Run: run}).Calls
		found := false
		for _, s := range got.Spans {
			if s.CallID == calls[0].CallID && s.ID == trace.SpanID(run, calls[0].CallID) {
				found = true
			}
		}
		if !found {
			t.Error("a call is not found in the trace")
		}
		if es, err := trace.Read([]byte(got.OTLP)); err != nil || len(es) != len(got.Spans) {
			t.Errorf("want no error and as many of them as len(got.Spans), got %v, %d of %d", err, len(es), len(got.Spans))
		}
	}
}

func TestAPlansTraceHasItsModelCallsAndStepsAndALargeRunsCallsAreMadeOfItsRecords(t *testing.T) {
	mem := alphaBeta()
	var items []string
	for i := range history.MaxSpans + 20 {
		items = append(items, fmt.Sprintf("%q", fmt.Sprint("n", i)))
	}
	plan := `{"goal":"many","assumptions":[],"steps":[{"id":"ask","tool":"agent.run","args":{"prompt":"x"}},
		{"id":"make","tool":"vault.createFile","args":{"path":"Out/{i}.md","content":"$steps.ask.response"},"foreach":{"from":[` + strings.Join(items, ",") + `],"itemName":"i"}}]}`
	r := newRig(t, mem, free, nil, llmtest.Call("c", "submit_plan", plan), llmtest.Say("text"))
	a := call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "go", Mode: protocol.ModePlan, Conversation: "talk"})
	end := r.turnEnded(a.Turn)
	p := call[protocol.Review](r.panel, "review.get", protocol.RunRef{Run: end.Run})
	if live := call[protocol.Trace](r.panel, "trace.get", protocol.RunRef{Run: end.Run}); len(live.Spans) < 3 {
		t.Errorf("while it is in review: %+v", live.Spans)
	}
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	if end := r.finished(); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
	}
	lines := mem.StoreFiles()[history.Dir(end.Run)+"/"+history.TraceFile]
	if n := strings.Count(string(lines), `"execute_tool vault.createFile"`); n > history.MaxSpans {
		t.Errorf("%d spans are written down", n)
	}
	got := call[protocol.Trace](r.panel, "trace.get", protocol.RunRef{Run: end.Run})
	kinds, byName := map[protocol.SpanKind]int{}, map[string]int{}
	for _, s := range got.Spans {
		kinds[s.Kind]++
		byName[s.Name]++
	}
	if kinds[protocol.SpanModel] != 2 || byName["execute_tool vault.createFile"] != history.MaxSpans+20 || byName["invoke_agent step"] != 1 || byName["run_plan"] != 1 {
		t.Errorf("want kinds[protocol.SpanModel] 2, byName[\"execute_tool vault.createFile\"] equal to history.MaxSpans+20, byName[\"invoke_agent step\"] 1 and byName[\"run_plan\"] 1, got %v %v", kinds, byName)
	}
}

func TestAWholeConversationReplaysFromItsExportWithoutAModel(t *testing.T) {
	const key = "sk-canary-0123456789abcdefABCDEF"
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "alpha " + key}})
	r := newRig(t, mem, free, nil, reads(2), create("1", "B.md"), llmtest.Say("Made B."),
		llmtest.Call("2", "vault.createFile", `{"path":"C.md","content":"`+key+`"}`), llmtest.Say("Made C."),
		llmtest.Say("Nothing more."))
	r.say("first " + key)
	second := r.say("second")
	p := call[protocol.Review](r.panel, "review.get", protocol.RunRef{Run: second.Run})
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	r.finished()
	third := r.say("third")
	last := strings.TrimPrefix(third.TracesURL, history.TracesURL(""))

	later := newRig(t, mem.CrashClone(), free, func(d *Deps) { d.Provider = nil })
	for run, want := range map[string][]string{second.Run: {"Made B.", "Made C."}, last: {"Made B.", "Made C.", "Nothing more."}} {
		text := call[protocol.Document](later.panel, "run.export", protocol.RunRef{Run: run}).Text
		if again := call[protocol.Document](later.panel, "run.export", protocol.RunRef{Run: run}).Text; again != text {
			t.Error("two exports differ")
		}
		if strings.Contains(text, key) {
			t.Error("the key is in the export")
		}
		var doc struct {
			Bundles   []json.RawMessage
			Envelopes []json.RawMessage
			Plan      json.RawMessage
			Events    []struct{ Type string }
		}
		if err := json.Unmarshal([]byte(text), &doc); err != nil || len(doc.Bundles) != len(want) {
			t.Fatalf("%v, %d bundles", err, len(doc.Bundles))
		}
		if run == second.Run && (len(doc.Envelopes) != 2 || doc.Plan == nil) {
			t.Errorf("%d envelopes, plan %s", len(doc.Envelopes), doc.Plan)
		}
		if n := len(doc.Events); run == second.Run && (n == 0 || doc.Events[n-1].Type != "run.finished") {
			t.Errorf("events %+v", doc.Events)
		}
		for i, raw := range doc.Bundles {
			b, err := agent.ParseBundle(raw)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				out, err := agent.ReplayAlone(t.Context(), b, later.s.registry)
				if err != nil || out.Outputs.Response != want[i] {
					t.Fatalf("turn %d: %v %+v", i, err, out)
				}
			}
			if len(b.Tools) == 0 || b.System == "" || len(b.Messages) == 0 {
				t.Errorf("turn %d: the bundle lacks tools, prompt or messages", i)
			}
		}
	}
}

func TestAModelStepReplaysFromTheExportOfItsRun(t *testing.T) {
	mem := alphaBeta()
	r := newRig(t, mem, free, nil, answers()...)
	p := r.openPlan(sumUp("null"))
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	r.finished()
	var doc history.ExportDocument
	if err := json.Unmarshal([]byte(call[protocol.Document](r.panel, "run.export", protocol.RunRef{Run: p.Run}).Text), &doc); err != nil || len(doc.Bundles) != 1 || len(doc.Frozen) != 1 {
		t.Fatalf("want no error, 1 Bundles and 1 Frozen, got %v %+v", err, doc)
	}
	b, err := agent.ParseBundle(doc.Bundles[0])
	if err != nil {
		t.Fatal(err)
	}
	if out, err := agent.ReplayAlone(t.Context(), b, r.s.registry); err != nil || out.Outputs.Response != "Alpha it is." {
		t.Errorf("want no error and Outputs.Response \"Alpha it is.\", got %v %+v", err, out)
	}
}

func TestWhatIsNotThereHasNoTrace(t *testing.T) {
	r := newRig(t, note(), free, nil)
	for _, run := range []string{"", "no", "../x", "a/b"} {
		for _, m := range []string{"trace.get", "run.export"} {
			if _, err := try[protocol.Document](r.panel, m, protocol.RunRef{Run: run}); !fault.Is(err, fault.NotFound) {
				t.Errorf("%s %q: want the error fault.NotFound, got %v", m, run, err)
			}
		}
	}
}

func TestOldTurnsThatLedToNoRunMakeRoom(t *testing.T) {
	mem := note()
	var turns []llmtest.Turn
	for range history.MaxTraces + 3 {
		turns = append(turns, llmtest.Say("ok"))
	}
	r := newRig(t, mem, free, nil, turns...)
	first := ""
	for i := range history.MaxTraces + 3 {
		end := r.say("x")
		if i == 0 {
			first = strings.TrimPrefix(end.TracesURL, history.TracesURL(""))
		}
	}
	n := 0
	for p := range mem.StoreFiles() {
		if strings.HasPrefix(p, history.TracesFolder+"/") && strings.HasSuffix(p, history.TraceFile) {
			n++
		}
	}
	if n != history.MaxTraces {
		t.Errorf("%d are kept", n)
	}
	if _, err := try[protocol.Trace](r.panel, "trace.get", protocol.RunRef{Run: first}); !fault.Is(err, fault.NotFound) {
		t.Errorf("want the error fault.NotFound, got %v", err)
	}
}

func TestALargeOutputIsShortenedAndKeptBesideTheRun(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"Big.md": strings.Repeat("a long line of words\n", 6000)}})
	r := newRig(t, mem, free, nil, llmtest.Call("1", "vault.readFile", `{"path":"Big.md"}`), create("2", "B.md"), llmtest.Say("ok"))
	end := r.say("go")
	if told := r.results()[0]; !strings.Contains(told, `"truncated":true`) || len(told) > 80<<10 {
		t.Errorf("%d bytes", len(told))
	}
	p := call[protocol.Review](r.panel, "review.get", protocol.RunRef{Run: end.Run})
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	r.finished()
	found := false
	for path, data := range mem.StoreFiles() {
		if strings.HasPrefix(path, history.Dir(end.Run)+"/"+history.AttachFolder+"/") {
			found = len(data) > 100_000
		}
	}
	if !found {
		t.Error("the whole is not kept beside the run")
	}
}
