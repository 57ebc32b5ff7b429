package note

import (
	"path"
	"slices"
	"strings"
)

// Names finds files by name: all paths whose last part, with its extension and
// in lower case, is the one given.
type Names interface {
	Named(lower string) []string
}

// Index is a Names over a list of paths.
type Index map[string][]string

// NewIndex indexes the paths of a vault's files.
func NewIndex(paths []string) Index {
	ix := make(Index, len(paths))
	for _, p := range paths {
		ix.Add(p)
	}
	return ix
}

// Add adds a path.
func (ix Index) Add(p string) {
	n := lowerBase(p)
	ix[n] = append(ix[n], p)
}

// Named implements Names.
func (ix Index) Named(lower string) []string { return ix[lower] }

// Moves maps old paths of files to new ones.
type Moves map[string]string

// after is the vault after renames.
type after struct {
	Names
	moves Moves
	to    Index
}

// After gives the names as they are once the files have moved.
func After(n Names, moves Moves) Names {
	a := after{Names: n, moves: moves, to: make(Index, len(moves))}
	for _, p := range moves {
		a.to.Add(p)
	}
	return a
}

// Named implements Names.
func (a after) Named(lower string) []string {
	var out []string
	for _, p := range a.Names.Named(lower) {
		if _, moved := a.moves[p]; !moved {
			out = append(out, p)
		}
	}
	return append(out, a.to[lower]...)
}

func lowerBase(p string) string { return strings.ToLower(path.Base(p)) }

func parentOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// Resolve gives the file that a link's path leads to from a note, or "" when
// it leads nowhere. Case is ignored. The order is that of the app's
// metadataCache.getFirstLinkpathDest, as its behaviour shows: a path that
// starts with "./" or "../" is relative to the note; then the exact path; then
// files whose path ends with it, those below the note's folder first, shorter
// paths first. An empty path is the note itself.
func Resolve(n Names, linkpath, source string) string {
	switch {
	case linkpath == "":
		return source
	case isRelative(linkpath):
		return exact(n, joinRelative(parentOf(source), linkpath))
	}
	found := leadsTo(n, linkpath)
	if len(found) == 0 {
		return ""
	}
	folder := parentOf(source)
	near := func(p string) bool { return folder == "" || strings.HasPrefix(p, folder+"/") }
	return slices.MinFunc(found, func(a, b string) int {
		switch {
		case near(a) != near(b):
			if near(a) {
				return -1
			}
			return 1
		case len(a) != len(b):
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
}

// ResolveAnywhere is Resolve where the note that the link stands in makes no
// difference; settled is false where it does.
func ResolveAnywhere(n Names, linkpath string) (target string, settled bool) {
	if linkpath == "" || isRelative(linkpath) {
		return "", false
	}
	switch found := leadsTo(n, linkpath); len(found) {
	case 0:
		return "", true
	case 1:
		return found[0], true
	}
	return "", false
}

func isRelative(linkpath string) bool {
	return strings.HasPrefix(linkpath, "./") || strings.HasPrefix(linkpath, "../")
}

// leadsTo gives the files that a path that is not relative may lead to: the one
// that has exactly this path, or those whose path ends with it.
func leadsTo(n Names, linkpath string) []string {
	rooted := strings.HasPrefix(linkpath, "/")
	want := strings.ToLower(strings.TrimPrefix(linkpath, "/"))
	if want == "" {
		return nil
	}
	var out []string
	for _, p := range candidates(n, want) {
		low := strings.ToLower(p)
		switch {
		case low == want || low == want+".md":
			return []string{p}
		case !rooted && (endsIn(low, want) || endsIn(low, want+".md")):
			out = append(out, p)
		}
	}
	return out
}

// endsIn says whether a path ends with the parts of another.
func endsIn(path, end string) bool {
	at := len(path) - len(end)
	return at > 0 && path[at-1] == '/' && path[at:] == end
}

// candidates gives the files with the last part of a lower-case path as their
// name; a note's extension may be left out.
func candidates(n Names, want string) []string {
	base := path.Base(want)
	if found := n.Named(base); len(found) > 0 {
		return found
	}
	return n.Named(base + ".md")
}

func exact(n Names, want string) string {
	want = strings.ToLower(want)
	for _, p := range candidates(n, want) {
		if low := strings.ToLower(p); low == want || low == want+".md" {
			return p
		}
	}
	return ""
}

// joinRelative resolves "./" and "../" against a folder; what leads above the
// root stays at the root.
func joinRelative(folder, rel string) string {
	return strings.TrimPrefix(path.Join("/", folder, rel), "/")
}

// Format is how the person wants paths in links (Obsidian's setting "New link
// format").
type Format string

// The formats.
const (
	Shortest Format = "shortest"
	Relative Format = "relative"
	Absolute Format = "absolute"
)

// Linkpath gives the path to write in a link from a note to a file, without
// ".md": by Shortest the name alone where no other file has it, otherwise the
// whole path.
func Linkpath(n Names, target, source string, f Format) string {
	p := target
	switch f {
	case Relative:
		p = relativePath(parentOf(source), target)
		if found := Resolve(n, p, source); found != "" && found != target {
			p = "./" + p // a file of that path from the root comes first
		}
	case Absolute:
	default:
		if named := n.Named(lowerBase(target)); len(named) <= 1 {
			p = path.Base(target)
		}
	}
	if low := strings.ToLower(p); strings.HasSuffix(low, ".md") {
		p = p[:len(p)-3]
	}
	return p
}

// relativePath leads from a folder to a file.
func relativePath(folder, target string) string {
	if folder == "" {
		return target
	}
	from, to := strings.Split(folder, "/"), strings.Split(target, "/")
	same := 0
	for same < len(from) && same < len(to)-1 && from[same] == to[same] {
		same++
	}
	return strings.Repeat("../", len(from)-same) + strings.Join(to[same:], "/")
}

// MakeLink writes a link from a note to a file. Alias is the text to show; ""
// shows the file's name, so a link whose path is more than the name gets the
// name as its alias. A path that no wikilink can hold gets a Markdown link.
func MakeLink(n Names, target, source, subpath, alias string, f Format, markdown bool) string {
	lp := Linkpath(n, target, source, f)
	name := strings.TrimSuffix(path.Base(target), ".md")
	if markdown || !wikiHolds(lp) {
		if alias == "" {
			alias = name
		}
		full := lp
		if strings.HasSuffix(strings.ToLower(target), ".md") {
			full += target[len(target)-3:]
		}
		return MarkdownLink(alias, full+subpath)
	}
	if alias == "" && lp != name {
		alias = name + strings.ReplaceAll(subpath, "#", " > ")
	}
	if alias != "" && alias != lp {
		return "[[" + lp + subpath + "|" + wikiAlias(alias) + "]]"
	}
	return "[[" + lp + subpath + "]]"
}

// wikiHolds says whether a wikilink can lead to a path: brackets would end it, and a
// bar would begin its alias.
func wikiHolds(linkpath string) bool { return !strings.ContainsAny(linkpath, "[]|") }

// MarkdownLink writes a Markdown link that shows a text and leads to a path.
func MarkdownLink(text, path string) string {
	return "[" + escapeText(text) + "](" + encodeDest(path) + ")"
}

// wikiAlias takes out of an alias what would end the link.
func wikiAlias(s string) string {
	return strings.NewReplacer("]]", "] ]", "[[", "[ [", "\r", "", "\n", " ").Replace(s)
}

func escapeText(s string) string {
	return strings.NewReplacer("[", "\\[", "]", "\\]").Replace(s)
}

// encodeDest encodes a path for a Markdown link as the app does: white space
// and what would end the destination or be read as an encoding; all else stays
// readable.
func encodeDest(p string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	balanced := strings.Count(p, "(") == strings.Count(p, ")") && !strings.HasPrefix(p, ")")
	for i := range len(p) {
		c := p[i]
		paren := (c == '(' || c == ')') && !balanced
		if c <= ' ' || c == 0x7f || c == '<' || c == '>' || c == '\\' || c == '%' || paren {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
