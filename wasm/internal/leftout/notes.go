package leftout

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
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
		say("review.unmet", map[string]string{"when": redact(words(step.When))})
	case step.Foreach != nil && len(step.Foreach.When) > 0:
		say("review.met", map[string]string{
			"when": redact(words(step.Foreach.When)), "n": strconv.Itoa(len(st.Results)), "total": strconv.Itoa(st.Of),
		})
	}
	if seed := seedOf(st); seed != "" {
		say("review.seed", map[string]string{"seed": redact(seed)})
	}
	return out
}

// seedOf gives the seed of a step that chose at random; its calls share one. "" for
// any other step.
func seedOf(st *runner.StepReport) string {
	if !st.Node.Tool.Facts.Random {
		return ""
	}
	for _, r := range st.Results {
		if r != nil && r.OK {
			return tool.Args(r.Data).String("seed")
		}
	}
	return ""
}

// maxWords bounds the conditions that are told, in bytes.
const maxWords = 300

// words writes conditions as they are read: due < today.
func words(list []plan.Condition) string {
	var parts []string
	for _, c := range list {
		text := c.Property + " " + cmp.Or(c.Op, "=")
		if c.Op != "exists" && c.Op != "missing" {
			value, isText := c.Value.(string)
			if b, err := json.Marshal(c.Value); !isText && err == nil {
				value = string(b)
			}
			text += " " + value
		}
		parts = append(parts, text)
	}
	all := strings.Join(parts, ", ")
	if len(all) > maxWords {
		return strings.ToValidUTF8(all[:maxWords], "") + "…"
	}
	return all
}
