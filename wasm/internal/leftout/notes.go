package leftout

import (
	"strconv"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
)

// Notes says how a step was read where the plan has it in other words, and what its
// conditions came to. What was read otherwise in the plan as a whole is told with
// its first step.
func Notes(p *plan.Plan, st *runner.StepReport, redact func(text string) string) []protocol.Message {
	var out []protocol.Message
	say := func(key string, params map[string]string) {
		out = append(out, protocol.Message{Key: key, Params: params})
	}
	step := st.Node.Step
	for _, t := range p.Taken {
		if t.Step == step.ID || t.Step == "" && st.Node.Index == 0 {
			say("review.taken", map[string]string{"field": t.Field, "from": redact(t.From), "to": redact(t.To)})
		}
	}
	switch {
	case st.Unmet && st.CauseStep != "":
		say("review.unmetBefore", map[string]string{"step": st.CauseStep})
	case st.Unmet:
		say("review.unmet", nil)
	case step.Foreach != nil && len(step.Foreach.When) > 0:
		say("review.met", map[string]string{"n": strconv.Itoa(len(st.Results)), "total": strconv.Itoa(st.Of)})
	}
	return out
}
