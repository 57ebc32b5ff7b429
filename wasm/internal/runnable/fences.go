package runnable

import (
	"strings"

	"golang.org/x/net/html"
)

// languages are the code blocks that plugins and the app take over.
var languages = map[string]Found{
	"dataviewjs": {Kind: Code, What: "Dataview"}, "dataview": {Kind: Query, What: "Dataview"},
	"js-engine": {Kind: Code, What: "JS Engine"}, "js-engine-debug": {Kind: Code, What: "JS Engine"},
	"meta-bind-js-view": {Kind: Code, What: "Meta Bind"}, "meta-bind-button": {Kind: Button, What: "Meta Bind"},
	"meta-bind": {Kind: Button, What: "Meta Bind"}, "meta-bind-embed": {Kind: Button, What: "Meta Bind"},
	"button": {Kind: Button, What: "Buttons"}, "customjs": {Kind: Code, What: "CustomJS"}, "cjs": {Kind: Code, What: "CustomJS"},
	"templater": {Kind: Code, What: "Templater"}, "quickadd": {Kind: Code, What: "QuickAdd"},
	"jsx": {Kind: Code, What: "React Components"}, "react": {Kind: Code, What: "React Components"},
	"datacorejs": {Kind: Code, What: "Datacore"}, "datacorejsx": {Kind: Code, What: "Datacore"}, "datacorets": {Kind: Code, What: "Datacore"},
	"datacoretsx": {Kind: Code, What: "Datacore"}, "datacore": {Kind: Query, What: "Datacore"},
	"tasks": {Kind: Query, What: "Tasks"}, "query": {Kind: Query, What: "Obsidian"}, "base": {Kind: Query, What: "Obsidian"},
	"tracker": {Kind: Query, What: "Tracker"}, "chartsview": {Kind: Code, What: "Charts View"}, "dynamic-embed": {Kind: Query, What: "Dynamic Embed"},
	"shellcommands": {Kind: Code, What: "Shell commands"}, "custom-frames": {Kind: Load, What: "Custom Frames"},
}

// fences finds code blocks by their first line, at any indent, in quotes,
// callouts and lists, also where another block holds them.
func (s *scan) fences() {
	type fence struct {
		mark byte
		n    int
	}
	var open fence
	type pending struct {
		f  Found
		at int
		fence
		within bool
	}
	var waiting []pending
	end := func(p pending, at int) {
		n := len(s.out)
		s.add(p.f.Kind, p.f.What, p.at, at)
		if p.within && len(s.out) > n {
			s.out[n].around += "```" // shown as text now; without the block around it, it runs
		}
	}
	for at := 0; at < len(s.text) && !s.over(); {
		stop := at + lineEnd(s.text[at:])
		line := bare(s.text[at:stop])
		mark, n := fenceOf(line)
		if n > 0 {
			info := strings.TrimSpace(line[n:])
			left := waiting[:0]
			for _, p := range waiting {
				if info == "" && p.mark == mark && n >= p.n {
					end(p, stop)
				} else {
					left = append(left, p)
				}
			}
			waiting = left
			if f, ok := languageOf(info); ok && (mark == '~' || !strings.Contains(info, "`")) {
				p := pending{f: f, at: at, fence: fence{mark, n}, within: open.n > 0}
				if len(waiting) < maxWaiting {
					waiting = append(waiting, p)
				} else {
					end(p, stop) // those that wait hold its text
				}
			}
			switch {
			case open.n == 0:
				open = fence{mark, n}
			case info == "" && open.mark == mark && n >= open.n:
				open = fence{}
			}
		}
		at = stop + newline(s.text[stop:])
	}
	for _, p := range waiting {
		end(p, len(s.text))
	}
}

// maxWaiting bounds how many blocks may be open in one another.
const maxWaiting = 16

// lineEnd gives the length of a text's first line, without its end.
func lineEnd(t string) int {
	if i := strings.IndexAny(t, "\r\n"); i >= 0 {
		return i
	}
	return len(t)
}

// newline gives the length of the line end that a text begins with.
func newline(t string) int {
	if strings.HasPrefix(t, "\r\n") {
		return 2
	}
	return min(1, len(t))
}

