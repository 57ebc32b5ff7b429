package note

import (
	"bytes"
	"net/url"
	"strings"
)

// LinkKind is how a link is written.
type LinkKind uint8

// The kinds.
const (
	Wiki       LinkKind = iota // [[path#sub|alias]]
	Markdown                   // [text](path "title")
	Definition                 // [label]: path
	HTML                       // an attribute of a tag: src="path"
)

// Link is a link or embed.
type Link struct {
	Span     // the whole, with the "!" of an embed
	Kind     LinkKind
	Embed    bool
	Front    bool   // in the front matter
	External bool   // has a scheme, or is an address
	Angle    bool   // Markdown: the destination is between "<" and ">"
	Target   Span   // the path and subpath as written, without brackets
	Path     string // the path, decoded, without the subpath
	Subpath  string // "#Heading" or "#^block", decoded; or ""
	Alias    string // the text shown, as written
	AliasAt  Span   // where it is; empty without one
	Titled   bool   // Markdown: there is a title behind the destination
	quote    byte   // in the front matter: the quotes of the value it is in
}

// openBracket reads a wikilink, or notes an open bracket.
func (s *inline) openBracket(start int) {
	at := s.at
	embed := at > start && s.Data[at-1] == '!' && (at-1 == start || s.Data[at-2] != '\\')
	if at+1 < s.end && s.Data[at+1] == '[' && s.wiki(embed) {
		return
	}
	s.brackets = append(s.brackets, bracket{at: at, embed: embed})
	s.at++
}

// wiki reads "[[…]]": on one line, without another "[[" inside.
func (s *inline) wiki(embed bool) bool {
	inside := s.at + 2
	if s.wikiEnd < inside {
		if s.wikiLine > inside {
			return false
		}
		line := s.lineEnd(inside)
		n := bytes.Index(s.Data[inside:line], []byte("]]"))
		if n < 0 {
			s.wikiLine = line
			return false
		}
		s.wikiEnd = inside + n
	}
	end := s.wikiEnd
	if inside >= end || bytes.Contains(s.Data[inside:end], []byte("[[")) {
		return false
	}
	l := wikiLink(s.Data, inside, end, false)
	l.Span, l.Embed = Span{s.at, end + 2}, embed
	if embed {
		l.Start--
	}
	s.Links = append(s.Links, l)
	s.at = end + 2
	return true
}

// wikiLink reads what is between the brackets.
func wikiLink(data []byte, start, end int, front bool) Link {
	l := Link{Kind: Wiki, Front: front, Target: Span{start, end}}
	if bar := bytes.IndexByte(data[start:end], '|'); bar >= 0 {
		l.AliasAt = Span{start + bar + 1, end}
		l.Alias = string(l.AliasAt.Of(data))
		l.Target.End = start + bar
		if bar > 0 && data[start+bar-1] == '\\' { // escaped, in a table
			l.Target.End--
		}
	}
	l.Target = trimSpan(data, l.Target)
	l.Path, l.Subpath = splitSubpath(string(l.Target.Of(data)))
	l.Path = strings.TrimSpace(l.Path)
	return l
}

