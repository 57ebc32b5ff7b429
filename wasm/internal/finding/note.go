package finding

import (
	"path"
	"strconv"
	"strings"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/protocol"
)

// Said gives the sentence of a finding in English, or the plan's own.
func Said(p *protocol.Finding) string {
	if p.Words != "" {
		return strings.ReplaceAll(p.Words, "{n}", strconv.Itoa(p.Count))
	}
	return i18n.English(p.Text.Key, p.Text.Params)
}

// Label gives the name of a column in English, or as the plan or a note has it.
func Label(c protocol.FindingColumn) string {
	if c.Label == nil {
		return c.Name
	}
	return i18n.English(c.Label.Key, c.Label.Params)
}

// Labels gives the names of all columns of a finding.
func Labels(p *protocol.Finding) []string {
	out := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		out[i] = Label(c)
	}
	return out
}

// InEnglish gives the parts of a note with what was found, where nobody has said it in
// the person's language.
func InEnglish(f *protocol.Findings) []protocol.FindingsNotePart {
	out := make([]protocol.FindingsNotePart, len(f.Parts))
	for i := range f.Parts {
		p := &f.Parts[i]
		out[i] = protocol.FindingsNotePart{Text: Said(p), Columns: Labels(p), Rows: p.Rows}
	}
	return out
}

// Note writes findings as Markdown. What came from notes is text in it: only links to
// notes are links.
func Note(parts []protocol.FindingsNotePart) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(plain(p.Text) + "\n")
		switch {
		case len(p.Rows) == 0:
		case len(p.Columns) == 1:
			b.WriteByte('\n')
			for _, row := range p.Rows {
				b.WriteString("- " + inNote(row[0], "|") + "\n")
			}
		default:
			table(&b, p)
		}
	}
	return b.String()
}

func table(b *strings.Builder, p protocol.FindingsNotePart) {
	b.WriteString("\n|")
	for _, c := range p.Columns {
		b.WriteString(" " + plain(c) + " |")
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(p.Columns)))
	for _, row := range p.Rows {
		b.WriteString("\n|")
		for _, c := range row {
			b.WriteString(" " + inNote(c, `\|`) + " |")
		}
	}
	b.WriteByte('\n')
}

// inNote writes a cell; bar is what stands before the words of a link, which a table
// has to escape.
func inNote(c protocol.FindingCell, bar string) string {
	if c.Path == "" {
		return plain(c.Text)
	}
	out := link(c.Path, bar)
	if c.Line > 0 {
		out += ":" + strconv.Itoa(c.Line)
	}
	return out
}

// link writes a wikilink; the name alone where a wikilink cannot hold the path.
func link(to, bar string) string {
	if strings.ContainsAny(to, "[]|#^\r\n\\%`<>") {
		return plain(to)
	}
	target := strings.TrimSuffix(to, ".md")
	if name := path.Base(target); name != target {
		target += bar + name
	}
	return "[[" + target + "]]"
}

// marks are the characters that Markdown, or a plugin, may take for more than text;
// those of opens only where a line begins with them, or with a number before them.
const (
	marks = "\\`*_{}[]<>()#|!~=$%^&"
	opens = "-+."
)

// plain writes text so that it stays text.
func plain(t string) string {
	var b strings.Builder
	begins := true
	for _, r := range strings.Join(strings.Fields(t), " ") {
		if strings.ContainsRune(marks, r) || begins && strings.ContainsRune(opens, r) {
			b.WriteByte('\\')
		}
		begins = begins && r >= '0' && r <= '9'
		b.WriteRune(r)
	}
	return b.String()
}
