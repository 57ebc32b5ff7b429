package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// asJSON writes a value as it is told.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// answer waits for the end of a turn whose plan only reads, and gives it.
func (ui *panel) answer() *protocol.Turn {
	ui.t.Helper()
	turn := ui.await("end of the turn", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded }).Turn
	if turn.Findings == nil || !turn.Findings.Done {
		ui.t.Fatalf("no answer: %+v %+v", turn.Outcome, turn.Problem)
	}
	return turn
}

// garden is a vault of three notes. Two of them mention compost.
var garden = map[string]string{"Beds.md": "Compost first.\nThen\nmore compost.\n", "Shed/Tools.md": "The compost fork, see [[Beds]].\n", "Rain.md": "Nothing.\n"}

func asksGarden(t *testing.T, steps ...string) (*panel, *protocol.Turn) {
	t.Helper()
	ui := newPanel(t, hosttest.New(hosttest.Options{Files: garden}), protocol.Settings{Provider: "openai", Confirm: "always"},
		llmtest.Call("p", "submit_plan", planOf("look", steps...)))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "which notes mention it?", Mode: protocol.ModePlan, Conversation: "talk"})
	return ui, ui.answer()
}

const searchCompost = `{"id":"s","tool":"vault.searchText","args":{"query":"compost"}}`

func TestAPlanThatOnlyReadsIsAnAnswerAtOnceWithoutAReviewOrARun(t *testing.T) {
	ui, turn := asksGarden(t, searchCompost)
	p := turn.Findings.Parts[0]
	if turn.Outcome != protocol.TurnAnswer || len(turn.Findings.Parts) != 1 || p.Count != 3 {
		t.Fatalf("want Outcome protocol.TurnAnswer, 1 Findings.Parts and Count 3, got %s %+v", turn.Outcome, p)
	}
	if p.Text.Key != "finding.mentions.places" || p.Text.Params["n"] != "2" || p.Text.Params["total"] != "3" || p.Text.Params["query"] != "compost" {
		t.Errorf("want Text.Key \"finding.mentions.places\", Text.Params[\"n\"] \"2\", Text.Params[\"total\"] \"3\" and Text.Params[\"query\"] \"compost\", got %+v", p.Text)
	}
	if c := p.Rows[1][0]; c.Path != "Beds.md" || c.Line != 3 || p.Columns[0].Kind != protocol.CellNote || p.Rows[1][1].Text != "more compost." {
		t.Errorf("want Path \"Beds.md\", Line 3, Columns[0].Kind protocol.CellNote and Rows[1][1].Text \"more compost.\", got %+v", p.Rows)
	}
	for _, e := range ui.heard() {
		if e.Type == protocol.EventReviewOpened || e.Type == protocol.EventRunState {
			t.Errorf("told %s", e.Type)
		}
	}
	if runs := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{}); len(runs.Runs) != 0 {
		t.Errorf("%d runs", len(runs.Runs))
	}
	if tr := call[protocol.Trace](ui, "trace.get", protocol.RunRef{Run: turn.Run}); len(tr.Spans) == 0 {
		t.Error("it has no trace")
	}
}

func TestAnAnswerWithoutAnyNotesIsASentence(t *testing.T) {
	_, turn := asksGarden(t, `{"id":"s","tool":"vault.searchText","args":{"query":"zebra"}}`)
	if p := turn.Findings.Parts[0]; p.Text.Key != "finding.mentions.none" || p.Text.Params["query"] != "zebra" || p.Count != 0 || len(p.Rows) != 0 {
		t.Errorf("want Text.Key \"finding.mentions.none\", Text.Params[\"query\"] \"zebra\", Count 0 and no Rows, got %+v", p)
	}
}

