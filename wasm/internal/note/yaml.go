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
		v, simple := simpleValue(raw)
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

// simpleValue decodes what most values are without the YAML library, at a
// fraction of its cost: a plain or quoted text, a number, a truth value, a
// block or flow list of those. false means that the library must look.
func simpleValue(raw []byte) (any, bool) {
	s := string(raw)
	if strings.IndexByte(s, '\n') >= 0 {
		return simpleBlockList(s)
	}
	if strings.HasPrefix(s, "[") {
		return simpleFlowList(s)
	}
	return simpleScalar(s)
}

func simpleScalar(s string) (any, bool) {
	if s == "" || s == "~" {
		return nil, true
	}
	switch s[0] {
	case '"':
		if quotedEnd(s[1:], '"') != len(s)-1 || !knownEscapes(s) {
			return nil, false
		}
		return yamlUnescape(s[1 : len(s)-1]), true
	case '\'':
		inner := s[1:]
		if len(s) < 2 || s[len(s)-1] != '\'' || strings.Contains(strings.ReplaceAll(inner[:len(inner)-1], "''", ""), "'") {
			return nil, false
		}
		return strings.ReplaceAll(inner[:len(inner)-1], "''", "'"), true
	case '[', ']', '{', '}', '&', '*', '!', '|', '>', '%', '@', '`', '#', ',', '?', ':':
		return nil, false
	case '-':
		if len(s) == 1 || s[1] == ' ' {
			return nil, false
		}
	}
	if strings.Contains(s, ": ") || strings.HasSuffix(s, ":") || strings.Contains(s, " #") || strings.IndexByte(s, '\t') >= 0 {
		return nil, false
	}
	return plainScalar(s)
}

// plainScalar gives an unquoted text's value; false for numbers that readers
// disagree about.
func plainScalar(s string) (any, bool) {
	c := s[0]
	if (c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.') && !plainDecimal(s) {
		return s, plainDate(s)
	}
	return safeyaml.Plain(s), true
}

// plainDecimal says whether a text is a decimal number in its usual form.
func plainDecimal(s string) bool {
	t := strings.TrimPrefix(s, "-")
	whole, frac, dot := strings.Cut(t, ".")
	if whole == "" || len(t) > 15 || len(whole) > 1 && whole[0] == '0' || dot && frac == "" {
		return false
	}
	for i := range len(whole) {
		if whole[i] < '0' || whole[i] > '9' {
			return false
		}
	}
	for i := range len(frac) {
		if frac[i] < '0' || frac[i] > '9' {
			return false
		}
	}
	return true
}

// plainDate says whether a text is a date or date and time, which stay text.
func plainDate(s string) bool {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' || len(s) > 25 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && strings.IndexByte("-T: +.Z", c) < 0 {
			return false
		}
	}
	return true
}

func simpleBlockList(s string) (any, bool) {
	list := []any{}
	indent := -1
	for i, line := range strings.Split(s, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if i == 0 && line == "" {
			continue
		}
		text := strings.TrimLeft(line, " ")
		if indent < 0 {
			indent = len(line) - len(text)
		}
		item, ok := strings.CutPrefix(text, "- ")
		if text == "-" {
			item, ok = "", true
		}
		if !ok || len(line)-len(text) != indent {
			return nil, false
		}
		v, ok := simpleScalar(strings.TrimSpace(item))
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

func simpleFlowList(s string) (any, bool) {
	if s[len(s)-1] != ']' {
		return nil, false
	}
	inner := strings.TrimSpace(s[1 : len(s)-1])
	list := []any{}
	if inner == "" {
		return list, true
	}
	for rest, more := inner, true; more; {
		var item string
		var ok bool
		if item, rest, more, ok = cutFlowItem(strings.TrimSpace(rest)); !ok {
			return nil, false
		}
		v, ok := simpleScalar(item)
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

// cutFlowItem cuts the first element off what is left of a flow list, and says
// whether another follows. The YAML library takes no question mark at the end of
// an element, so that lists of texts, in quotes or not, are cut here.
func cutFlowItem(s string) (item, rest string, more, ok bool) {
	end := 0
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		end = 1 + quotedEnd(s[1:], s[0])
	}
	if comma := strings.IndexByte(s[end:], ','); comma >= 0 {
		item, rest, more = s[:end+comma], s[end+comma+1:], true
	} else {
		item = s
	}
	item = strings.TrimSpace(item)
	if item == "" || strings.ContainsAny(item[min(end, len(item)):], "\"'[]{}#") {
		return "", "", false, false
	}
	return item, rest, more, true
}

// quotedEnd gives the length of a text with the quote that ends it, 0 where none does.
func quotedEnd(s string, quote byte) int {
	for i := 0; i < len(s); i++ {
		if quote == '"' && s[i] == '\\' {
			i++
			continue
		}
		if s[i] != quote {
			continue
		}
		if quote == '\'' && i+1 < len(s) && s[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return 0
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
	v, ok := simpleScalar(s)
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
