package note

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// inline is the scan of one paragraph for links, tags, block ids and what is
// no text. Every closer is searched at most once in vain, so that the scan is
// linear.
type inline struct {
	*scanner
	at, end  int
	brackets []bracket
	// A link holds no link: of the first so many brackets, those that are no
	// embed's cannot become one any more.
	inactive int
	lastTick map[int]int // where the last run of that many backticks begins; nil when not known
	noDollar bool
	noTitle  bool // no ")" ahead that could end a title
	wikiEnd  int  // where the next "]]" of the present line is; -1 when not known
	wikiLine int  // no "]]" before this offset
	line     Span // the line that was looked at last, from where it was asked for
}

// bracket is an open "[".
type bracket struct {
	at    int
	embed bool
	deep  int // how many embeds deep its text is
}

// lineEnd gives the end of the line that an offset is in. It is asked for places
// in ascending order, and looks for each line's end once.
func (s *inline) lineEnd(at int) int {
	if at < s.line.Start || at > s.line.End || s.line.End == 0 {
		s.line = Span{at, lineEnd(s.Data, at)}
	}
	return min(s.line.End, s.end)
}

func (p *scanner) inline(start, end int) {
	s := inline{scanner: p, at: start, end: end}
	for s.at < s.end {
		if !special[p.Data[s.at]] {
			s.at++
			continue
		}
		s.step(start)
	}
	if s.at > end {
		p.resume = s.at
	}
}

// special are the bytes that may start a mark; all others are passed over.
var special = func() (t [256]bool) {
	for _, c := range []byte("\\`$%<[]#^") {
		t[c] = true
	}
	return t
}()

func (s *inline) step(start int) {
	d := s.Data
	switch d[s.at] {
	case '\\':
		s.at += 2
		s.at = min(s.at, s.end)
	case '`':
		s.code()
	case '$':
		s.math()
	case '%':
		if s.at+1 < s.end && d[s.at+1] == '%' {
			s.beyond("%%", &s.noComment, true)
			return
		}
		s.at++
	case '<':
		s.angle()
	case '[':
		s.openBracket(start)
	case ']':
		s.closeBracket()
	case '#':
		s.tag(start)
	case '^':
		s.blockID(start)
	default:
		s.at++
	}
}

// code skips a code span; a run of backticks without a partner is text.
func (s *inline) code() {
	n := runOf(s.Data[s.at:s.end], '`')
	if s.lastTick == nil {
		s.findTicks()
	}
	if s.lastTick[n] > s.at {
		for i := s.at + n; ; {
			i += bytes.IndexByte(s.Data[i:s.end], '`')
			k := runOf(s.Data[i:s.end], '`')
			i += k
			if k == n {
				s.opaque(s.at, i)
				s.at = i
				return
			}
		}
	}
	s.at += n
}

// findTicks notes where the last run of backticks of each length begins, so that
// none is looked for in vain.
func (s *inline) findTicks() {
	s.lastTick = map[int]int{}
	for i := s.at; i < s.end; {
		j := bytes.IndexByte(s.Data[i:s.end], '`')
		if j < 0 {
			return
		}
		i += j
		k := runOf(s.Data[i:s.end], '`')
		s.lastTick[k] = i
		i += k
	}
}

func runOf(d []byte, c byte) int {
	n := 0
	for n < len(d) && d[n] == c {
		n++
	}
	return n
}

// math skips "$$…$$", which may span paragraphs, and "$…$" within one: no space
// inside its dollars, no digit after the closing one.
func (s *inline) math() {
	if s.at+1 < s.end && s.Data[s.at+1] == '$' {
		s.beyond("$$", &s.noMath, false)
		return
	}
	open := s.at
	s.at++
	if s.noDollar || s.at >= s.end || isSpace(s.Data[s.at]) {
		return
	}
	for i := s.at; i < s.end; i++ {
		switch c := s.Data[i]; {
		case c == '\\':
			i++
		case c == '$' && !isSpace(s.Data[i-1]) && (i+1 >= len(s.Data) || s.Data[i+1] < '0' || s.Data[i+1] > '9'):
			s.opaque(open, i+1)
			s.at = i + 1
			return
		}
	}
	s.noDollar = true
}