func trimSpan(data []byte, s Span) Span {
	for s.Start < s.End && isSpace(data[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && isSpace(data[s.End-1]) {
		s.End--
	}
	return s
}

func splitSubpath(target string) (path, sub string) {
	if i := strings.IndexByte(target, '#'); i >= 0 {
		return target[:i], target[i:]
	}
	return target, ""
}

// maxEmbedded is how deep embeds may stand in each other's text; each holds the
// text of all within it.
const maxEmbedded = 8

// closeBracket reads the destination that may follow a "]".
func (s *inline) closeBracket() {
	at := s.at
	s.at++
	n := len(s.brackets) - 1
	if n < 0 {
		return
	}
	open := s.brackets[n]
	s.brackets = s.brackets[:n]
	literal := n < s.inactive && !open.embed || open.deep >= maxEmbedded
	s.inactive = min(s.inactive, n)
	if n > 0 { // so deep that it is text, what is around it is too
		s.brackets[n-1].deep = max(s.brackets[n-1].deep, open.deep)
	}
	switch {
	case literal || s.at >= s.end:
	case s.Data[s.at] == '(':
		l, end, ok := destination(s.Data, s.at+1, s.end, &s.noTitle)
		if !ok {
			return
		}
		l.Span, l.Embed = Span{open.at, end}, open.embed
		l.Alias, l.AliasAt = string(s.Data[open.at+1:at]), Span{open.at + 1, at}
		if open.embed {
			l.Start--
		} else {
			s.inactive = n
		}
		if n > 0 {
			s.brackets[n-1].deep = max(s.brackets[n-1].deep, open.deep+1)
		}
		s.Links = append(s.Links, l)
		s.at = end
	case s.Data[s.at] == ':' && s.lineStarts(open.at) && s.Data[open.at+1] != '^':
		l, end, ok := destination(s.Data, s.at+1, s.end, nil)
		if !ok {
			return
		}
		l.Span, l.Kind = Span{open.at, end}, Definition
		s.Links = append(s.Links, l)
		s.at = end
	}
}

// lineStarts says whether only white space stands before an offset in its line.
func (s *inline) lineStarts(at int) bool {
	for at--; at >= 0 && (s.Data[at] == ' ' || s.Data[at] == '\t'); at-- {
	}
	return at < 0 || s.Data[at] == '\n'
}

// maxParens is how deep brackets may nest in a destination, as in CommonMark's
// reference implementations; it keeps the scan linear.
const maxParens = 32

// destination reads a Markdown link's destination and title. One in parentheses
// must end with ")"; noTitle is what is known for those, nil for a definition.
func destination(data []byte, at, end int, noTitle *bool) (l Link, after int, ok bool) {
	l.Kind = Markdown
	i := skipSpace(data, at, end)
	if i < end && data[i] == '<' {
		j := i + 1
		for j < end && data[j] != '>' && data[j] != '\n' && data[j] != '<' {
			j++
		}
		if j >= end || data[j] != '>' {
			return l, 0, false
		}
		l.Angle, l.Target, i = true, Span{i + 1, j}, j+1
	} else {
		j, depth := i, 0
		for ; j < end && !isSpace(data[j]); j++ {
			if data[j] == '\\' && j+1 < end && data[j+1] < 0x80 && !isLetter(data[j+1]) && !isSpace(data[j+1]) {
				j++
				continue
			}
			if data[j] == '(' {
				depth++
			} else if data[j] == ')' {
				depth--
			}
			if depth < 0 || depth > maxParens {
				break
			}
		}
		if depth > 0 {
			return l, 0, false
		}
		l.Target, i = Span{i, min(j, end)}, min(j, end)
	}
	behind := i
	if i, ok = title(data, i, end, noTitle); !ok {
		return l, 0, false
	}
	l.Titled = noTitle != nil && skipSpace(data, behind, end) != i-1
	if l.Target.Empty() && noTitle == nil {
		return l, 0, false
	}
	l.decode(string(l.Target.Of(data)))
	return l, i, true
}

// title skips a link's title and the closing parenthesis. That a title in
// parentheses is not closed is found once: no later one is, either.
func title(data []byte, at, end int, noTitle *bool) (int, bool) {
	i := skipSpace(data, at, end)
	if i > at && i < end && (data[i] == '"' || data[i] == '\'' || data[i] == '(') {
		closer := data[i]
		if closer == '(' {
			closer = ')'
			if noTitle != nil && *noTitle {
				return 0, false
			}
		}
		for i++; i < end && data[i] != closer; i++ {
			if data[i] == '\\' {
				i++
			}
		}
		if i >= end {
			if noTitle != nil && closer == ')' {
				*noTitle = true
			}
			return 0, false
		}
		at = i + 1
		i = skipSpace(data, at, end)
	}
	if noTitle == nil { // a definition fills its line
		return at, blankFrom(data, at, min(lineEnd(data, at), end))
	}
	if i >= end || data[i] != ')' {
		return 0, false
	}
	return i + 1, true
}

func skipSpace(data []byte, i, end int) int {
	for i < end && isSpace(data[i]) {
		i++
	}
	return i
}

// decode sets the parts of a Markdown link's destination.
func (l *Link) decode(dest string) {
	l.External = HasScheme(dest)
	path, sub := splitSubpath(unescape(dest))
	l.Path, l.Subpath = path, sub
	if l.External {
		return
	}
	// A broken encoding is taken as it is written, as the app does.
	if p, err := url.PathUnescape(path); err == nil {
		l.Path = p
	}
	if s, err := url.PathUnescape(sub); err == nil {
		l.Subpath = s
	}
}

// HasScheme says whether a destination is an address ("https:", "mailto:",
// "obsidian:" and so on, RFC 3986 §3.1) and not a path in the vault.
func HasScheme(dest string) bool {
	if strings.HasPrefix(dest, "//") {
		return true
	}
	for i := range len(dest) {
		c := dest[i]
		switch {
		case isLetter(c), i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case c == ':':
			return i > 1
		default:
			return false
		}
	}
	return false
}

// punctuation holds the characters whose meaning a backslash takes (CommonMark 0.31.2 §2.4).
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// unescape takes out Markdown's backslashes before punctuation.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && s[i+1] < 0x80 && strings.IndexByte(punctuation, s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
