package server

import (
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// openAny opens the review of a plan, whatever comes of it.
func (ui *panel) openAny(plan string) *protocol.Review {
	ui.t.Helper()
	r, err := ui.s.tx.OpenPlan(ui.t.Context(), []byte(plan), nil, false)
	if err != nil {
		ui.t.Fatal(err)
	}
	return r
}

const refusedPlan = `{"goal":"Tidy","assumptions":[],"riskLevel":"writes","steps":[
{"id":"make","tool":"vault.createFile","args":{"path":"New.md","content":"new\n"}},
{"id":"bin","tool":"vault.delete","args":{"path":"A.md"}},
{"id":"told","tool":"vault.createFile","args":{"path":"Log.md","content":"{$steps.bin.path}\n"}},
{"id":"last","tool":"vault.createFile","args":{"path":"Last.md","content":"last\n"},"dependsOn":["bin"]}]}`

func TestAPlanWithARefusedStepIsDoneWithoutIt(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{Files: twoNotes}), protocol.Settings{Provider: "openai"})
	r := ui.openAny(refusedPlan)
	if r.Approvable || r.Problem == nil || !slices.Equal(r.Refused, []string{"bin"}) {
		t.Fatalf("want a review that is refused for the step bin, got %+v, %q", r.Problem, r.Refused)
	}
	without := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendWithout})
	if !without.Approvable || without.Problem != nil || len(without.Refused) != 0 || len(without.Steps) != 2 {
		t.Fatalf("want the two steps that do not need the refused one, got %+v, %+v", without.Problem, without.Steps)
	}
	if end := ui.approve(&without); end.Outcome != protocol.OutcomeOK || ui.text("New.md") != "new\n" || ui.text("Last.md") != "last\n" || ui.text("A.md") == "(none)" {
		t.Errorf("want both notes made and A.md kept, got %+v", end)
	}
}

func TestARefusedPlanIsTriedAgainAfterTheSettingHasChanged(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{Files: twoNotes}), protocol.Settings{Provider: "openai"})
	r := ui.openAny(refusedPlan)
	call[protocol.State](ui, "configure", protocol.Settings{Provider: "openai", AllowDeletes: true})
	again := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendAgain})
	if !again.Approvable || again.Problem != nil || len(again.Refused) != 0 {
		t.Errorf("want a review that can be approved, got %+v", again.Problem)
	}
}

func TestAPlanOfWhichNothingIsLeftSaysSo(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{Files: twoNotes}), protocol.Settings{Provider: "openai"})
	r := ui.openAny(`{"goal":"Tidy","assumptions":[],"riskLevel":"writes","steps":[{"id":"bin","tool":"vault.delete","args":{"path":"A.md"}}]}`)
	_, err := try[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendWithout})
	if err == nil || ui.s.out.Problem(err).Key != "error.review.nothingLeft" {
		t.Errorf("want error.review.nothingLeft, got %v", err)
	}
}

func TestAFolderThatIsRenamedTellsWhatMovesWithIt(t *testing.T) {
	files := map[string]string{"Old/A.md": "a\n", "Old/Deep/B.md": "b\n", "Old/Deep/C.png": "c"}
	ui := begin(t, hosttest.New(hosttest.Options{Files: files}), free)
	r := ui.open(`{"goal":"Move","assumptions":[],"riskLevel":"writes","steps":[{"id":"m","tool":"vault.rename","args":{"path":"Old","newPath":"New"}}]}`)
	f := fileOf(r, "New")
	if f.From != "Old" || f.Moves == nil || *f.Moves != 3 {
		t.Fatalf("want the folder listed with its 3 files, got %+v of %+v", f, r.Files)
	}
	view := call[protocol.FileView](ui, "review.file", protocol.FileRef{Run: r.Run, Path: "New"})
	if !slices.Equal(view.Moved, []string{"Old/A.md", "Old/Deep/B.md", "Old/Deep/C.png"}) {
		t.Errorf("want the files that move, got %q", view.Moved)
	}
	if len(r.Summary) != 2 || r.Summary[0].Text.Params["path"] != "Old → New" || r.Summary[1].Text.Key != "review.moves" {
		t.Errorf("want the old and the new name and what moves, got %+v", r.Summary)
	}
}

