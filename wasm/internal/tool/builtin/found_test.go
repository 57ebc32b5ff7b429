package builtin

import (
	"encoding/json"
	"slices"
	"testing"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/tool"
)

// outputOf is as much of an output schema as lists take.
type outputOf struct {
	Properties map[string]outputOf
	Items      *outputOf
	Type       any
}

// A list that a person may be told of is told as its tool says: whoever adds a tool
// that reads lists is asked.
func TestAToolThatReadsAListSaysHowItIsTold(t *testing.T) {
	for _, tl := range All() {
		var out outputOf
		if err := json.Unmarshal(tl.Output, &out); err != nil {
			t.Fatal(err)
		}
		if tl.Found == nil {
			for name, p := range out.Properties {
				if p.Items != nil && len(p.Items.Properties) > 0 && tl.SideEffects.Risk() == tool.ReadOnly {
					t.Errorf("%s does not say how %s is told", tl.Name, name)
				}
			}
			continue
		}
		checkFound(t, &tl, out.Properties[tl.Found.List])
	}
}

func checkFound(t *testing.T, tl *tool.Tool, list outputOf) {
	t.Helper()
	if list.Type != "array" {
		t.Errorf("%s: there is no list %q", tl.Name, tl.Found.List)
		return
	}
	var fields []string
	if list.Items != nil {
		for name := range list.Items.Properties {
			fields = append(fields, name)
		}
		if within := tl.Found.Within; within != "" {
			for name := range list.Items.Properties[within].Items.Properties {
				fields = append(fields, name)
			}
		}
	}
	for _, c := range tl.Found.Columns {
		if len(fields) > 0 && !slices.Contains(fields, c) {
			t.Errorf("%s: its elements have no %q", tl.Name, c)
		}
	}
	if tl.Found.Words == nil {
		return
	}
	for _, args := range []tool.Args{{}, {"query": "x", "folder": "F", "to": "a.md", "kind": "any"}, {"query": "x", "kind": "broken"}} {
		if key, _ := tl.Found.Words(args); key != "" && !(i18n.Has(key) && i18n.Has(key+".none")) {
			t.Errorf("%s: %s has no words", tl.Name, key)
		}
	}
}
