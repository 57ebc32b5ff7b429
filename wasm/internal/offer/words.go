package offer

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
)

//go:embed words.txt
var wordsText string

// Kind is a kind of model that is told of tools.
type Kind byte

// The kinds: a model that plans, one that calls tools one by one, and one with a small window that plans.
const (
	Planning Kind = 'P'
	Acting   Kind = 'A'
	Compact  Kind = 'C'
)

// words are a tool's line of words.txt.
type words struct {
	marks string
	// brief tells in a few words what the tool does; "" where its name tells it.
	brief string
	// asked are the ways to ask for it, each a list of stems that all must be there.
	asked [][]string
}

// book is words.txt by the names of the tools.
var book = sync.OnceValue(func() map[string]words {
	out := map[string]words{}
	for line := range strings.SplitSeq(wordsText, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		head, rest, _ := strings.Cut(line, " |")
		brief, asked, _ := strings.Cut(rest, "|")
		marks, name, _ := strings.Cut(head, " ")
		w := words{marks: marks, brief: strings.TrimSpace(brief)}
		for _, way := range strings.Fields(asked) {
			w.asked = append(w.asked, strings.Split(way, "+"))
		}
		out[name] = w
	}
	return out
})

// Core says whether a kind of model is told of a tool in full, whatever the request.
func Core(name string, k Kind) bool { return strings.IndexByte(book()[name].marks, byte(k)) >= 0 }

// maxBrief bounds a line of a tool that words.txt does not know, in bytes.
const maxBrief = 60

// Brief gives what a tool does in a few words: those of words.txt, or the beginning of its description.
func Brief(name, description string) string {
	if w, ok := book()[name]; ok {
		return w.brief
	}
	first := brief(description)
	if s := sentences(first); len(s) > 0 {
		first = strings.TrimSuffix(s[0], ".")
	}
	if len(first) <= maxBrief {
		return first
	}
	const end = " …"
	first = first[:maxBrief-len(end)]
	if at := strings.LastIndexByte(first, ' '); at > 0 {
		first = first[:at]
	}
	return strings.ToValidUTF8(first, "") + end
}

// Asked has the parts of a request that tell what it is about.
type Asked struct {
	Words     string // the person's, in any language
	Selection string
	// Open has the signs of the note that is open, by Opened.
	Open string
}

// Bounds of what is told in full for one request: tools, bytes, and the bytes of one line, beyond which a tool is told
// in short.
const (
	maxChosen = 6
	maxBytes  = 860
	maxSmall  = 350 // bytes, for a small window
	maxLine   = 450
	maxOpen   = 3 // tools that nothing but the open note speaks for
)

// Chosen is a tool that is told for one request, and the line that tells it.
type Chosen struct{ Name, Line string }

// Choose gives those of the tools that are not core that a request seems to be about, the likeliest first: by the
// stems of words.txt that are in the person's words, by signs in the selection, and last by what the open note holds.
// small tells each in short.
func Choose(others []*tool.Entry, asked Asked, small bool) []Chosen {
	type found struct {
		e     *tool.Entry
		score int
	}
	said := asked.Words + signs(asked.Selection)
	text := strings.ToLower(said)
	var all []found
	for _, e := range others {
		score := 0
		if strings.Contains(said, e.Name) {
			score = 1000
		}
		for _, way := range book()[e.Name].asked {
			if within(text, asked.Open, way) {
				score = max(score, weight(way)) + 1 // each more says a little
			}
		}
		if score > 0 {
			all = append(all, found{e, score})
		}
	}
	sorting.StableFunc(all, func(a, b found) int { return b.score - a.score })
	var out []Chosen
	size, most, open := 0, maxBytes, 0
	if small {
		most = maxSmall
	}
	for _, f := range all {
		line := Line(f.e)
		unasked := f.score < asks // what is only likely costs little
		if small || unasked || len(line) > maxLine || size+len(line) > most {
			line = ShortLine(f.e)
		}
		if len(out) == maxChosen || size+len(line) > most || unasked && open == maxOpen {
			continue
		}
		if unasked {
			open++
		}
		size += len(line)
		out = append(out, Chosen{f.e.Name, line})
	}
	return out
}

// asks is the weight of a stem that the person's words or the selection have. A sign of the open note alone weighs less
// than any of them.
const asks = 100

func weight(way []string) int {
	n := 0
	for _, stem := range way {
		if !ofOpen(stem) {
			n += asks
		}
	}
	return n
}

// within says whether every stem of a way to ask is in a text in small letters, or is a sign of the open note.
func within(text, open string, way []string) bool {
	for _, stem := range way {
		in := text
		if ofOpen(stem) {
			in = open
		}
		if !begins(in, stem) {
			return false
		}
	}
	return true
}

// ofOpen says whether a stem is a sign of the open note.
func ofOpen(stem string) bool { return strings.HasPrefix(stem, "^open") }

// begins says whether a word of the text begins with a stem. Chinese has no spaces: there, and for signs, any place
// will do.
func begins(text, stem string) bool {
	first, _ := utf8.DecodeRuneInString(stem)
	anywhere := unicode.Is(unicode.Han, first) || !unicode.IsLetter(first)
	for from := 0; ; {
		at := strings.Index(text[from:], stem)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from+at])
		if anywhere || !unicode.IsLetter(before) {
			return true
		}
		from += at + len(stem)
	}
}
