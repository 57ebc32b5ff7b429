package note

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// ErrFront is beneath the errors of edits to a front matter that is no valid
// YAML mapping: it is left alone.
var ErrFront = errors.New("the front matter cannot be read")

// errUnsafe is beneath the errors of edits that would do more than was asked, in
// a front matter that can be read: one that takes away what an alias refers to.
var errUnsafe = errors.New("the change is not safe")

// SetProperty gives the note with a property set to a value (as encoding/json
// decodes it; nil leaves the key without a value). Everything else stays byte
// for byte: order, comments, quotes. A text keeps the quotes that the old one
// had; a list keeps its style, and the elements that stay keep their bytes. A
// new property goes to the end of the front matter, which is made when there
// is none. Setting what is there already changes nothing.
func SetProperty(data []byte, key string, value any) ([]byte, error) {
	d := ParseFront(data)
	values, err := d.editable()
	if err != nil {
		return setLine(d, key, value, err)
	}
	old, there := values[key]
	if there && sameValue(old, value) {
		return data, nil
	}
	var out []byte
	p := d.Property(key)
	switch {
	case p == nil && there:
		return nil, fmt.Errorf("%w: the key %q is written in a form that cannot be edited", errUnsafe, key)
	case p == nil:
		out = d.addProperty(key, value)
	default:
		out = d.replaceValue(p, old, value)
	}
	return out, checkEdit(out, values, func(want map[string]any) { want[key] = value })
}

// RemoveProperty gives the note without a property, and without the front
// matter when nothing else is in it. A missing property changes nothing.
func RemoveProperty(data []byte, key string) ([]byte, error) {
	d := ParseFront(data)
	values, err := d.editable()
	if err != nil {
		return editLine(d, key, err, func(*Property, []byte) (string, error) { return "", nil })
	}
	if _, there := values[key]; !there {
		return data, nil
	}
	p := d.Property(key)
	if p == nil {
		return nil, fmt.Errorf("%w: the key %q is written in a form that cannot be edited", errUnsafe, key)
	}
	var edits Edits
	edits.Replace(p.Span, "")
	rest := string(data[d.FrontBody.Start:p.Start]) + string(data[p.End:d.FrontBody.End])
	if strings.TrimSpace(rest) == "" {
		edits = Edits{{Span: d.Front}}
	}
	out := edits.Apply(data)
	return out, checkEdit(out, values, func(want map[string]any) { delete(want, key) })
}

// RenameProperty gives the note with a property under another name, in its
// place. A missing property changes nothing; a new name that is there already
// is an error.
func RenameProperty(data []byte, from, to string) ([]byte, error) {
	d := ParseFront(data)
	values, err := d.editable()
	if err != nil {
		return renameLine(d, from, to, err)
	}
	value, there := values[from]
	if !there || from == to {
		return data, nil
	}
	if _, taken := values[to]; taken {
		return nil, fmt.Errorf("the property %q already exists", to)
	}
	p := d.Property(from)
	if p == nil {
		return nil, fmt.Errorf("%w: the key %q is written in a form that cannot be edited", ErrFront, from)
	}
	var quote byte
	if c := data[p.KeyAt.Start]; c == '"' || c == '\'' {
		quote = c
	}
	var edits Edits
	edits.Replace(p.KeyAt, yamlKey(to, quote))
	out := edits.Apply(data)
	return out, checkEdit(out, values, func(want map[string]any) {
		delete(want, from)
		want[to] = value
	})
}

// editable gives the values of a front matter that is understood line by line,
// so that it can be edited; what only the YAML library can read is left alone.
func (d *Doc) editable() (map[string]any, error) {
	values, err := d.Values()
	if err != nil {
		return nil, errFront(err)
	}
	if _, ok := d.Properties(); !ok {
		return nil, errFront(errors.New("it is written in a form that cannot be edited"))
	}
	return values, nil
}

func errFront(err error) error { return fmt.Errorf("%w: %w", ErrFront, err) }

func yamlKey(key string, quote byte) string {
	if quote == 0 && (strings.ContainsAny(key, ":?") || strings.HasPrefix(key, "-")) {
		quote = '"'
	}
	return yamlScalar(key, quote)
}

