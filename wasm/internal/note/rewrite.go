package note

import (
	"bytes"
	"path"
	"strings"
)

// Rename tells RewriteLinks about a rename.
type Rename struct {
	Before Names
	After  Names // After(Before, Moves)
	Moves  Moves
	Format Format
	// Folders are the folders that moved as a whole: what names one follows.
	Folders Moves
}

// NewRename describes the renames of files (a folder's is that of every file in
// it) in a vault.
func NewRename(before Names, moves Moves, f Format) *Rename {
	return &Rename{Before: before, After: After(before, moves), Moves: moves, Format: f}
}

// RewriteLinks gives the bytes of the note that was at path (before the
// renames) with its links leading where they led. A link that still leads there
// stays as it is written. In others only the path changes: kind, subpath,
// alias, text, title, and encoding are kept; the form of the path follows the
// person's setting. It returns nil when nothing changes.
func (r *Rename) RewriteLinks(data []byte, notePath string) []byte {
	if !bytes.Contains(data, []byte("](")) && !bytes.Contains(data, []byte("[[")) && !bytes.Contains(data, []byte("]:")) && bytes.IndexByte(data, '<') < 0 {
		return nil
	}
	return ReplaceLinks(data, func(l *Link) (string, bool) { return r.Follow(l, notePath) })
}

// Follow gives the path that a link of the file that was at notePath gets, and
// whether it changes.
func (r *Rename) Follow(l *Link, notePath string) (string, bool) {
	moved, ok := r.Moves[notePath]
	if !ok {
		moved = notePath
	}
	target := Resolve(r.Before, l.Path, notePath)
	if l.Path == "" || target == "" {
		return "", false
	}
	if to, ok := r.Moves[target]; ok {
		target = to
	}
	if Resolve(r.After, l.Path, moved) == target {
		return "", false
	}
	return r.linkpath(l, target, moved), true
}

// linkpath writes the path as the old link had it, with or without ".md".
func (r *Rename) linkpath(l *Link, target, source string) string {
	format := r.Format
	if l.Kind == HTML {
		format = Absolute // nothing looks for a name alone
	}
	lp := Linkpath(r.After, target, source, format)
	if Resolve(r.After, lp, source) != target {
		// Another file is nearer, or the name holds what a bare path cannot.
		lp = "/" + Linkpath(r.After, target, source, Absolute)
		if Resolve(r.After, lp[1:], source) == target {
			lp = lp[1:]
		}
	}
	isNote := strings.EqualFold(path.Ext(target), ".md")
	hadExt := strings.EqualFold(path.Ext(l.Path), ".md")
	if isNote && (hadExt || l.Kind != Wiki) {
		lp += target[len(target)-3:]
	}
	return lp
}

// ReplaceLinks gives the note with the paths of some links replaced: change
// gives the new path of a link inside the vault (decoded), and whether it
// changes. It returns nil when none does.
func ReplaceLinks(data []byte, change func(l *Link) (string, bool)) []byte {
	var edits Edits
	doc := Parse(data)
	for i := range doc.Links {
		l := &doc.Links[i]
		if l.External {
			continue
		}
		if to, ok := change(l); ok {
			edits.Replace(l.pathSpan(data), l.encode(to))
		}
	}
	if len(edits) == 0 {
		return nil
	}
	return edits.Apply(data)
}

// pathSpan gives where the path is written, without the subpath.
func (l *Link) pathSpan(data []byte) Span {
	s := l.Target
	if i := bytes.IndexByte(s.Of(data), '#'); i >= 0 {
		s.End = s.Start + i
	}
	return trimSpan(data, s)
}

// encode writes a path as this link's kind does.
func (l *Link) encode(p string) string {
	switch {
	case l.Kind == Wiki:
		return requote(p, l.quote)
	case l.Kind == HTML:
		return strings.NewReplacer(`"`, "%22", "'", "%27", "&", "&amp;").Replace(encodeDest(p))
	case l.Angle:
		return strings.NewReplacer("<", "%3C", ">", "%3E").Replace(p)
	}
	return encodeDest(p)
}

// WithPath gives the link as written with another path (decoded).
func (l *Link) WithPath(data []byte, p string) string {
	s := l.pathSpan(data)
	return string(data[l.Start:s.Start]) + l.encode(p) + string(data[s.End:l.End])
}

// WithAlias gives a wikilink as written with another text to show.
func (l *Link) WithAlias(data []byte, alias string) string {
	alias = requote(wikiAlias(alias), l.quote)
	if !l.AliasAt.Empty() {
		return string(data[l.Start:l.AliasAt.Start]) + alias + string(data[l.AliasAt.End:l.End])
	}
	return string(data[l.Start:l.Target.End]) + "|" + alias + "]]"
}

// LinkpathFor gives the path to write into a link of a note so that it leads to
// a file, with ".md" where the link had it or its kind needs it.
func LinkpathFor(l *Link, n Names, target, source string, f Format) string {
	r := Rename{After: n, Format: f}
	return r.linkpath(l, target, source)
}
