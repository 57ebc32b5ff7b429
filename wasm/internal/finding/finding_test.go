package finding_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/finding"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// hits is a tool that finds what its test says.
func hits(found *tool.Found) *tool.Entry {
	reg, err := tool.NewRegistry(tool.Tool{Spec: tool.Spec{
		Name: "t.hits", Version: "1.0.0", Lifecycle: tool.Active, Description: "d", SideEffects: tool.Reads, Simulable: true,
		Input: json.RawMessage(`{"type":"object"}`), Output: json.RawMessage(`{}`),
	}, Found: found})
	if err != nil {
		panic(err) // a constant table
	}
	return reg.All()[0]
}

// of tells what a plan of one step gave, with the plan's own outputs.
func of(t *testing.T, found *tool.Found, output any, outputs string) []protocol.Finding {
	t.Helper()
	if f := source(t, found, output, outputs, tool.ReadOnly); f != nil {
		return f.Parts
	}
	return nil
}

// source is of for a plan that does more than read, too.
func source(t *testing.T, found *tool.Found, output any, outputs string, risk tool.Risk) *protocol.Findings {
	t.Helper()
	e := hits(found)
	doc := `{"goal":"g","steps":[{"id":"s","tool":"t.hits","args":{}}],"outputs":` + outputs + `}`
	p, problems := plan.Decode([]byte(doc), plan.Limits{})
	if plan.Failed(problems) {
		t.Fatal("want no problem that keeps the plan from running, got:", problems)
	}
	n := &plan.Node{Step: &p.Steps[0], Tool: e, Effects: tool.Reads}
	rep := &runner.Report{Steps: []*runner.StepReport{{Node: n, Status: tool.OK, Output: output}}}
	if p.Outputs != nil {
		c := plan.Compile(&plan.Step{Args: p.Outputs})
		scope := plan.MapScope(map[string]any{"s": output}, nil)
		bound, err := c.Bind(&scope)
		if err != nil {
			t.Fatal(err)
		}
		rep.Outputs = bound
	}
	return finding.Of(finding.Source{
		Graph: &plan.Graph{Plan: p, Risk: risk}, Report: rep, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") }, Location: time.UTC, Whole: true,
	})
}

func list(text string) map[string]any {
	var v []any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err) // a constant
	}
	return map[string]any{"hits": v}
}

// table writes a finding as a person sees it.
func table(p protocol.Finding) string {
	var b strings.Builder
	b.WriteString(finding.Said(&p))
	for _, c := range p.Columns {
		b.WriteString(" | " + finding.Label(c) + " " + string(c.Kind))
	}
	for _, row := range p.Rows {
		b.WriteString("\n")
		for _, c := range row {
			b.WriteString("| " + c.Text)
			if c.Path != "" {
				b.WriteString(" → " + c.Path)
			}
			if c.Line > 0 {
				b.WriteString(strings.Repeat("!", c.Line))
			}
			b.WriteString(" ")
		}
	}
	return b.String()
}

var plain = &tool.Found{List: "hits", Columns: []string{"path", "text", "due", "size", "mtime", "tags", "props"}}

func TestCellsAreWhatTheirValuesAre(t *testing.T) {
	for name, c := range map[string]struct{ list, want string }{
		"lines in notes": {`[{"path":"a.md","line":2,"text":"x"},{"path":"a.md","line":1,"text":"y"}]`, "2 places were found in 1 note. | Note note | Text text\n| a.md → a.md!! | x \n| a.md → a.md! | y "},
		"dates":          {`[{"path":"a.md","due":"2026-11-20"},{"path":"b.md"}]`, "2 notes were found. | Note note | due date\n| a.md → a.md | 2026-11-20 \n| b.md → b.md |  "},
		"numbers":        {`[{"path":"a.md","size":12}]`, "1 note was found. | Note note | size number\n| a.md → a.md | 12 "},
		"times":          {`[{"path":"a.md","mtime":0}]`, "1 note was found. | Note note | Modified date\n| a.md → a.md | 1970-01-01T00:00:00 "},
		"tags":           {`[{"path":"a.md","tags":["#x","#y/z"]}]`, "1 note was found. | Note note | Tags tag\n| a.md → a.md | #x, #y/z "},
		"properties":     {`[{"path":"a.md","props":{"due date":"x","n":1}}]`, "1 note was found. | Note note | props.due date text | props.n number\n| a.md → a.md | x | 1 "},
		"what is deeper": {`[{"path":"a.md","text":[{"x":1}]}]`, "1 note was found. | Note note | Text text\n| a.md → a.md | [{\"x\":1}] "},
		"mixed":          {`[{"path":"a.md","due":"2026-11-20"},{"path":"b.md","due":"soon"}]`, "2 notes were found. | Note note | due text\n| a.md → a.md | 2026-11-20 \n| b.md → b.md | soon "},
		"no path":        {`[{"path":"../a.md"},{"path":".hidden/a.md"},{"path":"https://x/a.md"}]`, "3 results were found. | Note text\n| ../a.md \n| .hidden/a.md \n| https://x/a.md "},
		"paths alone":    {`["a.md","b/c.md"]`, "2 notes were found. | Note note\n| a.md → a.md \n| b/c.md → b/c.md "},
		"texts alone":    {`["x","y"]`, "2 results were found. | Value text\n| x \n| y "},
		"a secret":       {`[{"path":"a.md","text":"it is hunter2"}]`, "1 note was found. | Note note | Text text\n| a.md → a.md | it is [secret] "},
		"nothing":        {`[]`, "Nothing was found."},
	} {
		got := of(t, plain, list(c.list), "null")
		if len(got) != 1 || table(got[0]) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, table(got[0]), c.want)
		}
	}
}

