package server

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

var twoNotes = map[string]string{"A.md": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n", "B.md": "b\n", "C.md": "c\n"}

// editPlan changes two places of A, writes B, and makes D.
const editPlan = `{"goal":"Edit","assumptions":[],"riskLevel":"writes","steps":[
{"id":"a1","tool":"vault.patchFile","args":{"path":"A.md","find":"two","replace":"TWO"}},
{"id":"a2","tool":"vault.patchFile","args":{"path":"A.md","find":"six","replace":"SIX"},"dependsOn":["a1"]},
{"id":"b","tool":"vault.appendFile","args":{"path":"B.md","content":"more"},"dependsOn":["a2"]},
{"id":"d","tool":"vault.createFile","args":{"path":"D.md","content":"d\n"},"dependsOn":["b"]}]}`

func (ui *panel) text(path string) string {
	ui.t.Helper()
	b, ok := ui.mem.File(path)
	if !ok {
		return "(none)"
	}
	return string(b)
}

// shown gives what the review says that every file will be.
func (ui *panel) shown(r *protocol.Review) map[string]protocol.FileView {
	ui.t.Helper()
	out := map[string]protocol.FileView{}
	for _, f := range r.Files {
		out[f.Path] = call[protocol.FileView](ui, "review.file", protocol.FileRef{Run: r.Run, Path: f.Path})
	}
	return out
}

func TestAStaleApprovalIsRefused(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	before := mem.Snapshot()
	first := ui.open(editPlan)
	now := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: first.Run, Kind: protocol.AmendDrop, Path: "B.md"})
	if now.Approval == first.Approval {
		t.Fatal("an amended review has the approval of the one before")
	}
	for _, a := range []protocol.Approve{
		{Run: first.Run, Approval: first.Approval},
		{Run: first.Run, Approval: ""},
		{Run: first.Run, Approval: "x"},
		{Run: "other", Approval: now.Approval},
	} {
		if _, err := try[protocol.RunRef](ui, "review.approve", a); err == nil {
			t.Errorf("%+v was taken for a yes", a)
		}
	}
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatal("want the vault as it was before; it differs:", d)
	}
	ui.approve(&now)
	if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: now.Run, Approval: now.Approval}); err == nil {
		t.Error("an approval was used twice")
	}
}

func TestASecondLookReadsTheVaultAnewAndKeepsWhatThePersonSaid(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	r := ui.open(editPlan)
	dropped := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: "D.md"})
	mem.Put("B.md", "other\n")
	again := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendAgain})
	if got := ui.shown(&again)["B.md"]; got.Before != "other\n" || got.After != "other\nmore\n" {
		t.Errorf("want Before \"other\\n\" and After \"other\\nmore\\n\", got %q to %q", got.Before, got.After)
	}
	if again.Approval == dropped.Approval {
		t.Error("another vault has the approval of the one before")
	}
	ui.approve(&again)
	if b, d := ui.text("B.md"), ui.text("D.md"); b != "other\nmore\n" || d != "(none)" {
		t.Errorf("want \"other\\nmore\\n\" and \"(none)\", got B.md %q, D.md %q", b, d)
	}
}

func TestAReviewSaysWhichToolIsSwitchedOff(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	set := free
	set.DisabledTools = []string{"vault.createFile"}
	r, err := begin(t, mem, set).s.tx.OpenPlan(t.Context(), []byte(`{"goal":"Make","assumptions":[],"riskLevel":"writes","steps":[
{"id":"a","tool":"vault.appendFile","args":{"path":"A.md","content":"x"}},
{"id":"d","tool":"vault.createFile","args":{"path":"{item}.md","content":"d"},"foreach":{"from":["D","E"],"itemName":"item"},"dependsOn":["a"]}]}`), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if r.Approvable || r.Problem == nil || r.Problem.Code != protocol.ProblemCode(fault.Denied) || r.Problem.Tool != "vault.createFile" || r.Problem.Step != "d" {
		t.Fatalf("approvable %v, problem %+v", r.Approvable, r.Problem)
	}
}

func TestADryRunCannotBeApproved(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	r, err := ui.s.tx.OpenPlan(t.Context(), []byte(editPlan), nil, true)
	if err != nil || r.Approvable || !r.DryRun {
		t.Fatalf("want no error, a review that cannot be approved and DryRun true, got %v %+v", err, r)
	}
	if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval}); !fault.Is(err, fault.Precondition) {
		t.Fatal(err)
	}
	if n := mem.Counts().Ops(); n != 0 {
		t.Fatalf("%d writes", n)
	}
}

