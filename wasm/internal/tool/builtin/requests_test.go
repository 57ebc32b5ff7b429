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
	"embedded-agent/wasm/internal/tool"
)

// TestRequestsArePlansOfAFewSteps reads testdata/requests: what a person asks
// for, a vault, the plan that a good model writes, and the vault (or answer)
// that comes of it. The plan is decoded and checked as any plan is, simulated
// on the overlay, made real, and run a second time where the story says that
// this changes nothing.
//
// A story is a txtar archive. Its comment starts with the request; lines
// "active: PATH" and "again: same" may follow. Files: plan.json, given/PATH,
// want/PATH (all files of the vault that are not as given; "gone" in
// want-gone lists paths), answer.json (outputs of steps, by id; fields left
// out are not compared).
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
	active       string
	same         bool
	plan         []byte
	given, want  map[string]string
	gone         []string
	answer       map[string]any
	registryUsed *tool.Registry
}

func newStory(t *testing.T, a *txtar.Archive) *story {
	t.Helper()
	s := &story{given: map[string]string{}, want: map[string]string{}, registryUsed: registry(t)}
	for line := range strings.SplitSeq(string(a.Comment), "\n") {
		if p, ok := strings.CutPrefix(line, "active: "); ok {
			s.active = p
		}
		s.same = s.same || line == "again: same"
	}
	for _, f := range a.Files {
		text := string(f.Data)
		switch {
		case f.Name == "plan.json":
			s.plan = f.Data
		case f.Name == "answer.json":
			if err := json.Unmarshal(f.Data, &s.answer); err != nil {
				t.Fatal(err)
			}
		case f.Name == "want-gone":
			s.gone = strings.Split(strings.TrimSpace(text), "\n")
		case strings.HasPrefix(f.Name, "given/"):
			s.given[f.Name[len("given/"):]] = text
		case strings.HasPrefix(f.Name, "want/"):
			s.want[f.Name[len("want/"):]] = text
		default:
			t.Fatalf("a file that no story has: %s", f.Name)
		}
	}
	return s
}

func (s *story) run(t *testing.T) {
	p, problems := plan.Decode(s.plan, plan.Limits{})
	if plan.Failed(problems) {
		t.Fatal(plan.Fault(problems))
	}
	if len(p.Steps) > 8 {
		t.Errorf("%d steps", len(p.Steps))
	}
	graph, problems := plan.Check(p, s.registryUsed, plan.Rules{Platform: "linux"})
	if plan.Failed(problems) {
		t.Fatal(plan.Fault(problems))
	}
	m := hosttest.New(hosttest.Options{Files: s.given, Active: s.active})
	expected := m.Snapshot()
	for path, text := range s.want {
		expected[path] = []byte(text)
		for i := strings.IndexByte(path, '/'); i >= 0; {
			expected[path[:i+1]] = nil
			next := strings.IndexByte(path[i+1:], '/')
			if next < 0 {
				break
			}
			i += 1 + next
		}
	}
	for _, path := range s.gone {
		delete(expected, path)
	}
	outputs := runPlan(t, m, graph)
	if d := expected.Diff(m.Snapshot()); d != "" {
		t.Errorf("the vault is not as expected:\n%s", d)
	}
	for id, want := range s.answer {
		if d := cmp.Diff(want, only(want, outputs[id])); d != "" {
			t.Errorf("%s (-want +got):\n%s", id, d)
		}
	}
	if s.same {
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
