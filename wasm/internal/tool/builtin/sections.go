package builtin

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
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

// given says whether a heading or a block is named: an argument of nothing but
// marks and blanks is none, as models often fill in what they leave open.
func given(args tool.Args, name string) bool {
	return strings.Trim(args.String(name), "#^ \t") != ""
}

// section gives the part of a note that the arguments name, or all of it.
func section(path string, data []byte, args tool.Args) ([]byte, error) {
	switch {
	case given(args, "heading"):
		d := note.Parse(data)
		n, err := headingIndex(d, path, args.String("heading"))
		if err != nil {
			return nil, err
		}
		return d.Section(n).Of(data), nil
	case given(args, "block"):
		d := note.Parse(data)
		s, ok := d.BlockWithID(trimCaret(args.String("block")))
		if !ok {
			return nil, fault.New(fault.NotFound, "tools.block.missing", fault.P{"path": path, "block": args.String("block")})
		}
		return s.Of(data), nil
	case args.Has("fromLine") || args.Has("toLine"):
		d := note.Parse(data)
		from, to := max(args.Int("fromLine"), 1)-1, d.Lines()
		if args.Has("toLine") {
			to = min(args.Int("toLine"), to)
		}
		if from >= to {
			return nil, nil
		}
		return data[d.LineSpan(from).Start:d.LineSpan(to-1).End], nil
	}
	return data, nil
}

func trimCaret(id string) string {
	if len(id) > 0 && id[0] == '^' {
		return id[1:]
	}
	return id
}

// holdsLines says whether the lines of a text stand in another one after each
// other, whatever space is around each: "- [ ] call" is not in "- [ ] call back".
func holdsLines(text, lines string) bool {
	have, want := trimmedLines(text), trimmedLines(strings.TrimSpace(lines))
	for i := 0; i+len(want) <= len(have); i++ {
		if slices.Equal(have[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

func trimmedLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return lines
}
