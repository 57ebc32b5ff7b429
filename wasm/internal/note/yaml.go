package note

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/safeyaml"
)

// Values decodes the front matter: keys to values as encoding/json has them
// (string, float64, bool, nil, []any, map[string]any). Dates and times stay
// text. An error means that it is no YAML mapping.
func (d *Doc) Values() (map[string]any, error) {
	props, ok := d.Properties()
	if !ok {
		return decodeYAML(d.FrontBody.Of(d.Data))
	}
	out := make(map[string]any, len(props))
	for i := range props {
		p := &props[i]
		if _, twice := out[p.Key]; twice {
			return nil, fmt.Errorf("the key %q occurs twice", p.Key)
		}
		raw := p.ValueAt.Of(d.Data)
		v, simple := safeyaml.Simple(raw)
		if !simple && bytes.ContainsAny(raw, "&*!<") {
			return decodeYAML(d.FrontBody.Of(d.Data)) // anchors reach across entries
		}
		if !simple {
			one, err := decodeYAML(p.Of(d.Data))
			if err != nil || len(one) != 1 {
				return decodeYAML(d.FrontBody.Of(d.Data))
			}
			v = one[p.Key]
		}
		out[p.Key] = v
	}
	return out, nil
}

// decodeYAML decodes a mapping by the YAML library, within its bounds.
func decodeYAML(body []byte) (map[string]any, error) {
	v, err := safeyaml.Decode(body)
	if err != nil {
		return nil, err
	}
	switch m := v.(type) {
	case map[string]any:
		return m, nil
	case nil:
		return map[string]any{}, nil
	}
	return nil, fmt.Errorf("the front matter is not a list of properties")
}

// yamlScalar writes a scalar value. A text is written plainly where that reads
// back as the same text, otherwise in the quotes given (0 chooses). Dates are
// plain: the app knows them as dates.
func yamlScalar(v any, quote byte) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case json.Number:
		return v.String()
	case string:
		if quote == 0 && plainSafe(v) {
			return v
		}
		if quote == '\'' && !strings.ContainsFunc(v, isControl) {
			return "'" + strings.ReplaceAll(v, "'", "''") + "'"
		}
		return quoteYAML(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return quoteYAML(fmt.Sprint(v))
	}
	return string(b) // JSON is YAML
}

// isControl says whether a character is written as an escape: a line end of YAML, and what
// YAML counts as not printable, which its readers refuse.
func isControl(r rune) bool {
	switch r {
	case 0x2028, 0x2029, '\ufeff', '\ufffe', '\uffff':
		return true
	}
	return r < ' ' || r >= 0x7f && r <= 0x9f
}

// plainSafe says whether a text reads back as itself without quotes.
func plainSafe(s string) bool {
	if s == "" || strings.TrimSpace(s) != s || strings.ContainsFunc(s, isControl) || strings.ContainsAny(s, "[]{}\"'#&*!|>%@`,\\") {
		return false
	}
	switch strings.ToLower(s) {
	case "yes", "no", "on", "off", "y", "n", "null", "true", "false", "---", "...", ".nan", ".inf", "-.inf", "=", "<<":
		return false
	}
	v, ok := safeyaml.SimpleScalar(s)
	text, isText := v.(string)
	return ok && isText && text == s
}

// quoteYAML writes a double-quoted text.
func quoteYAML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case isControl(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// sameValue compares decoded values; whole numbers are equal in any Go type.
func sameValue(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, sameValue)
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, there := y[k]
			if !there || !sameValue(v, w) {
				return false
			}
		}
		return true
	}
	return number(a) == number(b)
}

func number(v any) any {
	switch n := v.(type) {
	case int:
		return float64(n)
	case int64:
		return float64(n)
	case json.Number:
		if f, err := n.Float64(); err == nil {
			return f
		}
	}
	return v
}
