//go:build !js

package server

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web/webtest"
)

// unplugged is a core of a later start, with an endpoint in its settings: whoever
// asks for anything is seen on the wire.
func unplugged(t *testing.T, mem *hosttest.Memory) (*rig, *wire) {
	t.Helper()
	w := &wire{}
	set := webtest.Allowed()
	set.Provider, set.BaseURL, set.Model, set.AllowCommands = "custom", "https://models.example.com/v1", "m", true
	return newRig(t, mem, set, func(d *Deps) { d.Provider, d.Transport = nil, w }), w
}

func (ui *panel) approved(run string) {
	ui.t.Helper()
	r := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: run})
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	if end := ui.finished(); end.Outcome != "ok" {
		ui.t.Fatalf("%+v", end.Problem)
	}
}

// silent says that nothing was asked for and nothing written.
func silent(t *testing.T, r *rig, w *wire, was hosttest.Snapshot) {
	t.Helper()
	if n := len(w.requests()); n != 0 {
		t.Errorf("%d requests left", n)
	}
	if d := was.Diff(r.mem.Snapshot()); d != "" {
		t.Errorf("a replay wrote:\n%s", d)
	}
}

func TestARunsBundleIsReplayedAsAReviewWithoutAModel(t *testing.T) {
	mem := note()
	first := newRig(t, mem, free, nil, reads(1), create("1", "B.md"), llmtest.Say("Made B."))
	run := first.say("make B").Run
	first.approved(run)

	r, w := unplugged(t, mem.CrashClone())
	was := r.mem.Snapshot()
	opened := call[protocol.RunRef](r.panel, "run.replay", protocol.Replay{Run: run, Review: true})
	p := r.review()
	if p.Run != opened.Run || p.Run == run || !p.DryRun || p.Approvable || p.Title == nil || p.Title.Params["goal"] != "make B" {
		t.Fatalf("want Run opened.Run, Run other than run, DryRun true, a review that cannot be approved, Title set and Title.Params[\"goal\"] \"make B\", got %+v", p)
	}
	if len(p.Files) != 1 || p.Files[0].Path != "B.md" || p.Files[0].Status != "create" {
		t.Errorf("want 1 Files, Files[0].Path \"B.md\" and Files[0].Status \"create\", got %+v", p.Files)
	}
	v := call[protocol.FileView](r.panel, "review.file", protocol.FileRef{Run: p.Run, Path: "B.md"})
	if v.Before != "" || v.After != "text of B.md" {
		t.Errorf("%q, then %q", v.Before, v.After)
	}
	if _, err := try[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval}); !fault.Is(err, fault.Precondition) {
		t.Errorf("it could be approved: %v", err)
	}
	// Simulated again it is on the notes as they are now, and still asks nobody.
	now := call[protocol.Review](r.panel, "review.amend", protocol.Amendment{Run: p.Run, Kind: protocol.AmendAgain})
	if now.Approvable || !now.DryRun || now.Title == nil {
		t.Errorf("want a review that cannot be approved, DryRun true and Title set, got %+v", now)
	}
	call[protocol.Empty](r.panel, "review.close", protocol.RunRef{Run: p.Run})
	silent(t, r, w, was)
}

func TestAReplayOfARunWithAModelStepHasItsRecordedAnswer(t *testing.T) {
	mem := alphaBeta()
	first := newRig(t, mem, free, nil, answers()...)
	run := first.openPlan(sumUp("null")).Run
	first.approved(run)

	r, w := unplugged(t, mem.CrashClone())
	was := r.mem.Snapshot()
	opened := call[protocol.RunRef](r.panel, "run.replay", protocol.Replay{Run: run, Review: true})
	v := call[protocol.FileView](r.panel, "review.file", protocol.FileRef{Run: opened.Run, Path: "Sum.md"})
	if !strings.HasPrefix(v.After, "Alpha it is.") {
		t.Errorf("want After beginning with \"Alpha it is.\", got %q", v.After)
	}
	silent(t, r, w, was)
}

func TestAReplayOfAConversationThatGoesAnotherWayIsToldAndOpensNothing(t *testing.T) {
	mem := note()
	first := newRig(t, mem, free, nil, create("1", "B.md"), llmtest.Say("Made B."))
	run := first.say("make B").Run
	first.approved(run)
	file := history.Dir(run) + "/" + history.BundleFile
	doc := strings.ReplaceAll(string(mem.StoreFiles()[file]), "Made B.", "Made C.")
	doc = strings.Replace(doc, "Made C.", "Made B.", 1)
	if err := mem.Host().Store.Write(t.Context(), file, []byte(doc)); err != nil {
		t.Fatal(err)
	}
	r, w := unplugged(t, mem.CrashClone())
	was := r.mem.Snapshot()
	if _, err := try[protocol.RunRef](r.panel, "run.replay", protocol.Replay{Run: run, Review: true}); !fault.Is(err, fault.Conflict) {
		t.Errorf("want the error fault.Conflict, got %v", err)
	}
	if st := call[protocol.State](r.panel, "state", protocol.Empty{}); st.Review != nil {
		t.Error("a review was opened")
	}
	silent(t, r, w, was)
}

