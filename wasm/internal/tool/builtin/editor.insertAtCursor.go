package builtin

import (
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
)

func editorInsertAtCursor() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "editor.insertAtCursor", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"content": "text", "new_string": "text"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			s, err := editorState(ctx, env)
			if err != nil {
				return nil, err
			}
			// With a selection the cursor is at its end; the selection stays.
			at := host.Range{From: s.Selection.To, To: s.Selection.To}
			return replaceRange(ctx, env, s.Path, at, args.String("text"))
		},
		Claims: claimAll,
	})
}
