// Package action holds saved actions: a plan that worked, or a prompt, kept
// with parameters (docs/design/plan-language.md#parameters).
//
// A plan runs again without a model. What it reads from the editor it reads
// anew each time. What a person would want to change is made a parameter (see
// FromPlan): the folder that the plan writes to becomes ${folderName}, with the
// folder of the first run as its value. The parameters selection,
// selectionBullets, note and date take their values from where the person is
// (see Context). What has no value is asked for.
//
// An action that was imported, or changed by hand, always asks before it runs.
// Twelve actions come with the plugin (see Bundled).
package action

import (
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
)

// Action is one saved action: a plan, or a prompt.
type Action struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Icon string `json:"icon,omitempty"`
	// Group is a heading of the list; Ribbon shows the icon in the ribbon.
	Group  string `json:"group,omitempty"`
	Ribbon bool   `json:"ribbon,omitempty"`
	// Plan is an ActionPlan, with ${name} where a parameter goes; nil for a
	// prompt.
	Plan json.RawMessage `json:"plan,omitempty"`
	// Prompt is the question for a model, with ${name} likewise.
	Prompt string  `json:"prompt,omitempty"`
	Params []Param `json:"params,omitempty"`
	// Trusted actions were saved here from a run that was approved; others
	// always ask.
	Trusted bool `json:"trusted,omitempty"`
	// Seal is this device's on a trusted action: without it, it is not trusted.
	Seal string `json:"seal,omitempty"`

	bundled bool
}

// Param is one value that is asked for when it is missing.
type Param struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"` // text, longtext, folder, note, date, choice
	Value string `json:"value,omitempty"`
	// Choices are the values of the kind choice, the first one chosen before
	// the person says otherwise.
	Choices []string `json:"choices,omitempty"`
	// Optional values may be empty: they are asked for beside a missing one.
	Optional bool `json:"optional,omitempty"`
	// Label is the key of the field's name; "" gives one made of Name.
	Label string `json:"label,omitempty"`
}

// The kinds of a parameter.
const (
	Text     = "text"
	Longtext = "longtext"
	Folder   = "folder"
	Note     = "note"
	Date     = "date"
	Choice   = "choice"
)

var paramKinds = []string{Text, Longtext, Folder, Note, Date, Choice}

// The kinds of an action.
const (
	KindPlan     = "plan"     // a fixed plan
	KindTemplate = "template" // a plan with parameters
	KindPrompt   = "prompt"   // asks a model
)

// Kind says what the action is, by what is in it.
func (a *Action) Kind() string {
	p, err := a.Template()
	if err != nil {
		return KindPlan
	}
	return a.KindOf(p)
}

// KindOf is Kind for who has the template already.
func (a *Action) KindOf(p *plan.Plan) string {
	switch {
	case a.Plan == nil:
		return KindPrompt
	case len(plan.Parameters(p)) > 0:
		return KindTemplate
	}
	return KindPlan
}

// Bundled says whether the action comes with the plugin.
func (a *Action) Bundled() bool { return a.bundled }

// Template decodes the action's plan as it is kept. A prompt gives a plan
// without steps whose goal is the prompt: it has the same parameters.
func (a *Action) Template() (*plan.Plan, error) {
	if a.Plan == nil {
		return &plan.Plan{Goal: a.Prompt}, nil
	}
	p, problems := plan.Decode(a.Plan, plan.Limits{})
	if p == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	return p, nil
}

// Same says whether two actions do the same.
func (a *Action) Same(b *Action) bool {
	if a.Prompt != b.Prompt || (a.Plan == nil) != (b.Plan == nil) {
		return false
	}
	if a.Plan == nil {
		return true
	}
	x, err := a.Template()
	if err != nil {
		return false
	}
	y, err := b.Template()
	if err != nil {
		return false
	}
	return equalPlans(x, y)
}

// equalPlans compares plans as they are written out.
func equalPlans(x, y *plan.Plan) bool {
	a, err := json.Marshal(x)
	if err != nil {
		return false
	}
	b, err := json.Marshal(y)
	return err == nil && string(a) == string(b)
}

// check refuses what cannot be kept: VALIDATION_ERROR. The plan itself is held
// against the tools by the caller.
func (a *Action) check() error {
	if strings.TrimSpace(a.Name) == "" {
		return fault.New(fault.Validation, "error.action.name", nil)
	}
	if (a.Plan == nil) == (strings.TrimSpace(a.Prompt) == "") {
		return fault.New(fault.Validation, "error.action.planOrPrompt", nil)
	}
	for _, p := range a.Params {
		if !slices.Contains(paramKinds, p.Kind) {
			return fault.New(fault.Validation, "error.action.kind", fault.P{"name": p.Name, "kind": p.Kind})
		}
		if p.Kind == Choice && len(p.Choices) == 0 {
			return fault.New(fault.Validation, "error.action.choices", fault.P{"name": p.Name})
		}
	}
	_, err := a.Template()
	return err
}

// Fields lists every parameter of the action's template with the value it is
// kept with.
func (a *Action) Fields(p *plan.Plan) []Param {
	var out []Param
	for _, name := range plan.Parameters(p) {
		out = append(out, a.param(name))
	}
	return out
}

func (a *Action) param(name string) Param {
	if i := slices.IndexFunc(a.Params, func(p Param) bool { return p.Name == name }); i >= 0 {
		return a.Params[i]
	}
	return Param{Name: name, Kind: kindOf(name)}
}

// kindOf guesses what a parameter is by its name.
func kindOf(name string) string {
	lower := strings.ToLower(name)
	switch {
	case strings.HasPrefix(lower, "selection"):
		return Longtext
	case strings.HasSuffix(lower, "folder") || strings.HasPrefix(lower, "folder"):
		return Folder
	case strings.HasPrefix(lower, "note") || strings.HasSuffix(lower, "note"):
		return Note
	case strings.HasPrefix(lower, "date") || strings.HasSuffix(lower, "date"):
		return Date
	}
	return Text
}
