package carrier

import (
	"path"
	"strings"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/regex"
)

// Converter writes links of one kind as the other kind. A link still shows what it
// showed and leads where it led.
type Converter struct {
	Names  note.Names
	Format note.Format
	// Markdown says that wikilinks become Markdown links; otherwise those become
	// wikilinks.
	Markdown bool
}

// Convert gives the link of a file as the other kind writes it; target is the file
// that it leads to, "" for none. False is for a link that is of that kind already,
// or that would lose something: its title, its place in a property, or the link
// around it.
func (c *Converter) Convert(l *note.Link, target, file string) (string, bool) {
	switch {
	case l.External || l.Front:
		return "", false
	case c.Markdown && l.Kind == note.Wiki:
		return c.toMarkdown(l, target, file), true
	case !c.Markdown && l.Kind == note.Markdown && !l.Titled:
		return c.toWiki(l, target, file)
	}
	return "", false
}

// imageSize matches an embed's text that has a size: a width, or one and a height.
var imageSize = regex.Lazy(`^(?:.*\|)?\d+(?:x\d+)?$`)

func (c *Converter) toMarkdown(l *note.Link, target, file string) string {
	to := l.Path
	switch {
	case target != "" && to != "":
		to = note.Linkpath(c.Names, target, file, c.Format)
		if IsNote(target) {
			to += path.Ext(target)
		}
	case to != "" && !hasExtension(to):
		to += ".md" // a note that is not there yet
	}
	text := strings.TrimSpace(l.Alias)
	switch {
	case text == "" && !l.Embed:
		text = l.Shown()
	case l.Embed && !strings.Contains(text, "|") && imageSize().MatchString(text):
		text = "|" + text
	}
	link := note.MarkdownLink(text, to+l.Subpath)
	if l.Embed {
		return "!" + link
	}
	return link
}

// hasExtension says whether a path ends with an extension.
func hasExtension(p string) bool {
	ext := strings.TrimPrefix(path.Ext(p), ".")
	return len(ext) > 0 && len(ext) <= 6 && strings.Trim(ext, "0123456789") != "" && !strings.Contains(ext, " ")
}

func (c *Converter) toWiki(l *note.Link, target, file string) (string, bool) {
	to := strings.TrimSuffix(l.Path, ".md")
	switch {
	case target != "" && l.Path != "":
		to = note.Linkpath(c.Names, target, file, c.Format)
	case l.Path != "" && to == l.Path:
		return "", false // leads to no note: the page of a site, perhaps
	}
	text := strings.TrimPrefix(strings.TrimSpace(unescaped(l.Alias)), "|")
	if strings.ContainsAny(to+l.Subpath, "|[]") || strings.ContainsAny(to, "#^") || strings.Contains(text, "[[") || strings.Contains(text, "]") || strings.ContainsAny(text, "\r\n") {
		return "", false
	}
	wiki := note.Link{Path: to, Subpath: l.Subpath}
	link := to + l.Subpath
	if text != "" && text != wiki.Shown() {
		link += "|" + text
	}
	if l.Embed {
		return "![[" + link + "]]", true
	}
	if text == "" || link == "" {
		return "", false
	}
	return "[[" + link + "]]", true
}

// unescaped takes the backslashes out that Markdown needs before brackets.
func unescaped(text string) string {
	return strings.NewReplacer(`\[`, "[", `\]`, "]").Replace(text)
}
