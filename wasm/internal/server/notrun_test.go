package server

import (
	"encoding/json"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/notrun"
	"embedded-agent/wasm/internal/protocol"
)

// planned is a panel in which a model has made a plan of bulletsPlan, under review.
func planned(t *testing.T, mem *hosttest.Memory) (*panel, *protocol.Review) {
	t.Helper()
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai"}, llmtest.Call("c1", "submit_plan", bulletsPlan), llmtest.Say("Nothing to do."))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "make notes", Mode: protocol.ModePlan, UseSelection: true})
	return ui, ui.review()
}

// closed awaits the end of the open review.
func (ui *panel) closed() protocol.Event {
	ui.t.Helper()
	return ui.await("the end of the review", func(e protocol.Event) bool { return e.Type == protocol.EventReviewClosed })
}

// reopened opens a plan that was kept once more.
func (ui *panel) reopened(run string) *protocol.Review {
	ui.t.Helper()
	call[protocol.RunRef](ui, "review.open", protocol.PlanAgain{Run: run})
	return ui.await("the review", func(e protocol.Event) bool { return e.Type == protocol.EventReviewOpened }).Review
}

// kept lists the plans that have not run.
func (ui *panel) kept() []protocol.NotRun {
	ui.t.Helper()
	return call[protocol.State](ui, "state", protocol.Empty{}).NotRun
}

func fileOf(r *protocol.Review, path string) protocol.FileChange {
	for _, f := range r.Files {
		if f.Path == path {
			return f
		}
	}
	return protocol.FileChange{}
}

const (
	leftOutNote = "Projects/XYZ/Compost.md"
	editedNote  = "Projects/XYZ/Rain barrel.md"
)

// decide leaves one file of a plan out and edits another.
func decide(ui *panel, run string) {
	ui.t.Helper()
	call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: run, Kind: protocol.AmendDrop, Path: leftOutNote})
	call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: run, Kind: protocol.AmendEdit, Path: editedNote, Text: "Mine.\n"})
}

// wantAsLeft says whether a review is as decide has left it.
func wantAsLeft(t *testing.T, ui *panel, r *protocol.Review, run string) {
	t.Helper()
	view := call[protocol.FileView](ui, "review.file", protocol.FileRef{Run: run, Path: editedNote})
	if r.Run != run || !r.Approvable || !r.Amended || !fileOf(r, leftOutNote).Dropped || !fileOf(r, editedNote).Edited || view.After != "Mine.\n" {
		t.Fatalf("want the same run, approvable, with one note left out and one edited, got run %q of %q, %+v, text %q", r.Run, run, r.Files, view.After)
	}
}

func TestACancelledPlanIsReviewedAgainAsThePersonLeftIt(t *testing.T) {
	mem := ideasVault()
	ui, r := planned(t, mem)
	decide(ui, r.Run)
	call[protocol.Empty](ui, "review.close", protocol.RunRef{Run: r.Run})
	if e := ui.closed(); e.NotRun == nil || e.NotRun.Run != r.Run || !e.NotRun.Amended || e.NotRun.Files != 7 {
		t.Fatalf("want the closed plan told with its 7 files and that it was changed, got %+v", e.NotRun)
	}
	again := ui.reopened(r.Run)
	wantAsLeft(t, ui, again, r.Run)
	if end := ui.approve(again); end.Outcome != protocol.OutcomeOK || ui.text(editedNote) != "Mine.\n" {
		t.Errorf("want the run to write what was edited, got %+v and %q", end, ui.text(editedNote))
	}
	if _, there := mem.File(leftOutNote); there {
		t.Errorf("want %s left out of the run, got it written", leftOutNote)
	}
	if left := ui.kept(); len(left) != 0 {
		t.Errorf("want nothing kept of a plan that ran, got %+v", left)
	}
}

