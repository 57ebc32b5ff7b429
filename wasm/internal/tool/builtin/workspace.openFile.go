package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

func workspaceOpenFile() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "workspace.openFile", Category: "utility", SideEffects: tool.Reads,
			Facts:   tool.Facts{OnWindow: true, MovesWindow: true, OpensNote: true},
			Aliases: map[string]string{"file_path": "path", "file": "path", "newLeaf": "newPane", "split": "newPane"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			info, err := findFile(ctx, env, args.String("path"))
			if err != nil {
				return nil, err
			}
			if env.Workspace == nil {
				return nil, fault.New(fault.Precondition, "tools.workspace.none", nil)
			}
			return tool.Data{"path": info.Path}, env.Workspace.Open(ctx, info.Path, args.Bool("newPane"))
		},
	})
}
