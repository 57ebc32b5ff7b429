package server

import (
	"slices"
	"testing"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// actingVault has one command, which changes nothing.
func actingVault() *hosttest.Memory {
	return hosttest.New(hosttest.Options{
		Files: map[string]string{"A.md": "a\n"}, Commands: []hosttest.Command{{ID: "x:do", Name: "Do it"}},
	})
}

// acted lets an agent run a command and change a note, and gives the panel when
// the turn has ended.
func acted(t *testing.T, yes bool) (*panel, protocol.Turn) {
	t.Helper()
	ui := newPanel(t, actingVault(), protocol.Settings{Provider: "openai", AllowCommands: true},
		llmtest.Reply(llm.Call("1", "commands.run", []byte(`{"id":"x:do"}`)), llm.Call("2", "vault.writeFile", []byte(`{"path":"A.md","content":"b\n"}`))),
		llmtest.Say("Done."), llmtest.Say("Nothing more."))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "do it", Mode: protocol.ModeAgent, Conversation: "c"})
	q := ui.await("question", func(e protocol.Event) bool { return e.Type == protocol.EventQuestionOpened }).Question
	call[protocol.Empty](ui, "answer", protocol.Answer{ID: q.ID, Yes: yes})
	e := ui.await("end", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
	if e.Turn.Problem != nil {
		t.Fatalf("want no Turn.Problem, got %+v", e.Turn.Problem)
	}
	return ui, *e.Turn
}

func TestACommandWhoseRecordCannotBeBegunIsNotRunAndHoldsNoRun(t *testing.T) {
	for n := 1; n <= 4; n++ {
		mem := actingVault()
		ui := newPanel(t, mem, protocol.Settings{Provider: "openai", AllowCommands: true},
			llmtest.Reply(llm.Call("1", "commands.run", []byte(`{"id":"x:do"}`))), llmtest.Say("Done."), llmtest.Say("Nothing more."))
		call[protocol.Accepted](ui, "send", protocol.Send{Text: "do it", Mode: protocol.ModeAgent, Conversation: "c"})
		q := ui.await("question", func(e protocol.Event) bool { return e.Type == protocol.EventQuestionOpened }).Question
		mem.ResetCounts()
		mem.FailAt(n, nil)
		call[protocol.Empty](ui, "answer", protocol.Answer{ID: q.ID, Yes: true})
		ui.await("end", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
		if ran := mem.Ran(); len(ran) > 0 {
			t.Errorf("refused at write %d: %q was run", n, ran)
		}
		if held := heldHere(t, ui); len(held) > 0 {
			t.Errorf("refused at write %d: %q are held", n, held)
		}
	}
}

func TestACommandThatAConversationRanIsARunInTheHistoryWithItsYes(t *testing.T) {
	ui, turn := acted(t, true)
	runs := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{})
	if len(runs.Runs) != 1 || runs.Runs[0].Kind != protocol.KindAgent || runs.Runs[0].Outcome != protocol.OutcomeOK || runs.Runs[0].Calls != 1 {
		t.Fatalf("want 1 Runs, Runs[0].Kind protocol.KindAgent, Runs[0].Outcome protocol.OutcomeOK and Runs[0].Calls 1, got %+v", runs.Runs)
	}
	id := runs.Runs[0].Run
	calls := recorded(t, ui.mem, id, audit.CallsFile)
	if len(calls) != 1 || calls[0]["tool"] != "commands.run" || calls[0]["confirmationId"] == nil {
		t.Fatalf("want 1 calls, calls[0][\"tool\"] \"commands.run\" and calls[0][\"confirmationId\"] set, got %v", calls)
	}
	var kinds []string
	for _, e := range recorded(t, ui.mem, id, audit.EventsFile) {
		kinds = append(kinds, e["type"].(string))
	}
	want := []string{"run.started", "run.confirmationRequested", "run.confirmed", "step.started", "step.finished", "run.finished"}
	if !slices.Equal(kinds, want) {
		t.Errorf("want kinds as expected, got %v", kinds)
	}
	if v := call[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: id}); !v.OK {
		t.Errorf("want everything in order, got %+v", v.Problems)
	}
	if tr := call[protocol.Trace](ui, "trace.get", protocol.RunRef{Run: id}); len(tr.Spans) < 3 {
		t.Errorf("%d spans", len(tr.Spans))
	}
	// What it staged is a run of its own.
	r := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: turn.Run})
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	if end := ui.finished(); end.Outcome != "ok" || end.Run == id {
		t.Fatalf("want Outcome \"ok\" and Run other than id, got %+v", end)
	}
	if v := call[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: r.Run}); !v.OK {
		t.Errorf("want everything in order, got %+v", v.Problems)
	}
	for kind, n := range map[protocol.RunKind]int{"": 2, protocol.KindAgent: 1, protocol.KindRun: 1, protocol.KindRevert: 0} {
		if got := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{Kind: kind}); len(got.Runs) != n {
			t.Errorf("%q: %d runs, want %d", kind, len(got.Runs), n)
		}
	}
}

