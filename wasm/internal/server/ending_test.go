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
		return 1000
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
	sh := newShell(t, mem, protocol.Settings{Provider: "openai", Confirm: "never", KeepRuns: 3}, turns...)
	refused := 0
	for range n {
		if _, err := try[protocol.Accepted](sh, "send", protocol.Send{Text: "one note", Mode: protocol.ModePlan}); err != nil {
			refused++
			sh.await("end of the turn", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
			call[protocol.Accepted](sh, "send", protocol.Send{Text: "one note", Mode: protocol.ModePlan})
		}
		sh.finished()
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
	sh := newShell(t, mem, protocol.Settings{Provider: "openai", KeepRuns: 3}, turns...)
	for i := range n {
		if _, err := try[protocol.Accepted](sh, "send", protocol.Send{Text: "one note", Mode: protocol.ModeAgent}); err != nil {
			t.Fatalf("press %d: %v", i, err)
		}
		r := sh.review()
		call[protocol.RunRef](sh, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
		sh.finished()
	}
}

// What is told last of a run is that it has ended.
func TestNothingIsToldOfARunAfterItsEnd(t *testing.T) {
	mem := ideasVault()
	sh := newShell(t, mem, protocol.Settings{Provider: "openai", Confirm: "never"}, llmtest.Call("c1", "submit_plan", bulletsPlan))
	call[protocol.Accepted](sh, "send", protocol.Send{Text: "make notes", Mode: protocol.ModePlan, UseSelection: true})
	sh.finished()
	sh.s.Close()
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for _, e := range sh.events {
		if e.Type == protocol.EventExec || e.Type == protocol.EventRunState || strings.HasPrefix(string(e.Type), "turn.") {
			t.Errorf("%s after the end", e.Type)
		}
	}
}

// A review is shown before the request that opened it has been answered. Who
// approves at once waits for that and is not refused.
func TestTheReviewOfAnUndoCanBeApprovedWhileWhatOpenedItStillEnds(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	sh := begin(t, mem, free)
	run := sh.do(editPlan).Run
	call[protocol.Reverted](sh, "run.revert", protocol.Revert{Run: run, Review: true})
	r := sh.review()
	free, err := sh.s.tx.Alone() // as the request that opened it has it until its answer
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := try[protocol.RunRef](sh, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
		answered <- err
	}()
	for range 10_000 {
		runtime.Gosched() // it comes as far as it can
	}
	free()
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	sh.finished()
	if got := sh.text("A.md"); got != twoNotes["A.md"] {
		t.Errorf("A.md is %q after it was taken back", got)
	}
}
