package finding

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// value tells a value: a list as a table, an object as its fields, anything else in a
// sentence. By is the step that found the list; columns are those that the plan names.
func (s *Source) value(name string, v any, by *runner.StepReport, columns []string) protocol.Finding {
	if list, ok := tool.ListOf(v); ok {
		return s.table(name, list, by, columns)
	}
	if m, ok := asMap(v); ok {
		return s.fields(name, m)
	}
	return s.single(name, v)
}

// single tells a value alone. A whole number is a count, which sentences may name.
func (s *Source) single(name string, v any) protocol.Finding {
	text := s.textOf(v)
	f := protocol.Finding{Name: name, Text: protocol.Message{Key: "finding.value", Params: map[string]string{"value": text}}}
	if n, err := strconv.Atoi(text); err == nil {
		f.Count = n
	}
	return f
}

// fields tells an object: a row for each field.
func (s *Source) fields(name string, m map[string]any) protocol.Finding {
	f := protocol.Finding{
		Name: name, Text: protocol.Message{Key: "finding.fields"}, Rows: [][]protocol.FindingCell{},
		Columns: []protocol.FindingColumn{label("field", protocol.CellText), label("value", protocol.CellText)},
	}
	for _, key := range flat(m) {
		v, _ := lookup(m, key)
		c := protocol.FindingCell{Text: s.textOf(v)}
		if isNote(key, c.Text) {
			c.Path = c.Text
		}
		f.Rows = append(f.Rows, []protocol.FindingCell{{Text: s.Redact(key)}, c})
	}
	f.Count = len(f.Rows)
	return f
}

// table tells a list.
func (s *Source) table(name string, list []any, by *runner.StepReport, columns []string) protocol.Finding {
	f := protocol.Finding{Name: name}
	if columns == nil && by != nil {
		columns = by.Node.Tool.Found.Columns
	}
	list = opened(list, by)
	f.Count, f.Rows = len(list), make([][]protocol.FindingCell, len(list))
	names := shown(list, columns)
	for i, e := range list {
		f.Rows[i] = s.row(e, names)
	}
	for i, n := range names {
		kind := kindOf(n, list, f.Rows, i)
		f.Columns = append(f.Columns, label(n, kind))
		s.finish(list, f.Rows, i, kind, n)
	}
	f.Text = s.sentence(&f, by)
	return f
}

// opened gives the elements of a list that a person is to see as rows: where what
// counts is in lists within them, those, each with the fields around it.
func opened(list []any, by *runner.StepReport) []any {
	if by == nil || by.Node.Tool.Found.Within == "" {
		return list
	}
	within := by.Node.Tool.Found.Within
	out := []any{}
	for _, e := range list {
		around, _ := asMap(e)
		inner, _ := tool.ListOf(around[within])
		for _, i := range inner {
			m, _ := asMap(i)
			row := maps.Clone(around)
			delete(row, within)
			maps.Copy(row, m)
			out = append(out, row)
		}
	}
	return out
}

// row gives the texts of one element, by the names of the columns.
func (s *Source) row(e any, names []string) []protocol.FindingCell {
	row := make([]protocol.FindingCell, len(names))
	m, isObject := asMap(e)
	for i, n := range names {
		v := e
		if isObject {
			v, _ = lookup(m, n)
		}
		row[i].Text = s.textOf(v)
	}
	return row
}

// finish makes the cells of a column fit its kind.
func (s *Source) finish(list []any, rows [][]protocol.FindingCell, i int, kind protocol.CellKind, name string) {
	for r, row := range rows {
		switch c := &row[i]; {
		case kind == protocol.CellDate:
			c.Text = s.date(c.Text)
		case kind == protocol.CellNote && c.Text != "":
			c.Path = c.Text
			if m, ok := asMap(list[r]); ok && name == "path" {
				c.Line, _ = strconv.Atoi(s.textOf(m["line"]))
			}
		}
	}
}

// shown gives the names of the columns: of those that are wanted the ones that some
// element has, else all there are. The line stands beside its note.
func shown(list []any, wanted []string) []string {
	there := fieldsOf(list)
	switch {
	case len(list) == 0:
		return nil
	case len(there) == 0:
		return []string{""} // what has no fields has one column
	}
	var out []string
	for _, w := range wanted {
		for _, n := range there {
			if (n == w || strings.HasPrefix(n, w+".")) && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	if len(out) == 0 {
		out = there
	}
	if slices.Contains(out, "path") {
		out = slices.DeleteFunc(out, func(n string) bool { return n == "line" })
	}
	return out
}

// fieldsOf lists the fields that the elements of a list have, the note first.
func fieldsOf(list []any) []string {
	names := map[string]bool{}
	for _, e := range list {
		if m, ok := asMap(e); ok {
			for _, n := range flat(m) {
				names[n] = true
			}
		}
	}
	out := slices.Sorted(maps.Keys(names))
	if i := slices.Index(out, "path"); i > 0 {
		out = slices.Insert(slices.Delete(out, i, i+1), 0, "path")
	}
	return out
}

// sentence says how much a table holds.
func (s *Source) sentence(f *protocol.Finding, by *runner.StepReport) protocol.Message {
	n, notes := distinctNotes(f)
	key, params := "finding.rows", map[string]string{}
	if notes {
		key = "finding.notes"
	}
	if by != nil && by.Node.Tool.Found.Words != nil {
		k, p := by.Node.Tool.Found.Words(s.argsOf(by))
		key = cmp.Or(k, key)
		for name, v := range p {
			params[name] = s.Redact(v)
		}
	}
	if by != nil && by.Node.Tool.Found.Each {
		n = f.Count
	}
	switch {
	case f.Count == 0:
		return protocol.Message{Key: key + ".none", Params: params}
	case f.Count > n:
		key += ".places"
	}
	params["n"], params["total"] = strconv.Itoa(n), strconv.Itoa(f.Count)
	return protocol.Message{Key: key, Params: params}
}

// argsOf gives the arguments of the call that a step made.
func (s *Source) argsOf(st *runner.StepReport) tool.Args {
	for _, r := range st.Results {
		if r != nil && s.Called[r.LogicalID] != nil {
			return s.Called[r.LogicalID].Args
		}
	}
	return nil
}

// distinctNotes counts the notes that a table is about; where its rows are no notes,
// the rows.
func distinctNotes(f *protocol.Finding) (n int, notes bool) {
	if len(f.Columns) == 0 || f.Columns[0].Kind != protocol.CellNote {
		return f.Count, false
	}
	seen := map[string]bool{}
	for _, row := range f.Rows {
		seen[row[0].Path] = true
	}
	return len(seen), true
}
