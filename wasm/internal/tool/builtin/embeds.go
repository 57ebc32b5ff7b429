package builtin

import (
	"bytes"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

// maxEmbeds is how many embeds deep notes are put into each other.
const maxEmbeds = 10

// expand gives a note's text with the notes that it embeds in their place, and
// those within them.
func (m *merger) expand(path string) ([]byte, error) {
	info, err := findFile(m.ctx, m.env, path)
	if err != nil {
		return nil, err
	}
	text, err := m.expandNote(info.Path, "", nil)
	if err != nil {
		return nil, err
	}
	return relocate(m.env, m.names, info.Path, m.to).text(text), nil
}

// expandNote gives one note's text, or one section of it, for the note that
// embeds it; above are the notes around it. An embed of one of them stays as it
// is, or there would be no end; so does one of a section that is not there.
func (m *merger) expandNote(path, sub string, above []string) ([]byte, error) {
	info, err := m.env.Vault.Stat(m.ctx, path)
	if err != nil {
		return nil, err
	}
	data, err := m.take(info)
	if err != nil {
		return nil, err
	}
	if len(above) > 0 {
		if data, err = embedded(path, data, sub); err != nil {
			return nil, err
		}
		m.add(info)
	}
	d := note.Parse(data)
	inside := append(slices.Clip(above), path)
	var edits note.Edits
	eol := d.EOL()
	for i := range d.Links {
		l := &d.Links[i]
		target := note.Resolve(m.names, l.Path, path)
		if !l.Embed || l.Front || l.External || !isNote(target) || len(above) >= maxEmbeds || slices.Contains(inside, target) {
			continue
		}
		text, err := m.expandNote(target, l.Subpath, inside)
		switch {
		case fault.Is(err, fault.NotFound):
			continue
		case err != nil:
			return nil, err
		}
		text = relocate(m.env, m.names, target, path).text(text)
		if placed, ok := inPlace(d, l.Start, note.InEOL(string(text), eol)); ok {
			edits.Replace(l.Span, placed)
		}
	}
	return edits.Apply(data), nil
}

// inPlace gives a text as it has to stand where an embed stood: in a list item
// or a quote its further lines belong there too. A row of a table has no room for
// further lines.
func inPlace(d *note.Doc, at int, text string) (string, bool) {
	text = strings.TrimRight(text, "\r\n")
	if !strings.Contains(text, "\n") {
		return text, true
	}
	before := d.Data[d.LineSpan(d.Line(at)).Start:at]
	if marks := bytes.TrimLeft(before, " \t>"); len(marks) > 0 && marks[0] == '|' {
		return "", false
	}
	var lead []byte
	for _, c := range before {
		switch {
		case c == '>' || c == ' ' || c == '\t':
			lead = append(lead, c)
		case strings.IndexByte("-*+.)0123456789", c) >= 0 && d.InList(at):
			lead = append(lead, ' ')
		default:
			return text, true // words stand before it
		}
	}
	return strings.ReplaceAll(text, "\n", "\n"+string(lead)), true
}

// embedded gives what an embed shows of a note: its text without front matter,
// a section, or a block.
func embedded(path string, data []byte, sub string) ([]byte, error) {
	switch {
	case sub == "":
		return bytes.TrimLeft(note.ParseFront(data).Body.Of(data), "\r\n"), nil
	case strings.HasPrefix(sub, "#^"):
		return section(path, data, tool.Args{"block": sub[2:]})
	}
	return section(path, data, tool.Args{"heading": sub[1:]})
}