func TestAPlanSaysInItsOutputsWhatIsTold(t *testing.T) {
	found := list(`[{"path":"a.md","line":1,"text":"x"},{"path":"b.md","line":1,"text":"y"}]`)
	for outputs, want := range map[string][]string{
		`{"notes":"$steps.s.hits"}`: {"2 notes were found. | Note note | Text text\n| a.md → a.md! | x \n| b.md → b.md! | y "},
		`{"notes":{"rows":"$steps.s.hits","columns":["text"],"many":"{n} lines.","none":"None."}}`: {"2 lines. | Text text\n| x \n| y "},
		`{"n":{"rows":12,"many":"{n} in all."}}`:                                                   {"12 in all."},
		`{"a":"only ${steps.s.hits[0].path}","b":3}`:                                               {"only a.md", "3"},
		`{"x":{"first":"$steps.s.hits[0].path","deep":{"y":"z"}}}`:                                 {"This is what was found: | Field text | Value text\n| deep.y | z \n| first | a.md → a.md "},
		`{"x":{"rows":"$steps.s.hits","colour":"red"}}`:                                            {"This is what was found: | Field text | Value text\n| colour | red \n| rows | [{\"line\":1,\"path\":\"a.md\",\"text\":\"x\"},{\"line\":1,\"path\":\"b.md\",\"text\":\"y\"}] "},
	} {
		var got []string
		for _, p := range of(t, plain, found, outputs) {
			got = append(got, table(p))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: it differs from what was wanted (-want +got): %s", outputs, d)
		}
	}
}

func TestAPlanThatChangesNotesTellsItsOutputsAloneAndIsNotDone(t *testing.T) {
	found := list(`[{"path":"a.md","line":1,"text":"x"}]`)
	if f := source(t, plain, found, `{"typos":{"rows":"$steps.s.hits","one":"One link looks like a typo."}}`, tool.RiskWrites); f == nil || f.Done || finding.Said(&f.Parts[0]) != "One link looks like a typo." {
		t.Errorf("want something, Done false and \"One link looks like a typo.\", got %+v", f)
	}
	if f := source(t, plain, found, `null`, tool.RiskWrites); f != nil {
		t.Errorf("without outputs it tells %+v", f)
	}
	if f := source(t, plain, found, `null`, tool.ReadOnly); f == nil || !f.Done {
		t.Errorf("a plan that only reads is not done: %+v", f)
	}
}

func TestTheCountIsCountedAndNotWhatThePlanSays(t *testing.T) {
	for rows, want := range map[string]string{`[]`: "None.", `[1]`: "One.", `[1,2]`: "2 of them."} {
		got := of(t, plain, list(rows), `{"x":{"rows":"$steps.s.hits","one":"One.","many":"{n} of them.","none":"None."}}`)
		if said := finding.Said(&got[0]); said != want {
			t.Errorf("%s: got %q, want %q", rows, said, want)
		}
	}
	// Without words for a number the sentence is ours.
	if got := of(t, plain, list(`[]`), `{"x":{"rows":"$steps.s.hits","many":"{n} of them."}}`); finding.Said(&got[0]) != "Nothing was found." {
		t.Errorf("want \"Nothing was found.\", got %q", finding.Said(&got[0]))
	}
}

