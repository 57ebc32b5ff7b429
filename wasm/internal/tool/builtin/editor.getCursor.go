package builtin

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/outline"
	"embedded-agent/wasm/internal/tool"
)

func editorGetCursor() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{Name: "editor.getCursor", Category: "data", SideEffects: tool.Reads},
		Run: func(ctx context.Context, env *tool.Env, _ tool.Args) (tool.Data, error) {
			s, err := editorState(ctx, env)
			if err != nil {
				return nil, err
			}
			path, data, err := readNote(ctx, env, s.Path)
			if err != nil {
				return nil, err
			}
			at, ok := offsetOf(data, s.Selection.To)
			if !ok {
				return nil, fault.New(fault.Conflict, "tools.editor.moved", fault.P{"path": path})
			}
			out := aroundCursor(note.Parse(data), at)
			out["path"], out["line"] = path, s.Selection.To.Line+1
			return out, nil
		},
	})
}

// aroundCursor gives what a place of a note stands in.
func aroundCursor(d *note.Doc, at int) tool.Data {
	line := d.LineSpan(d.Line(at))
	if line.Start == 0 && strings.HasPrefix(string(line.Of(d.Data)), note.BOM) {
		line.Start = len(note.BOM)
	}
	if at > line.End { // behind the last line end
		line = note.Span{Start: at, End: at}
	}
	all, heading := outline.Sections(d), ""
	headings, part := []any{}, note.Span{Start: d.Body.Start, End: len(d.Data)}
	if len(all) > 0 {
		part.End = all[0].Start
	}
	if n := outline.At(all, at); n >= 0 {
		part, heading = all[n].Span, d.Headings[all[n].Heading].Text
		for ; n >= 0; n = all[n].Parent {
			headings = append(headings, d.Headings[all[n].Heading].Text)
		}
		slices.Reverse(headings)
	}
	out := tool.Data{
		"text": string(line.Of(d.Data)), "word": "", "heading": heading, "headings": headings,
		"section": linesOf(d, part), "item": nil,
	}
	for _, w := range note.Words(line.Of(d.Data)) {
		if line.Start+w.Start <= at && at <= line.Start+w.End {
			out["word"] = string(line.Of(d.Data)[w.Start:w.End])
		}
	}
	for i := range d.Items {
		if it := &d.Items[i]; it.Start <= at && at <= it.End {
			out["item"] = linesOf(d, it.Span) // the last one is the innermost
		}
	}
	return out
}

// linesOf gives the first and the last line of a span, from 1.
func linesOf(d *note.Doc, s note.Span) map[string]any {
	return map[string]any{"fromLine": d.Line(s.Start) + 1, "toLine": d.Line(max(s.Start, s.End-1)) + 1}
}