const twoRefused = `{"goal":"Tidy","assumptions":[],"riskLevel":"writes","steps":[
{"id":"make","tool":"vault.createFile","args":{"path":"New.md","content":"new\n"}},
{"id":"bin","tool":"vault.delete","args":{"path":"A.md"}},
{"id":"move","tool":"vault.rename","args":{"path":"B.md","newPath":"Z.md"}}]}`

func TestARefusedStepIsAllowedOnceByThePersonAndNoMore(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, protocol.Settings{Provider: "openai"})
	r := ui.openAny(twoRefused)
	if r.Approvable || !r.MayAllow || !slices.Equal(r.Refused, []string{"bin", "move"}) {
		t.Fatalf("want a refused review whose two steps may be allowed once, got %+v, %q, %v", r.Problem, r.Refused, r.MayAllow)
	}
	once := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendOnce})
	if !once.Approvable || once.Problem != nil || once.MayAllow || len(once.Files) != 3 {
		t.Fatalf("want a review of all three changes that can be approved, got %+v, %+v", once.Problem, once.Files)
	}
	told := 0
	for _, w := range once.Warnings {
		if w.Key == "review.allowedOnce" {
			told++
		}
	}
	if told != 2 {
		t.Errorf("want the review to name both steps that are allowed once, got %+v", once.Warnings)
	}
	if end := ui.approve(&once); end.Outcome != protocol.OutcomeOK || ui.text("New.md") != "new\n" || ui.text("A.md") != "(none)" || ui.text("Z.md") == "(none)" {
		t.Fatalf("want the note deleted and the other renamed, got %+v", end)
	}
	var said []any
	for _, e := range recorded(t, mem, r.Run, audit.EventsFile) {
		if e["type"] == "run.confirmed" && e["stepId"] != nil {
			payload := e["payload"].(map[string]any)
			if payload["automatic"] != false {
				t.Errorf("want the record of a person's yes, got %v", e)
			}
			said = append(said, e["stepId"], payload["once"].([]any)[0])
		}
	}
	if want := []any{"bin", "policy.deletesOff", "move", "policy.renamesOff"}; !slices.Equal(said, want) {
		t.Errorf("want the log to say which steps were allowed, and what for: %v, got %v", want, said)
	}
	if got := ui.s.guard.Settings(); got.AllowDeletes || got.AllowRenames {
		t.Error("want the settings as they were")
	}
	if next := ui.openAny(`{"goal":"More","assumptions":[],"riskLevel":"writes","steps":[{"id":"bin","tool":"vault.delete","args":{"path":"New.md"}}]}`); next.Approvable || !next.MayAllow {
		t.Errorf("want the next plan refused again, got %+v", next.Problem)
	}
}

func TestARunThatWasAllowedOnceIsReplayedAndTakenBackAsAnyOther(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, protocol.Settings{Provider: "openai"})
	before := mem.Snapshot()
	r := ui.openAny(twoRefused)
	once := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendOnce})
	ui.approve(&once)
	if _, err := try[protocol.RunRef](ui, "run.replay", protocol.Replay{Run: r.Run}); err != nil {
		t.Errorf("want the run to come out as it was, got %v", err)
	}
	ui.revert(r.Run)
	if d := mem.Snapshot().Diff(before); d != "" {
		t.Errorf("want the vault as before: %s", d)
	}
}

func TestWhatAnEditedPlanWasAllowedIsAskedAboutAgain(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{Files: twoNotes}), protocol.Settings{Provider: "openai"})
	r := ui.openAny(twoRefused)
	call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendOnce})
	edited := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendPlan, Plan: twoRefused})
	if edited.Approvable || !edited.MayAllow {
		t.Errorf("want the plan that was typed refused again, got %+v", edited.Problem)
	}
}

