package overlay

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/sight"
)

// EditorState gives the active note's editor as it would be: the base's, until
// a write to the active note has placed the cursor anew; of a note that may not
// be seen nothing but that it is there.
func (v *Vault) EditorState(ctx context.Context) (host.EditorState, error) {
	st, err := v.editorState(ctx)
	if err != nil || v.see == nil {
		return st, err
	}
	return sight.Shown(st, v.see), nil
}

func (v *Vault) editorState(ctx context.Context) (host.EditorState, error) {
	v.mu.Lock()
	if v.edited {
		st := *v.editor
		v.mu.Unlock()
		return st, nil
	}
	v.mu.Unlock()
	st, err := v.base.Editor(ctx)
	if err != nil {
		return st, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.editor == nil {
		v.editor = &st
	}
	if n, ok := v.staged[st.Path]; ok && n.gone {
		return host.EditorState{}, nil // the active note went to the trash
	}
	return *v.editor, nil
}

// follow lets the editor follow a write to its note. The lock is held.
func (v *Vault) follow(op host.Op) {
	if v.editor == nil || op.Path != v.editor.Path || op.Caret == nil {
		return
	}
	v.edited = true
	v.editor.Selection = *op.Caret
	v.editor.Text = slice(string(op.Data), *op.Caret)
}

// followRename lets the editor follow its note. The lock is held.
func (v *Vault) followRename(from, to string) {
	if v.editor != nil && v.editor.Path == from {
		v.edited = true
		v.editor.Path = to
	}
}

// slice cuts a range out of a text.
func slice(text string, r host.Range) string {
	from, to := offset(text, r.From), offset(text, r.To)
	if from >= to {
		return ""
	}
	return text[from:to]
}

// offset finds a position's byte in a text; past the end counts as the end.
func offset(text string, p host.Position) int {
	at := 0
	for range p.Line {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	units := 0
	for i, r := range text[at:] {
		if units >= p.Ch || r == '\n' {
			return at + i
		}
		units++
		if r > 0xFFFF {
			units++
		}
	}
	return len(text)
}
