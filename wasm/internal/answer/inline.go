package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"embedded-agent/wasm/internal/protocol"
)

// lines reads what stands in the lines of a block.
func (r *reader) lines(s string) []Node {
	in := &inline{reader: r, s: s, next: map[string]int{}}
	for in.at < len(s) {
		if r.left <= len(in.pieces) {
			in.literal(len(s)) // past the limit: as it was written
			break
		}
		in.step()
	}
	in.flush()
	return r.resolve(in.pieces)
}

// inline is the scan of one block's lines. It goes forward only, and what is
// searched ahead is searched once (find), so that it is linear.
type inline struct {
	*reader
	s        string
	at       int
	text     strings.Builder // text that is gathered
	pieces   []piece
	brackets []bracket
	around   [2]int         // how many of the brackets stand around a link, or an image, and cannot be one
	next     map[string]int // where a string is found next, from the last search on
	ticks    map[int][]int  // where runs of backticks begin, by their length
}

// piece is a node, or a run of delimiters of emphasis.
type piece struct {
	node        Node
	delim       byte // 0: a node
	count       int
	open, close bool
}

// bracket is an open "[" or "![".
type bracket struct {
	piece int // of the bracket itself
	at    int // of what follows it
	image bool
}

func (in *inline) step() {
	switch c := in.s[in.at]; c {
	case '\\':
		in.escape()
	case '\n':
		in.newline()
	case '`':
		in.code()
	case '*', '_', '~', '=':
		in.delimiters(c)
	case '%':
		in.between("%%", "unseen", true)
	case '$':
		in.formula()
	case '<':
		in.angle()
	case '&':
		in.entity()
	case '!':
		if strings.HasPrefix(in.s[in.at:], "![") {
			in.open(true)
			return
		}
		in.literal(in.at + 1)
	case '[':
		in.open(false)
	case ']':
		in.shut()
	case 'h', 'o':
		in.bare()
	case '^':
		in.caret()
	default:
		in.literal(in.at + 1)
	}
}

// literal takes the text up to an offset.
func (in *inline) literal(to int) {
	in.text.WriteString(in.s[in.at:to])
	in.at = to
}

// flush makes a piece of the text that was gathered.
func (in *inline) flush() {
	if in.text.Len() > 0 {
		for _, n := range in.marked(in.text.String()) {
			in.pieces = append(in.pieces, piece{node: n})
		}
		in.text.Reset()
	}
}

func (in *inline) add(n ...Node) {
	in.flush()
	for _, n := range n {
		in.pieces = append(in.pieces, piece{node: n})
	}
}

// find gives where a string stands at or after an offset, or -1. Offsets must
// not go back much: what was found once is remembered.
func (in *inline) find(what string, from int) int {
	at, known := in.next[what]
	if !known || at >= 0 && at < from {
		at = strings.Index(in.s[min(from, len(in.s)):], what)
		if at >= 0 {
			at += from
		}
		in.next[what] = at
	}
	return at
}

func (in *inline) escape() {
	after := in.at + 1
	switch {
	case after < len(in.s) && in.s[after] == '\n':
		in.at = after + 1
		in.add(Node{Kind: "break"})
	case after < len(in.s) && isPunct(in.s[after]):
		in.at = after
		in.literal(after + 1)
	default:
		in.literal(after)
	}
}

// newline is a break after two spaces, and a line's end otherwise, which
// Obsidian draws as it is.
func (in *inline) newline() {
	in.at++
	gathered := strings.TrimRight(in.text.String(), " \t")
	in.text.Reset()
	in.text.WriteString(gathered)
	in.add(Node{Kind: "break"})
}

// code reads a code span, up to a run of as many backticks.
func (in *inline) code() {
	n := runOf(in.s[in.at:], '`')
	if in.ticks == nil {
		in.ticks = map[int][]int{}
		for i := in.at; i < len(in.s); i++ {
			if k := runOf(in.s[i:], '`'); k > 0 {
				in.ticks[k] = append(in.ticks[k], i)
				i += k
			}
		}
	}
	runs := in.ticks[n]
	for len(runs) > 0 && runs[0] <= in.at {
		runs = runs[1:]
	}
	in.ticks[n] = runs
	if len(runs) == 0 {
		in.literal(in.at + n)
		return
	}
	end := runs[0]
	s := strings.ReplaceAll(in.s[in.at+n:end], "\n", " ")
	if len(s) > 2 && s[0] == ' ' && s[len(s)-1] == ' ' && strings.Trim(s, " ") != "" {
		s = s[1 : len(s)-1]
	}
	in.at = end + n
	in.add(literal("verbatim", s))
}