func TestNobodyAllowsOnceWhatTheOrganisationRefuses(t *testing.T) {
	const closed = `{"version":1,"blocked_tools":["vault.delete"]}`
	for name, c := range map[string]struct {
		set    protocol.Settings
		policy string
		plan   string
	}{
		"a tool that its policy blocks":                     {protocol.Settings{Provider: "openai", AllowDeletes: true}, closed, stepDelete},
		"a tool that its policy blocks, deletes being off":  {protocol.Settings{Provider: "openai"}, closed, stepDelete},
		"a tool that its policy and the settings block":     {protocol.Settings{Provider: "openai", AllowDeletes: true, DisabledTools: []string{"vault.delete"}}, closed, stepDelete},
		"more than its policy lets any tool do":             {protocol.Settings{Provider: "openai"}, `{"version":1,"side_effects":"reads"}`, stepDelete},
		"a command beyond what its policy lets any tool do": {protocol.Settings{Provider: "openai"}, `{"version":1,"side_effects":"writes"}`, stepCommand},
		"a host that the settings do not name":              {protocol.Settings{Provider: "openai"}, `{"version":1}`, stepSend},
	} {
		t.Run(name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: twoNotes, Commands: []hosttest.Command{{ID: "act", Name: "Act"}}})
			ui := begin(t, mem, c.set)
			putPolicy(t, mem, c.policy)
			if err := ui.s.guard.ReadOrganisation(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := ui.openAny(`{"goal":"G","assumptions":[],"riskLevel":"commands","steps":[` + strings.Replace(strings.Replace(c.plan, `,"dependsOn":["a"]`, "", 1), `,"onError":"skip"`, "", 1) + `]}`)
			if r.Approvable || r.Problem == nil || r.MayAllow {
				t.Errorf("want a refusal that nobody lifts, got %+v, %v", r.Problem, r.MayAllow)
			}
			_, err := try[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendOnce})
			if err == nil || ui.s.out.Problem(err).Key != "error.review.nothingToAllow" {
				t.Errorf("want error.review.nothingToAllow, got %v", err)
			}
		})
	}
}

func TestWhatWasAllowedOnceIsRefusedWhereTheOrganisationForbidsItMeanwhile(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, protocol.Settings{Provider: "openai"})
	r := ui.openAny(twoRefused)
	once := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendOnce})
	putPolicy(t, mem, `{"version":1,"blocked_tools":["vault.delete"]}`)
	_, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: once.Approval})
	if err == nil || ui.s.out.Problem(err).Key != "policy.forbidden" || ui.text("A.md") == "(none)" {
		t.Errorf("want policy.forbidden and A.md kept, got %v", err)
	}
}

func TestAReviewOfWhichEverythingIsLeftOutCannotBeApproved(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{Files: twoNotes}), free)
	r := ui.open(editPlan)
	var paths []string
	for _, f := range r.Files {
		paths = append(paths, f.Path)
	}
	out := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Paths: paths})
	if out.Approvable || out.Problem != nil || len(out.Warnings) > 0 {
		t.Fatalf("want nothing to say yes to, and nothing else said of it, got %v, %+v, %+v", out.Approvable, out.Problem, out.Warnings)
	}
	if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: out.Approval}); err == nil {
		t.Error("want the yes refused, got a run")
	}
	some := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendKeep, Path: paths[0]})
	if !some.Approvable {
		t.Errorf("want one change to be enough, got %+v", some.Problem)
	}
}

func TestANoteWhoseLinksFollowARenameNamesIt(t *testing.T) {
	files := map[string]string{"A.md": "a\n", "Old/B.md": "b\n", "One.md": "[[A]]\n", "Two.md": "[[Old/B]] and [[A]]\n", "Three.md": "[[Old/B]]\n"}
	ui := begin(t, hosttest.New(hosttest.Options{Files: files}), free)
	r := ui.open(`{"goal":"Move","assumptions":[],"riskLevel":"writes","steps":[
{"id":"a","tool":"vault.rename","args":{"path":"A.md","newPath":"Z.md"}},
{"id":"b","tool":"vault.rename","args":{"path":"Old","newPath":"New"},"dependsOn":["a"]}]}`)
	for path, want := range map[string]string{"One.md": "Z.md", "Two.md": "Z.md", "Three.md": "New", "Z.md": ""} {
		if got := fileOf(r, path).Follows; got != want {
			t.Errorf("%s: want it to follow %q, got %q of %+v", path, want, got, r.Files)
		}
	}
	out := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: "One.md"})
	if got := fileOf(&out, "One.md"); !got.Dropped || got.Follows != "Z.md" {
		t.Errorf("want the note that is left out below its rename still, got %+v", got)
	}
}
