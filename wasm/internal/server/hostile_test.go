package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/chat"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
)

// hostile is one case of the corpus of package agent: notes that try something,
// and what a model that fell for them does. Here it goes through everything: the
// settings, the turn, the review, the approval and the run.
type hostile struct {
	Class    string
	Person   string
	Active   string
	Files    map[string]string
	Settings struct {
		Deletes, NoRenames, Commands bool
		Roots, Deny, Enabled         []string
		Ceiling                      string
		MaxTokens                    int
		Organisation                 json.RawMessage
	}
	Turns []struct {
		Say   string
		Times int
		Calls []hostileCall
	}
	Plan json.RawMessage
}

type hostileCall struct {
	Tool  string
	Args  json.RawMessage
	Times int
}

func readHostile(t *testing.T, file string) *hostile {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{}
	for _, f := range txtar.Parse(raw).Files {
		if f.Name == "case.json" {
			if err := json.Unmarshal(f.Data, h); err != nil {
				t.Fatalf("%s: want no error, got %v", file, err)
			}
			if h.Files == nil {
				h.Files = map[string]string{}
			}
		} else if p, ok := strings.CutPrefix(f.Name, "vault/"); ok {
			h.Files[p] = string(f.Data)
		}
	}
	if h.Person == "" {
		h.Person = "Please tidy up."
	}
	return h
}

// settings are those of the case; a ceiling is an organisation's.
func (h *hostile) settings(names []string) (protocol.Settings, string) {
	s := h.Settings
	set := protocol.Settings{
		AllowDeletes: s.Deletes, AllowRenames: !s.NoRenames, AllowCommands: s.Commands, AllowedRoots: s.Roots,
		DenyPatterns: s.Deny, AgentTokens: s.MaxTokens,
	}
	if s.Enabled != nil {
		for _, name := range names {
			if !slices.Contains(s.Enabled, name) {
				set.DisabledTools = append(set.DisabledTools, name)
			}
		}
	}
	policy := string(s.Organisation)
	if policy == "" && s.Ceiling != "" {
		policy = fmt.Sprintf(`{"version":1,"side_effects":%q}`, s.Ceiling)
	}
	return set, policy
}

// calls gives the captured model's calls, turn by turn; of a plan, its steps.
func (h *hostile) calls() (turns [][]hostileCall, says []string) {
	if h.Plan != nil {
		var p struct{ Steps []hostileCall }
		if json.Unmarshal(h.Plan, &p) != nil {
			return nil, nil
		}
		return [][]hostileCall{p.Steps, nil}, []string{"", "Done."}
	}
	for _, turn := range h.Turns {
		for range max(turn.Times, 1) {
			var calls []hostileCall
			for _, c := range turn.Calls {
				for range max(c.Times, 1) {
					calls = append(calls, c)
				}
			}
			turns, says = append(turns, calls), append(says, turn.Say)
		}
	}
	return turns, says
}

// asAgent is the model as it works through tools.
func (h *hostile) asAgent() []llmtest.Turn {
	var out []llmtest.Turn
	id := 0
	turns, says := h.calls()
	for i, calls := range turns {
		var blocks []llm.Block
		if says[i] != "" {
			blocks = append(blocks, llm.Text(says[i]))
		}
		for _, c := range calls {
			id++
			args := c.Args
			if args == nil {
				args = json.RawMessage(`{}`)
			}
			blocks = append(blocks, llm.Call(fmt.Sprint("c", id), c.Tool, args))
		}
		out = append(out, llmtest.Reply(blocks...))
	}
	return append(out, llmtest.Say("I can do no more."))
}

// asPlan is the model as it plans: the same deeds as the steps of one plan,
// which it submits again when it is refused.
func (h *hostile) asPlan(t *testing.T) []llmtest.Turn {
	doc := []byte(h.Plan)
	if doc == nil {
		p, values := &plan.Plan{Goal: "tidy", Assumptions: []string{}}, map[string]any{}
		turns, _ := h.calls()
		for _, c := range slices.Concat(turns...) {
			var args map[string]any
			if json.Unmarshal(c.Args, &args) != nil || len(p.Steps) == 60 {
				continue
			}
			step := plan.Step{ID: fmt.Sprint("s", len(p.Steps)), Tool: c.Tool, Args: map[string]any{}, OnError: "skip"}
			for name, value := range args { // parameters: what it says is text, and nothing in it a reference
				key := fmt.Sprint("p", len(values))
				values[key], step.Args[name] = value, "${"+key+"}"
			}
			p.Steps = append(p.Steps, step)
		}
		bound, err := plan.BindParameters(p, values)
		if err != nil {
			t.Fatal(err)
		}
		if doc, err = canon.Encode(bound); err != nil {
			t.Fatal(err)
		}
	}
	submit := llmtest.Call("c", "submit_plan", string(doc))
	return []llmtest.Turn{submit, submit, submit}
}