func TestWhatAConversationDidAtOnceIsReplayedWithWhatItStaged(t *testing.T) {
	ui, _ := acted(t, true)
	id := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{Kind: protocol.KindAgent}).Runs[0].Run
	r, w := unplugged(t, ui.mem.CrashClone())
	was := r.mem.Snapshot()
	opened := call[protocol.RunRef](r.panel, "run.replay", protocol.Replay{Run: id, Review: true})
	p := call[protocol.Review](r.panel, "review.get", opened)
	if len(p.Files) != 1 || p.Files[0].Path != "A.md" || p.Approvable {
		t.Errorf("want 1 Files, Files[0].Path \"A.md\" and a review that cannot be approved, got %+v", p)
	}
	if len(r.mem.Ran()) != 0 {
		t.Error("a replay ran the command")
	}
	silent(t, r, w, was)
}

func TestABundleFromAFileIsReplayedInAnotherVault(t *testing.T) {
	mem := note()
	first := newRig(t, mem, free, nil, create("1", "B.md"), llmtest.Say("Made B."))
	run := first.say("make B").Run
	first.approved(run)
	exported := call[protocol.Document](first.panel, "run.export", protocol.RunRef{Run: run}).Text
	kept := string(mem.StoreFiles()[history.Dir(run)+"/"+history.BundleFile])

	for name, doc := range map[string]string{"an export": exported, "bundle.json": kept} {
		r, w := unplugged(t, hosttest.New(hosttest.Options{Files: map[string]string{"Other.md": "x"}}))
		was := r.mem.Snapshot()
		p, err := r.s.tx.OpenBundle(t.Context(), []byte(doc))
		if err != nil {
			t.Fatalf("%s: want no error, got %v", name, err)
		}
		if len(p.Files) != 1 || p.Files[0].Path != "B.md" || p.Approvable || !p.DryRun {
			t.Errorf("%s: want 1 Files, Files[0].Path \"B.md\", a review that cannot be approved and DryRun true, got %+v", name, p)
		}
		silent(t, r, w, was)
	}
}

func TestABundleThatSomebodyWroteAsksNobodyAndDoesNothing(t *testing.T) {
	plan := func(steps string) string {
		return `{"version":1,"run":"x","bundles":[],"plan":{"goal":"g","assumptions":[],"steps":[` + steps + `]}}`
	}
	for name, c := range map[string]struct {
		doc  string
		code fault.Code
	}{
		"no JSON":               {`{`, fault.Validation},
		"another version":       {`{"version":2}`, fault.Validation},
		"nothing in it":         {`{"version":1,"run":"x"}`, fault.Precondition},
		"no bundle":             {`{"version":1,"run":"x","bundles":[null]}`, fault.Validation},
		"a bundle of another":   {`{"version":1,"run":"x","bundles":[{"version":7}]}`, fault.Validation},
		"a plan with a mistake": {plan(`{"id":"a","tool":"no.such","args":{}}`), fault.Validation},
		"a request":             {plan(`{"id":"a","tool":"http.request","args":{"url":"https://api.example.com/"}}`), ""},
		"something to send":     {plan(`{"id":"a","tool":"http.send","args":{"url":"https://api.example.com/","body":"x"}}`), ""},
		"a command":             {plan(`{"id":"a","tool":"commands.run","args":{"id":"x:do"}}`), ""},
		"a question to a model": {plan(`{"id":"a","tool":"agent.run","args":{"prompt":"hello"}}`), ""},
	} {
		r, w := unplugged(t, actingVault())
		was := r.mem.Snapshot()
		p, err := r.s.tx.OpenBundle(t.Context(), []byte(c.doc))
		switch {
		case c.code != "" && !fault.Is(err, c.code):
			t.Errorf("%s: want the error of the case, got %v", name, err)
		case c.code == "" && (err != nil || p.Approvable):
			t.Errorf("%s: want a review that cannot be approved and no error, got %v %+v", name, err, p)
		}
		if len(r.mem.Ran()) != 0 {
			t.Errorf("%s: a command ran", name)
		}
		silent(t, r, w, was)
	}
}
