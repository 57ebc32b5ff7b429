package tool

import (
	"encoding/json"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/text"
)

// NormaliseArgs gives the arguments under the tool's own parameter names:
// camelCase, snake_case and kebab-case are one name, and the tool's aliases are replaced
// (docs/design/tool-calls.md#names). Both spellings with different values is
// VALIDATION_ERROR. Names that the tool does not know
// stay, for the schema to refuse. The map given is not changed.
func (e *Entry) NormaliseArgs(args map[string]any) (map[string]any, error) {
	s, err := e.input()
	if err != nil {
		return nil, err
	}
	known := s.Properties()
	clean := true
	for name := range args {
		if _, ok := known[name]; !ok {
			clean = false
			break
		}
	}
	if clean {
		return args, nil
	}
	out := make(map[string]any, len(args))
	for name, v := range args {
		own := e.ownName(name, known)
		if before, twice := out[own]; twice && !same(before, v) {
			return nil, fault.New(fault.Validation, "error.tool.twoSpellings", fault.P{"tool": e.Name, "name": own})
		}
		out[own] = v
	}
	return out, nil
}

// ownName gives the parameter that a name stands for; the name itself where the
// tool has none. A parameter counts before an alias that is spelled alike.
func (e *Entry) ownName(name string, known map[string]json.RawMessage) string {
	if _, ok := known[name]; ok {
		return name
	}
	fold := text.FoldName(name)
	for own := range known {
		if text.FoldName(own) == fold {
			return own
		}
	}
	for alias, own := range e.Aliases {
		if text.FoldName(alias) == fold {
			return own
		}
	}
	return name
}

// OwnName gives the parameter that a name stands for, as NormaliseArgs does.
func (e *Entry) OwnName(name string) string {
	s, err := e.input()
	if err != nil {
		return name
	}
	return e.ownName(name, s.Properties())
}

// same compares scalars; two spellings with compound values count as
// different.
func same(a, b any) bool {
	switch a.(type) {
	case string, bool, float64, nil:
		return a == b
	}
	return false
}
