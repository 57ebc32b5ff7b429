package builtin

import (
	"errors"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/outline"
)

// sectionNamed finds the section of a heading. A heading in a quote or a list is a
// part of that and has none.
func sectionNamed(d *note.Doc, path, heading string) (outline.Section, error) {
	n, err := headingIndex(d, path, heading)
	if err != nil {
		return outline.Section{}, err
	}
	all := outline.Sections(d)
	at := outline.Of(all, n)
	if at < 0 {
		return outline.Section{}, fault.New(fault.Precondition, "tools.outline.inside", fault.P{"path": path, "heading": d.Headings[n].Text})
	}
	return all[at], nil
}

// itemAt gives the index of the list item that begins on a line, from 1.
func itemAt(d *note.Doc, path string, line int) (int, error) {
	for i := range d.Items {
		if d.Items[i].Line == line-1 {
			return i, nil
		}
	}
	return 0, fault.New(fault.NotFound, "tools.outline.noItem", fault.P{"path": path, "line": strconv.Itoa(line)})
}

// outlineError makes what package outline refuses an error with a code and words.
func outlineError(path string, err error) error {
	for is, key := range map[error]string{
		outline.ErrChanges: "tools.outline.changes", outline.ErrInside: "tools.outline.intoItself", outline.ErrDeep: "tools.outline.deep",
	} {
		if errors.Is(err, is) {
			return fault.New(fault.Precondition, key, fault.P{"path": path}).With(err)
		}
	}
	return err
}
