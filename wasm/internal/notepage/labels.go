package notepage

import (
	"strings"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/regex"
)

var (
	footnoteLabel = regex.Lazy(`\[\^([^\]\[\s]{1,200})\]`)
	bracketed     = regex.Lazy(`\[([^\[\]\n^][^\[\]\n]{0,200})\](\[\])?`)
)

// labels gives the footnotes of a piece, and its addresses that are defined by a
// label, labels that no other piece has.
func (m *joiner) labels(d *note.Doc, edits *note.Edits) {
	renamed := map[string]string{}
	for _, at := range footnoteLabel().FindAllSubmatchIndex(d.Data, -1) {
		if d.InOpaque(at[0]) || at[0] > 0 && d.Data[at[0]-1] == '\\' {
			continue
		}
		label := string(d.Data[at[2]:at[3]])
		now, known := renamed[label]
		if !known {
			now = free(m.footnotes, label)
			renamed[label] = now
		}
		if now != label {
			edits.Replace(note.Span{Start: at[2], End: at[3]}, now)
		}
	}
	refs := map[string]string{}
	changes := false
	for i := range d.Links {
		l := &d.Links[i]
		if l.Kind != note.Definition {
			continue
		}
		at := bracketed().FindSubmatchIndex(d.Data[l.Start:l.End])
		if at == nil {
			continue
		}
		label := string(d.Data[l.Start+at[2] : l.Start+at[3]])
		if key := strings.ToLower(label); refs[key] == "" {
			refs[key] = free(m.refs, label)
			changes = changes || refs[key] != label
		}
	}
	if !changes {
		return
	}
	for _, at := range bracketed().FindAllSubmatchIndex(d.Data, -1) {
		now, ok := refs[strings.ToLower(string(d.Data[at[2]:at[3]]))]
		if !ok || d.InOpaque(at[0]) {
			continue
		}
		behind := byte(0)
		if at[1] < len(d.Data) {
			behind = d.Data[at[1]]
		}
		second := at[0] > 0 && d.Data[at[0]-1] == ']'
		switch {
		case second || behind == ':':
			edits.Replace(note.Span{Start: at[2], End: at[3]}, now)
		case behind == '(' || behind == '[':
		default: // its label is its words as well
			edits.Replace(note.Span{Start: at[3], End: at[1]}, "]["+now+"]")
		}
	}
}
