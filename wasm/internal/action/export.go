package action

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/strictjson"
)

// Export gives the named actions (all own ones, when none is named) as a
// document. Nothing in it is trusted where it is read.
func (l *Library) Export(ctx context.Context, ids []string) ([]byte, error) {
	list, err := l.List(ctx)
	if err != nil {
		return nil, err
	}
	var out []*Action
	for _, a := range list {
		if slices.Contains(ids, a.ID) || len(ids) == 0 && !a.bundled {
			plain := *a
			plain.Trusted, plain.Seal = false, ""
			out = append(out, &plain)
		}
	}
	return encode(document{Actions: out})
}

// Parse reads an exported document. Nothing in it is trusted; an action that
// could not be kept is VALIDATION_ERROR.
func Parse(raw []byte) ([]*Action, error) {
	if len(raw) > maxImport {
		return nil, fault.New(fault.Validation, "error.action.tooLarge", nil)
	}
	if err := canon.CheckDepth(raw); err != nil {
		return nil, err
	}
	var d document
	// What it is comes first: another kind of file has other fields.
	v, _, wrong := strictjson.Read(raw, strictjson.MaxDepth)
	m, _ := v.(map[string]any)
	if wrong != nil || m["format"] != format {
		return nil, fault.New(fault.Validation, "error.action.notAnExport", nil).With(errOf(wrong))
	}
	if n, ok := m["version"].(float64); ok && n > version {
		return nil, fault.New(fault.Validation, "error.action.newer", nil)
	}
	if err := strictjson.Into(raw, &d); err != nil {
		return nil, fault.New(fault.Validation, "error.action.unclear", fault.P{"problem": err.Error()})
	}
	for _, a := range d.Actions {
		if a == nil {
			return nil, fault.New(fault.Validation, "error.action.name", nil)
		}
		a.Trusted, a.Seal = false, ""
		if err := a.check(); err != nil {
			return nil, err
		}
	}
	return d.Actions, nil
}

// errOf keeps an error that is not there from being one.
func errOf(e *strictjson.Error) error {
	if e == nil {
		return nil
	}
	return e
}

// Import keeps parsed actions under new ids; a taken name gets a number.
func (l *Library) Import(ctx context.Context, actions []*Action, newID func() string) error {
	return l.change(ctx, func(s *state) error {
		names := l.names(s)
		for _, a := range actions {
			a.ID = newID()
			a.Name = names.free(a.Name)
			names.take(a.Name)
			s.own = append(s.own, a)
		}
		return nil
	})
}
