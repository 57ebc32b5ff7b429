//go:build !js

package cli

import (
	"context"
	"strconv"
	"strings"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/leftout"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/terminal"
)

// show prints the review: all that a yes would be a yes to, uncut.
func (c *session) show(ctx context.Context, r *protocol.Review, diff bool) error {
	c.say("%s\n", heading(r))
	for _, l := range r.Summary {
		c.say("  %s\n", text(l.Text))
	}
	for _, w := range r.Warnings {
		c.say("  ! %s\n", text(w))
	}
	for _, st := range r.Steps {
		for _, n := range st.Notes {
			c.say("  %s: %s\n", st.ID, text(n))
		}
		if st.Problem != nil && !r.Stopped {
			c.say("  ! %s\n", problemText(st.Problem))
		}
		if st.Cut != nil {
			c.say("  ! %s\n", cutText(&st))
		}
	}
	c.showLeftOut(leftout.Of(r.Steps))
	c.showFindings(r.Findings)
	for _, f := range r.Files {
		c.showFile(f)
		v, err := ask[protocol.FileView](ctx, c, "review.file", protocol.FileRef{Run: r.Run, Path: f.Path})
		if err != nil {
			return err
		}
		for _, a := range v.Alerts {
			c.say("    ! %s\n", alertText(a))
		}
		if diff {
			c.showChange(v)
		}
	}
	return nil
}

// cutText says what a step leaves out.
func cutText(st *protocol.StepPreview) string {
	name := st.Text
	if name == "" {
		name = st.ID
	}
	if st.Cut.Total < 0 {
		return i18n.English("review.cutUnknown", map[string]string{"step": name})
	}
	return i18n.English("review.cut", map[string]string{
		"step": name, "shown": strconv.Itoa(st.Cut.Shown), "total": strconv.Itoa(st.Cut.Total),
	})
}

// showLeftOut prints what steps leave out: how many, why, and which.
func (c *session) showLeftOut(left []protocol.LeftOut) {
	for _, l := range left {
		c.say("  ! %s\n", leftOutText(l))
		for _, g := range l.Groups {
			c.say("    %s\n", i18n.English("review.leftOut.group", map[string]string{"reason": text(g.Reason), "n": strconv.Itoa(len(g.Items))}))
			for _, i := range g.Items {
				why := ""
				if i.Why != nil {
					why = ": " + text(*i.Why)
				}
				c.say("      %s%s\n", terminal.Path(i.Name), why)
			}
		}
	}
}

func leftOutText(l protocol.LeftOut) string {
	return i18n.English("review.leftOut", map[string]string{
		"step": l.Name, "n": strconv.Itoa(l.Count), "total": strconv.Itoa(l.Total),
	})
}

// heading gives the title of a review.
func heading(r *protocol.Review) string {
	if r.Title != nil {
		return text(*r.Title)
	}
	return r.Goal
}

func alertText(a protocol.Alert) string {
	if a.Line == 0 {
		return text(a.Text)
	}
	return "line " + strconv.Itoa(a.Line) + ": " + text(a.Text)
}

func (c *session) showFile(f protocol.FileChange) {
	switch {
	case f.From != "":
		c.say("  %s  %s -> %s\n", f.Status, terminal.Path(f.From), terminal.Path(f.Path))
	case f.Added+f.Removed > 0:
		c.say("  %s  %s  (+%d -%d)\n", f.Status, terminal.Path(f.Path), f.Added, f.Removed)
	default:
		c.say("  %s  %s\n", f.Status, terminal.Path(f.Path))
	}
}

// showChange prints what becomes of a file: its difference as unified diffs
// have it, and of bytes that are no text what they are.
func (c *session) showChange(v protocol.FileView) {
	if v.BeforeFacts != nil {
		c.say("    - %s\n", factsText(v.BeforeFacts))
	}
	if v.AfterFacts != nil {
		c.say("    + %s\n", factsText(v.AfterFacts))
	}
	before, after := linesOf(v.Before), linesOf(v.After)
	ends := endsDiffer(v)
	shown := 0 // lines of the text after that were printed
	for i, h := range v.Hunks {
		c.say("    @@ -%d,%d +%d,%d @@\n", from(h.BeforeFrom, h.BeforeTo), h.BeforeTo-h.BeforeFrom, from(h.AfterFrom, h.AfterTo), h.AfterTo-h.AfterFrom)
		for i := max(shown, h.AfterFrom-around); i < h.AfterFrom; i++ {
			c.sayLine(" ", after[i], ends)
		}
		for i := h.BeforeFrom; i < min(h.BeforeTo, len(before)); i++ {
			c.sayLine("-", before[i], ends)
		}
		for i := h.AfterFrom; i < min(h.AfterTo, len(after)); i++ {
			c.sayLine("+", after[i], ends)
		}
		shown = min(h.AfterTo+around, len(after))
		if i+1 < len(v.Hunks) {
			shown = min(shown, v.Hunks[i+1].AfterFrom)
		}
		for i := h.AfterTo; i < shown; i++ {
			c.sayLine(" ", after[i], ends)
		}
	}
}

// around is how many lines around a change are printed with it.
const around = 2

// from gives the line number of a hunk: that of the line before it where it has
// none, as diff has it.
func from(first, to int) int {
	if first == to {
		return first
	}
	return first + 1
}

// linesOf cuts a text into lines with their ends.
func linesOf(t string) []string {
	if t == "" {
		return nil
	}
	lines := strings.SplitAfter(t, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// endsDiffer says whether the line ends have to be shown: where both texts end
// all their lines by CR and LF, they are how such a file is.
func endsDiffer(v protocol.FileView) bool {
	all := func(t string) bool { return strings.Count(t, "\r\n") == strings.Count(t, "\n") }
	none := func(t string) bool { return !strings.Contains(t, "\r\n") }
	return !(all(v.Before) && all(v.After)) && !(none(v.Before) && none(v.After))
}

// sayLine prints a line of a text, with what would not be seen as marks.
func (c *session) sayLine(sign, line string, ends bool) {
	body, whole := strings.CutSuffix(line, "\n")
	if whole && !ends {
		body = strings.TrimSuffix(body, "\r")
	}
	c.out.Printf("    %s %s\n", sign, terminal.Code(body))
	if !whole {
		c.say("    \\ No newline at end of file\n")
	}
}

func factsText(f *protocol.FileFacts) string {
	return i18n.English("file.facts", map[string]string{"type": text(f.Type), "bytes": strconv.FormatInt(f.Bytes, 10), "hash": f.Hash})
}
