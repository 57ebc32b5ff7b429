package builtin_test

import (
	"encoding/json"
	"slices"
	"testing"
)

// allOrNothing are tools that take several notes and leave none of them out.
var allOrNothing = []string{"note.merge"}

// TestEveryToolThatCanLeaveANoteOutSaysWhichAndWhy holds one shape for all tools
// that take several notes.
func TestEveryToolThatCanLeaveANoteOutSaysWhichAndWhy(t *testing.T) {
	for _, e := range registry(t).All() {
		if !e.InputProperties()["paths"] || slices.Contains(allOrNothing, e.Name) {
			continue
		}
		var output struct {
			Properties struct {
				Looked  struct{ Type string }
				Skipped struct {
					Type  string
					Items struct {
						Properties struct{ Path, Reason struct{ Type string } }
						Required   []string
					}
				}
			}
			Required []string
		}
		if err := json.Unmarshal(e.Output, &output); err != nil {
			t.Fatal(err)
		}
		p := output.Properties
		if p.Looked.Type != "integer" || p.Skipped.Type != "array" || p.Skipped.Items.Properties.Path.Type != "string" ||
			p.Skipped.Items.Properties.Reason.Type != "string" || !slices.Equal(p.Skipped.Items.Required, []string{"path", "reason"}) ||
			!slices.Contains(output.Required, "looked") || !slices.Contains(output.Required, "skipped") {
			t.Errorf("%s takes several notes, and does not say which it leaves out: %s", e.Name, e.Output)
		}
	}
}