func TestALongAnswerIsWholeAndToldToTheNextMessageWithinBounds(t *testing.T) {
	files := map[string]string{}
	for i := range 1208 {
		files[fmt.Sprintf("Folder %d/Note %d.md", i%7, i)] = "alone\n"
	}
	orphans := `{"goal":"orphans","steps":[{"id":"q","tool":"vault.query","args":{"withoutBacklinks":true}}],` +
		`"outputs":{"orphans":{"rows":"$steps.q.notes","columns":["path"],"one":"One note has no links.","many":"{n} notes have no links.","none":"Every note has a link."}}}`
	r := newRig(t, hosttest.New(hosttest.Options{Files: files}), protocol.Settings{}, nil,
		llmtest.Call("p", "submit_plan", orphans), llmtest.Say("ok"))
	send := func(text string) protocol.Turn {
		return r.send(protocol.Send{Text: text, Mode: protocol.ModePlan, Conversation: "talk"})
	}
	p := send("which notes have no links?").Findings.Parts[0]
	if p.Count != 1208 || len(p.Rows) != 1208 || len(p.Columns) != 1 || p.Words != "{n} notes have no links." {
		t.Fatalf("%d of %d rows, %+v, %q", len(p.Rows), p.Count, p.Columns, p.Words)
	}
	send("only those in Folder 3")
	said := r.saidTo()
	for _, want := range []string{"1208 notes have no links.", "1208 rows, with the columns Note", `["Folder 0/Note 0.md"]`, "more: the plan finds all of them again", "withoutBacklinks"} {
		if !strings.Contains(said, want) {
			t.Errorf("the model is not told %q", want)
		}
	}
	if len(said) > 12_000 {
		t.Errorf("the model is told %d bytes", len(said))
	}
}

func TestAnAnswerIsKeptOverAStartAndCanBeSavedAsAnAction(t *testing.T) {
	ui, turn := asksGarden(t, searchCompost)
	ui.s.Close()
	ui = begin(t, ui.mem, free)
	kept := call[protocol.ConversationDetail](ui, "conversation.get", protocol.ConversationRef{ID: "talk"}).Turns[0]
	if asJSON(t, kept.Findings) != asJSON(t, turn.Findings) {
		t.Fatalf("%s\nwas %s", asJSON(t, kept.Findings), asJSON(t, turn.Findings))
	}
	call[protocol.RunRef](ui, "conversation.export", protocol.ConversationExport{ID: "talk", Path: "Talk.md"})
	ui.approve(ui.review())
	if text := ui.text("Talk.md"); !strings.Contains(text, "2 notes mention “compost”, in 3 places.") || !strings.Contains(text, "| [[Beds]]:3 | more compost. |") {
		t.Errorf("the conversation as a note has no answer: %q", text)
	}
	a := call[protocol.Action](ui, "actions.save", protocol.ActionSave{Run: kept.Run, Plan: kept.Findings.Plan, Name: "Compost"})
	if a.Name != "Compost" {
		t.Errorf("want Name \"Compost\", got %+v", a)
	}
}

func TestALargeAnswerIsKeptByItsFirstRowsAndFoundWholeAgain(t *testing.T) {
	files := map[string]string{}
	for i := range 3000 {
		files[fmt.Sprintf("Note %d.md", i)] = strings.Repeat("compost and so on ", 20) + "\n"
	}
	r := newRig(t, hosttest.New(hosttest.Options{Files: files}), protocol.Settings{}, nil, llmtest.Call("p", "submit_plan", planOf("look", searchCompost)))
	now := r.send(protocol.Send{Text: "compost?", Mode: protocol.ModePlan, Conversation: "talk"}).Findings
	r.s.Close()
	ui := begin(t, r.mem, free)
	kept := call[protocol.ConversationDetail](ui, "conversation.get", protocol.ConversationRef{ID: "talk"}).Turns[0].Findings
	if n := len(kept.Parts[0].Rows); len(now.Parts[0].Rows) != 3000 || n == 0 || n >= 3000 || kept.Parts[0].Count != 3000 {
		t.Fatalf("%d of %d rows are kept", n, kept.Parts[0].Count)
	}
	call[protocol.RunRef](ui, "review.open", protocol.PlanAgain{Plan: kept.Plan})
	if r := ui.review(); r.Approvable || r.Findings == nil || len(r.Findings.Parts[0].Rows) != 3000 {
		t.Errorf("want a review that cannot be approved, Findings set and 3000 Findings.Parts[0].Rows, got %+v", r)
	}
}

