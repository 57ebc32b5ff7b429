package builtin

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

// moveTasksWithin moves tasks to the end of their own note: of all its text, of the
// section "toHeading", or with "withHeading" of the own text of the section that
// each stands in. Those that are at the end already stay.
func moveTasksWithin(ctx context.Context, env *tool.Env, d *note.Doc, path string, found []int, args tool.Args) (tool.Data, error) {
	ends := map[int][]int{} // by the heading whose text is meant, -1 for the text before the first
	var order []int
	for _, i := range found {
		part := wholeNote
		switch {
		case given(args, "toHeading"):
			n, err := headingIndex(d, path, args.String("toHeading"))
			if err != nil {
				return nil, err
			}
			part = n
		case args.Bool("withHeading"):
			part = d.HeadingOf(d.Items[i].Start)
		}
		if ends[part] == nil {
			order = append(order, part)
		}
		ends[part] = append(ends[part], i)
	}
	var edits note.Edits
	moved := 0
	for _, part := range order {
		span := ownText(d, part)
		going := notAtEnd(d, span, ends[part])
		moved += len(going)
		if len(going) > 0 {
			putAtEnd(d, &edits, span, going)
		}
	}
	if _, err := modify(ctx, env, path, d.Data, edits.Apply(d.Data)); err != nil {
		return nil, err
	}
	return tool.Data{"from": path, "to": path, "moved": moved}, nil
}

// wholeNote stands for all text of a note, in place of a heading.
const wholeNote = -2

// ownText gives the text below a heading up to the next one.
func ownText(d *note.Doc, heading int) note.Span {
	s := note.Span{Start: d.Body.Start, End: len(d.Data)}
	if heading >= 0 {
		s.Start = d.LineSpan(d.Line(d.Headings[heading].End - 1)).End
	}
	if next := heading + 1; heading != wholeNote && next < len(d.Headings) {
		s.End = d.LineSpan(d.Line(d.Headings[next].Start)).Start
	}
	return s
}

// notAtEnd gives the tasks without those that stand at the end of a text already.
func notAtEnd(d *note.Doc, text note.Span, tasks []int) []int {
	at := text.End
	for n := len(tasks) - 1; n >= 0; n-- {
		it := &d.Items[tasks[n]]
		if it.Start >= text.End {
			continue // stands behind the text
		}
		if it.Parent >= 0 || it.Start < text.Start || strings.TrimSpace(string(d.Data[min(it.End, at):at])) != "" {
			break
		}
		at = it.Start
	}
	return slices.DeleteFunc(slices.Clone(tasks), func(i int) bool { return d.Items[i].Start >= at && d.Items[i].Start < text.End })
}

// putAtEnd cuts tasks out of a note and puts them at the end of a text of it.
func putAtEnd(d *note.Doc, edits *note.Edits, text note.Span, tasks []int) {
	eol := d.EOL()
	var block strings.Builder
	for _, i := range tasks {
		it := &d.Items[i]
		end := min(d.LineSpan(d.Line(max(it.Start, it.End-1))).End, len(d.Data))
		edits.Replace(note.Span{Start: it.Start, End: afterLine(d.Data, end)}, "")
		block.WriteString(note.InEOL(d.ItemText(i), eol) + eol)
	}
	last := text.Start + len(strings.TrimRight(string(text.Of(d.Data)), " \t\r\n"))
	at := afterLine(d.Data, last)
	put := block.String()
	if at == len(d.Data) && at > 0 && d.Data[at-1] != '\n' {
		put = eol + strings.TrimSuffix(put, eol) // the note ends without a line end, and goes on to
	}
	if at < len(d.Data) && !strings.HasPrefix(string(d.Data[at:min(len(d.Data), at+2)]), "#") && d.Data[at] != '\n' && d.Data[at] != '\r' {
		put += eol
	}
	edits.Insert(at, put)
}

// afterLine gives the start of the line after the one that an offset is in.
func afterLine(data []byte, at int) int {
	if n := strings.IndexByte(string(data[at:min(len(data), at+2)]), '\n'); n >= 0 {
		return at + n + 1
	}
	return at
}