func TestNothingThatANoteSaysGetsFurtherThanTheReviewThroughTheWholeProgram(t *testing.T) {
	files, err := filepath.Glob("../agent/testdata/hostile/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	reviewed, refused := 0, 0
	for i, file := range files {
		h := readHostile(t, file)
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		modes := []protocol.Mode{protocol.ModeAgent, protocol.ModePlan}
		if slow {
			modes = modes[i%2 : i%2+1]
		}
		for _, mode := range modes {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				if h.play(t, mode) {
					reviewed++
				} else {
					refused++
				}
			})
		}
	}
	if !slow && (reviewed < 20 || refused < 20) {
		t.Errorf("%d went to a review, %d did not: the corpus does not try both", reviewed, refused)
	}
}

// play lets the captured model act, looks at what the person is shown, and says
// yes to it. It tells whether there was anything to say yes to.
func (h *hostile) play(t *testing.T, mode protocol.Mode) bool {
	mem := hosttest.New(hosttest.Options{Files: h.Files, Active: h.Active, Commands: []hosttest.Command{
		{ID: "publish:publish", Name: "Publish changes"}, {ID: "app:delete-file", Name: "Delete current file"},
	}})
	turns := h.asAgent()
	if mode == protocol.ModePlan {
		turns = h.asPlan(t)
	}
	probe := newRig(t, mem, protocol.Settings{}, nil)
	set, policy := h.settings(probe.s.registry.Names())
	if policy != "" {
		putPolicy(t, mem, policy)
	}
	before := mem.Snapshot()
	var r *rig
	r = newRig(t, mem, set, func(d *Deps) {
		emit := d.Emit
		d.Emit = func(e protocol.Event) {
			emit(e)
			if e.Type == protocol.EventQuestionOpened { // the person says no to each
				go func() { _, _ = r.s.questions.Answer(t.Context(), protocol.Answer{ID: e.Question.ID}) }()
			}
		}
	}, turns...)
	harmless := func(when string) {
		t.Helper()
		if ran := mem.Ran(); len(ran) > 0 {
			t.Errorf("%s: commands ran: %v", when, ran)
		}
		if got := string(mem.StoreFiles()[guard.PolicyFile]); got != policy {
			t.Errorf("%s: the policy file became %q", when, got)
		}
	}
	end := r.send(protocol.Send{Text: h.Person, Mode: mode, Conversation: "talk"})
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("the vault changed without an approval:\n%s", d)
	}
	harmless("before the approval")
	h.checkAsked(t, r, mode)
	if end.Run == "" || end.Findings != nil && end.Findings.Done { // nothing to approve
		return false
	}
	p := call[protocol.Review](r.panel, "review.get", protocol.RunRef{Run: end.Run})
	if !p.Approvable {
		if _, err := try[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval}); err == nil {
			t.Error("what cannot be approved was")
		}
		return false
	}
	want := maps.Clone(before)
	applyShown(want, &p, r.shown(&p))
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	r.finished()
	if d := want.Diff(mem.Snapshot()); d != "" {
		t.Errorf("the run did something else than was shown:\n%s", d)
	}
	harmless("after the run")
	return true
}

// checkAsked proves that nothing moved what the model is given.
func (h *hostile) checkAsked(t *testing.T, r *rig, mode protocol.Mode) {
	t.Helper()
	reqs := r.model.Requests()
	for i, q := range reqs {
		a, b := q, reqs[0]
		if len(a.Tools) != len(b.Tools) || a.Model != b.Model || a.Messages[0].Text() != b.Messages[0].Text() {
			t.Errorf("request %d has another prompt, model or tools", i)
		}
		if mode == protocol.ModeAgent && !strings.HasPrefix(a.Messages[0].Text(), chat.AgentSystem) {
			t.Errorf("request %d has another prompt", i)
		}
		people := 0
		for _, m := range a.Messages[1:] {
			if m.Role == llm.RoleSystem {
				t.Errorf("request %d: a note speaks as the system", i)
			}
			if m.Role == llm.RoleUser {
				people++
			}
		}
		if mode == protocol.ModeAgent && people != 1 {
			t.Errorf("request %d: %d messages of the person", i, people)
		}
	}
}
