// Package notepage writes notes into one file that goes out: a page of HTML that
// stands for itself (what the notes embed is in it, pictures are data in it, and
// nothing is loaded or run when it is opened), or one note of Markdown.
//
// A note is hostile input. The page is built from the tree of package answer, so
// every element and attribute in it is written here, and every text is escaped. Of
// the HTML that stands in a note a few elements are kept, without attributes
// (html.go). The page's own policy allows no script and no address.
//
// Notes come from a Source. What could not be taken is told to it. The package is
// pure; it takes time linear in what is written, which is bounded.
package notepage

import (
	"bytes"
	"errors"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"embedded-agent/wasm/internal/answer"
	"embedded-agent/wasm/internal/note"
)

// Lack is why something is not in the page as it is in the note.
type Lack int

// The reasons.
const (
	Missing Lack = iota // an embed of nothing that is there
	Cycle               // an embed of a note within itself, or too deep
	Picture             // a picture that is too large for the page
	Kind                // an embed of another kind of file
	Remote              // a picture of the web: it is a link
	HTML                // HTML that could load or run something
	Long                // parts past the bounds, written as they stand in the note
)

// Source is where the notes come from.
type Source interface {
	// Resolve gives the file that a link's path leads to from a note, or "".
	Resolve(linkpath, from string) string
	// Text gives the text of a note, and ErrAway for one that cannot be had.
	Text(path string) ([]byte, error)
	// Part gives what an embed shows of a note, and false where that is not there.
	Part(path string, text []byte, sub string) ([]byte, bool)
	// Picture gives the address by which a picture is in the page, "" where it
	// cannot be, or where the file is no picture.
	Picture(path string) (address string, lack Lack, err error)
	// Moved gives the text of a note as it stands in the new file: its links lead
	// where they led.
	Moved(text []byte, from string) []byte
	// Left is told what is not in the page: of the note at path, or of the file.
	Left(path string, why Lack)
	// Say gives the words that stand in the place of what is left out.
	Say(why Lack, name string) string
}

// Options say how the page is made.
type Options struct {
	Title      string
	Path       string // of the new file
	Language   string // BCP 47, of the words of Say
	Properties bool   // each note's front matter, as a table
}

// ErrAway says that a note cannot be had: it is gone, is no text, or is not to be
// seen.
var ErrAway = errors.New("the note cannot be had")

// ErrSize says that the page would be larger than MaxSize.
var ErrSize = errors.New("the page is too large")

const (
	// MaxSize is the size of the largest page, in bytes.
	MaxSize = 10 << 20
	// maxEmbeds is how many embeds deep notes stand in each other.
	maxEmbeds = 10
)

