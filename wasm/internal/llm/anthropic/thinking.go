package anthropic

import (
	"strconv"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/regex"
)

// budgets is how many tokens each effort may think for, where thinking is measured in tokens.
var budgets = map[llm.Effort]int{
	llm.EffortMinimal: 1024, llm.EffortLow: 4096, llm.EffortMedium: 8192, llm.EffortHigh: 16384, llm.EffortXHigh: 32768,
}

// efforts has the name of each effort where the model itself decides how long to think.
var efforts = map[llm.Effort]string{
	llm.EffortMinimal: "low", llm.EffortLow: "low", llm.EffortMedium: "medium", llm.EffortHigh: "high",
	llm.EffortXHigh: "max",
}

// setThinking asks for reasoning. The API refuses it together with a forced tool, and with a temperature; the tool is
// worth more than the reasoning, and the reasoning more than the temperature.
func setThinking(body *request, r llm.Request) {
	forced := body.ToolChoice != nil && (body.ToolChoice.Type == "any" || body.ToolChoice.Type == "tool")
	budget, wanted := budgets[r.Reasoning]
	if !wanted || forced {
		return
	}
	body.Temperature = nil
	if !adaptive(r.Model) {
		body.Thinking = &thinking{Type: "enabled", Budget: budget}
		body.MaxTokens += budget
		return
	}
	body.Thinking = &thinking{Type: "adaptive"}
	if body.OutputConfig == nil {
		body.OutputConfig = &outputConfig{}
	}
	body.OutputConfig.Effort = efforts[r.Reasoning]
}

var (
	oldName = regex.Lazy(`claude-([0-9]+)-([0-9])\b`)
	newName = regex.Lazy(`claude-[a-z]+-([0-9]+)(?:[-.]([0-9]{1,2})\b)?`)
)

// adaptive reports whether a model decides by itself how long to think: all since 4.6 do. Older ones take a budget.
func adaptive(model string) bool {
	if oldName().MatchString(model) {
		return false
	}
	m := newName().FindStringSubmatch(model)
	if m == nil {
		return true
	}
	major, err := strconv.Atoi(m[1])
	if err != nil {
		return true
	}
	minor := 0
	if m[2] != "" {
		if minor, err = strconv.Atoi(m[2]); err != nil {
			return true
		}
	}
	return major > 4 || (major == 4 && minor >= 6)
}
