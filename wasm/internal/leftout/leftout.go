// Package leftout tells what a plan leaves out of what it was to work on: notes
// that a tool left alone, and elements of a loop whose call failed. Nothing is
// left out without a word: the review and the run list it by reason, with names.
package leftout

import (
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
)

// Words make what is told fit to be shown: Redact takes secrets out of a text,
// Problem does the same for an error.
type Words struct {
	Redact  func(text string) string
	Problem func(*fault.Error) *protocol.Problem
}

// By gives what a step left out; nil for nothing. The step looked at the elements
// of its loop, or at the notes that its calls were to work on.
func By(st *runner.StepReport, w Words) *protocol.LeftOut {
	g := grouping{at: map[string]int{}}
	looked := 0
	for i := range st.Skipped {
		why := st.Skipped[i].Why
		if key := tool.Reason(why); key != "" {
			g.add(key, w.Redact(st.Skipped[i].Path), nil)
			continue
		}
		p := w.Problem(why)
		g.add("skip.error", w.Redact(st.Skipped[i].Path), &protocol.Message{Key: p.Key, Params: p.Params})
	}
	for _, r := range st.Results {
		if r == nil || !r.OK {
			continue
		}
		told, n := tool.SkippedIn(r.Data)
		looked += n
		for _, t := range told {
			if t.Key != "" {
				g.add(t.Key, w.Redact(t.Path), nil)
				continue
			}
			said := protocol.Message{Key: "skip.said", Params: map[string]string{"reason": w.Redact(t.Reason)}}
			g.add("skip.error", w.Redact(t.Path), &said)
		}
	}
	if g.count == 0 {
		return nil
	}
	if st.Of > 0 {
		looked = st.Of
	} else if looked > 0 {
		looked += len(st.Skipped)
	} else {
		looked = len(st.Results)
	}
	name := w.Redact(st.Node.Step.Preview)
	if name == "" {
		name = st.Node.Step.ID
	}
	return &protocol.LeftOut{Step: st.Node.Step.ID, Name: name, Count: g.count, Total: max(looked, g.count), Groups: g.sorted()}
}

// Of gives what the steps of a review left out.
func Of(steps []protocol.StepPreview) []protocol.LeftOut {
	var out []protocol.LeftOut
	for i := range steps {
		if l := steps[i].LeftOut; l != nil {
			out = append(out, *l)
		}
	}
	return out
}

// grouping gathers what was left out by reason.
type grouping struct {
	at     map[string]int
	groups []protocol.LeftOutGroup
	count  int
}

func (g *grouping) add(reason, name string, why *protocol.Message) {
	if reason == "skip.dropped" {
		return // the list of files shows what the person has left out
	}
	i, known := g.at[reason]
	if !known {
		i = len(g.groups)
		g.at[reason] = i
		g.groups = append(g.groups, protocol.LeftOutGroup{Reason: protocol.Message{Key: reason}})
	}
	g.count++
	g.groups[i].Items = append(g.groups[i].Items, protocol.LeftOutItem{Name: name, Why: why})
}

// sorted gives the groups, the largest first, each by name.
func (g *grouping) sorted() []protocol.LeftOutGroup {
	for _, group := range g.groups {
		sorting.StableFunc(group.Items, func(a, b protocol.LeftOutItem) int { return strings.Compare(a.Name, b.Name) })
	}
	sorting.StableFunc(g.groups, func(a, b protocol.LeftOutGroup) int { return len(b.Items) - len(a.Items) })
	return g.groups
}
