package action

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

// The parameters that take their value from where the person is.
const (
	Selection        = "selection"        // the text that is selected
	SelectionBullets = "selectionBullets" // the titles of the list items in it
	ActiveNote       = "note"             // the path of the open note
	Today            = "date"             // the day of the run, 2026-11-20
)

// Context is where the person is when an action starts. Empty fields are not
// known.
type Context struct {
	Selection string
	Note      string
	Date      string
}

// value gives what the context knows for a parameter.
func (c Context) value(name string) (any, bool) {
	switch name {
	case Selection:
		return c.Selection, c.Selection != ""
	case SelectionBullets:
		return bullets(c.Selection), c.Selection != ""
	case ActiveNote:
		return c.Note, c.Note != ""
	case Today:
		return c.Date, c.Date != ""
	}
	return nil, false
}

// bullets gives the titles of a list's items, or where there is no list, the
// lines that are not empty.
func bullets(text string) []any {
	out := []any{}
	for _, b := range note.Bullets([]byte(text)) {
		out = append(out, b.Title)
	}
	if len(out) > 0 {
		return out
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Takes says whether a parameter gets text of the open note by itself: what is
// selected, or the note's name. What a person has given is theirs.
func (a *Action) Takes(values map[string]string, c Context) bool {
	p, err := a.Template()
	if err != nil {
		return true
	}
	return slices.ContainsFunc(plan.Parameters(p), func(name string) bool {
		_, given := values[name]
		_, known := c.value(name)
		return !given && known && name != Today
	})
}

// Missing lists the parameters to ask for: nothing while each has a value
// given, or known by the context, or kept with the action. Where one has none,
// the optional ones without a value are asked for as well. The selection is
// among them when the plan reads one, by what its tools say of themselves, and
// there is none.
func (a *Action) Missing(values map[string]string, c Context, tools *tool.Registry) ([]Param, error) {
	p, err := a.Template()
	if err != nil {
		return nil, err
	}
	needed := false
	var out []Param
	for _, name := range plan.Parameters(p) {
		param := a.param(name)
		given, isGiven := values[name]
		_, known := c.value(name)
		switch {
		case isGiven && (given != "" || param.Optional), !isGiven && (known || param.Value != ""):
			continue
		}
		needed = needed || !param.Optional
		out = append(out, param)
	}
	if _, given := values[Selection]; !given && c.Selection == "" && readsSelection(p, tools) &&
		!slices.ContainsFunc(out, func(p Param) bool { return p.Name == Selection }) {
		needed = true
		out = append(out, Param{Name: Selection, Kind: Longtext})
	}
	if !needed {
		return nil, nil
	}
	return out, nil
}

// readsSelection says whether a plan needs a selection.
func readsSelection(p *plan.Plan, tools *tool.Registry) bool {
	return slices.ContainsFunc(p.Steps, func(s plan.Step) bool {
		e, err := tools.Get(toolName(&s), "")
		return err == nil && e.Facts.ReadsSelection
	})
}

// Bind gives the plan with its parameters filled, by the values given, the
// context, and the values kept with the action, in this order. One without a
// value is VALIDATION_ERROR.
func (a *Action) Bind(values map[string]string, c Context) (*plan.Plan, error) {
	p, err := a.Template()
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for _, name := range plan.Parameters(p) {
		param := a.param(name)
		given, isGiven := values[name]
		known, isKnown := c.value(name)
		switch {
		case isGiven && name == SelectionBullets:
			all[name] = bullets(given)
		case isGiven && (given != "" || param.Optional):
			all[name] = given
		case isKnown:
			all[name] = known
		case param.Value != "" || param.Optional:
			all[name] = param.Value
		case len(param.Choices) > 0:
			all[name] = param.Choices[0]
		}
	}
	return plan.BindParameters(p, all)
}

// Instruction gives a prompt with its parameters filled (see Bind).
func (a *Action) Instruction(values map[string]string, c Context) (string, error) {
	p, err := a.Bind(values, c)
	if err != nil {
		return "", err
	}
	return p.Goal, nil
}
