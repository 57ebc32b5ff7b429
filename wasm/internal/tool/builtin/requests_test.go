package builtin_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/plan"
)

// TestRequestsArePlansOfAFewSteps reads testdata/requests: what a person asks
// for, a vault, the plan that a good model writes, and the vault (or answer)
// that comes of it. The plan is decoded and checked as any plan is, simulated
// on the overlay, made real, and run a second time where the story says that
// this changes nothing.
//
// A story is a txtar archive. Its comment starts with the request; lines
// "active: PATH", "active 2: PATH" and "again: same" may follow. Files: plan.json, given/PATH,
// want/PATH (all files of the vault that are not as given; want-gone lists the
// paths that go), answer.json (outputs of steps, by id; fields left out are not
// compared). Under "2/" the same for a second vault with other notes, on which
// the same plan must do as well.
func TestRequestsArePlansOfAFewSteps(t *testing.T) {
	stories, err := filepath.Glob("testdata/requests/*.txtar")
	if err != nil || len(stories) < 20 {
		t.Fatalf("%d stories, %v", len(stories), err)
	}
	for _, file := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			newStory(t, a).run(t)
		})
	}
}

type story struct {
	same   bool
	plan   []byte
	vaults [2]*vaultCase // the second is nil where the story has one vault
}

// vaultCase is a vault and what becomes of it.
type vaultCase struct {
	active      string
	given, want map[string]string
	gone        []string
	answer      map[string]any
}

func newStory(t *testing.T, a *txtar.Archive) *story {
	t.Helper()
	s := &story{}
	vault := func(n int) *vaultCase {
		if s.vaults[n] == nil {
			s.vaults[n] = &vaultCase{given: map[string]string{}, want: map[string]string{}}
		}
		return s.vaults[n]
	}
	for line := range strings.SplitSeq(string(a.Comment), "\n") {
		if p, ok := strings.CutPrefix(line, "active: "); ok {
			vault(0).active = p
		}
		if p, ok := strings.CutPrefix(line, "active 2: "); ok {
			vault(1).active = p
		}
		s.same = s.same || line == "again: same"
	}
	for _, f := range a.Files {
		if f.Name == "plan.json" {
			s.plan = f.Data
			continue
		}
		n := 0
		name, second := strings.CutPrefix(f.Name, "2/")
		if second {
			n = 1
		}
		vault(n).add(t, name, string(f.Data))
	}
	return s
}

func (v *vaultCase) add(t *testing.T, name, text string) {
	t.Helper()
	given, isGiven := strings.CutPrefix(name, "given/")
	want, isWant := strings.CutPrefix(name, "want/")
	switch {
	case name == "answer.json":
		if err := json.Unmarshal([]byte(text), &v.answer); err != nil {
			t.Fatal(err)
		}
	case name == "want-gone":
		v.gone = strings.Split(strings.TrimSpace(text), "\n")
	case isGiven:
		v.given[given] = text
	case isWant:
		v.want[want] = text
	default:
		t.Fatalf("a file that no story has: %s", name)
	}
}

func (s *story) run(t *testing.T) {
	p, problems := plan.Decode(s.plan, plan.Limits{})
	if plan.Failed(problems) {
		t.Fatal(plan.Fault(problems))
	}
	if len(p.Steps) > 8 {
		t.Errorf("%d steps", len(p.Steps))
	}
	graph, problems := plan.Check(p, registry(t), plan.Rules{Platform: "linux"})
	if plan.Failed(problems) {
		t.Fatal(plan.Fault(problems))
	}
	for _, v := range s.vaults {
		if v != nil {
			v.run(t, graph, s.same)
		}
	}
}

func (v *vaultCase) run(t *testing.T, graph *plan.Graph, same bool) {
	t.Helper()
	m := hosttest.New(hosttest.Options{Files: v.given, Active: v.active})
	expected := m.Snapshot()
	for path, text := range v.want {
		expected[path] = []byte(text)
		for i, c := range path {
			if c == '/' {
				expected[path[:i+1]] = nil
			}
		}
	}
	for _, path := range v.gone {
		delete(expected, path)
	}
	outputs := runPlan(t, m, graph)
	if d := expected.Diff(m.Snapshot()); d != "" {
		t.Errorf("the vault is not as expected:\n%s", d)
	}
	for id, want := range v.answer {
		if d := cmp.Diff(want, only(want, outputs[id])); d != "" {
			t.Errorf("%s (-want +got):\n%s", id, d)
		}
	}
	if same {
		first := m.Snapshot()
		runPlan(t, m, graph)
		if d := first.Diff(m.Snapshot()); d != "" {
			t.Errorf("a second run changes something:\n%s", d)
		}
	}
}

// only keeps of a value what the wanted one speaks of.
func only(want, got any) any {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return got
		}
		out := map[string]any{}
		for k := range w {
			out[k] = only(w[k], g[k])
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return got
		}
		out := make([]any, len(w))
		for i := range w {
			out[i] = only(w[i], g[i])
		}
		return out
	}
	return got
}

// runPlan simulates a plan step by step and makes its writes real.
func runPlan(t *testing.T, m *hosttest.Memory, graph *plan.Graph) map[string]any {
	t.Helper()
	h := m.Host()
	simulation := overlay.New(overlay.NewBase(h.Vault, h.Editor, now))
	outputs := map[string]any{}
	for _, n := range graph.Nodes {
		scope := plan.MapScope(outputs, nil)
		loop, err := plan.Expand(n.Step, &scope, 0)
		if err != nil {
			t.Fatal(err)
		}
		one := func(scope plan.Scope, call string) any {
			args, err := n.Args.Bind(&scope)
			if err == nil {
				err = n.Tool.CheckInput(args)
			}
			if err != nil {
				t.Fatalf("%s: %v", n.Step.ID, err)
			}
			data, err := n.Tool.Run(t.Context(), viewEnv(h, simulation.For(call)), args)
			if err == nil {
				err = n.Tool.CheckOutput(data)
			}
			if err != nil {
				t.Fatalf("%s: %v", n.Step.ID, err)
			}
			return map[string]any(asJSON(t, data))
		}
		if loop == nil {
			outputs[n.Step.ID] = one(scope, n.Step.ID)
			continue
		}
		items := []any{}
		for i, item := range loop.Items {
			items = append(items, one(scope.At(i, item), fmt.Sprint(n.Step.ID, i)))
		}
		outputs[n.Step.ID] = map[string]any{"items": items}
	}
	makeReal(t, h.Vault, simulation)
	return outputs
}
