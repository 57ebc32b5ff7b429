package note

import (
	"bytes"
	"strings"

	"embedded-agent/wasm/internal/regex"
)

// OpenTag gives the length of the opening tag of HTML that a text starts with,
// or 0 (CommonMark 6.6): its attributes may stand on several lines and hold any
// sign. At any place, no more than one reading for each kind of quotes is under
// way, so all of them together are linear.
func OpenTag(d []byte) int {
	i := 1
	for i < len(d) && (isLetter(d[i]) || d[i] >= '0' && d[i] <= '9' || d[i] == '-') {
		i++
	}
	for i > 1 && i < len(d) {
		gap := skipSpace(d, i, len(d))
		rest := d[gap:]
		switch {
		case bytes.HasPrefix(rest, []byte(">")):
			return gap + 1
		case bytes.HasPrefix(rest, []byte("/>")):
			return gap + 2
		case gap == i:
			return 0
		}
		if i = attribute(d, gap); i == gap {
			return 0
		}
	}
	return 0
}

// attribute gives where the attribute that starts at an offset ends; the offset
// itself where there is none.
func attribute(d []byte, at int) int {
	i := at
	for i < len(d) && !isSpace(d[i]) && bytes.IndexByte([]byte("\"'<>/="), d[i]) < 0 {
		i++
	}
	value := skipSpace(d, i, len(d))
	if i == at || value >= len(d) || d[value] != '=' {
		return i
	}
	value = skipSpace(d, value+1, len(d))
	if value >= len(d) {
		return at
	}
	if quote := d[value]; quote == '"' || quote == '\'' {
		n := bytes.IndexByte(d[value+1:], quote)
		if n < 0 {
			return at
		}
		return value + n + 2
	}
	for i = value; i < len(d) && !isSpace(d[i]) && bytes.IndexByte([]byte("\"'=<>`"), d[i]) < 0; i++ {
	}
	if i == value {
		return at
	}
	return i
}

// shown is an attribute by which a tag shows a file.
var shown = regex.Lazy(`(?i)\s(?:src|data|poster)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=]+))`)

// htmlLinks reads the embeds in a tag of HTML.
func (s *inline) htmlLinks(tag Span) {
	text := tag.Of(s.Data)
	if bytes.IndexByte(text, '=') < 0 {
		return
	}
	for _, m := range shown().FindAllSubmatchIndex(text, -1) {
		l := Link{Span: tag, Kind: HTML, Embed: true}
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				l.Target = trimSpan(s.Data, Span{tag.Start + m[g], tag.Start + m[g+1]})
			}
		}
		dest := strings.ReplaceAll(string(l.Target.Of(s.Data)), "&amp;", "&")
		if l.decode(dest); dest != "" && !strings.Contains(dest, "[[") {
			s.Links = append(s.Links, l)
		}
	}
}
