package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

func editorGetSelection() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{Name: "editor.getSelection", Category: "data", SideEffects: tool.Reads, Facts: tool.Facts{ReadsSelection: true}},
		Run: func(ctx context.Context, env *tool.Env, _ tool.Args) (tool.Data, error) {
			s, err := editorState(ctx, env)
			if err != nil {
				return nil, err
			}
			if s.Text == "" {
				return nil, fault.New(fault.Precondition, "tools.editor.noSelection", fault.P{"path": s.Path})
			}
			return tool.Data{
				"text": s.Text, "path": s.Path,
				"from": position(s.Selection.From), "to": position(s.Selection.To),
			}, nil
		},
	})
}
