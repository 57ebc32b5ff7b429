package carrier

import (
	"strings"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/regex"
)

// expression is where an expression of a base names a file. A name with a quote or
// a backslash is left alone: how those are written depends on the quotes around it.
var expression = regex.Lazy(`(?:\b(?:link|file|hasLink|image)\(\s*\\?["']|\[\[)([^"'\\|#\[\]\n]+)`)

// folder is where an expression of a base names a folder: file.inFolder("A/B"), or
// file.folder compared with one.
var folder = regex.Lazy(`(?:\binFolder\(\s*|\bfile\.folder\s*[!=]=\s*)\\?["']([^"'\\\n]+)`)

// eachName visits the link paths in a base.
func eachName(data []byte, visit func(at note.Span)) {
	for _, m := range expression().FindAllSubmatchIndex(data, -1) {
		at := note.Span{Start: m[2], End: m[3]}
		if !note.HasScheme(string(at.Of(data))) {
			visit(at)
		}
	}
}

func (e Edit) base(data []byte, edits *note.Edits) {
	put := func(at note.Span, change func(path string) (string, bool)) {
		if to, changed := change(string(at.Of(data))); changed && !strings.ContainsAny(to, `"'\`) {
			edits.Replace(at, to)
		}
	}
	if e.Name != nil {
		eachName(data, func(at note.Span) { put(at, e.Name) })
	}
	if e.Folder != nil {
		for _, m := range folder().FindAllSubmatchIndex(data, -1) {
			put(note.Span{Start: m[2], End: m[3]}, e.Folder)
		}
	}
}
