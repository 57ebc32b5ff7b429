//go:build !js

package server

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

const notesMade = 100

// madeMany has a run make a hundred notes, and gives its id.
func madeMany(ui *panel) string {
	ui.t.Helper()
	steps := make([]string, notesMade)
	for n := range steps {
		steps[n] = fmt.Sprintf(`{"id":"s%d","tool":"vault.createFile","args":{"path":"Note %d.md","content":"x\n"}}`, n, n)
	}
	return ui.do(`{"goal":"Many","assumptions":[],"riskLevel":"writes","steps":[` + strings.Join(steps, ",") + `]}`).Run
}

// cancelMidway has a person cancel when the twentieth note is written. Writes that are
// under way then end; those that would follow wait until the core knows.
func cancelMidway(mem *hosttest.Memory, cancel func()) {
	var begun atomic.Int32
	known := make(chan struct{})
	for n := range notesMade {
		mem.BeforeWriteOf(fmt.Sprintf("Note %d.md", n), func() {
			switch at := begun.Add(1); {
			case at == 20:
				cancel()
				close(known)
			case at > 20:
				<-known
			}
		})
	}
}

// notesLeft counts the notes of madeMany that are there.
func notesLeft(mem *hosttest.Memory) int {
	left := 0
	for path := range mem.Snapshot() {
		if strings.HasPrefix(path, "Note ") {
			left++
		}
	}
	return left
}

// last gives the newest run of the history.
func (ui *panel) last() protocol.RunSummary {
	ui.t.Helper()
	return call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{Limit: 1}).Runs[0]
}

func (ui *panel) nothingInterrupted() {
	ui.t.Helper()
	if st := call[protocol.State](ui, "state", protocol.Empty{}); len(st.Recoveries) > 0 {
		ui.t.Errorf("want no run that did not end, got %+v", st.Recoveries)
	}
}

func TestAnUndoThatIsCancelledSaysWhatItDidAndIsDoneByAskingAgain(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	before := mem.Snapshot()
	ui := begin(t, mem, free)
	run := madeMany(ui)
	cancelMidway(mem, func() { call[protocol.Empty](ui, "stop", protocol.Stop{ID: run}) })
	out := ui.revert(run)
	left := notesLeft(mem)
	if left == 0 || left == notesMade {
		t.Fatalf("want an undo that was cancelled in its middle, got %d notes left of %d", left, notesMade)
	}
	if want := []protocol.Message{{Key: "reverted.removed", Params: map[string]string{"n": strconv.Itoa(notesMade - left)}}}; !slices.EqualFunc(out.Did, want, sameMessage) {
		t.Errorf("want it to say that %d notes were removed, got %+v", notesMade-left, out.Did)
	}
	if len(out.Restored) != notesMade-left {
		t.Errorf("want %d paths told, got %d", notesMade-left, len(out.Restored))
	}
	if len(out.NotUndone) != 1 || out.NotUndone[0].Key != "reverted.cancelled" {
		t.Errorf("want it to say that it was cancelled, got %+v", out.NotUndone)
	}
	ui.nothingInterrupted()
	if got := ui.last(); got.Kind != protocol.KindRevert || got.Outcome != protocol.OutcomeCancelled || got.Files != notesMade-left {
		t.Errorf("want an undo of %d files in the history that was cancelled, got %+v", notesMade-left, got)
	}
	again := ui.revert(run)
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Error("want the vault as it was before the run; it differs:", d)
	}
	if len(again.NotUndone) > 0 {
		t.Errorf("want nothing left, got %+v", again.NotUndone)
	}
	for _, back := range []string{again.Run, out.Run} { // each undo can be undone
		ui.revert(back)
	}
	if left := notesLeft(mem); left != notesMade {
		t.Errorf("want all %d notes back, got %d", notesMade, left)
	}
}

func sameMessage(a, b protocol.Message) bool {
	return a.Key == b.Key && a.Params["n"] == b.Params["n"]
}

func TestAnUndoThatIsCancelledBeforeItWritesSaysSo(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	ui := begin(t, mem, free)
	run := madeMany(ui)
	all := mem.Snapshot()
	mem.BeforeWrite(mem.Counts().Ops()+1, func() { call[protocol.Empty](ui, "stop", protocol.Stop{}) })
	out := ui.revert(run)
	if d := all.Diff(mem.Snapshot()); d != "" {
		t.Error("want nothing changed; it differs:", d)
	}
	if len(out.NotUndone) != 1 || out.NotUndone[0].Key != "reverted.cancelledBefore" || len(out.Did)+len(out.Restored) > 0 {
		t.Errorf("want it to say that nothing was changed, got %+v", out)
	}
	ui.nothingInterrupted()
	if out := ui.revert(run); notesLeft(mem) > 0 {
		t.Errorf("want all undone when asked again, got %+v", out)
	}
}

func TestAReviewedUndoThatIsCancelledHasEnded(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	ui := begin(t, mem, free)
	run := madeMany(ui)
	shown := call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: run, Review: true})
	rv := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: shown.Review})
	cancelMidway(mem, func() { call[protocol.Empty](ui, "stop", protocol.Stop{ID: rv.Run}) })
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: rv.Run, Approval: rv.Approval})
	end := ui.finished()
	left := notesLeft(mem)
	if end.Outcome != protocol.OutcomeCancelled || left == 0 || left == notesMade {
		t.Fatalf("want it cancelled in its middle, got %s with %d of %d notes left: %+v", end.Outcome, left, notesMade, end.Problem)
	}
	if end.Problem != nil || end.Failed != 0 || end.Done != notesMade-left || end.Text.Params["n"] != strconv.Itoa(notesMade-left) {
		t.Errorf("want %d of %d writes told and no error, got %+v", notesMade-left, notesMade, end)
	}
	if len(end.Summary) == 0 || end.Summary[0].Text.Params["n"] != strconv.Itoa(notesMade-left) {
		t.Errorf("want the %d notes that were removed listed, got %+v", notesMade-left, end.Summary)
	}
	ui.nothingInterrupted()
	ui.revert(run)
	if left := notesLeft(mem); left != 0 {
		t.Errorf("want all undone when asked again, got %d notes left", left)
	}
}

func TestStagedChangesThatAreCancelledHaveEnded(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	before := mem.Snapshot()
	ui := begin(t, mem, free)
	work := StagedWork{Command: "seq"}
	for n := range notesMade {
		work.Changes = append(work.Changes, createdFile(fmt.Sprintf("Note %d.md", n), "x\n"))
	}
	r := ui.stagedOf(work)
	cancelMidway(mem, func() { call[protocol.Empty](ui, "stop", protocol.Stop{ID: r.Run}) })
	end := ui.approve(r)
	made := notesLeft(mem)
	if end.Outcome != protocol.OutcomeCancelled || made == 0 || made == notesMade || end.Done != made || end.Problem != nil {
		t.Fatalf("want it cancelled in its middle, and as many told as are there, got %+v with %d notes", end, made)
	}
	ui.nothingInterrupted()
	if got := ui.last(); got.Text.Key != "run.staged.cancelled" || got.Text.Params["n"] != strconv.Itoa(made) {
		t.Errorf("want the history to say how many changes were made, got %+v", got.Text)
	}
	ui.revert(r.Run)
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Error("want the vault as it was before; it differs:", d)
	}
}
