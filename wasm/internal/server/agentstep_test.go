package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/chat"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
)

// sumPlan asks a model with a tool, pins what the tool gave, and writes both.
const sumPlan = `{"goal":"Sum up","assumptions":[],"steps":[
{"id":"read","tool":"vault.readFile","args":{"path":"A.md"}},
{"id":"ask","tool":"agent.run","args":{"prompt":"Sum it up.","context":"$steps.read.content","tools":["vault.readFile"],
	"pins":[{"name":"b","selector":{"tool":"vault.readFile"},"on_missing":"ON_MISSING"}]}},
{"id":"write","tool":"vault.createFile","args":{"path":"Sum.md","content":"$steps.ask.response ($steps.ask.pins.b)"}}]}`

func sumUp(onMissing string) string { return strings.Replace(sumPlan, "ON_MISSING", onMissing, 1) }

func alphaBeta() *hosttest.Memory {
	return hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "alpha", "B.md": "beta"}})
}

func answers() []llmtest.Turn {
	return []llmtest.Turn{llmtest.Call("c1", "vault.readFile", `{"path":"B.md"}`), llmtest.Say("Alpha it is.")}
}

func (r *rig) openPlan(doc string) *protocol.Review {
	r.t.Helper()
	p, err := r.s.tx.OpenPlan(r.t.Context(), []byte(doc), nil, false)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

func TestAModelStepIsAskedInTheSimulationAndItsAnswerIsApprovedRunAndReplayedWithoutAModel(t *testing.T) {
	mem := alphaBeta()
	before := mem.Snapshot()
	set := free
	r := newRig(t, mem, set, nil, answers()...)
	p := r.openPlan(sumUp("null"))
	if p.Problem != nil || !p.Approvable || p.Risk != "writes" || len(p.Files) != 1 {
		t.Fatalf("want no Problem, a review that can be approved, Risk \"writes\" and 1 Files, got %+v %+v", p, p.Problem)
	}
	first := r.model.Requests()[0]
	if len(first.Tools) != 1 || first.Tools[0].Name != "vault.readFile" || first.Messages[0].Text() != chat.StepSystem {
		t.Errorf("the step was offered %+v", first.Tools)
	}
	// An amendment simulates again; the answer stays.
	again := call[protocol.Review](r.panel, "review.amend", protocol.Amendment{Run: p.Run, Kind: protocol.AmendEdit, Path: "Sum.md", Text: "mine: Alpha it is."})
	if again.Approval == p.Approval || len(r.model.Requests()) != 2 {
		t.Errorf("%d questions", len(r.model.Requests()))
	}
	back := call[protocol.Review](r.panel, "review.amend", protocol.Amendment{Run: p.Run, Kind: protocol.AmendReset, Path: "Sum.md"})
	if back.Approval != p.Approval {
		t.Errorf("the same state has another approval")
	}
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	if end := r.finished(); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
	}
	made, _ := mem.File("Sum.md")
	if !strings.HasPrefix(string(made), "Alpha it is. (") || !strings.Contains(string(made), "beta") {
		t.Errorf("want made beginning with \"Alpha it is. (\" and made with \"beta\", got %s", made)
	}
	// Its pins are named, however much of the result is shown.
	for _, c := range call[protocol.RunDetail](r.panel, "run.get", protocol.RunRef{Run: p.Run}).Calls {
		if named := slices.Equal(c.Pins, []string{"b"}); named != (c.Tool == "agent.run") {
			t.Errorf("%s pins %q", c.Tool, c.Pins)
		}
	}
	var doc history.Run
	if err := json.Unmarshal(mem.StoreFiles()[history.Dir(p.Run)+"/run.json"], &doc); err != nil || len(doc.Frozen) != 1 {
		t.Fatalf("%v, %d frozen", err, len(doc.Frozen))
	}
	if n := len(r.model.Requests()); n != 2 {
		t.Errorf("the run asked the model: %d questions", n)
	}
	// After a start there is no model at all, and the run replays.
	later := newRig(t, mem.CrashClone(), set, func(d *Deps) { d.Provider = nil })
	call[protocol.RunRef](later.panel, "run.replay", protocol.RunRef{Run: p.Run})
	if v := call[protocol.Verified](later.panel, "run.verify", protocol.RunRef{Run: p.Run}); !v.OK {
		t.Errorf("want everything in order, got %+v", v)
	}
	call[protocol.Reverted](r.panel, "run.revert", protocol.Revert{Run: p.Run})
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Error("want the vault as it was before; it differs:", d)
	}
}

// What is frozen of a call is in the approval (package transaction,
// TestAnotherAnswerOfAModelIsAnotherApproval).
func TestTheAnswerOfAModelIsFrozenUnderItsCall(t *testing.T) {
	r := newRig(t, alphaBeta(), free, nil, llmtest.Say("one"))
	r.openPlan(`{"goal":"x","assumptions":[],"steps":[{"id":"ask","tool":"agent.run","args":{"prompt":"Say it."}},
		{"id":"write","tool":"vault.createFile","args":{"path":"C.md","content":"the same"}}]}`)
	rv := r.reviewed()
	frozen := rv.Frozen.Results()
	if len(frozen) != 1 {
		t.Fatalf("%d answers are frozen", len(frozen))
	}
	for id, answer := range frozen {
		if c := rv.Called[id]; c == nil || c.Tool != "agent.run" || answer["response"] != "one" {
			t.Errorf("%v is frozen under %+v", answer, c)
		}
	}
}

