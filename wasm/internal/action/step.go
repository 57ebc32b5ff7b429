package action

import (
	"encoding/json"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
)

// AddCall adds a call that was made as a last step: the same tool in the same
// version, with the same arguments as text (nothing in them is a reference or a
// parameter) and the same secret scope. A first call makes the action's plan.
// The action is no longer trusted.
func (a *Action) AddCall(tool, version string, args map[string]any, scope string) error {
	if a.bundled {
		return fault.New(fault.Precondition, "error.action.bundled", nil)
	}
	if a.Plan == nil && a.Prompt != "" {
		return fault.New(fault.Precondition, "error.action.promptStep", nil)
	}
	p := &plan.Plan{Goal: a.Name, Assumptions: []string{}}
	if a.Plan != nil {
		kept, err := a.Template()
		if err != nil {
			return err
		}
		p = kept
	}
	literal, err := literals(args)
	if err != nil {
		return err
	}
	p.Steps = append(p.Steps, plan.Step{
		ID: freeID(p, tool), Tool: tool, Version: version, Args: literal, SecretScope: scope,
	})
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	a.Plan, a.Trusted = raw, false
	return nil
}

// literals writes arguments so that they come out of a saved action as they
// are: filled in as values of parameters, what they hold is text; as a
// template, what looks like a parameter is text too.
func literals(args map[string]any) (map[string]any, error) {
	holder := &plan.Plan{Steps: []plan.Step{{ID: "call", Args: map[string]any{}}}}
	values := map[string]any{}
	for i, name := range sortedKeys(args) {
		parameter := numbered("value", i+2)
		holder.Steps[0].Args[name] = "${" + parameter + "}"
		values[parameter] = args[name]
	}
	bound, err := plan.BindParameters(holder, values)
	if err != nil {
		return nil, err
	}
	return plan.AsTemplate(bound).Steps[0].Args, nil
}

// freeID makes a step's id of a tool's name.
func freeID(p *plan.Plan, tool string) string {
	taken := map[string]bool{}
	for i := range p.Steps {
		taken[p.Steps[i].ID] = true
	}
	base := tool[strings.LastIndexByte(tool, '.')+1:]
	for n := 1; ; n++ {
		if id := numbered(base, n); !taken[id] {
			return id
		}
	}
}
