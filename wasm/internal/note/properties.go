package note

import (
	"bytes"
	"strings"
)

// Property is one top-level entry of the front matter.
type Property struct {
	Key     string
	KeyAt   Span // the key as written, with its quotes
	ValueAt Span // the value as written: after the colon and white space, up to the end of its last line, without a comment behind it; empty for none
	Span         // the entry's lines, with their last line end
}

// Properties lists the entries of the front matter in order. Lines that belong
// to no entry (comments, blank lines) are in none. Reading stops at a line that
// cannot be YAML of a mapping; ok is false then.
func (d *Doc) Properties() (props []Property, ok bool) {
	data := d.Data
	for at := d.FrontBody.Start; at < d.FrontBody.End; {
		next := lineAfter(data, at, d.FrontBody.End)
		end := trimEOL(data, at, next)
		line := data[at:end]
		if len(bytes.TrimSpace(line)) == 0 || bytes.TrimLeft(line, " \t")[0] == '#' {
			at = next
			continue
		}
		p, good := readKey(data, at, end)
		if !good {
			return props, false
		}
		p.Span = Span{at, d.entryEnd(&p, end, next)}
		props = append(props, p)
		at = p.End
	}
	return props, true
}

func lineAfter(data []byte, at, limit int) int {
	if n := bytes.IndexByte(data[at:limit], '\n'); n >= 0 {
		return at + n + 1
	}
	return limit
}

// readKey reads "key:" at the start of a line.
func readKey(data []byte, at, end int) (Property, bool) {
	p := Property{}
	i := at
	switch c := data[i]; {
	case c == '"' || c == '\'':
		for i++; i < end && data[i] != c; i++ {
			if c == '"' && data[i] == '\\' {
				i++
			}
		}
		i++
		if i > end {
			return p, false
		}
		p.KeyAt = Span{at, i}
		p.Key = unquote(string(data[at+1:i-1]), c)
	case strings.IndexByte(" \t-?[]{},&*!|>%@`#", c) >= 0 && !(c == '-' && i+1 < end && data[i+1] != ' '):
		return p, false
	default:
		for i < end && !(data[i] == ':' && (i+1 == end || data[i+1] == ' ' || data[i+1] == '\t')) {
			i++
		}
		p.KeyAt = trimSpan(data, Span{at, i})
		p.Key = string(p.KeyAt.Of(data))
	}
	for i < end && (data[i] == ' ' || data[i] == '\t') {
		i++
	}
	if i >= end || data[i] != ':' {
		return p, false
	}
	i++
	for i < end && (data[i] == ' ' || data[i] == '\t') {
		i++
	}
	p.ValueAt = Span{i, i}
	return p, true
}

// entryEnd finds the end of an entry and of its value: lines that are indented
// or list items go on with it, as do lines inside quotes and flow brackets.
func (d *Doc) entryEnd(p *Property, end, next int) int {
	data := d.Data
	scan := valueScan{data: data}
	block := p.ValueAt.Start < end && (data[p.ValueAt.Start] == '|' || data[p.ValueAt.Start] == '>')
	valueEnd := end
	if !block {
		valueEnd = scan.line(p.ValueAt.Start, end)
	}
	p.ValueAt.End = max(valueEnd, p.ValueAt.Start)
	last := next
	for at := next; at < d.FrontBody.End; {
		next = lineAfter(data, at, d.FrontBody.End)
		end = trimEOL(data, at, next)
		text := bytes.TrimLeft(data[at:end], " \t")
		switch {
		case len(text) == 0:
			at = next
			continue
		case !scan.open() && !continues(data[at:end]):
			return last
		case !block && !scan.open() && text[0] == '#':
			// A comment belongs to the value only when more of it follows.
			at = next
			continue
		}
		if block {
			valueEnd = end
		} else {
			valueEnd = scan.line(at, end)
		}
		p.ValueAt.End = valueEnd
		at, last = next, next
	}
	return last
}

// continues says whether a line goes on with the entry before it.
func continues(line []byte) bool {
	return line[0] == ' ' || line[0] == '\t' || line[0] == '-' && (len(line) == 1 || line[1] == ' ' || line[1] == '\t')
}

// valueScan follows quotes and flow brackets from line to line.
type valueScan struct {
	data  []byte
	quote byte
	depth int
}

func (s *valueScan) open() bool { return s.quote != 0 || s.depth > 0 }

// line reads one line and gives the end of what is value in it: before a
// comment and trailing white space.
func (s *valueScan) line(at, end int) int {
	fresh := true // a value may start here
	for i := at; i < end; i++ {
		c := s.data[i]
		switch {
		case s.quote != 0:
			if c == '\\' && s.quote == '"' {
				i++
			} else if c == s.quote {
				if c == '\'' && i+1 < end && s.data[i+1] == '\'' {
					i++
				} else {
					s.quote = 0
				}
			}
			fresh = false
		case c == '#' && (i == at || isSpace(s.data[i-1])):
			return trimSpan(s.data, Span{at, i}).End
		case (c == '"' || c == '\'') && fresh:
			s.quote = c
		case (c == '[' || c == '{') && (fresh || s.depth > 0):
			s.depth++
			fresh = true
		case (c == ']' || c == '}') && s.depth > 0:
			s.depth--
		case c == ',' && s.depth > 0, c == ':' && i+1 < end && isSpace(s.data[i+1]),
			c == '-' && fresh && i+1 < end && isSpace(s.data[i+1]):
			fresh = true
		case c != ' ' && c != '\t':
			fresh = false
		}
	}
	return trimSpan(s.data, Span{at, end}).End
}

// Property gives the entry with a key, exactly as written, or nil.
func (d *Doc) Property(key string) *Property {
	props, _ := d.Properties()
	for i := range props {
		if props[i].Key == key {
			return &props[i]
		}
	}
	return nil
}
