package builtin

import (
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/note"
)

// headingIndex finds a heading by its text, with or without its marks, or as a
// path ("A#B"): each next one inside the section of the one before.
func headingIndex(d *note.Doc, path, heading string) (int, error) {
	missing := func(h string) error {
		return fault.New(fault.NotFound, "tools.heading.missing", fault.P{"path": path, "heading": strings.TrimSpace(h)})
	}
	plain := strings.TrimLeft(strings.TrimSpace(heading), "#")
	if n := d.HeadingNamed(plain); n >= 0 {
		return n, nil
	}
	at := -1
	for part := range strings.SplitSeq(plain, "#") {
		found := -1
		for i := at + 1; i < len(d.Headings); i++ {
			if at >= 0 && d.Headings[i].Level <= d.Headings[at].Level {
				break
			}
			if note.HeadingKey(d.Headings[i].Text) == note.HeadingKey(part) {
				found = i
				break
			}
		}
		if found < 0 {
			return 0, missing(heading)
		}
		at = found
	}
	return at, nil
}
