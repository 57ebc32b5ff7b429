package builtin

import (
	"testing"

	"embedded-agent/wasm/internal/tool"
)

// What a call may do at most is asked with every switch on; what it does when
// it is not told otherwise, with none.
func TestAToolThatAlwaysDeletesOrMovesSaysSoInItsFacts(t *testing.T) {
	for _, tl := range All() {
		reg, err := tool.NewRegistry(tl)
		if err != nil {
			t.Fatal(err)
		}
		e := reg.All()[0]
		plain, most := tool.Args{"path": "A.md"}, tool.Args{"path": "A.md"}
		for name, kind := range e.ArgTypes() {
			if kind == "boolean" {
				most[name] = true
			}
		}
		by, at := e.TouchOf(plain), e.TouchOf(most)
		if by.Deletes != e.Facts.Deletes || by.Renames != e.Facts.Renames {
			t.Errorf("%s deletes %v and moves %v as it is, and its facts say %v and %v", e.Name, by.Deletes, by.Renames, e.Facts.Deletes, e.Facts.Renames)
		}
		if e.Facts.Deletes && !at.Deletes || e.Facts.Renames && !at.Renames {
			t.Errorf("%s: its facts say more than it does", e.Name)
		}
	}
}

// A tool has a fact, or it is none of these: whoever adds one is asked.
func TestWhatTheFactsOfTheToolsAre(t *testing.T) {
	want := map[string]tool.Facts{
		"code.run":               {RunsScript: true},
		"commands.run":           {RunsCommand: true},
		"editor.getSelection":    {ReadsSelection: true},
		"http.request":           {Requests: "GET", ReadsElsewhere: true},
		"http.send":              {Requests: "POST"},
		"links.unlinkedMentions": {WritesWith: "link"},
		"plugins.search":         {ReadsElsewhere: true, Finds: true},
		"util.random":            {Random: true},
		"vault.delete":           {Deletes: true},
		"vault.rename":           {Renames: true},
		"workspace.focusPane":    {OnWindow: true, MovesWindow: true},
		"workspace.getContext":   {OnWindow: true},
		"workspace.openFile":     {OnWindow: true, MovesWindow: true, OpensNote: true},
	}
	for _, tl := range All() {
		if tl.Facts != want[tl.Name] {
			t.Errorf("%s: %+v, want %+v", tl.Name, tl.Facts, want[tl.Name])
		}
		if ns := tl.Namespace(); (ns == "http") != (tl.Facts.Requests != "") || (ns == "workspace") != tl.Facts.OnWindow {
			t.Errorf("%s: want equal to (tl.Facts.Requests != \"\") and equal to tl.Facts.OnWindow, got %+v", tl.Name, tl.Facts)
		}
	}
}
