package plan_test

import (
	"testing"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/plan/plantest"
)

// The target of the benchmark plan_validate_1000 is 50 ms in wasm, which is about
// 8 ms here.
func BenchmarkDecodeAndCheck1000(b *testing.B) {
	reg, raw := plantest.Registry(), plantest.Steps(1000)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		p, problems := plan.Decode(raw, plan.Limits{})
		if problems != nil {
			b.Fatal("want no problems, got:", problems)
		}
		if g, problems := plan.Check(p, reg, plan.Rules{MaxSteps: 1000}); g == nil {
			b.Fatal("want something, got:", problems)
		}
	}
}

func BenchmarkDecode1000(b *testing.B) {
	raw := plantest.Steps(1000)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, problems := plan.Decode(raw, plan.Limits{}); problems != nil {
			b.Fatal("want no problems, got:", problems)
		}
	}
}

// One iteration of a foreach step, as it is bound ten thousand times.
func BenchmarkBind(b *testing.B) {
	reg, raw := plantest.Registry(), plantest.Steps(10)
	p, problems := plan.Decode(raw, plan.Limits{})
	if problems != nil {
		b.Fatal("want no problems, got:", problems)
	}
	g, problems := plan.Check(p, reg, plan.Rules{})
	if g == nil {
		b.Fatal("want something, got:", problems)
	}
	scope := plan.MapScope(map[string]any{"folder": map[string]any{"path": "Projects/XYZ"}}, nil)
	item := map[string]any{"title": "A note", "path": "Projects/A note.md"}
	node := g.Node("copy2")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s := scope.At(i, item)
		if _, err := node.Args.Bind(&s); err != nil {
			b.Fatal(err)
		}
	}
}
