package sentinel

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/jsontoken"
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

func (p *scanner) space() { p.i = jsontoken.Space(p.s, p.i) }

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

// str moves behind a string. A raw control character is an error.
func (p *scanner) str() bool {
	end, _, wrong := jsontoken.Text(p.s, p.i)
	if wrong != jsontoken.Nothing {
		return false
	}
	p.i = end
	return true
}

func (p *scanner) number() (ok bool) {
	p.i, ok = jsontoken.Number(p.s, p.i)
	return ok
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
		char, n, ok := jsontoken.Char(raw[i:])
		if !ok {
			return "", false
		}
		b = utf8.AppendRune(b, char)
		raw = raw[i+n:]
	}
	return string(append(b, raw...)), true
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
