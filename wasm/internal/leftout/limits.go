package leftout

import (
	"maps"
	"slices"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
)

// A step of a plan gets everything, unless the plan names a limit. What such a
// limit cuts is said in the review, with the way to have all of it.

// Cut says what a step cut off by a limit, over all its calls; nil for nothing. Again
// says that the step would be made again without it.
func Cut(st *runner.StepReport, again bool) *protocol.Cut {
	e := st.Node.Tool
	if e.Cut == nil {
		return nil
	}
	shown, total, cut := 0, 0, false
	for _, r := range st.Results {
		if r == nil || !r.OK {
			continue
		}
		n, of := e.Cut(r.Data)
		if n == 0 && of == 0 {
			continue
		}
		cut = true
		shown += n
		if of < 0 || total < 0 {
			total = -1
		} else {
			total += of
		}
	}
	if !cut {
		return nil
	}
	// A step that an earlier run has made is not made again, and one without a
	// limit of its own has met the tool's.
	all := len(Limits(st.Node)) > 0 && again
	return &protocol.Cut{Shown: shown, Total: total, All: all}
}

// Limits names the arguments of a step, as the plan spells them, that bound
// how much its tool gives.
func Limits(n *plan.Node) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(n.Step.Args)) {
		own, err := n.Tool.NormaliseArgs(map[string]any{name: n.Step.Args[name]})
		if _, is := own[n.Tool.Limit]; err == nil && is && n.Tool.Limit != "" {
			out = append(out, name)
		}
	}
	return out
}