func TestARunWhoseAnswersAreNotKeptAsksNoModelEither(t *testing.T) {
	mem := alphaBeta()
	r := newRig(t, mem, free, nil, answers()...)
	p := r.openPlan(sumUp("null"))
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	r.finished()
	var doc history.Run
	path := history.Dir(p.Run) + "/run.json"
	if err := json.Unmarshal(mem.StoreFiles()[path], &doc); err != nil {
		t.Fatal(err)
	}
	doc.Frozen = nil
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	clone := mem.CrashClone()
	if err := clone.Host().Store.Write(t.Context(), path, b); err != nil {
		t.Fatal(err)
	}
	later := newRig(t, clone, free, nil, answers()...)
	if _, err := try[protocol.RunRef](later.panel, "run.replay", protocol.RunRef{Run: p.Run}); err == nil {
		t.Error("it replayed without its answers")
	}
	if n := len(later.model.Requests()); n != 0 {
		t.Errorf("a replay asked the model %d times", n)
	}
}

func TestTheModelStepsOfAForeachShareOneBudget(t *testing.T) {
	var turns []llmtest.Turn
	for i := range 6 {
		turn := llmtest.Say(fmt.Sprint("answer ", i))
		turn.Usage = price.Usage{Input: 900, Output: 100}
		turns = append(turns, turn)
	}
	set := free
	set.AgentTokens = 3000
	r := newRig(t, alphaBeta(), set, nil, turns...)
	p := r.openPlan(`{"goal":"x","assumptions":[],"steps":[{"id":"ask","tool":"agent.run","foreach":{"from":["1","2","3","4","5"],"itemName":"item"},"args":{"prompt":"Say {item}"}}]}`)
	left := p.Steps[0].LeftOut
	if n := len(r.model.Requests()); n != 3 || p.Problem != nil || left == nil || left.Count != 2 || left.Groups[0].Reason.Key != "skip.budget" {
		t.Errorf("asked %d times, %+v, %+v", n, p.Problem, left)
	}
}

// listPlan pins what a tool gave that the plan itself does not use.
const listPlan = `{"goal":"Sum up","assumptions":[],"steps":[
{"id":"ask","tool":"agent.run","args":{"prompt":"Sum it up.","tools":["vault.listFiles"],
	"pins":[{"name":"files","selector":{"tool":"vault.listFiles"},"on_missing":"ON_MISSING"}]}},
{"id":"write","tool":"vault.createFile","args":{"path":"Sum.md","content":"$steps.ask.response ($steps.ask.pins.files)"}}]}`

func TestASavedActionWithAModelStepNeedsAModelAndKeepsWorkingWhenAPinnedToolIsDisabled(t *testing.T) {
	listing := []llmtest.Turn{llmtest.Call("c1", "vault.listFiles", `{"folder":""}`), llmtest.Say("Listed.")}
	for _, c := range []struct{ missing, want, problem string }{
		{"null", "Second. (null)", ""},
		{"error", "", "agent.pin.missing"},
		{"stale_last_success", `Second. ({"`, ""},
	} {
		t.Run(c.missing, func(t *testing.T) {
			mem := alphaBeta()
			set := free
			r := newRig(t, mem, set, nil, append(append(listing[:2:2], listing...), llmtest.Say("Second."))...)
			approve := func(p *protocol.Review) {
				t.Helper()
				if p.Problem != nil {
					t.Fatalf("want no Problem, got %+v", p.Problem)
				}
				call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
				if end := r.finished(); end.Outcome != "ok" {
					t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
				}
				call[protocol.Reverted](r.panel, "run.revert", protocol.Revert{Run: p.Run})
			}
			p := r.openPlan(strings.Replace(listPlan, "ON_MISSING", c.missing, 1))
			approve(p)
			a := call[protocol.Action](r.panel, "actions.save", protocol.ActionSave{Run: p.Run, Name: "Sum up"})
			if !a.NeedsModel {
				t.Errorf("want NeedsModel true, got %+v", a)
			}
			run := func() *protocol.Review {
				t.Helper()
				call[protocol.Accepted](r.panel, "actions.run", protocol.ActionRun{ID: a.ID})
				return r.review()
			}
			approve(run())
			set.Streaming, set.DisabledTools = true, []string{"vault.listFiles"}
			call[protocol.State](r.panel, "configure", set)
			second := run()
			if last := r.model.Requests()[len(r.model.Requests())-1]; len(last.Tools) != 0 {
				t.Errorf("the model heard of %+v", last.Tools)
			}
			if c.problem != "" {
				if second.Problem == nil || second.Problem.Key != c.problem {
					t.Fatalf("want Problem set and Problem.Key as in the case, got %+v", second.Problem)
				}
				return
			}
			if second.Problem != nil {
				t.Fatalf("want no Problem, got %+v", second.Problem)
			}
			shown := call[protocol.FileView](r.panel, "review.file", protocol.FileRef{Run: second.Run, Path: "Sum.md"}).After
			if !strings.HasPrefix(shown, c.want) || (c.missing == "stale_last_success" && !strings.Contains(shown, "B.md")) {
				t.Errorf("shown %q", shown)
			}
		})
	}
}
