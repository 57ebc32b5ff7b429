package webpage

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// writer writes Markdown: words with single spaces between, lines with the
// prefixes of quotes and lists, blocks with blank lines between.
type writer struct {
	out      strings.Builder
	prefixes []string
	pending  []string // marks that wait for text
	newlines int      // line ends that wait for text
	space    bool     // a space that waits for text
	atStart  bool     // nothing is on the line
	fresh    bool     // no word follows the line's marker
	pre      int      // inside of preformatted text
	written  int      // pieces of text so far
}

// maxPrefixes bounds how deep lists and quotes are drawn: deeper ones stand as
// deep as these, or every line of a hostile page would begin with all of them.
const maxPrefixes = 20

func (w *writer) push(prefix string) {
	if len(w.prefixes) >= maxPrefixes {
		prefix = ""
	}
	w.prefixes = append(w.prefixes, prefix)
}

func (w *writer) pop() { w.prefixes = w.prefixes[:len(w.prefixes)-1] }

// gap asks for so many line ends before the next text.
func (w *writer) gap(n int) {
	w.space = false
	if w.out.Len() == 0 || w.fresh && n < 2 {
		return
	}
	if w.fresh { // an item's first block stands beside its marker
		return
	}
	w.newlines = max(w.newlines, n)
}

// newline ends the line at once.
func (w *writer) newline() {
	w.out.WriteByte('\n')
	w.atStart, w.space = true, false
}

// lineBreak ends the line inside of a paragraph.
func (w *writer) lineBreak() {
	if w.pre > 0 {
		w.newline()
		return
	}
	w.gap(1)
}

// settle writes the line ends that wait, and the prefix of the line.
func (w *writer) settle() {
	for ; w.newlines > 0; w.newlines-- {
		if w.newlines == 1 {
			w.out.WriteByte('\n')
		} else {
			w.out.WriteString("\n" + strings.TrimRight(strings.Join(w.prefixes, ""), " "))
		}
		w.atStart, w.space = true, false
	}
	if w.atStart || w.out.Len() == 0 {
		w.out.WriteString(strings.Join(w.prefixes, ""))
		w.atStart = false
	}
}

// write writes markup as it is.
func (w *writer) write(s string) {
	w.settle()
	w.out.WriteString(s)
}

// pend lets a mark wait for the text that it stands before.
func (w *writer) pend(mark string) { w.pending = append(w.pending, mark) }

// word writes a piece of text with the space and the marks that wait for it.
func (w *writer) word(s string) {
	w.settle()
	if w.space && !w.fresh && !w.pendingHeading() {
		w.out.WriteByte(' ')
	}
	w.space = false
	for _, mark := range w.pending {
		w.out.WriteString(mark)
	}
	w.pending = w.pending[:0]
	w.out.WriteString(s)
	w.fresh = false
	w.written++
}

func (w *writer) pendingHeading() bool {
	return len(w.pending) > 0 && w.pending[0][0] == '#'
}

// drop forgets a mark that no text followed.
func (w *writer) drop(mark string, opened int) bool {
	if w.written == opened && len(w.pending) > 0 && w.pending[len(w.pending)-1] == mark {
		w.pending = w.pending[:len(w.pending)-1]
		return true
	}
	return false
}

// closeMark writes what ends a mark, right behind the last word.
func (w *writer) closeMark(mark, closing string, opened int) {
	if w.drop(mark, opened) || w.written == opened {
		return
	}
	if w.newlines > 0 { // the mark reaches over a block: it ends with the line
		n := w.newlines
		w.newlines = 0
		w.out.WriteString(closing)
		w.newlines = n
		return
	}
	w.out.WriteString(closing)
}

// text writes text: outside of preformatted text white space is one space.
func (w *writer) text(s string, inCell bool) {
	if w.pre > 0 {
		w.preformatted(s)
		return
	}
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if unicode.IsSpace(r) && r != '\u00a0' {
			w.space = true
			s = s[size:]
			continue
		}
		end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' })
		if end < 0 {
			end = len(s)
		}
		word := escapeInline(strings.ReplaceAll(s[:end], "\u00a0", " "))
		if inCell {
			word = strings.ReplaceAll(word, "|", `\|`)
		}
		if w.startsLine() {
			word = escapeStart(word)
		}
		w.word(word)
		s = s[end:]
	}
}

func (w *writer) startsLine() bool {
	return w.out.Len() == 0 || w.newlines > 0 || w.atStart || w.fresh
}

func (w *writer) preformatted(s string) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			w.newline()
		}
		if line != "" {
			w.settle()
			w.out.WriteString(line)
			w.written++
		}
	}
}

// escapeInline keeps characters from being Markdown.
func escapeInline(s string) string {
	if !strings.ContainsAny(s, "\\`*[]<_~") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case strings.IndexByte("\\`*[]<", c) >= 0,
			c == '_' && (i == 0 || i == len(s)-1), // inside of a word it is a letter
			c == '~' && i+1 < len(s) && s[i+1] == '~':
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// escapeStart keeps the first word of a line from being a heading, a quote or an
// item.
func escapeStart(word string) string {
	switch {
	case strings.HasPrefix(word, "#"), strings.HasPrefix(word, ">"), word == "-", word == "+",
		strings.Trim(word, "-") == "" && len(word) > 2, strings.Trim(word, "=") == "":
		return `\` + word
	}
	digits := strings.TrimLeft(word, "0123456789")
	if len(digits) == 1 && len(word) > 1 && (digits == "." || digits == ")") {
		return word[:len(word)-1] + `\` + digits
	}
	return word
}
