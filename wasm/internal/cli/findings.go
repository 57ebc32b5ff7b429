//go:build !js

package cli

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/finding"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/terminal"
	shown "embedded-agent/wasm/internal/text"
)

// showFindings prints what a plan found: each sentence, and under it a table.
func (c *session) showFindings(f *protocol.Findings) {
	if f == nil {
		return
	}
	for i := range f.Parts {
		p := &f.Parts[i]
		if p.Name != "" && len(f.Parts) > 1 {
			c.say("%s\n", p.Name)
		}
		c.say("%s\n", finding.Said(p))
		for _, plugin := range p.Plugins {
			c.say("  %s by %s: %s\n", plugin.Name, plugin.Author, plugin.Description)
		}
		c.showTable(p)
	}
}

// widest is how wide a column is made for what stands in it, in characters; what is
// longer is printed whole, and moves the rest of its line.
const widest = 48

// showTable prints rows below the names of their columns.
func (c *session) showTable(p *protocol.Finding) {
	if len(p.Rows) == 0 {
		return
	}
	lines := [][]string{finding.Labels(p)}
	for _, row := range p.Rows {
		line := make([]string, len(row))
		for i, cell := range row {
			line[i] = cellText(cell)
		}
		lines = append(lines, line)
	}
	width := make([]int, len(p.Columns))
	for _, line := range lines {
		for i, text := range line {
			width[i] = max(width[i], min(widest, utf8.RuneCountInString(text)))
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for i, text := range line {
			b.WriteString("  " + text)
			if i < len(line)-1 {
				b.WriteString(strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(text))))
			}
		}
		c.out.Plain(b.String() + "\n")
	}
}

// cellText is a cell on one line: a place in a note as PATH:LINE.
func cellText(cell protocol.FindingCell) string {
	switch {
	case cell.Line > 0:
		return shown.Name(cell.Path) + ":" + strconv.Itoa(cell.Line)
	case cell.Path != "":
		return shown.Name(cell.Path)
	}
	return shown.Line(cell.Text)
}

// jsonTo gives where JSON is printed, if it is wanted.
func jsonTo(out io.Writer, wanted bool) *terminal.Printer {
	if !wanted {
		return nil
	}
	return terminal.To(out)
}

// printFindings prints what a plan found as one line of JSON, whole.
func (c *session) printFindings(out *terminal.Printer, r *protocol.Review) int {
	switch {
	case r.Problem != nil && r.Stopped:
		return fail(c.err, errors.New(problemText(r.Problem)))
	case r.Findings == nil || !r.Findings.Done:
		return fail(c.err, errors.New("the plan does more than read; --json is for plans that only read"))
	}
	if err := out.JSON(r.Findings); err != nil {
		return fail(c.err, err)
	}
	return exitOK
}