// bare takes from a line what says that it stands in a quote or a list.
func bare(line string) string {
	for {
		line = strings.TrimLeft(line, " \t")
		rest := strings.TrimLeft(line, "0123456789")
		switch {
		case strings.HasPrefix(line, ">"):
			line = line[1:]
		case line != "" && strings.IndexByte("-+*", line[0]) >= 0 && len(line) > 1 && (line[1] == ' ' || line[1] == '\t'):
			line = line[1:]
		case rest != line && len(rest) > 1 && (rest[0] == '.' || rest[0] == ')') && (rest[1] == ' ' || rest[1] == '\t'):
			line = rest[1:]
		default:
			return line
		}
	}
}

// fenceOf gives the mark of a code block that a line begins with, and its length.
func fenceOf(line string) (mark byte, n int) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return 0, 0
	}
	n = len(line) - len(strings.TrimLeft(line, line[:1]))
	if n < 3 {
		return 0, 0
	}
	return line[0], n
}

// languageOf says what a code block's first line calls for. Entities and escapes
// count as what they stand for, as CommonMark has it.
func languageOf(info string) (Found, bool) {
	if len(info) > maxInfo {
		info = info[:maxInfo]
	}
	words := strings.FieldsFunc(strings.ToLower(plainInfo(info)), func(r rune) bool {
		return r == ' ' || r == '\t' || strings.ContainsRune("{}.,:;()=\"'", r)
	})
	for i, w := range words {
		f, ok := languages[w]
		switch {
		case i == 0 && ok, i > 0 && w == "quickadd":
			return languages[w], true
		case i == 0 && strings.HasPrefix(w, "run-"):
			return Found{Kind: Button, What: "Execute Code"}, true
		case i == 0 && strings.HasPrefix(w, "meta-bind"):
			return languages["meta-bind"], true
		case ok && f.Kind == Code && strings.HasPrefix(info, "{"):
			return f, true
		}
	}
	return Found{}, false
}

const maxInfo = 1000

func plainInfo(t string) string {
	if strings.ContainsRune(t, '&') {
		t = html.UnescapeString(t)
	}
	if !strings.ContainsRune(t, '\\') {
		return t
	}
	var b strings.Builder
	for i := 0; i < len(t); i++ {
		if t[i] == '\\' && i+1 < len(t) && isPunct(t[i+1]) {
			i++
		}
		b.WriteByte(t[i])
	}
	return b.String()
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
}

// spans finds code in a line that plugins take over.
func (s *scan) spans() {
	for at := 0; ; {
		i := strings.IndexByte(s.text[at:], '`')
		if i < 0 || s.over() {
			return
		}
		begin := at + i
		n := len(s.text[begin:]) - len(strings.TrimLeft(s.text[begin:], "`"))
		at = begin + n
		room := " \t\r\n>"
		if n >= 3 && s.atLineStart(begin) {
			room = " \t" // a block: its lines are looked at by fences
		}
		rest := strings.TrimLeft(s.text[at:], room)
		s.left -= len(s.text) - at - len(rest)
		var f Found
		switch {
		case strings.HasPrefix(rest, "$="):
			f = Found{Kind: Code, What: "Dataview"}
		case strings.HasPrefix(rest, "="):
			f = Found{Kind: Query, What: "Dataview"}
		case hasPrefixFold(rest, "button["), hasPrefixFold(rest, "input["), hasPrefixFold(rest, "view["):
			f = Found{Kind: Button, What: "Meta Bind"}
		case hasPrefixFold(rest, "button-"):
			f = Found{Kind: Button, What: "Buttons"}
		default:
			continue
		}
		if s.closes(at) {
			s.add(f.Kind, f.What, begin, closing(s.text, at, "`"))
		}
	}
}

// closes says whether a backtick follows before an empty line: without one there
// is no code (CommonMark 0.31, section 6.1), as after the last one of a line.
func (s *scan) closes(at int) bool {
	rest := s.text[at:]
	if end := strings.Index(rest, "\n\n"); end >= 0 {
		rest = rest[:end]
	}
	i := strings.IndexByte(rest, '`')
	if i < 0 {
		s.left -= len(rest)
		return false
	}
	s.left -= i
	return true
}

func (s *scan) atLineStart(at int) bool {
	for at > 0 {
		s.left--
		c := s.text[at-1]
		if c == '\n' || c == '\r' {
			return true
		}
		if strings.IndexByte(" \t>-+*.)0123456789", c) < 0 {
			return false
		}
		at--
	}
	return true
}
