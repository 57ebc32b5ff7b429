package server

import (
	"runtime"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

const oneNote = `{"goal":"One note","assumptions":[],"riskLevel":"writes","steps":[
{"id":"put","tool":"vault.writeFile","args":{"path":"Log.md","content":"x\n"}}]}`

// press is how often the next thing is asked for at the very event.
func press() int {
	if exhaustive() {
		return 300
	}
	if slow {
		return 30
	}
	return 100
}

func TestTheNextActionIsTakenAtTheVeryEventThatTellsTheEndOfARun(t *testing.T) {
	n := press()
	turns := make([]llmtest.Turn, n)
	for i := range turns {
		turns[i] = llmtest.Call("c1", "submit_plan", oneNote)
	}
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"Log.md": "a\n"}})
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai", Confirm: "never", KeepRuns: 3}, turns...)
	refused := 0
	for range n {
		if _, err := try[protocol.Accepted](ui, "send", protocol.Send{Text: "one note", Mode: protocol.ModePlan}); err != nil {
			refused++
			ui.await("end of the turn", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
			call[protocol.Accepted](ui, "send", protocol.Send{Text: "one note", Mode: protocol.ModePlan})
		}
		ui.finished()
	}
	if refused > 0 {
		t.Errorf("%d of %d were refused", refused, n)
	}
}

// A turn of an agent still writes its trace when its review is open.
func TestTheNextActionIsTakenAtTheEndOfARunThatWasApprovedAtOnce(t *testing.T) {
	n := press() / 4
	var turns []llmtest.Turn
	for range n {
		turns = append(turns, llmtest.Call("c1", "vault.writeFile", `{"path":"Log.md","content":"x\n"}`), llmtest.Say("Done."))
	}
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"Log.md": "a\n"}})
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai", KeepRuns: 3}, turns...)
	for i := range n {
		if _, err := try[protocol.Accepted](ui, "send", protocol.Send{Text: "one note", Mode: protocol.ModeAgent}); err != nil {
			t.Fatalf("press %d: %v", i, err)
		}
		r := ui.review()
		call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
		ui.finished()
	}
}

// What is told last of a run is that it has ended.
func TestNothingIsToldOfARunAfterItsEnd(t *testing.T) {
	mem := ideasVault()
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai", Confirm: "never"}, llmtest.Call("c1", "submit_plan", bulletsPlan))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "make notes", Mode: protocol.ModePlan, UseSelection: true})
	ui.finished()
	ui.s.Close()
	ui.mu.Lock()
	defer ui.mu.Unlock()
	for _, e := range ui.events {
		if e.Type == protocol.EventExec || e.Type == protocol.EventRunState || strings.HasPrefix(string(e.Type), "turn.") {
			t.Errorf("%s after the end", e.Type)
		}
	}
}

// A review is shown before the request that opened it has been answered. Who
// approves at once waits for that and is not refused.
func TestTheReviewOfAnUndoCanBeApprovedWhileWhatOpenedItStillEnds(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	run := ui.do(editPlan).Run
	call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: run, Review: true})
	r := ui.review()
	free, err := ui.s.tx.Alone() // as the request that opened it has it until its answer
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
		answered <- err
	}()
	for range 10_000 {
		runtime.Gosched() // it comes as far as it can
	}
	free()
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	ui.finished()
	if got := ui.text("A.md"); got != twoNotes["A.md"] {
		t.Errorf("A.md is %q after it was taken back", got)
	}
}
