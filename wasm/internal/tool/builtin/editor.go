package builtin

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

// editorState gives the active note's editor, PRECONDITION_FAILED without one.
func editorState(ctx context.Context, env *tool.Env) (host.EditorState, error) {
	if env.Editor == nil {
		return host.EditorState{}, fault.New(fault.Precondition, "tools.editor.none", nil)
	}
	s, err := env.Editor.State(ctx)
	if err != nil {
		return s, err
	}
	if s.Hidden {
		return s, fault.New(fault.Denied, "tools.editor.hidden", nil)
	}
	if s.Path == "" {
		return s, fault.New(fault.Precondition, "tools.editor.none", nil)
	}
	return s, nil
}

// replaceRange puts a text into the active note in place of a range, as a write
// of the note's bytes, and the cursor behind it. The text gets the note's line
// ends.
func replaceRange(ctx context.Context, env *tool.Env, path string, r host.Range, text string) (tool.Data, error) {
	info, err := env.Vault.Stat(ctx, path)
	if err != nil {
		return nil, err
	}
	before, err := readText(ctx, env, info)
	if err != nil {
		return nil, err
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	from, okFrom := offsetOf(before, r.From)
	to, okTo := offsetOf(before, r.To)
	if !okFrom || !okTo || from > to {
		return nil, fault.New(fault.Conflict, "tools.editor.moved", fault.P{"path": path})
	}
	caret := after(r.From, text)
	var edits note.Edits
	edits.Replace(note.Span{Start: from, End: to}, strings.ReplaceAll(text, "\n", note.EOL(before)))
	data := edits.Apply(before)
	if string(data) != string(before) {
		op := host.Op{
			Kind: host.OpModify, Path: path, Before: before, Data: data,
			Caret: &host.Range{From: caret, To: caret},
		}
		if err := apply(ctx, env, op); err != nil {
			return nil, err
		}
	}
	return tool.Data{"path": path, "etag": host.Etag(data)}, nil
}

// offsetOf gives the byte offset of a position (lines from 0, UTF-16 code units
// in the line); false when the note has no such place. A BOM is no part of the
// text that an editor counts.
func offsetOf(data []byte, p host.Position) (int, bool) {
	at := 0
	if bytes.HasPrefix(data, []byte(note.BOM)) {
		at = len(note.BOM)
	}
	for range p.Line {
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			return 0, false
		}
		at += n + 1
	}
	units := 0
	for units < p.Ch {
		if at >= len(data) || data[at] == '\n' || data[at] == '\r' && at+1 < len(data) && data[at+1] == '\n' {
			return 0, false
		}
		r, n := utf8.DecodeRune(data[at:])
		units += max(1, utf16.RuneLen(r))
		at += n
	}
	return at, units == p.Ch
}

// after gives the position at the end of a text inserted at p.
func after(p host.Position, text string) host.Position {
	n := strings.Count(text, "\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	units := 0
	for _, r := range last {
		units += max(1, utf16.RuneLen(r))
	}
	if n == 0 {
		return host.Position{Line: p.Line, Ch: p.Ch + units}
	}
	return host.Position{Line: p.Line + n, Ch: units}
}

// position gives a position as output.
func position(p host.Position) map[string]any { return map[string]any{"line": p.Line, "ch": p.Ch} }