func TestAToolSaysHowItsListIsTold(t *testing.T) {
	words := func(tool.Args) (string, fault.P) {
		return "finding.mentions", fault.P{"query": "hunter2"}
	}
	got := of(t, &tool.Found{List: "hits", Columns: []string{"path"}, Words: words}, list(`[{"path":"a.md","text":"x"}]`), "null")
	if table(got[0]) != "1 note mentions “[secret]”. | Note note\n| a.md → a.md " {
		t.Errorf("want \"1 note mentions “[secret]”. | Note note\\n| a.md → a.md \", got %s", table(got[0]))
	}
	got = of(t, &tool.Found{List: "hits", Within: "values", Columns: []string{"property", "value", "count"}},
		list(`[{"property":"p","values":[{"value":"x","count":2},{"value":"y","count":1}]},{"property":"q","values":[]}]`), "null")
	if table(got[0]) != "2 results were found. | Property text | Value text | Count number\n| p | x | 2 \n| p | y | 1 " {
		t.Errorf("want a table of the two results with their columns, got %s", table(got[0]))
	}
	got = of(t, &tool.Found{List: "hits", Columns: []string{"path"}, Each: true, Words: func(tool.Args) (string, fault.P) { return "finding.tasks", nil }},
		list(`[{"path":"a.md","line":1},{"path":"a.md","line":2}]`), "null")
	if finding.Said(&got[0]) != "2 tasks were found." {
		t.Errorf("want \"2 tasks were found.\", got %s", finding.Said(&got[0]))
	}
}

func TestEverySentenceAndColumnHasWords(t *testing.T) {
	for _, key := range []string{"rows", "notes", "files", "mentions", "mentionsIn", "linksTo", "broken", "unlinked", "tasks"} {
		forms := []string{"", ".none"}
		if key != "rows" && key != "tasks" && key != "files" {
			forms = append(forms, ".places")
		}
		for _, form := range forms {
			if !i18n.Has("finding." + key + form) {
				t.Errorf("finding.%s%s has no words", key, form)
			}
		}
	}
	for _, c := range of(t, plain, list(`[{"path":"a.md","text":"x"}]`), "null")[0].Columns {
		if c.Label == nil || !i18n.Has(c.Label.Key) {
			t.Errorf("want Label set, got %+v", c)
		}
	}
}

func TestFindingsAreBoundedByWholeRows(t *testing.T) {
	row := []protocol.FindingCell{{Text: strings.Repeat("x", 76)}}
	f := &protocol.Findings{Parts: []protocol.Finding{
		{Count: 100, Columns: []protocol.FindingColumn{{}}, Rows: make([][]protocol.FindingCell, 100)}, {Count: 1},
	}}
	for i := range f.Parts[0].Rows {
		f.Parts[0].Rows[i] = row
	}
	within := finding.Within(f, 2000)
	if n := len(within.Parts[0].Rows); n != 10 || within.Parts[0].Count != 100 || len(f.Parts[0].Rows) != 100 {
		t.Errorf("%d rows of %d", n, within.Parts[0].Count)
	}
	if finding.Within(nil, 1) != nil {
		t.Error("nothing became something")
	}
}

func TestANoteHoldsTextAndLinksToNotesAlone(t *testing.T) {
	got := finding.Note([]protocol.FindingsNotePart{
		{Text: "Two `= this` <% tp %> #tag", Columns: []string{"Note", "a|b"}, Rows: [][]protocol.FindingCell{
			{{Text: "a.md", Path: "a.md", Line: 3}, {Text: "x | y\n```dataviewjs\n[[z]] <script> ![i](u) $= 1$"}},
			{{Text: "b/c.md", Path: "b/c.md"}, {}},
			{{Text: "b/[c].md", Path: "b/[c].md"}, {Text: "=1"}},
		}},
		{Text: "One", Columns: []string{"Note"}, Rows: [][]protocol.FindingCell{{{Text: "b/c.pdf", Path: "b/c.pdf"}}, {{Text: "- x"}}, {{Text: "12. x"}}, {{Text: "1.5 - x"}}}},
		{Text: "None."},
	})
	want := "Two \\`\\= this\\` \\<\\% tp \\%\\> \\#tag\n\n| Note | a\\|b |\n| --- | --- |\n" +
		"| [[a]]:3 | x \\| y \\`\\`\\`dataviewjs \\[\\[z\\]\\] \\<script\\> \\!\\[i\\]\\(u\\) \\$\\= 1\\$ |\n" +
		"| [[b/c\\|c]] |  |\n| b/\\[c\\].md | \\=1 |\n" +
		"\nOne\n\n- [[b/c.pdf|c.pdf]]\n- \\- x\n- 12\\. x\n- 1\\.5 - x\n\nNone.\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
}
