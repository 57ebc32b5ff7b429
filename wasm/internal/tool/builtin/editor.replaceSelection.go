package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

func editorReplaceSelection() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "editor.replaceSelection", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"content": "text", "new_string": "text", "replacement": "text"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			s, err := editorState(ctx, env)
			if err != nil {
				return nil, err
			}
			if s.Selection.From == s.Selection.To {
				return nil, fault.New(fault.Precondition, "tools.editor.noSelection", fault.P{"path": s.Path})
			}
			return replaceRange(ctx, env, s.Path, s.Selection, args.String("text"))
		},
		Claims: claimAll,
	})
}