func TestAPlanSurvivesTheNextMessageAndARestart(t *testing.T) {
	mem := ideasVault()
	ui, r := planned(t, mem)
	decide(ui, r.Run)
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "What else?", Mode: protocol.ModePlan})
	if e := ui.closed(); e.NotRun == nil || e.NotRun.Run != r.Run {
		t.Fatalf("want the plan told as not run, got %+v", e.NotRun)
	}
	plan := "{}"
	drafts := protocol.DraftTexts{Plan: &plan, Texts: map[string]string{editedNote: "Mine, and more"}}
	call[protocol.Empty](ui, "review.draft", protocol.ReviewDrafts{Run: r.Run, Drafts: drafts})
	ui.s.Close()

	mem.Select(host.Range{}) // what the plan works on is not selected any more
	ui = newPanel(t, mem, protocol.Settings{Provider: "openai"})
	if left := ui.kept(); len(left) != 1 || left[0].Run != r.Run || !left[0].Amended {
		t.Fatalf("want the plan kept over the restart, got %+v", left)
	}
	again := ui.reopened(r.Run)
	wantAsLeft(t, ui, again, r.Run)
	if d := again.Drafts; d == nil || d.Plan == nil || *d.Plan != plan || d.Texts[editedNote] != "Mine, and more" {
		t.Errorf("want what was being written handed back, got %+v", d)
	}
}

func TestAPlanThatIsUnderReviewWhenTheAppEndsIsKept(t *testing.T) {
	mem := ideasVault()
	ui, r := planned(t, mem)
	ui.s.Close()
	ui = newPanel(t, mem, protocol.Settings{Provider: "openai"})
	if left := ui.kept(); len(left) != 1 || left[0].Run != r.Run || left[0].Goal != r.Goal {
		t.Fatalf("want the plan kept, got %+v", left)
	}
	if again := ui.reopened(r.Run); !again.Approvable || again.Run != r.Run {
		t.Errorf("want it reviewed again, got %+v", again)
	}
}

func TestAPlanThatHasBegunIsNotOfferedAgain(t *testing.T) {
	mem := ideasVault()
	ui, r := planned(t, mem)
	kept, err := ui.s.notRun.Get(t.Context(), r.Run)
	if err != nil || kept == nil {
		t.Fatalf("want the plan kept, got %+v, %v", kept, err)
	}
	ui.approve(r)
	ui.s.Close()
	// As after a crash between the first write of the run and the removal.
	data, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	if err := mem.Host().Store.Write(t.Context(), notrun.Folder+"/"+r.Run+".json", data); err != nil {
		t.Fatal(err)
	}
	ui = newPanel(t, mem, protocol.Settings{Provider: "openai"})
	if left := ui.kept(); len(left) != 0 {
		t.Errorf("want nothing offered of a plan whose run has begun, got %+v", left)
	}
}

func TestAPlanThatIsNotKeptSaysSo(t *testing.T) {
	ui := newPanel(t, ideasVault(), protocol.Settings{Provider: "openai"})
	_, err := try[protocol.RunRef](ui, "review.open", protocol.PlanAgain{Run: "019a0000-0000-7000-8000-000000000009"})
	if err == nil || ui.s.out.Problem(err).Key != "error.review.notKept" {
		t.Errorf("want error.review.notKept, got %v", err)
	}
}

func TestAPlanThatHasNotRunIsDeletedWithItsConversation(t *testing.T) {
	for _, open := range []bool{true, false} {
		mem := ideasVault()
		ui := newPanel(t, mem, protocol.Settings{Provider: "openai"}, llmtest.Call("c1", "submit_plan", bulletsPlan))
		call[protocol.Accepted](ui, "send", protocol.Send{Text: "make notes", Mode: protocol.ModePlan, Conversation: "talk"})
		r := ui.review()
		ui.turnEnd()
		if !open {
			call[protocol.Empty](ui, "review.close", protocol.RunRef{Run: r.Run})
			ui.closed()
		}
		call[protocol.Conversations](ui, "conversation.remove", protocol.ConversationRef{ID: "talk"})
		if e := ui.closed(); e.RunID != r.Run || e.NotRun != nil {
			t.Errorf("open %v: want the panel told that the plan is gone, got %+v", open, e)
		}
		if left := ui.kept(); len(left) != 0 {
			t.Errorf("open %v: want no plan kept, got %+v", open, left)
		}
		for name := range mem.StoreFiles() {
			if strings.HasPrefix(name, notrun.Folder+"/") {
				t.Errorf("open %v: want nothing of the plan on the device, got %s", open, name)
			}
		}
		if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval}); err == nil {
			t.Errorf("open %v: want the review closed", open)
		}
	}
}

func TestAPlanStaysWhereAnotherConversationIsDeleted(t *testing.T) {
	mem := ideasVault()
	ui, r := planned(t, mem)
	ui.turnEnd()
	call[protocol.Conversations](ui, "conversation.remove", protocol.ConversationRef{ID: "another"})
	if left := ui.kept(); len(left) != 1 || left[0].Run != r.Run {
		t.Errorf("want the plan of the other conversation kept, got %+v", left)
	}
}
