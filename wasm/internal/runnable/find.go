package runnable

import (
	"encoding/json"
	"slices"
	"strings"
)

// Find gives what may run or load in a file, in the order of its lines.
func Find(path string, data []byte) []Found {
	s := newScan(string(data))
	ext := extension(path)
	if programs[ext] {
		s.out = append(s.out, Found{Kind: Program, What: "." + ext})
	}
	s.all()
	if ext == "canvas" {
		s.canvas(data)
	}
	slices.SortStableFunc(s.out, func(a, b Found) int { return a.Line - b.Line })
	return s.out
}

// scan is the search through one text.
type scan struct {
	text  string
	out   []Found
	lines int // the line of at
	at    int

	labels map[string]string // of reference definitions that lead elsewhere: their host
	images []reference       // pictures by reference

	left int // bytes that may still be looked at
}

// newScan begins a search. What it may look at is bounded by the text's length.
func newScan(t string) *scan {
	t = strings.ReplaceAll(t, "\r\n", "\n")
	return &scan{text: t, lines: 1, left: 1<<20 + 40*len(t)}
}

// over says whether the search has to end: it has found enough, or the text was
// made to be searched for ever.
func (s *scan) over() bool { return len(s.out) >= Most || s.left < 0 }

type reference struct {
	label string
	at    int
}

func (s *scan) all() {
	if !strings.ContainsAny(s.text, "<`~[") && !strings.Contains(s.text, "{{") && indexFold(s.text, "obsidian:") < 0 {
		return
	}
	s.fences()
	s.templates()
	s.spans()
	s.macros()
	s.html()
	s.destinations()
	s.bare()
	if s.over() { // what was not looked at may hold anything
		s.out = append(s.out, Found{Kind: Page, What: "?", Line: 1, content: s.text})
	}
}

// add notes a place; end is where what belongs to it ends.
func (s *scan) add(kind Kind, what string, at, end int) {
	s.left -= end - at
	if s.over() {
		return
	}
	if at < s.at { // each search begins anew
		s.at, s.lines = 0, 1
	}
	s.lines += lineCount(s.text[s.at:at])
	s.at = at
	s.out = append(s.out, Found{Kind: kind, What: what, Line: s.lines, around: s.around(at), content: s.text[at:end]})
}

// lineCount counts line ends: \n, \r\n and \r alone.
func lineCount(t string) int {
	n := strings.Count(t, "\n")
	for i := strings.IndexByte(t, '\r'); i >= 0 && i < len(t); {
		if i+1 >= len(t) || t[i+1] != '\n' {
			n++
		}
		next := strings.IndexByte(t[i+1:], '\r')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return n
}

// around says what a place stands in: a comment, whose end or beginning may be
// what a write takes away. It makes the place another one then.
func (s *scan) around(at int) string {
	before := s.text[max(0, at-maxAround):at]
	in := ""
	if strings.LastIndex(before, "<!--") > strings.LastIndex(before, "-->") {
		in += "<!--"
	}
	if strings.Count(before, "%%")%2 == 1 {
		in += "%%"
	}
	return in
}

// maxAround bounds how far back the beginning of a comment is looked for, so
// that a text of many places costs no square of its length.
const maxAround = 16 << 10

// templates finds Templater's commands, which run wherever they stand.
func (s *scan) templates() {
	for at := 0; ; {
		i := strings.Index(s.text[at:], "<%")
		if i < 0 || s.over() {
			return
		}
		begin := at + i
		at = closing(s.text, begin+2, "%>")
		s.add(Code, "Templater", begin, at)
	}
}

// macros finds what QuickAdd runs in a template.
func (s *scan) macros() {
	for at := 0; ; {
		i := strings.Index(s.text[at:], "{{")
		if i < 0 || s.over() {
			return
		}
		begin := at + i
		at = begin + 2
		if rest := strings.TrimLeft(s.text[at:], " \t"); hasPrefixFold(rest, "macro:") {
			s.add(Code, "QuickAdd", begin, closing(s.text, at, "}}"))
		}
	}
}

// closing gives the end of what ends with a word, or of the text.
func closing(t string, from int, word string) int {
	if i := strings.Index(t[from:], word); i >= 0 {
		return from + i + len(word)
	}
	return len(t)
}

// canvas looks into the cards of a canvas: their texts are Markdown in JSON, and
// its web pages are loaded.
func (s *scan) canvas(data []byte) {
	var whole any
	if json.Unmarshal(data, &whole) != nil {
		return // no canvas that the app opens
	}
	var walk func(key string, v any, depth int)
	walk = func(key string, v any, depth int) {
		switch v := v.(type) {
		case string:
			if host, away := remote(v); key == "url" && away {
				s.out = append(s.out, Found{Kind: Load, What: host, Line: 1, content: v})
			}
			card := newScan(v)
			card.all()
			for _, f := range card.out {
				f.Line = 1 // a canvas is one line, mostly
				s.out = append(s.out, f)
			}
		case []any:
			for _, x := range v {
				walk(key, x, depth+1)
			}
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				walk(k, v[k], depth+1)
			}
		}
	}
	walk("", whole, 0)
	if len(s.out) > Most {
		s.out = s.out[:Most]
	}
}

func hasPrefixFold(t, prefix string) bool {
	return len(t) >= len(prefix) && strings.EqualFold(t[:len(prefix)], prefix)
}

// indexFold finds a word of ASCII letters, in any case.
func indexFold(t, word string) int {
	for i := 0; i+len(word) <= len(t); i++ {
		if t[i]|0x20 == word[0]|0x20 && hasPrefixFold(t[i:], word) {
			return i
		}
	}
	return -1
}
