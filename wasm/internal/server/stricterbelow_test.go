package server

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// onBox are the steps that move or remove a folder with all that is in it.
var onBox = map[string]string{
	"a move":   `{"id":"b","tool":"vault.rename","args":{"path":"Box","newPath":"Moved"},"dependsOn":["a"]}`,
	"a delete": `{"id":"b","tool":"vault.delete","args":{"path":"Box"},"dependsOn":["a"]}`,
}

// openBox is a review that moves or removes a folder in which nothing is refused
// yet; a note that is comes with appear, in the folder or in one below.
func openBox(t *testing.T, step string) (ui *panel, r *protocol.Review, appear func()) {
	t.Helper()
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"Box/a.md": "a", "Box/Deep/b.md": "b"}})
	set := lenient
	set.DenyPatterns = []string{"salary"}
	ui = begin(t, mem, set)
	r = ui.open(`{"goal":"G","assumptions":[],"riskLevel":"writes","steps":[
		{"id":"a","tool":"vault.createFile","args":{"path":"First.md","content":"1"}},` + step + `]}`)
	return ui, r, func() { mem.Put("Box/Deep/salary.md", "kept") }
}

func isKept(t *testing.T, ui *panel) {
	t.Helper()
	if data, there := ui.mem.File("Box/Deep/salary.md"); !there || string(data) != "kept" {
		t.Errorf("the note is not where it was: %v, %q", there, data)
	}
	for _, gone := range ui.mem.Trash() {
		if strings.Contains(gone.Path, "salary") {
			t.Errorf("%s is in the trash", gone.Path)
		}
	}
}

func TestAFolderThatGotANoteWhichMayNotBeTouchedIsLeftAtTheYes(t *testing.T) {
	for name, step := range onBox {
		t.Run(name, func(t *testing.T) {
			ui, r, appear := openBox(t, step)
			appear()
			before := ui.mem.Snapshot()
			_, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
			if f := fault.From(err); err == nil || f.Code != fault.Denied && f.Code != fault.Conflict {
				t.Errorf("approved: %v", err)
			}
			if diff := before.Diff(ui.mem.Snapshot()); diff != "" {
				t.Errorf("written all the same:\n%s", diff)
			}
			isKept(t, ui)
			now := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: r.Run})
			if now.Approval == r.Approval {
				t.Error("the review was not made anew")
			}
		})
	}
}

func TestAFolderThatGetsANoteWhichMayNotBeTouchedDuringTheRunStaysWhereItIs(t *testing.T) {
	for name, step := range onBox {
		t.Run(name, func(t *testing.T) {
			ui, r, appear := openBox(t, step)
			before := ui.mem.Snapshot()
			ui.mem.BeforeWriteOf("First.md", appear)
			call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
			end, _ := ui.ended(true)
			if end.Outcome == protocol.OutcomeOK || end.Problem == nil || end.Problem.Code != protocol.ProblemCode(fault.Denied) || end.Problem.Key != "error.path.unseenBelow" {
				t.Errorf("it ended %s: %+v", end.Outcome, end.Problem)
			}
			isKept(t, ui)
			if back := ui.revert(end.Run); len(back.Conflicts) > 0 {
				t.Errorf("want no Conflicts, got %+v", back)
			}
			isKept(t, ui)
			ui.mem.Delete("Box/Deep/salary.md")
			if diff := before.Diff(ui.mem.Snapshot()); diff != "" {
				t.Errorf("not taken back whole:\n%s", diff)
			}
		})
	}
}

// A folder was moved, and then somebody puts a note into it that may not be
// touched: what moves the folder back would take the note along.
func TestAFolderIsNotMovedBackWithANoteInItThatMayNotBeTouched(t *testing.T) {
	ui, r, _ := openBox(t, onBox["a move"])
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	end, _ := ui.ended(true)
	if end.Outcome != protocol.OutcomeOK {
		t.Fatalf("want Outcome protocol.OutcomeOK, got %+v", end)
	}
	ui.mem.Put("Moved/salary.md", "kept")
	_, _ = try[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: end.Run})
	if data, there := ui.mem.File("Moved/salary.md"); !there || string(data) != "kept" {
		t.Error("the note was moved with the folder")
	}
}