func TestACommandThatWasNotAllowedLeavesNoRun(t *testing.T) {
	ui, _ := acted(t, false)
	if runs := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{}); len(runs.Runs) != 0 {
		t.Errorf("want no Runs, got %+v", runs.Runs)
	}
}

func TestACrashAfterAConversationsCommandLeavesItsRecord(t *testing.T) {
	mem := actingVault()
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai", AllowCommands: true},
		llmtest.Call("1", "commands.run", `{"id":"x:do"}`), llmtest.Turn{Hold: true})
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "do it", Mode: protocol.ModeAgent, Conversation: "c"})
	q := ui.await("question", func(e protocol.Event) bool { return e.Type == protocol.EventQuestionOpened }).Question
	call[protocol.Empty](ui, "answer", protocol.Answer{ID: q.ID, Yes: true})
	ui.await("end of the command", func(e protocol.Event) bool { return e.Type == protocol.EventExec && e.Exec.Type == "step.finished" })
	dead := mem.CrashClone()
	again := begin(t, dead, free)
	runs := call[protocol.Runs](again, "runs.list", protocol.RunsQuery{})
	if len(runs.Runs) != 1 || runs.Runs[0].Kind != protocol.KindAgent || runs.Runs[0].Outcome != protocol.OutcomePartial {
		t.Fatalf("want 1 Runs, Runs[0].Kind protocol.KindAgent and Runs[0].Outcome protocol.OutcomePartial, got %+v", runs.Runs)
	}
	if st := call[protocol.State](again, "state", protocol.Empty{}); len(st.Recoveries) != 0 {
		t.Errorf("there is nothing to recover: %+v", st.Recoveries)
	}
	if v := call[protocol.Verified](again, "run.verify", protocol.RunRef{Run: runs.Runs[0].Run}); !v.OK {
		t.Errorf("want everything in order, got %+v", v.Problems)
	}
}

func TestACallInAConversationsTimelineBecomesAStepWhicheverNameItsRunIsGiven(t *testing.T) {
	ui, turn := acted(t, true)
	ids := map[string]string{} // by tool, as the panel heard of them
	for _, e := range ui.heard() {
		if e.Type == protocol.EventExec && e.Exec.CallID != "" {
			ids[e.Exec.Tool] = e.Exec.CallID
		}
	}
	if len(ids) != 2 {
		t.Fatalf("want 2 ids, got %v", ids)
	}
	for _, run := range []string{turn.ID, turn.Run} {
		for name, id := range ids {
			d, err := try[protocol.ActionDetail](ui, "action.step", protocol.ActionStep{Run: run, CallID: id, Name: name})
			if err != nil || len(d.Steps) != 1 || d.Steps[0].Tool != name {
				t.Errorf("%s of %s: want no error, 1 Steps and Steps[0].Tool equal to name, got %v %+v", name, run, err, d.Steps)
			}
		}
	}
	// And of a turn before the last one.
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "and now?", Mode: protocol.ModeAgent, Conversation: "c"})
	ui.await("end", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
	if _, err := try[protocol.ActionDetail](ui, "action.step", protocol.ActionStep{Run: turn.ID, CallID: ids["vault.writeFile"], Name: "x"}); err != nil {
		t.Error(err)
	}
}
