package offer

import (
	"regexp"

	"embedded-agent/wasm/internal/carrier"
	"embedded-agent/wasm/internal/regex"
)

// shapes are signs of what a selection holds, as words.txt names them.
var shapes = []struct {
	name string
	sign func() *regexp.Regexp
}{
	{"^task", regex.Lazy(`(?m)^\s*(?:[-*+]|\d+[.)]) \[.\] `)},
	{"^list", regex.Lazy(`(?m)^\s*(?:[-*+]|\d+[.)]) `)},
	{"^field", regex.Lazy(`(?m)^[^\n:]{1,60}:: `)},
	{"^heading", regex.Lazy(`(?m)^#{1,6} `)},
	{"^link", regex.Lazy(`\[\[|\]\(`)},
}

// opened are signs of what the note that is open holds, as words.txt names them.
var opened = []struct {
	name string
	sign func() *regexp.Regexp
}{
	{"^open-task", regex.Lazy(`(?m)^\s*(?:[-*+]|\d+[.)]) \[.\] `)},
	{"^open-field", regex.Lazy(`(?m)^[^\n:]{1,60}:: `)},
}

// maxOpened is how much of the open note is looked at, in bytes.
const maxOpened = 32 << 10

// Opened names what the note that is open holds, by its path and its text: a canvas, tasks, inline fields. It is a word of
// a closed list, and nothing of the text.
func Opened(path, text string) string {
	if carrier.IsCanvas(path) {
		return " ^open-canvas"
	}
	text = text[:min(len(text), maxOpened)]
	out := ""
	for _, s := range opened {
		if s.sign().MatchString(text) {
			out += " " + s.name
		}
	}
	return out
}

// maxSigns is how much of a selection is looked at, in bytes.
const maxSigns = 4 << 10

// signs names what a selection holds.
func signs(selection string) string {
	if len(selection) > maxSigns {
		selection = selection[:maxSigns]
	}
	out := ""
	for _, s := range shapes {
		if s.sign().MatchString(selection) {
			out += " " + s.name
		}
	}
	return out
}
