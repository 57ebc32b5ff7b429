package note

import (
	"sort"
	"strings"
)

// Done says whether a task's state is a closed one: anything but a space, "/"
// (under way), ">" (moved on), "<" (planned), "!" and "?" (marks of open
// tasks in common themes).
func Done(state string) bool {
	return state != "" && !strings.Contains(" /><!?", state)
}

// HeadingOf gives the index of the heading that a place stands under, or -1.
func (d *Doc) HeadingOf(offset int) int {
	return sort.Search(len(d.Headings), func(i int) bool { return d.Headings[i].Start > offset }) - 1
}

// SetTaskState gives the note with the state of tasks changed: change gives a
// task's new state from its index among Items, and whether it changes.
func (d *Doc) SetTaskState(change func(i int) (string, bool)) ([]byte, int) {
	var edits Edits
	for i := range d.Items {
		it := &d.Items[i]
		if !it.Task() {
			continue
		}
		if to, ok := change(i); ok && to != string(it.State.Of(d.Data)) {
			edits.Replace(it.State, to)
		}
	}
	return edits.Apply(d.Data), len(edits)
}

// ItemText gives an item with its sub-items as lines of its own: its
// indentation and the marks of its block quotes taken away, line ends "\n",
// without a last one.
func (d *Doc) ItemText(i int) string {
	it := &d.Items[i]
	lines := strings.Split(strings.ReplaceAll(string(it.Of(d.Data)), "\r\n", "\n"), "\n")
	pad := string(it.Indent.Of(d.Data))
	for n, l := range lines {
		switch {
		case strings.HasPrefix(l, pad):
			lines[n] = l[len(pad):]
		default:
			lines[n] = strings.TrimLeft(l, " \t")
		}
	}
	return strings.Join(lines, "\n")
}

// CutItems gives the note without some items and what belongs to them.
func (d *Doc) CutItems(items []int) []byte {
	var edits Edits
	for _, i := range items {
		it := &d.Items[i]
		edits.Replace(Span{it.Start, lineAfter(d.Data, it.End, len(d.Data))}, "")
	}
	return edits.Apply(d.Data)
}
