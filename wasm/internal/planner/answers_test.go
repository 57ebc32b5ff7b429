package planner

import (
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
)

func TestWhatThePersonsSettingsRefuseIsToldInItsOwnWords(t *testing.T) {
	for name, c := range map[string]struct {
		problems []plan.Problem
		key      string
		code     fault.Code
	}{
		"a limit":           {[]plan.Problem{{Key: "error.plan.cycle"}, {Key: "error.plan.tooManySteps", Params: fault.P{"n": "6", "max": "5"}}}, "error.planner.tooManySteps", fault.Validation},
		"a folder":          {[]plan.Problem{{Step: "a", Key: "error.path.denied", Params: fault.P{"path": "x.md"}}}, "error.path.denied", fault.Denied},
		"a switch":          {[]plan.Problem{{Step: "a", Key: "policy.commandsOff", Params: fault.P{"tool": "commands.run"}}}, "policy.commandsOff", fault.Denied},
		"the model's doing": {[]plan.Problem{{Key: "error.plan.cycle"}}, "error.planner.notRepaired", fault.Validation},
		"a plan broke off":  {[]plan.Problem{{Key: "error.plan.cutOff"}}, "error.planner.brokeOff", fault.Validation},
	} {
		e := fault.From(notRepaired(c.problems))
		if e.Key != c.key || e.Code != c.code || e.Detail == "" {
			t.Errorf("%s: want %s and %s with details, got %+v", name, c.code, c.key, e)
		}
	}
}
