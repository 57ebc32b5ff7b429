package finding

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// maxCell bounds the text of a cell, in bytes: a note may be one line of a megabyte.
const maxCell = 4000

// labelled are the fields that have words of their own as columns.
var labelled = []string{
	"path", "text", "modified", "mtime", "created", "tags", "count", "target", "link", "title", "heading",
	"field", "value", "property", "date", "near", "name", "words", "score",
}

// label gives a column. An element without fields has one that is called value.
func label(name string, kind protocol.CellKind) protocol.FindingColumn {
	c := protocol.FindingColumn{Name: name, Kind: kind}
	if name == "" {
		c.Name = "value"
		if kind == protocol.CellNote {
			c.Name = "path"
		}
	}
	if slices.Contains(labelled, c.Name) {
		c.Label = &protocol.Message{Key: "finding.column." + c.Name}
	}
	c.Name = strings.TrimPrefix(c.Name, "properties.")
	return c
}

// textOf writes a value as text: lists of values with commas, what has more to it as
// JSON.
func (s *Source) textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return s.Redact(bounded(v))
	}
	if list, ok := tool.ListOf(v); ok && flatList(list) {
		texts := make([]string, len(list))
		for i, e := range list {
			texts[i] = s.textOf(e)
		}
		return bounded(strings.Join(texts, ", "))
	}
	b, err := canon.Encode(v)
	if err != nil {
		return err.Error()
	}
	return s.Redact(bounded(string(b)))
}

// bounded cuts a text at a character.
func bounded(t string) string {
	if len(t) <= maxCell {
		return t
	}
	return strings.ToValidUTF8(t[:maxCell], "") + "…"
}

// flatList says whether a list holds single values alone.
func flatList(list []any) bool {
	for _, e := range list {
		if _, ok := tool.ListOf(e); ok {
			return false
		}
		if _, ok := asMap(e); ok {
			return false
		}
	}
	return true
}

// kindOf says what the cells of a column are, if all of them are that.
func kindOf(name string, list []any, rows [][]protocol.FindingCell, i int) protocol.CellKind {
	kinds := []protocol.CellKind{protocol.CellNumber, protocol.CellDate, protocol.CellTag, protocol.CellNote}
	any := false
	for r, row := range rows {
		text := row[i].Text
		if text == "" {
			continue
		}
		any = true
		kinds = slices.DeleteFunc(kinds, func(k protocol.CellKind) bool { return !fits(k, name, text, raw(list[r], name)) })
	}
	if !any || len(kinds) == 0 {
		return protocol.CellText
	}
	return kinds[len(kinds)-1]
}

// raw gives the value that a cell was made of.
func raw(e any, name string) any {
	if m, ok := asMap(e); ok {
		e, _ = lookup(m, name)
	}
	return e
}

var (
	isoDate = regex.Lazy(`^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$`)
	isTag   = regex.Lazy(`^#[^\s#,]+(, #[^\s#,]+)*$`)
)

func fits(kind protocol.CellKind, name, text string, v any) bool {
	switch kind {
	case protocol.CellNumber:
		return number(v)
	case protocol.CellDate:
		return isoDate().MatchString(text) || millis(name, v)
	case protocol.CellTag:
		return name == "tags" || isTag().MatchString(text)
	}
	return isNote(name, text)
}

func number(v any) bool {
	switch v.(type) {
	case int, int64, float64:
		return true
	}
	return false
}

// millis says whether a value is a time in milliseconds since 1970.
func millis(name string, v any) bool {
	return slices.Contains([]string{"mtime", "ctime", "created", "modified"}, name) && number(v)
}

// date writes a date as it is sorted: in ISO 8601, in the person's own zone.
func (s *Source) date(text string) string {
	if ms, err := strconv.ParseFloat(text, 64); err == nil {
		return timestamp.Local(time.UnixMilli(int64(ms)).In(s.Location))
	}
	return text
}

// pathFields are fields whose texts are paths of the vault.
var pathFields = []string{"path", "file", "note", "source", "target", "resolved", "activePath"}

// isNote says whether a text is the path of a file in the vault.
func isNote(name, text string) bool {
	ext := path.Ext(text)
	if !strings.EqualFold(ext, ".md") && !(ext != "" && slices.Contains(pathFields, name)) {
		return false
	}
	clean, err := vaultpath.Clean(text)
	return err == nil && clean == text
}

// flat lists the fields of an object, and those of the objects in it one level below.
func flat(m map[string]any) []string {
	var out []string
	for name, v := range m {
		if below, ok := asMap(v); ok && len(below) > 0 {
			for n := range below {
				out = append(out, name+"."+n)
			}
			continue
		}
		out = append(out, name)
	}
	sorting.Func(out, strings.Compare)
	return out
}

// lookup gives the value of a field, as flat names it.
func lookup(m map[string]any, name string) (any, bool) {
	if v, ok := m[name]; ok {
		return v, true
	}
	for at := range name {
		if name[at] != '.' {
			continue
		}
		if below, ok := asMap(m[name[:at]]); ok {
			if v, ok := below[name[at+1:]]; ok {
				return v, true
			}
		}
	}
	return nil, false
}

// asMap gives an object, in whatever form a tool gives one.
func asMap(v any) (map[string]any, bool) {
	switch v := v.(type) {
	case map[string]any:
		return v, true
	case tool.Data:
		return v, true
	}
	return nil, false
}
