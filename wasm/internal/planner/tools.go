package planner

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/plan"
)

// tools tells in full the tools of a refused plan that the model knew by name
// alone, and those that it probably meant: it corrects the plan by them.
func (a *asking) tools(m llm.Message, problems []plan.Problem) string {
	raw, found, _ := a.find(m)
	if !found {
		return ""
	}
	var meant []string
	for _, p := range problems {
		meant = append(meant, p.Params["near"])
	}
	var b strings.Builder
	for _, e := range offered(&a.in) {
		if !a.full[e.Name] && (strings.Contains(string(raw), e.Name) || slices.Contains(meant, e.Name)) {
			a.full[e.Name] = true
			b.WriteString(a.in.line()(e))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n<tools>\n" + b.String() + "</tools>"
}
