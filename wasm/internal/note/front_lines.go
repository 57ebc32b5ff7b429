package note

import (
	"bytes"
	"errors"

	"embedded-agent/wasm/internal/safeyaml"
)

// A template's front matter is often no valid YAML ("created: {{date}}"). It is
// read and edited line by line where each entry stands by itself: no key is there
// twice, nothing refers to another entry, and after an edit all other entries are
// what they were. Front matter beyond the bounds of package safeyaml is left alone.

// Loose decodes the front matter as Values does; where that is no valid YAML, entry
// by entry, and what cannot be read stays as it is written.
func (d *Doc) Loose() (map[string]any, error) {
	values, err := d.Values()
	if err == nil {
		return values, nil
	}
	props, err := entries(d, err)
	if err != nil {
		return nil, err
	}
	values = make(map[string]any, len(props))
	for i := range props {
		p := &props[i]
		one, err := decodeYAML(p.Of(d.Data))
		switch {
		case errors.Is(err, safeyaml.ErrBounds):
			return nil, err
		case err != nil || len(one) != 1:
			values[p.Key] = string(p.ValueAt.Of(d.Data))
		default:
			values[p.Key] = one[p.Key]
		}
	}
	return values, nil
}

// entries gives the entries that stand by themselves in a front matter that could
// not be read, or the error of reading it.
func entries(d *Doc, cause error) ([]Property, error) {
	props, ok := d.Properties()
	if !ok || len(props) == 0 || errors.Is(cause, safeyaml.ErrBounds) {
		return nil, cause
	}
	seen := make(map[string]bool, len(props))
	for i := range props {
		p := &props[i]
		raw := p.ValueAt.Of(d.Data)
		scan := valueScan{data: d.Data}
		scan.line(p.ValueAt.Start, p.ValueAt.End)
		if seen[p.Key] || scan.open() || bytes.ContainsAny(raw, "&*") && !isText(raw) {
			return nil, cause
		}
		if _, err := decodeYAML(p.Of(d.Data)); err != nil && bytes.IndexByte(raw, '\n') >= 0 {
			return nil, cause
		}
		seen[p.Key] = true
	}
	return props, nil
}

// isText says whether a value is a text in quotes or a plain one, which has no
// anchor and no alias.
func isText(raw []byte) bool {
	v, simple := safeyaml.Simple(raw)
	_, text := v.(string)
	return simple && text
}

// editLine puts other lines in the place of an entry of a front matter that could
// not be read. edit is handed the entry, nil where there is none, and its lines.
func editLine(d *Doc, key string, cause error, edit func(p *Property, lines []byte) (string, error)) ([]byte, error) {
	props, err := entries(d, cause)
	if err != nil {
		return nil, err
	}
	at := Span{d.FrontBody.End, d.FrontBody.End}
	var entry *Property
	for i := range props {
		if props[i].Key == key {
			entry, at = &props[i], props[i].Span
		}
	}
	text, err := edit(entry, at.Of(d.Data))
	if err != nil {
		return nil, errFront(err)
	}
	if entry == nil && text == "" {
		return d.Data, nil
	}
	out := Edits{{at, text}}.Apply(d.Data)
	after, ok := ParseFront(out).Properties()
	for i := range props {
		switch {
		case &props[i] == entry:
			after = after[min(len(after), btoi(text != "")):]
		case !ok || len(after) == 0 || !bytes.Equal(props[i].Of(d.Data), after[0].Of(out)):
			return nil, cause
		default:
			after = after[1:]
		}
	}
	if len(after) != btoi(entry == nil) {
		return nil, cause
	}
	return out, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// setLine is SetProperty for a front matter that could not be read.
func setLine(d *Doc, key string, value any, cause error) ([]byte, error) {
	return editLine(d, key, cause, func(p *Property, lines []byte) (string, error) {
		eol := d.EOL()
		if p != nil {
			if one, err := decodeYAML(lines); err != nil || len(one) != 1 {
				lines = []byte(yamlKey(key, 0) + ":" + eol) // its value is what could not be read
			}
		}
		alone, err := SetProperty([]byte("---"+eol+string(lines)+"---"+eol), key, value)
		if err != nil {
			return "", err
		}
		return string(ParseFront(alone).FrontBody.Of(alone)), nil
	})
}

// renameLine is RenameProperty for a front matter that could not be read.
func renameLine(d *Doc, from, to string, cause error) ([]byte, error) {
	if d.Property(from) == nil || d.Property(to) != nil {
		return nil, cause
	}
	return editLine(d, from, cause, func(p *Property, lines []byte) (string, error) {
		return yamlKey(to, 0) + string(lines[p.KeyAt.End-p.Start:]), nil
	})
}