// checkEdit proves an edit before it is used: read back, the front matter holds
// what it held, but for the change asked for.
func checkEdit(out []byte, values map[string]any, change func(map[string]any)) error {
	got, err := ParseFront(out).Values()
	if err != nil {
		return fmt.Errorf("%w: it could not be read afterwards: %w", errUnsafe, err)
	}
	want := make(map[string]any, len(values)+1)
	for k, v := range values {
		want[k] = v
	}
	change(want)
	for k, v := range want {
		if w, there := got[k]; !there || !sameValue(emptyList(v), emptyList(w)) {
			return fmt.Errorf("%w: the value of %q cannot be written so that it reads back the same", errUnsafe, k)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%w: it would touch other properties", errUnsafe)
	}
	return nil
}

// emptyList makes the list types of callers one.
func emptyList(v any) any {
	if l, ok := v.([]string); ok {
		return anyList(l)
	}
	return v
}

func anyList(l []string) []any {
	out := make([]any, len(l))
	for i, s := range l {
		out[i] = s
	}
	return out
}

// addProperty writes a new entry at the end of the front matter.
func (d *Doc) addProperty(key string, value any) []byte {
	eol := d.EOL()
	entry := yamlKey(key, 0) + ":" + valueText(value, eol, "  ") + eol
	var edits Edits
	switch {
	case !d.Front.Empty():
		edits.Insert(d.FrontBody.End, entry)
	case bytes.HasPrefix(d.Data, []byte(BOM)):
		edits.Insert(len(BOM), "---"+eol+entry+"---"+eol)
	default:
		edits.Insert(0, "---"+eol+entry+"---"+eol)
	}
	return edits.Apply(d.Data)
}

// valueText writes a value as it follows "key:".
func valueText(value any, eol, indent string) string {
	list, ok := emptyList(value).([]any)
	switch {
	case !ok:
		if s := yamlScalar(value, 0); s != "" {
			return " " + s
		}
		return ""
	case len(list) == 0:
		return " []"
	}
	var b strings.Builder
	for _, e := range list {
		b.WriteString(eol + indent + "-")
		if s := yamlScalar(e, 0); s != "" {
			b.WriteString(" " + s)
		}
	}
	return b.String()
}

// replaceValue writes a new value in the place and style of the old one.
func (d *Doc) replaceValue(p *Property, old, value any) []byte {
	var edits Edits
	raw := p.ValueAt.Of(d.Data)
	list, isList := emptyList(value).([]any)
	oldList, wasList := old.([]any)
	switch {
	case isList && wasList && d.editList(&edits, p, oldList, list): // done
	case !isList && !wasList && bytes.IndexByte(raw, '\n') < 0 && (len(raw) == 0 || raw[0] != '{'):
		var quote byte
		if len(raw) > 0 && (raw[0] == '"' || raw[0] == '\'') {
			quote = raw[0]
		}
		text := yamlScalar(value, quote)
		if s, ok := value.(string); ok && quote == 0 && bytes.IndexByte(raw, ',') >= 0 && plainSafe(strings.ReplaceAll(s, ",", "")) {
			text = s // commas as there were before
		}
		if len(raw) == 0 && text != "" && d.Data[p.ValueAt.Start-1] == ':' {
			text = " " + text
		}
		if at := p.ValueAt.End; len(raw) == 0 && text != "" && at < len(d.Data) && d.Data[at] == '#' {
			text += " " // a comment needs a space before it
		}
		edits.Replace(p.ValueAt, text)
	default:
		colon := bytes.LastIndexByte(d.Data[:p.ValueAt.Start], ':') + 1
		if len(raw) == 0 || raw[0] == '\n' || raw[0] == '\r' || raw[0] == '-' {
			colon = p.KeyAt.End + bytes.IndexByte(d.Data[p.KeyAt.End:], ':') + 1
		}
		edits.Replace(Span{colon, p.ValueAt.End}, valueText(value, d.EOL(), "  "))
	}
	return edits.Apply(d.Data)
}