// Write gives the page of some notes, in their order, each under its name.
func Write(from Source, paths []string, o Options) ([]byte, error) {
	w := &writer{from: from, options: o, number: map[string]int{}, ids: map[string]bool{}}
	for i, p := range paths {
		w.number[p] = i + 1
	}
	w.out.WriteString("<!DOCTYPE html>\n<html" + attribute("lang", o.Language) + ">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy + "\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<title>" + escape(o.Title) + "</title>\n<style>\n" + style + "</style>\n</head>\n<body>\n")
	for _, p := range paths {
		if err := w.whole(p, len(paths) > 1); err != nil {
			return nil, err
		}
	}
	w.out.WriteString("</body>\n</html>\n")
	return w.linked(), nil
}

// policy lets the page show the pictures that are in it and its own style, and
// nothing else.
const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

// style is small: whoever gets the page may want to print it.
const style = `body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word; }
section + section { margin-top: 3rem; }
img { max-width: 100%; height: auto; }
pre { overflow-x: auto; padding: .75rem; background: #8881; white-space: pre-wrap; }
table { border-collapse: collapse; }
th, td { padding: .25rem .6rem; border: 1px solid #8886; text-align: start; vertical-align: top; }
blockquote, .embed { margin: 1rem 0; padding: 0 0 0 1rem; border-inline-start: 3px solid #8886; }
.callout { margin: 1rem 0; padding: .25rem 1rem; border: 1px solid #8886; border-radius: .4rem; }
.callout-title { font-weight: 600; }
.task { list-style: none; margin-inline-start: -1.4em; }
.left { font-style: italic; opacity: .75; }
.footnotes { font-size: .875rem; border-top: 1px solid #8886; }
@media (prefers-color-scheme: dark) { :root { color-scheme: dark; } }
`

// writer is the state of one page.
type writer struct {
	from    Source
	options Options
	out     bytes.Buffer
	number  map[string]int  // of the notes of the page, from 1
	ids     map[string]bool // that elements have
	jumps   []jump
	made    int // notes and embeds, for the ids of their footnotes
	level   int // of the heading that was written last
}

// jump is a link within the page whose id may turn out not to be there.
type jump struct {
	at       int // of its address in the page
	id, note string
}

// place is where in the page the writer is.
type place struct {
	path   string
	ids    string   // before the ids of its headings; "" within embeds
	notes  string   // before those of its footnotes
	above  []string // notes that this one stands in, itself last
	shift  int      // added to the level of headings
	labels map[string]int
}

// whole writes a note of the page.
func (w *writer) whole(path string, titled bool) error {
	text, err := w.from.Text(path)
	if err != nil {
		return err
	}
	id := "n" + strconv.Itoa(w.number[path])
	w.ids[id] = true
	w.out.WriteString("<section id=\"" + id + "\">\n")
	p := place{path: path, ids: id + "-", above: []string{path}}
	w.level = 0
	body := text[note.ParseFront(text).Body.Start:]
	blocks, footnotes := answer.Page(uncommented(body))
	if titled || !opensWithTitle(blocks) {
		if !named(blocks, Name(path)) {
			w.out.WriteString("<h1>" + escape(Name(path)) + "</h1>\n")
			p.shift = max(0, 2-highest(blocks))
			w.level = 1
		}
	}
	if w.options.Properties {
		w.properties(text)
	}
	if err := w.note(p, blocks, footnotes); err != nil {
		return err
	}
	w.out.WriteString("</section>\n")
	return nil
}

// Name gives the name of a note: its file's, without the extension.
func Name(path string) string {
	path = path[strings.LastIndexByte(path, '/')+1:]
	return strings.TrimSuffix(path, ".md")
}

// opensWithTitle says whether a note begins with its only heading of the first
// level, which is its title then.
func opensWithTitle(blocks []answer.Node) bool {
	firsts := 0
	for i := range blocks {
		if blocks[i].Kind == "heading" && blocks[i].Level == 1 {
			firsts++
		}
	}
	return firsts == 1 && blocks[0].Kind == "heading" && blocks[0].Level == 1
}

// named says whether a note begins with a title that is its name.
func named(blocks []answer.Node, name string) bool {
	return opensWithTitle(blocks) && slug(words(blocks[0].Kids)) == slug(name)
}

// note writes the blocks of a note, or of a part of one, and its footnotes.
func (w *writer) note(p place, blocks []answer.Node, footnotes []answer.Footnote) error {
	w.made++
	p.notes = "f" + strconv.Itoa(w.made) + "-"
	p.labels = map[string]int{}
	for i := range footnotes {
		p.labels[footnotes[i].Label] = i + 1
	}
	if err := w.blocks(p, blocks); err != nil {
		return err
	}
	if len(footnotes) == 0 {
		return nil
	}
	w.out.WriteString("<ol class=\"footnotes\">\n")
	for i := range footnotes {
		n := strconv.Itoa(i + 1)
		w.out.WriteString("<li id=\"" + p.notes + n + "\">\n")
		if err := w.blocks(p, footnotes[i].Blocks); err != nil {
			return err
		}
		w.out.WriteString("<a href=\"#" + p.notes + "r" + n + "\">↩</a></li>\n")
	}
	w.out.WriteString("</ol>\n")
	return nil
}

// properties writes the front matter as a table.
func (w *writer) properties(text []byte) {
	d := note.ParseFront(text)
	props, _ := d.Properties()
	if len(props) == 0 {
		return
	}
	values, err := d.Loose()
	if err != nil {
		return // a front matter that cannot be read has no table
	}
	w.out.WriteString("<table class=\"properties\">\n")
	for i := range props {
		w.out.WriteString("<tr><th>" + escape(props[i].Key) + "</th><td>" + escape(valueWords(values[props[i].Key])) + "</td></tr>\n")
	}
	w.out.WriteString("</table>\n")
}

// valueWords gives a property's value as words.
func valueWords(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return note.Plain(v)
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = valueWords(v[i])
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for i, k := range keys {
			keys[i] = k + ": " + valueWords(v[k])
		}
		return strings.Join(keys, "; ")
	}
	return ""
}

// uncommented takes Obsidian's comments out of a text.
func uncommented(text []byte) string {
	d := note.Parse(append([]byte("\n"), text...)) // a line end first: "---" is no front matter here
	var edits note.Edits
	for _, s := range d.Opaque {
		if bytes.HasPrefix(s.Of(d.Data), []byte("%%")) {
			edits.Replace(s, "")
		}
	}
	return strings.TrimPrefix(string(edits.Apply(d.Data)), "\n")
}

// linked gives the page with its links within itself: a place that is not there
// is the note that it would be in.
func (w *writer) linked() []byte {
	page := w.out.Bytes()
	out := make([]byte, 0, len(page)+16*len(w.jumps))
	at := 0
	for _, j := range w.jumps {
		id := j.id
		if !w.ids[id] {
			id = j.note
		}
		out = append(append(out, page[at:j.at]...), "#"+escape(id)...)
		at = j.at
	}
	return append(out, page[at:]...)
}

// slug gives the id of a heading: its letters and digits, with hyphens between.
func slug(s string) string {
	var b strings.Builder
	gap := false
	for _, c := range strings.ToLower(s) {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(c)
	}
	return b.String()
}

// words gives what nodes say, as plain text.
func words(nodes []answer.Node) string {
	var b strings.Builder
	var walk func([]answer.Node)
	walk = func(nodes []answer.Node) {
		for i := range nodes {
			if n := &nodes[i]; len(n.Kids) > 0 {
				walk(n.Kids)
			} else if n.Kind != "unseen" {
				b.WriteString(n.Text)
			}
		}
	}
	walk(nodes)
	return b.String()
}

// escape writes a text so that it is text in HTML, in an element and in an
// attribute, with the characters that no page may have as U+FFFD.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(c rune) rune {
		if c == 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return unicode.ReplacementChar
		}
		return c
	}, s))
}

func attribute(name, value string) string {
	if value == "" {
		return ""
	}
	return " " + name + "=\"" + escape(value) + "\""
}

// inside says whether a note stands in itself.
func (p *place) inside(path string) bool {
	return slices.Contains(p.above, path) || len(p.above) > maxEmbeds
}
