// Package runnable finds what in a note may run or load by itself: code of other
// plugins (Templater, Dataview …), HTML that acts, pictures and pages that come
// from elsewhere, links that start something, and kinds of files that a computer
// runs. The review says what of it a write would add.
//
// It does not parse Markdown as any one renderer does; renderers differ, and
// plugins read the raw text besides. It looks for the beginnings of such things
// wherever they could stand, in code blocks and quotes too, and would rather
// mark what never runs than miss what does. It takes time by the length of the
// text.
package runnable

// Kind says what something does.
type Kind string

// The kinds.
const (
	Code    Kind = "code"    // Who runs it: when the note is opened, or made from a template
	Query   Kind = "query"   // Who answers it, from the notes
	Button  Kind = "button"  // Who acts when it is pressed
	Page    Kind = "page"    // What in HTML acts by itself
	Load    Kind = "load"    // What is the host that something is loaded from
	Link    Kind = "link"    // What is the scheme: it starts something when it is clicked
	Program Kind = "program" // What is the extension of a file that a computer runs
)

// Found is one place.
type Found struct {
	Kind Kind
	What string // who, which host, which element: see Kind
	Line int    // from 1; 0 for the file as a whole

	around  string // what it stands in that keeps it from running
	content string // what makes it another one
}

// Most is how many places are looked for in one file.
const Most = 1000
