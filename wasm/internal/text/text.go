package text

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Is says whether bytes are text: UTF-8, whatever characters it holds.
func Is(b []byte) bool { return utf8.Valid(b) }

// Place is where a character stands: line and column from 1, the column in
// characters.
type Place struct {
	Line, Column int
	Label        string // how the character is marked
}

// NotWritten finds the first control character that after has more of than
// before: none that a text file has use for is written by a tool that writes
// text. What a note holds already may stay in it.
func NotWritten(before, after []byte) (Place, bool) {
	var had [256]int
	odd := false
	for _, c := range after {
		if control(c) {
			odd = true
			had[c]--
		}
	}
	if !odd {
		return Place{}, false
	}
	for _, c := range before {
		if control(c) {
			had[c]++
		}
	}
	// Which of several equal characters is the new one cannot be known where
	// lines moved: the first is named that is beyond what the two texts share.
	from := CommonPrefix(string(before), string(after))
	for _, start := range []int{from, 0} {
		for i := start; i < len(after); i++ {
			if c := after[i]; control(c) && had[c] < 0 {
				return placeOf(after, i), true
			}
		}
	}
	return Place{}, false
}

// control says whether a byte is a control character that no text file has use
// for: C0 but tab, line feed, form feed and carriage return, and DEL.
func control(c byte) bool {
	return c < 0x20 && c != '\t' && c != '\n' && c != '\f' && c != '\r' || c == 0x7f
}

func placeOf(b []byte, at int) Place {
	line := bytes.LastIndexByte(b[:at], '\n') + 1
	return Place{
		Line: bytes.Count(b[:at], []byte{'\n'}) + 1, Column: utf8.RuneCount(b[line:at]) + 1,
		Label: Label(rune(b[at])),
	}
}

// Visible gives a text with its marks written out, for where no other drawing
// is possible. Line feeds and tabs stay.
func Visible(s string) string { return drawn(s, Marks(s)) }

// Line gives a text on one line: Visible, with line ends and tabs as marks.
func Line(s string) string {
	s = Visible(s)
	if strings.ContainsAny(s, "\r\n\t") {
		s = lineEnds.Replace(s)
	}
	return s
}

var lineEnds = strings.NewReplacer("\r", Open+"CR"+Close, "\n", Open+"LF"+Close, "\t", Open+"TAB"+Close)

// Open and Close stand around a mark that is written out.
const (
	Open  = "⟨"
	Close = "⟩"
)

func drawn(s string, marks []Mark) string {
	if len(marks) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, m := range marks {
		b.WriteString(s[at:m.Start])
		if m.Keep {
			b.WriteString(s[m.Start:m.End])
		}
		b.WriteString(Open + m.Label + Close)
		at = m.End
	}
	b.WriteString(s[at:])
	return b.String()
}
