package builtin

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

// taskFilter chooses tasks of a note.
type taskFilter struct {
	status  string // open, done, any, or one character
	heading string
	text    string
	lines   map[int]bool
}

func newTaskFilter(args tool.Args) taskFilter {
	f := taskFilter{status: args.String("status"), heading: args.String("heading"), text: strings.ToLower(args.String("text"))}
	for _, l := range args.List("lines") {
		if f.lines == nil {
			f.lines = map[int]bool{}
		}
		f.lines[tool.Args{"n": l}.Int("n")] = true
	}
	return f
}

// find gives the tasks that pass, by index among the note's items. A heading
// that is not in the note is an error where one note is meant.
func (f taskFilter) find(d *note.Doc, path string, strict bool) ([]int, error) {
	part := note.Span{Start: 0, End: len(d.Data)}
	if strings.Trim(f.heading, "# \t") != "" {
		n, err := headingIndex(d, path, f.heading)
		switch {
		case err == nil:
			part = d.Section(n)
		case strict:
			return nil, err
		default:
			return nil, nil
		}
	}
	var out []int
	for i := range d.Items {
		it := &d.Items[i]
		switch {
		case !it.Task(), !f.hasStatus(string(it.State.Of(d.Data))),
			it.Start < part.Start || it.Start >= part.End,
			f.lines != nil && !f.lines[it.Line+1],
			f.text != "" && !strings.Contains(strings.ToLower(string(it.Text.Of(d.Data))), f.text):
			continue
		}
		out = append(out, i)
	}
	return out, nil
}

func (f taskFilter) hasStatus(state string) bool {
	switch f.status {
	case "", "any":
		return true
	case "open":
		return !note.Done(state)
	case "done":
		return note.Done(state)
	}
	return f.status == state
}

// headingText gives the text of the heading that a place stands under, or "".
func headingText(d *note.Doc, offset int) string {
	if n := d.HeadingOf(offset); n >= 0 {
		return d.Headings[n].Text
	}
	return ""
}

// readNote reads one note that a path argument names.
func readNote(ctx context.Context, env *tool.Env, path string) (string, []byte, error) {
	info, err := findFile(ctx, env, path)
	if err != nil {
		return "", nil, err
	}
	data, err := readText(ctx, env, info)
	return info.Path, data, err
}

// checkState refuses what cannot stand in a task's box.
func checkState(s string) error {
	if n := len([]rune(s)); n != 1 || strings.ContainsAny(s, "[]\n\r") {
		return fault.New(fault.Validation, "tools.tasks.state", fault.P{"status": s})
	}
	return nil
}

func taskData(d *note.Doc, path string, n int) map[string]any {
	it := &d.Items[n]
	text := strings.TrimRight(string(it.Text.Of(d.Data)), " \t\r")
	return map[string]any{
		"path": path, "line": it.Line + 1, "text": text, "title": note.Title(text), "status": string(it.State.Of(d.Data)),
		"done": note.Done(string(it.State.Of(d.Data))), "depth": it.Depth, "heading": headingText(d, it.Start),
		"content": d.ItemText(n),
	}
}

// withoutBelow leaves out of a sorted list the items that stand below another one
// of it.
func withoutBelow(d *note.Doc, items []int) []int {
	covered := make([]bool, len(d.Items)) // is in the list, or below one that is
	for _, i := range items {
		covered[i] = true
	}
	var out []int
	at := 0
	for i := range d.Items {
		p := d.Items[i].Parent
		below := p >= 0 && covered[p]
		if at < len(items) && items[at] == i {
			if at++; !below {
				out = append(out, i)
			}
		}
		covered[i] = covered[i] || below
	}
	return out
}
