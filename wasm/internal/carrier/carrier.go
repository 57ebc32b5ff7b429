// Package carrier knows the links of every file that has links: notes, canvases
// and bases. Whoever asks which files are used, and whoever lets links follow a
// rename, asks here.
//
// A canvas (JSON Canvas 1.0) names files by their whole paths, and its cards are
// Markdown. A base names notes in its expressions, as link("Books") does. All
// that does not change stays byte for byte.
package carrier

import (
	"path"
	"strings"

	"embedded-agent/wasm/internal/note"
)

// Carries says whether a file can have links.
func Carries(file string) bool { return note.CarriesLinks(file) }

// Tags are the beginnings of tags by which a note shows a file, as a regular
// expression.
const Tags = "(?i)<(?:img|audio|video|source|track|iframe|embed|object)"

// IsNote says whether a file is a Markdown note.
func IsNote(file string) bool { return strings.EqualFold(path.Ext(file), ".md") }

// IsCanvas says whether a file is a canvas.
func IsCanvas(file string) bool { return strings.EqualFold(path.Ext(file), ".canvas") }

// IsBase says whether a file is a base.
func IsBase(file string) bool { return strings.EqualFold(path.Ext(file), ".base") }

// Edit changes the links of a file. Each function gives what comes in the place
// of what it is handed, and whether anything does.
type Edit struct {
	// Text is handed the Markdown of a note or a card.
	Text func(markdown []byte) ([]byte, bool)
	// File is handed the whole path of a file that a canvas shows; nil changes none.
	File func(path string) (string, bool)
	// Name is handed a link's path in a base; nil changes none.
	Name func(linkpath string) (string, bool)
	// Folder is handed the path of a folder in a base; nil changes none.
	Folder func(path string) (string, bool)
}

// In gives the file with the changes made, or nil where nothing changes.
func (e Edit) In(file string, data []byte) []byte {
	var edits note.Edits
	switch {
	case IsCanvas(file):
		e.canvas(data, &edits)
	case IsBase(file):
		e.base(data, &edits)
	default:
		if out, changed := e.Text(data); changed {
			return out
		}
	}
	if len(edits) == 0 {
		return nil
	}
	return edits.Apply(data)
}

// Rewrite gives the file that was at a path (before the renames) with its links
// leading where they led, or nil where none changes.
func Rewrite(r *note.Rename, file string, data []byte) []byte {
	return Edit{
		Text: func(markdown []byte) ([]byte, bool) {
			out := r.RewriteLinks(markdown, file)
			return out, out != nil
		},
		File: func(p string) (string, bool) { to, moved := r.Moves[p]; return to, moved },
		Name: func(linkpath string) (string, bool) { return r.Follow(&note.Link{Path: linkpath}, file) },
		Folder: func(p string) (string, bool) {
			for from, to := range r.Folders {
				if rest, below := strings.CutPrefix(strings.TrimSuffix(p, "/")+"/", from+"/"); below {
					return strings.TrimSuffix(to+"/"+rest, "/"), true
				}
			}
			return "", false
		},
	}.In(file, data)
}

// Link is a link of a file.
type Link struct {
	*note.Link
	// At is an offset in the file: where the link stands, or the card that it is in.
	At int
	// Written is the link as it is written.
	Written string
}

// Links gives the links of a file in their order.
func Links(file string, data []byte) []Link {
	var out []Link
	ofText := func(at int, markdown []byte, whole bool) {
		d := note.Parse(markdown)
		for i := range d.Links {
			l := Link{&d.Links[i], at, string(d.Links[i].Of(markdown))}
			if whole {
				l.At = l.Start
			}
			out = append(out, l)
		}
	}
	switch {
	case IsCanvas(file):
		eachValue(data, func(value note.Span, key, text string) {
			if key == "text" {
				ofText(value.Start, []byte(text), false)
				return
			}
			out = append(out, Link{&note.Link{Path: "/" + text, Embed: true}, value.Start, text})
		})
	case IsBase(file):
		eachName(data, func(at note.Span) {
			out = append(out, Link{&note.Link{Path: string(at.Of(data))}, at.Start, string(at.Of(data))})
		})
	default:
		ofText(0, data, true)
	}
	return out
}

// Targets lists the files that a file's links lead to.
func Targets(n note.Names, file string, data []byte) []string {
	var out []string
	for _, l := range Links(file, data) {
		if l.External {
			continue
		}
		if t := note.Resolve(n, l.Path, file); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// Key gives what a link's path, or a file's, is found by: its last part in lower
// case, without a note's extension.
func Key(p string) string { return strings.TrimSuffix(strings.ToLower(path.Base(p)), ".md") }
