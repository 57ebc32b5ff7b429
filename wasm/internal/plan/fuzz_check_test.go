package plan_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/plan/plantest"
)

// FuzzCheck feeds whatever decodes to Check and binds what passes: never a
// panic, and a graph exactly when nothing but warnings was said.
func FuzzCheck(f *testing.F) {
	for _, raw := range stories(f) {
		f.Add([]byte(raw))
	}
	f.Add(plantest.Steps(12))
	reg := plantest.Registry()
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, _ := plan.Decode(raw, plan.Limits{})
		if p == nil {
			return
		}
		plan.Parameters(plan.AsTemplate(p))
		for _, rules := range []plan.Rules{{}, {Template: true}, {Bound: true, MaxSteps: 3}} {
			g, problems := plan.Check(p, reg, rules)
			if (g == nil) != plan.Failed(problems) {
				t.Fatalf("%s: want equal to plan.Failed(problems), got %v, %v", raw, g, problems)
			}
			if g == nil {
				continue
			}
			if len(g.Nodes) != len(p.Steps) {
				t.Fatalf("%s: %d nodes", raw, len(g.Nodes))
			}
			done := map[string]bool{}
			for _, n := range g.Nodes {
				for _, id := range n.DependsOn {
					if !done[id] {
						t.Fatalf("%s: %s comes before %s", raw, n.Step.ID, id)
					}
				}
				done[n.Step.ID] = true
				bindAnything(n)
			}
		}
	})
}

// stories gives the plans of the stories.
func stories(f *testing.F) []string {
	files, err := filepath.Glob("testdata/stories/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	var out []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range txtar.Parse(text).Files {
			if raw, ok := plan.Extract(string(part.Data)); ok && part.Name == "reply" {
				out = append(out, string(raw))
			}
		}
	}
	return out
}

// bindAnything binds a step as the runner would, with nothing there to refer
// to; errors are as good as arguments.
func bindAnything(n *plan.Node) {
	scope := plan.MapScope(nil, nil)
	if loop, err := plan.Expand(n.Step, &scope, 10); err == nil && loop != nil && len(loop.Items) > 0 {
		scope = scope.At(0, loop.Items[0])
	}
	if args, err := n.Args.Bind(&scope); err == nil && args == nil {
		panic("no arguments and no error")
	}
	n.Preview(&scope)
}
