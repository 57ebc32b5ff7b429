package note

import (
	"bytes"
	"strings"
)

// joins says whether a text that is put below a line would be read as part of
// what stands there: words below a quote, a list or a table belong to it
// (CommonMark's lazy continuation), a row of dashes below words makes them a
// heading, and a table does not begin below words. A blank line keeps them apart.
// Words below words are lines of one paragraph, which is what is wanted of them;
// so are indented words below a list, and the next item, row or quoted line.
func joins(above []byte, below string) bool {
	above = bytes.TrimPrefix(above, []byte(BOM))
	line := above[bytes.LastIndexByte(above, '\n')+1:]
	kind, next := kindOf(line), kindOf([]byte(below))
	switch {
	case kind == blankLine || next == blankLine || next == otherLine || kind == otherLine:
		return false
	case next == underline:
		return kind == words && !inItem(above)
	case next == tableRow:
		return kind != tableRow && kind != underline
	case next != words:
		return false
	case kind == words:
		return inItem(above) && below[0] != ' ' && below[0] != '\t'
	case kind == listItem:
		return below[0] != ' ' && below[0] != '\t'
	}
	return kind == quoted || kind == tableRow
}

// lineKind says how a line begins, by its first characters.
type lineKind uint8

const (
	blankLine lineKind = iota
	words
	listItem
	quoted
	tableRow
	underline // of dashes or equals signs alone
	otherLine // begins a block that nothing joins: a heading, code
)

// kindOf gives the kind of a text's first line.
func kindOf(text []byte) lineKind {
	end := lineEnd(text, 0)
	at := prefix(text, 0, end).text
	for i := 0; i < at; i++ {
		if text[i] == '>' {
			return quoted
		}
	}
	if at >= end {
		return blankLine
	}
	line := bytes.TrimRight(text[at:end], " \t")
	if strings.Trim(string(line), "-") == "" || strings.Trim(string(line), "=") == "" {
		return underline
	}
	if _, _, ok := marker(text, at, end); ok {
		return listItem
	}
	if _, n := fenceMark(text, at, end); n > 0 || atxLevel(text, at, end) > 0 {
		return otherLine
	}
	if text[at] == '|' {
		return tableRow
	}
	return words
}

// inItem says whether the words at the end of a text are those of a list item:
// an indented line, or one without a blank line between, below the item's own.
func inItem(text []byte) bool {
	for {
		start := bytes.LastIndexByte(text, '\n') + 1
		switch kindOf(text[start:]) {
		case listItem:
			return true
		case words:
		default:
			return false
		}
		if start == 0 {
			return false
		}
		text = text[:trimEOL(text, 0, start)]
	}
}