func TestAnAnswerBecomesANoteThroughAReview(t *testing.T) {
	ui, turn := asksGarden(t, searchCompost)
	p := turn.Findings.Parts[0]
	call[protocol.RunRef](ui, "findings.note", protocol.FindingsNote{
		Title: "which notes: mention it?", Parts: []protocol.FindingsNotePart{{Text: "2 notes", Columns: []string{"Note", "Text"}, Rows: p.Rows}},
	})
	r := ui.review()
	if len(r.Files) != 1 || !r.Approvable || ui.text(r.Files[0].Path) != "(none)" {
		t.Fatalf("want 1 Files, a review that can be approved and r.Files[0].Path \"(none)\", got %+v", r.Files)
	}
	end := ui.approve(r)
	want := "2 notes\n\n| Note | Text |\n| --- | --- |\n| [[Beds]]:1 | Compost first. |\n| [[Beds]]:3 | more compost. |\n| [[Shed/Tools\\|Tools]]:1 | The compost fork, see \\[\\[Beds\\]\\]. |\n"
	if got := ui.text(r.Files[0].Path); got != want {
		t.Fatalf("%q\nwant %q", got, want)
	}
	ui.revert(end.Run)
	if ui.text(r.Files[0].Path) != "(none)" {
		t.Error("it cannot be taken back")
	}
}

func TestThePlanThatOpensANoteIsStillAskedAboutAndItsFindingsStay(t *testing.T) {
	ui := newPanel(t, hosttest.New(hosttest.Options{Files: garden}), protocol.Settings{Provider: "openai", Confirm: "always"},
		llmtest.Call("p", "submit_plan", planOf("look", searchCompost, `{"id":"o","tool":"workspace.openFile","args":{"path":"Beds.md"}}`)))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "open it", Mode: protocol.ModePlan})
	r := ui.review()
	turn := ui.turnEnd()
	if !r.Approvable || turn.Findings == nil || turn.Findings.Done || turn.Findings.Parts[0].Count != 3 || turn.Outcome != protocol.TurnPlan {
		t.Errorf("want a review that can be approved, Findings set, Findings.Done false, Findings.Parts[0].Count 3 and Outcome protocol.TurnPlan, got %+v", turn)
	}
}

func TestTheReadingFormOfAToolThatWritesIsAnAnswer(t *testing.T) {
	for args, reads := range map[string]bool{`{}`: true, `{"link":false}`: true, `{"link":true}`: false, `{"apply":true}`: false} {
		ui := begin(t, hosttest.New(hosttest.Options{Files: map[string]string{"Rain.md": "", "A.md": "the rain\n"}}), free)
		r := ui.open(planOf("mentions", `{"id":"m","tool":"links.unlinkedMentions","args":`+args+`}`))
		done := r.Findings != nil && r.Findings.Done
		if done != reads || r.Approvable == reads || (len(r.Files) == 0) != reads {
			t.Errorf("%s: done %v, approvable %v, %d files", args, done, r.Approvable, len(r.Files))
		}
		if reads && (r.Findings.Parts[0].Count != 1 || r.Findings.Parts[0].Text.Key != "finding.unlinked") {
			t.Errorf("want not reads (or Findings.Parts[0].Count 1 and Findings.Parts[0].Text.Key \"finding.unlinked\"), got %+v", r.Findings.Parts[0])
		}
	}
}

func TestASavedActionThatOnlyReadsIsAnAnswer(t *testing.T) {
	ui, turn := asksGarden(t, searchCompost)
	a := call[protocol.Action](ui, "actions.save", protocol.ActionSave{Run: turn.Run, Name: "Compost"})
	call[protocol.Accepted](ui, "actions.run", protocol.ActionRun{ID: a.ID, Values: map[string]string{}})
	if again := ui.answer(); again.Findings.Parts[0].Count != 3 {
		t.Errorf("want Findings.Parts[0].Count 3, got %+v", again.Findings)
	}
}

func TestALimitOfThePlanIsSaidWithTheAnswer(t *testing.T) {
	_, turn := asksGarden(t, `{"id":"s","tool":"vault.searchText","args":{"query":"compost","limit":1}}`)
	if f := turn.Findings; len(f.Notes) != 1 || f.Notes[0].Key != "review.cut" || f.Notes[0].Params["total"] != "3" {
		t.Errorf("want 1 Notes, Notes[0].Key \"review.cut\" and Notes[0].Params[\"total\"] \"3\", got %+v", f.Notes)
	}
}