func TestWhatIsAmendedIsSimulatedAgainAndWrittenAsShown(t *testing.T) {
	a := twoNotes["A.md"]
	for _, c := range []struct {
		name   string
		amends []protocol.Amendment
		want   map[string]string
	}{
		{"nothing", nil, map[string]string{"A.md": "one\nTWO\nthree\nfour\nfive\nSIX\nseven\n", "B.md": "b\nmore\n", "D.md": "d\n"}},
		{"drop a file", []protocol.Amendment{{Kind: protocol.AmendDrop, Path: "B.md"}}, map[string]string{"B.md": "b\n", "D.md": "(none)"}},
		{"drop and keep", []protocol.Amendment{{Kind: protocol.AmendDrop, Path: "B.md"}, {Kind: protocol.AmendKeep, Path: "B.md"}}, map[string]string{"B.md": "b\nmore\n", "D.md": "d\n"}},
		{"drop the new file", []protocol.Amendment{{Kind: protocol.AmendDrop, Path: "D.md"}}, map[string]string{"B.md": "b\nmore\n", "D.md": "(none)"}},
		{"another text", []protocol.Amendment{{Kind: protocol.AmendEdit, Path: "D.md", Text: "mine\r\n"}}, map[string]string{"D.md": "mine\r\n"}},
		{"another text, twice", []protocol.Amendment{{Kind: protocol.AmendEdit, Path: "D.md", Text: "x"}, {Kind: protocol.AmendEdit, Path: "D.md", Text: "y"}}, map[string]string{"D.md": "y"}},
		{"an empty text", []protocol.Amendment{{Kind: protocol.AmendEdit, Path: "D.md", Text: ""}}, map[string]string{"D.md": ""}},
		{"the text of the last step", []protocol.Amendment{{Kind: protocol.AmendEdit, Path: "A.md", Text: "all mine\n"}}, map[string]string{"A.md": "all mine\n"}},
		{"the first hunk rejected", []protocol.Amendment{{Kind: protocol.AmendHunks, Path: "A.md", Rejected: []int{0}}}, map[string]string{"A.md": "one\ntwo\nthree\nfour\nfive\nSIX\nseven\n"}},
		{"the second hunk rejected", []protocol.Amendment{{Kind: protocol.AmendHunks, Path: "A.md", Rejected: []int{1}}}, map[string]string{"A.md": "one\nTWO\nthree\nfour\nfive\nsix\nseven\n"}},
		{"one hunk, then the other", []protocol.Amendment{{Kind: protocol.AmendHunks, Path: "A.md", Rejected: []int{0}}, {Kind: protocol.AmendHunks, Path: "A.md", Rejected: []int{1}}}, map[string]string{"A.md": "one\nTWO\nthree\nfour\nfive\nsix\nseven\n"}},
		{"edited and put back", []protocol.Amendment{{Kind: protocol.AmendEdit, Path: "A.md", Text: "x"}, {Kind: protocol.AmendReset, Path: "A.md"}}, map[string]string{"A.md": "one\nTWO\nthree\nfour\nfive\nSIX\nseven\n"}},
		{"another plan", []protocol.Amendment{{Kind: protocol.AmendPlan, Plan: planOf("Other", `{"id":"x","tool":"vault.createFile","args":{"path":"E.md","content":"e"}}`)}}, map[string]string{"A.md": a, "B.md": "b\n", "D.md": "(none)", "E.md": "e"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: twoNotes})
			ui := begin(t, mem, free)
			before := mem.Snapshot()
			r := ui.open(editPlan)
			for _, am := range c.amends {
				am.Run = r.Run
				next := call[protocol.Review](ui, "review.amend", am)
				r = &next
			}
			if n := mem.Counts().Ops(); n != 0 {
				t.Fatalf("amending wrote %d times", n)
			}
			if !r.Approvable {
				t.Fatalf("want a review that can be approved, got %+v %+v", r.Problem, r.Steps)
			}
			shown := ui.shown(r)
			dropped := map[string]bool{}
			for _, f := range r.Files {
				dropped[f.Path] = f.Dropped
			}
			end := ui.approve(r)
			if end.Outcome == "conflict" || end.Problem != nil {
				t.Fatalf("want Outcome other than \"conflict\" and no Problem, got %s %+v", end.Outcome, end.Problem)
			}
			for p, v := range shown {
				if got := ui.text(p); !dropped[p] && got != v.After {
					t.Errorf("%s: shown %q, written %q", p, v.After, got)
				}
			}
			for p, want := range c.want {
				if got := ui.text(p); got != want {
					t.Errorf("%s: %q, want %q", p, got, want)
				}
			}
			ui.revert(r.Run)
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Errorf("reverted:\n%s", d)
			}
		})
	}
}

