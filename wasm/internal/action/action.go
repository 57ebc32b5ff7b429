// Package action holds saved actions: a plan that worked, kept with parameters,
// to run again without a model (embedded-agent §9).
//
// What a plan reads from the editor it reads anew each time. What a person
// would want to change is made a parameter: the folder that the plan writes to
// becomes ${folderName}, with the folder of the first run as its value. An
// action that was imported, or changed by hand, always asks before it runs.
package action

import (
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

// Action is one saved action.
type Action struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Icon string `json:"icon,omitempty"`
	// Plan is an ActionPlan, with ${name} where a parameter goes.
	Plan   json.RawMessage `json:"plan"`
	Params []Param         `json:"params,omitempty"`
	// Trusted actions were saved here from a run that was approved; others
	// always ask.
	Trusted bool `json:"trusted,omitempty"`
}

// Param is one value that is asked for when it is missing.
type Param struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // text, longtext, folder, note, date, choice
	Value   string   `json:"value,omitempty"`
	Choices []string `json:"choices,omitempty"`
}

// Selection is the parameter that stands for the editor's selection: it is
// asked for when an action reads a selection and there is none.
const Selection = "selection"

// folderName is the parameter that FromPlan makes of the one folder a plan
// writes to.
const folderName = "folderName"

// FromPlan makes an action of a plan that ran.
func FromPlan(id, name string, p *plan.Plan, reg *tool.Registry) (*Action, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return nil, fault.New(fault.Validation, "error.action.name", nil)
	}
	t := plan.AsTemplate(p)
	a := &Action{ID: id, Name: name, Trusted: true}
	if folder, ok := oneFolder(t, reg); ok {
		replaceFolder(t, reg, folder)
		a.Params = append(a.Params, Param{Name: folderName, Kind: "folder", Value: folder})
	}
	raw, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	a.Plan = raw
	return a, nil
}

// oneFolder finds the folder that a plan writes to, when it is written out and
// there is exactly one.
func oneFolder(p *plan.Plan, reg *tool.Registry) (string, bool) {
	found := ""
	for i := range p.Steps {
		for _, v := range folders(&p.Steps[i], reg) {
			if found != "" && v != found {
				return "", false
			}
			found = v
		}
	}
	return found, found != ""
}

// folders lists a step's literal folder arguments.
func folders(s *plan.Step, reg *tool.Registry) []string {
	e, err := reg.Get(toolName(s), s.Version)
	if err != nil || e.SideEffects.Risk() == tool.ReadOnly {
		return nil
	}
	var out []string
	for name, kind := range e.PathArgs() {
		if v, ok := s.Args[name].(string); ok && kind == "folder" && v != "" && !strings.ContainsAny(v, "{$\\") {
			out = append(out, v)
		}
	}
	return out
}

func toolName(s *plan.Step) string {
	name, _, _ := strings.Cut(s.Tool, "@")
	return name
}

func replaceFolder(p *plan.Plan, reg *tool.Registry, folder string) {
	for i := range p.Steps {
		s := &p.Steps[i]
		e, err := reg.Get(toolName(s), s.Version)
		if err != nil {
			continue
		}
		for name, kind := range e.PathArgs() {
			if kind == "folder" && s.Args[name] == folder {
				s.Args[name] = "${" + folderName + "}"
			}
		}
	}
}

// Template decodes the action's plan as it is kept.
func (a *Action) Template() (*plan.Plan, error) {
	p, problems := plan.Decode(a.Plan, plan.Limits{})
	if p == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	return p, nil
}

// Missing lists the parameters that still have no value, the selection among
// them when the plan reads one and hasSelection is false.
func (a *Action) Missing(values map[string]string, hasSelection bool) ([]Param, error) {
	p, err := a.Template()
	if err != nil {
		return nil, err
	}
	var out []Param
	for _, name := range plan.Parameters(p) {
		param := a.param(name)
		if v, given := values[name]; (given && v != "") || (!given && param.Value != "") {
			continue
		}
		out = append(out, param)
	}
	if _, given := values[Selection]; !given && !hasSelection && ReadsSelection(p) {
		out = append(out, Param{Name: Selection, Kind: "longtext"})
	}
	return out, nil
}

func (a *Action) param(name string) Param {
	if i := slices.IndexFunc(a.Params, func(p Param) bool { return p.Name == name }); i >= 0 {
		return a.Params[i]
	}
	kind := "text"
	switch {
	case strings.HasPrefix(name, "selection"):
		kind = "longtext"
	case strings.HasPrefix(name, "folder"):
		kind = "folder"
	case strings.HasPrefix(name, "note"):
		kind = "note"
	case strings.HasPrefix(name, "date"):
		kind = "date"
	}
	return Param{Name: name, Kind: kind}
}

// ReadsSelection says whether a plan needs a selection.
func ReadsSelection(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return toolName(&s) == "editor.getSelection" })
}

// Bind gives the plan with its parameters filled.
func (a *Action) Bind(values map[string]string) (*plan.Plan, error) {
	p, err := a.Template()
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for _, name := range plan.Parameters(p) {
		v, ok := values[name]
		if !ok || v == "" {
			v = a.param(name).Value
		}
		if v != "" {
			all[name] = v
		}
	}
	return plan.BindParameters(p, all)
}

// Fields lists every parameter with its present value.
func (a *Action) Fields() []Param {
	p, err := a.Template()
	if err != nil {
		return nil
	}
	var out []Param
	for _, name := range plan.Parameters(p) {
		out = append(out, a.param(name))
	}
	return out
}