// between reads from a mark to its next; without one, to the end (toEnd), or the
// mark is text.
func (in *inline) between(mark string, kind protocol.ReplyKind, toEnd bool) {
	if !strings.HasPrefix(in.s[in.at:], mark) {
		in.literal(in.at + 1)
		return
	}
	end := in.find(mark, in.at+len(mark))
	switch {
	case end >= 0:
		end += len(mark)
	case toEnd:
		end = len(in.s)
	default:
		in.literal(in.at + len(mark))
		return
	}
	n := literal(kind, in.s[in.at:end])
	in.at = end
	in.add(n)
}

// formula reads "$…$" as Obsidian has it: no space inside its dollars, no digit
// after the last.
func (in *inline) formula() {
	if strings.HasPrefix(in.s[in.at:], "$$") {
		in.between("$$", "formula", false)
		return
	}
	end := in.find("$", in.at+1)
	inside := end > in.at+1 && !isSpace(in.s[in.at+1]) && !isSpace(in.s[end-1]) && in.s[end-1] != '\\'
	if !inside || end+1 < len(in.s) && in.s[end+1] >= '0' && in.s[end+1] <= '9' {
		in.literal(in.at + 1)
		return
	}
	n := literal("formula", in.s[in.at:end+1])
	in.at = end + 1
	in.add(n)
}

// angle reads an address in "<…>", or raw HTML, which is drawn as it was
// written.
func (in *inline) angle() {
	rest := in.s[in.at:]
	if strings.HasPrefix(rest, "<!--") {
		end := in.find("-->", in.at+2)
		if end < 0 {
			end = len(in.s) - 3
		}
		n := literal("unseen", in.s[in.at:max(end+3, in.at+4)])
		in.at = max(end+3, in.at+4)
		in.add(n)
		return
	}
	end := in.find(">", in.at+1)
	if end < 0 || len(rest) < 2 || !isLetter(rest[1]) && !strings.ContainsRune("/!?", rune(rest[1])) {
		in.literal(in.at + 1)
		return
	}
	inner := in.s[in.at+1 : end]
	if n, ok := in.follow(inner); ok && n.Kind == "link" && !strings.ContainsAny(inner, " \n") {
		n.Kids, n.Where, n.Ask = in.marked(inner), "", n.Ask && strings.HasPrefix(n.To, "obsidian:")
		in.at = end + 1
		in.add(n)
		return
	}
	n := literal("unseen", in.s[in.at:end+1])
	in.at = end + 1
	in.add(n)
}

// bare reads an address that stands by itself.
func (in *inline) bare() {
	rest := in.s[in.at:]
	before, _ := utf8.DecodeLastRuneInString(in.s[:in.at])
	scheme := false
	for _, s := range []string{"http://", "https://", "obsidian://"} {
		scheme = scheme || strings.HasPrefix(rest, s)
	}
	if !scheme || in.at > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
		in.literal(in.at + 1)
		return
	}
	end, depth := 0, 0
	for i, c := range rest {
		if unicode.IsSpace(c) || c == '<' || c == '>' || c == '`' || c == '"' || c == '|' || c == ']' || c == '*' || c > 0x7f && !unicode.IsLetter(c) && !unicode.IsMark(c) && !unicode.IsDigit(c) {
			break
		}
		if c == '(' {
			depth++
		} else if c == ')' {
			if depth--; depth < 0 {
				break
			}
		}
		if !strings.ContainsRune(".,:;!?'", c) {
			end = i + utf8.RuneLen(c)
		}
	}
	n, ok := in.follow(rest[:end])
	if !ok || n.Kind != "link" {
		in.literal(in.at + max(end, 1))
		return
	}
	n.Kids, n.Where, n.Ask = []Node{{Kind: "text", Text: rest[:end]}}, "", n.Ask && strings.HasPrefix(n.To, "obsidian:")
	in.at += end
	in.add(n)
}

// delimiters reads a run of marks of emphasis, and whether it can open or close.
func (in *inline) delimiters(c byte) {
	n := runOf(in.s[in.at:], c)
	if (c == '~' || c == '=') && n != 2 || n > maxRun {
		in.literal(in.at + n)
		return
	}
	before, _ := utf8.DecodeLastRuneInString(in.s[:in.at])
	after, _ := utf8.DecodeRuneInString(in.s[in.at+n:])
	if in.at == 0 {
		before = ' '
	}
	if in.at+n == len(in.s) {
		after = ' '
	}
	left := !unicode.IsSpace(after) && (!punct(after) || unicode.IsSpace(before) || punct(before))
	right := !unicode.IsSpace(before) && (!punct(before) || unicode.IsSpace(after) || punct(after))
	p := piece{delim: c, count: n, open: left, close: right}
	if c == '_' {
		p.open, p.close = left && (!right || punct(before)), right && (!left || punct(after))
	}
	in.flush()
	in.pieces = append(in.pieces, p)
	in.at += n
}

func punct(c rune) bool { return unicode.IsPunct(c) || unicode.IsSymbol(c) }

func runOf(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isLetter(c) && (c < '0' || c > '9')
}