// The steps that wait for those of the rejected hunks are left out with them.
func TestWhereEveryHunkIsRejectedNothingIsLeftToApproveUntilThatIsPutBack(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	before := mem.Snapshot()
	first := ui.open(editPlan)
	none := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: first.Run, Kind: protocol.AmendHunks, Path: "A.md", Rejected: []int{0, 1}})
	if none.Approvable {
		t.Errorf("want nothing to approve, got %+v", none.Files)
	}
	if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: none.Run, Approval: none.Approval}); err == nil {
		t.Error("want no yes taken to a review of which nothing is left")
	}
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Errorf("want nothing written, got\n%s", d)
	}
	again := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: first.Run, Kind: protocol.AmendReset, Path: "A.md"})
	if !again.Approvable {
		t.Errorf("want it approvable once the rejection is taken back, got %+v", again.Steps)
	}
	ui.approve(&again)
	if got := ui.text("A.md"); got != "one\nTWO\nthree\nfour\nfive\nSIX\nseven\n" {
		t.Errorf("want both changes written, got %q", got)
	}
}

func TestAnAmendmentThatCannotBeIsRefusedAndChangesNothing(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	r := ui.open(editPlan)
	for _, a := range []protocol.Amendment{
		{Kind: protocol.AmendDrop, Path: "Nowhere.md"},
		{Kind: "made up", Path: "A.md"},
		{Kind: protocol.AmendEdit, Path: "C.md", Text: "x"},
		{Kind: protocol.AmendPlan, Plan: "{"},
		{Kind: protocol.AmendPlan, Plan: planOf("x", `{"id":"x","tool":"no.tool","args":{}}`)},
	} {
		a.Run = r.Run
		if _, err := try[protocol.Review](ui, "review.amend", a); err == nil {
			t.Errorf("%+v was taken", a)
		}
	}
	if now := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: r.Run}); now.Approval != r.Approval {
		t.Error("a refused amendment changed the review")
	}
}

func TestARejectedHunkIsShownAsRejected(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{Files: twoNotes}), free)
	r := ui.open(editPlan)
	next := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendHunks, Path: "A.md", Rejected: []int{0}})
	v := ui.shown(&next)["A.md"]
	if len(v.Hunks) != 2 || !v.Hunks[0].Rejected || v.Hunks[1].Rejected {
		t.Fatalf("want 2 Hunks, Hunks[0].Rejected true and Hunks[1].Rejected false, got %+v", v.Hunks)
	}
}

