package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// span is when a call ran, in ticks of the test's own counter.
type span struct {
	step, index int
	name, path  string
	from, to    int
}

func TestNoTwoCallsDisturbEachOtherAndAllKeepTheOrderOfThePlan(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var (
			mu   sync.Mutex
			tick int
			ran  []span
		)
		pauses := rapid.SliceOfN(rapid.IntRange(0, 200), 8, 8).Draw(rt, "pauses")
		k := newKit(t, func(_ context.Context, name string, args tool.Args) (tool.Data, error) {
			mu.Lock()
			tick++
			s := span{step: args.Int("step"), index: num(args, "i"), name: name, path: args.String("path"), from: tick}
			pause := pauses[tick%len(pauses)]
			mu.Unlock()
			time.Sleep(time.Duration(pause) * time.Microsecond) // any timing must do: this only varies it
			mu.Lock()
			defer mu.Unlock()
			tick++
			s.to = tick
			ran = append(ran, s)
			return tool.Data{}, nil
		})
		n := rapid.IntRange(1, 8).Draw(rt, "steps")
		var steps []string
		deps := make([][]int, n)
		total := 0
		for i := range n {
			name := rapid.SampledFrom([]string{"t.pure", "t.read", "t.write", "t.write", "t.write", "t.all", "t.blind"}).Draw(rt, "tool")
			var dep []string
			if i > 0 && rapid.Bool().Draw(rt, "depends") {
				d := rapid.IntRange(0, i-1).Draw(rt, "on")
				deps[i], dep = []int{d}, []string{fmt.Sprintf(`"s%d"`, d)}
			}
			var items []string
			for j := range rapid.IntRange(1, 4).Draw(rt, "calls") {
				p := rapid.SampledFrom([]string{"A.md", "a.MD", "B.md", "F/C.md", "F/D.md", "f/c.md"}).Draw(rt, "path")
				items = append(items, fmt.Sprintf(`{"i":%d,"p":%q}`, j, p))
			}
			total += len(items)
			steps = append(steps, fmt.Sprintf(`{"id":"s%d","tool":%q,"args":{"step":%d,"i":"{index}","path":"{x.p}"},"foreach":{"from":[%s],"itemName":"x"},"dependsOn":[%s]}`,
				i, name, i, strings.Join(items, ","), strings.Join(dep, ",")))
		}
		c := k.config(steps...)
		c.Limits.MaxConcurrency = rapid.IntRange(1, 8).Draw(rt, "limit")
		if r := Run(context.Background(), c); r.Stopped != nil {
			rt.Fatal("want no Stopped, got:", r.Stopped)
		}
		if len(ran) != total {
			rt.Fatalf("%d of %d calls ran", len(ran), total)
		}
		for _, a := range ran {
			for _, b := range ran {
				if a.step > b.step || a.step == b.step {
					continue
				}
				if (apart(a, b) || slices.Contains(deps[b.step], a.step)) && a.to > b.from {
					rt.Fatalf("%v and %v ran at once, or in the wrong order", a, b)
				}
			}
		}
	})
}

// apart is the rule, said again: which two calls of different steps must keep
// their order.
func apart(a, b span) bool {
	writes := func(s span) bool { return s.name == "t.write" || s.name == "t.all" || s.name == "t.blind" }
	sees := func(s span) bool { return s.name == "t.read" }
	switch {
	case writes(a) && writes(b):
		return a.name != "t.write" || b.name != "t.write" || vaultpath.Fold(a.path) == vaultpath.Fold(b.path)
	case writes(a):
		return sees(b)
	case writes(b):
		return sees(a)
	}
	return false
}

func TestCallsOfOneStepThatClaimOnePathKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var mu sync.Mutex
		order := map[string][]int{}
		k := newKit(t, func(_ context.Context, _ string, args tool.Args) (tool.Data, error) {
			mu.Lock()
			defer mu.Unlock()
			p := vaultpath.Fold(args.String("path"))
			order[p] = append(order[p], num(args, "i"))
			return tool.Data{}, nil
		})
		paths := rapid.SliceOfN(rapid.SampledFrom([]string{"A.md", "a.md", "B.md", "Ä.md", "A\u0308.md"}), 1, 30).Draw(rt, "paths")
		var items []string
		for i, p := range paths {
			items = append(items, fmt.Sprintf(`{"i":%d,"p":%q}`, i, p))
		}
		if r := Run(context.Background(), k.config(`{"id":"s","tool":"t.write","args":{"i":"{x.i}","path":"{x.p}"},"foreach":{"from":[`+strings.Join(items, ",")+`],"itemName":"x"}}`)); r.Stopped != nil {
			rt.Fatal("want no Stopped, got:", r.Stopped)
		}
		for p, is := range order {
			if !slices.IsSorted(is) {
				rt.Fatalf("%s was written in the order %v", p, is)
			}
		}
	})
}