// beyond skips from a mark to its next occurrence anywhere in the note. Without
// one, the rest of the note is skipped (toEnd) or the mark is text.
func (s *inline) beyond(mark string, none *bool, toEnd bool) {
	open := s.at
	s.at += len(mark)
	n := -1
	if !*none {
		n = bytes.Index(s.Data[s.at:], []byte(mark))
	}
	switch {
	case n >= 0:
		s.at += n + len(mark)
	case toEnd:
		s.at = len(s.Data)
	default:
		*none = true
		return
	}
	s.opaque(open, s.at)
}

// angle skips HTML comments, tags and autolinks.
func (s *inline) angle() {
	d := s.Data
	rest := d[s.at:s.end]
	if bytes.HasPrefix(rest, []byte("<!--")) {
		open := s.at
		n := bytes.Index(d[s.at:], []byte("-->"))
		if n < 0 {
			s.at = len(d)
		} else {
			s.at += n + 3
		}
		s.opaque(open, s.at)
		return
	}
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '>' && i > 1:
			s.htmlLinks(Span{s.at, s.at + i + 1})
			s.opaque(s.at, s.at+i+1)
			s.at += i + 1
			return
		case c == '[', c == '<', c == '\n', i == 1 && !isLetter(c) && c != '/':
			if n := OpenTag(rest); n > 0 { // the app finds links in it
				s.htmlLinks(Span{s.at, s.at + n})
			}
			s.at++
			return
		}
	}
	s.at++
}

// tag reads "#name": after white space, of letters, digits, "_", "-", "/" and
// other signs that are no punctuation, with at least one that is no digit.
func (s *inline) tag(start int) {
	at := s.at
	s.at++
	if at > start && !isSpace(s.Data[at-1]) {
		return
	}
	digits := true
	i := s.at
	for i < s.end {
		r, n := utf8.DecodeRune(s.Data[i:s.end])
		if !TagRune(r) || r == utf8.RuneError && n == 1 {
			break
		}
		digits = digits && r >= '0' && r <= '9'
		i += n
	}
	if i == s.at || digits {
		return
	}
	s.Tags = append(s.Tags, Tag{Span{at, i}, string(s.Data[at+1 : i])})
	s.at = i
}

// TagRune says whether a tag can hold a character: no white space and no
// punctuation but "_", "-" and "/".
func TagRune(r rune) bool {
	switch {
	case r == '_' || r == '-' || r == '/':
		return true
	case r < utf8.RuneSelf:
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	case r == '\u200d' || r == '\ufe0f': // joins and colours emoji
		return true
	case r >= 0x2000 && r <= 0x206f, r >= 0x2e00 && r <= 0x2e7f, unicode.IsSpace(r):
		return false
	}
	return !unicode.IsControl(r)
}

// blockID reads " ^id" at the end of a line.
func (s *inline) blockID(start int) {
	at := s.at
	s.at++
	if at > start && !isSpace(s.Data[at-1]) {
		return
	}
	i := s.at
	for i < s.end && (isLetter(s.Data[i]) || s.Data[i] >= '0' && s.Data[i] <= '9' || s.Data[i] == '-') {
		i++
	}
	if i == s.at {
		return
	}
	if !blankFrom(s.Data, i, s.lineEnd(at)) {
		return
	}
	s.Blocks = append(s.Blocks, Block{Span{at, i}, string(s.Data[at+1 : i])})
	s.at = i
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func runeLen(d []byte) int {
	if len(d) == 0 {
		return 0
	}
	_, n := utf8.DecodeRune(d)
	return n
}