func TestEveryCallAfterTheYesCarriesItsConfirmationID(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	end := ui.do(editPlan)
	pairs, err := audit.ReadCalls(t.Context(), mem.Host().Store, history.Dir(end.Run))
	if err != nil || len(pairs) != 4 {
		t.Fatalf("%d calls: %v", len(pairs), err)
	}
	var doc struct {
		Confirmation struct {
			ID        string `json:"confirmationId"`
			Approval  string `json:"approval"`
			Automatic bool   `json:"automatic"`
		} `json:"confirmation"`
	}
	if err := json.Unmarshal(mem.StoreFiles()[history.Dir(end.Run)+"/run.json"], &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Confirmation.ID == "" || doc.Confirmation.Automatic {
		t.Fatalf("want Confirmation.ID set and Confirmation.Automatic false, got %+v", doc)
	}
	for _, p := range pairs {
		if p.Call.ConfirmationID != doc.Confirmation.ID {
			t.Errorf("%s: confirmation %q, want %q", p.Call.StepID, p.Call.ConfirmationID, doc.Confirmation.ID)
		}
	}
}

func TestWithConfirmationOffARunIsStillSimulatedAndItsApprovalRecordedAsAutomatic(t *testing.T) {
	for _, c := range []struct {
		name, plan string
		automatic  bool
	}{
		{"writes", planOf("w", `{"id":"x","tool":"vault.createFile","args":{"path":"E.md","content":"e"}}`), true},
		{"deletes always ask", planOf("d", `{"id":"x","tool":"vault.delete","args":{"path":"A.md"}}`), false},
		{"renames always ask", planOf("r", `{"id":"x","tool":"vault.rename","args":{"path":"A.md","newPath":"Z.md"}}`), false},
		{"commands always ask", planOf("c", `{"id":"x","tool":"commands.run","args":{"id":"a:b"}}`), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: twoNotes, Commands: []hosttest.Command{{ID: "a:b"}}})
			set := free
			set.Confirm = "never"
			ui := begin(t, mem, set)
			pl, g := ui.checked(c.plan)
			d := ui.s.tx.NewDraft(pl, g, []byte(c.plan))
			before := mem.Snapshot()
			if err := ui.s.tx.OpenReview(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			if !c.automatic {
				if st := call[protocol.State](ui, "state", protocol.Empty{}); st.Review == nil || st.Run != nil || !before.Equal(mem.Snapshot()) {
					t.Fatalf("went on without being asked: %+v", st.Run)
				}
				return
			}
			if end := ui.finished(); end.Outcome != "ok" {
				t.Fatalf("want Outcome \"ok\", got %+v", end)
			}
			if doc := mem.StoreFiles()[history.Dir(d.ID)+"/run.json"]; !bytes.Contains(doc, []byte(`"automatic":true`)) {
				t.Errorf("not recorded as automatic: %s", doc)
			}
		})
	}
}

func TestANoteThatALaterStepNamesIsTheOneThatWasSimulated(t *testing.T) {
	// The edit of a staged text reaches the steps that read it.
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"T.md": "x"}})
	ui := begin(t, mem, free)
	r := ui.open(planOf("chain", `{"id":"a","tool":"vault.createFile","args":{"path":"A.md","content":"first"}}`,
		`{"id":"r","tool":"vault.readFile","args":{"path":"A.md"},"dependsOn":["a"]}`,
		`{"id":"b","tool":"vault.createFile","args":{"path":"B.md","content":"copy of $steps.r.content"}}`))
	next := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendEdit, Path: "A.md", Text: "mine"})
	if end := ui.approve(&next); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end)
	}
	if got := ui.text("B.md"); !strings.Contains(got, "copy of mine") {
		t.Errorf("want a text with \"copy of mine\", got B.md is %q", got)
	}
}
