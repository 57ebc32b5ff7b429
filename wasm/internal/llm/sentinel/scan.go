package sentinel

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deeply JSON from a model or a client may nest; deeper JSON is refused before it is decoded.
const maxDepth = 128

// scanner checks JSON (RFC 8259) in one pass over its bytes. It takes valid UTF-8 for granted and builds nothing.
type scanner struct {
	s       string
	i       int
	depth   int
	lenient bool  // trailing commas are noted instead of refused
	commas  []int // where they stand
}

func (p *scanner) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// value moves behind the value that starts at p.i.
func (p *scanner) value() bool {
	if p.i >= len(p.s) {
		return false
	}
	switch c := p.s[p.i]; {
	case c == '{':
		return p.object(nil)
	case c == '[':
		return p.array()
	case c == '"':
		return p.str()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	default:
		for _, word := range [...]string{"true", "false", "null"} {
			if strings.HasPrefix(p.s[p.i:], word) {
				p.i += len(word)
				return true
			}
		}
		return false
	}
}

// object moves behind an object and shows each member as it stands: the key with its quotes, and the value.
func (p *scanner) object(visit func(key, value string)) bool {
	return p.list('}', func() bool {
		from := p.i
		if p.i >= len(p.s) || p.s[p.i] != '"' || !p.str() {
			return false
		}
		key := p.s[from:p.i]
		p.space()
		if p.i >= len(p.s) || p.s[p.i] != ':' {
			return false
		}
		p.i++
		p.space()
		from = p.i
		if !p.value() {
			return false
		}
		if visit != nil {
			visit(key, p.s[from:p.i])
		}
		return true
	})
}

func (p *scanner) array() bool { return p.list(']', p.value) }

// list moves behind a bracketed list of elements with commas between them.
func (p *scanner) list(end byte, element func() bool) bool {
	if p.depth++; p.depth > maxDepth || p.i >= len(p.s) {
		return false
	}
	p.i++ // the opening bracket
	p.space()
	if p.i < len(p.s) && p.s[p.i] == end {
		p.i++
		p.depth--
		return true
	}
	for {
		if !element() {
			return false
		}
		p.space()
		if p.i >= len(p.s) {
			return false
		}
		comma := p.i
		switch p.s[p.i] {
		case end:
			p.i++
			p.depth--
			return true
		case ',':
			p.i++
			p.space()
		default:
			return false
		}
		if p.lenient && p.i < len(p.s) && p.s[p.i] == end {
			p.commas = append(p.commas, comma)
			p.i++
			p.depth--
			return true
		}
	}
}

// plain marks the bytes that stand for themselves inside a string.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return t
}()

// str moves behind a string. A raw control character is an error.
func (p *scanner) str() bool {
	s, i := p.s, p.i+1
	for {
		for i < len(s) && plain[s[i]] {
			i++
		}
		switch {
		case i >= len(s):
			return false
		case s[i] == '"':
			p.i = i + 1
			return true
		case s[i] != '\\' || i+1 >= len(s):
			return false
		case s[i+1] == 'u':
			if i+6 > len(s) || !isHex4(s[i+2:i+6]) {
				return false
			}
			i += 6
		case escapable[s[i+1]]:
			i += 2
		default:
			return false
		}
	}
}

// escapable marks the bytes that may follow a backslash, u apart.
var escapable = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

func (p *scanner) number() bool {
	digits := func() bool {
		from := p.i
		for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
			p.i++
		}
		return p.i > from
	}
	if p.s[p.i] == '-' {
		p.i++
	}
	if p.i < len(p.s) && p.s[p.i] == '0' {
		p.i++
	} else if !digits() {
		return false
	}
	if p.i < len(p.s) && p.s[p.i] == '.' {
		p.i++
		if !digits() {
			return false
		}
	}
	if p.i < len(p.s) && (p.s[p.i] == 'e' || p.s[p.i] == 'E') {
		p.i++
		if p.i < len(p.s) && (p.s[p.i] == '+' || p.s[p.i] == '-') {
			p.i++
		}
		return digits()
	}
	return true
}

func isHex4(s string) bool {
	_, err := strconv.ParseUint(s, 16, 16)
	return err == nil
}

// unquote decodes a JSON string that was checked by the scanner. It refuses a lone surrogate, which UTF-8 cannot hold.
func unquote(raw string) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	raw = raw[1 : len(raw)-1]
	if strings.IndexByte(raw, '\\') < 0 {
		return raw, true
	}
	b := make([]byte, 0, len(raw))
	for {
		i := strings.IndexByte(raw, '\\')
		if i < 0 {
			break
		}
		b = append(b, raw[:i]...)
		if raw[i+1] != 'u' {
			b = append(b, shortEscape(raw[i+1]))
			raw = raw[i+2:]
			continue
		}
		r, n := unicodeEscape(raw[i:])
		if n == 0 {
			return "", false
		}
		b = utf8.AppendRune(b, r)
		raw = raw[i+n:]
	}
	return string(append(b, raw...)), true
}

func shortEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return c // quote, backslash, slash
	}
}

// unicodeEscape decodes \uXXXX, or two of them that form a pair, and says how many bytes that took; 0 for a lone surrogate.
func unicodeEscape(s string) (rune, int) {
	r := hex4(s[2:6])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(s[8:12])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return 0, 0
}

func hex4(s string) rune {
	n, _ := strconv.ParseUint(s, 16, 32) // checked by the scanner
	return rune(n)
}

// build decodes checked JSON the way a schema validator wants it: numbers keep their digits.
func (p *scanner) build() any {
	from := p.i
	switch p.s[p.i] {
	case '{':
		m := map[string]any{}
		p.list('}', func() bool {
			key := p.build().(string)
			p.space()
			p.i++ // the colon
			p.space()
			m[key] = p.build()
			return true
		})
		return m
	case '[':
		l := []any{}
		p.list(']', func() bool {
			l = append(l, p.build())
			return true
		})
		return l
	case '"':
		p.str()
		if s, ok := unquote(p.s[from:p.i]); ok {
			return s
		}
		return "\ufffd" // a lone surrogate: no schema can ask for one
	}
	p.value()
	switch word := p.s[from:p.i]; word {
	case "null":
		return nil
	case "true", "false":
		return word == "true"
	default:
		return json.Number(word)
	}
}

// compact removes the white space between the tokens of valid JSON.
func compact(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			p := scanner{s: s, i: i}
			p.str()
			b = append(b, s[i:p.i]...)
			i = p.i
		default:
			b = append(b, s[i])
			i++
		}
	}
	return string(b)
}

// WellFormed reports whether text is one JSON value in valid UTF-8, nested no deeper than 128 levels: what comes from
// outside is checked so before anything decodes it.
func WellFormed(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	p := scanner{s: text}
	p.space()
	if !p.value() {
		return false
	}
	p.space()
	return p.i == len(text)
}
