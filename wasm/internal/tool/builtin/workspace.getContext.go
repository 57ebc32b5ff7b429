package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

func workspaceGetContext() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{Name: "workspace.getContext", Category: "utility", SideEffects: tool.Reads, Facts: tool.Facts{OnWindow: true}},
		Run: func(ctx context.Context, env *tool.Env, _ tool.Args) (tool.Data, error) {
			if env.Workspace == nil {
				return nil, fault.New(fault.Precondition, "tools.workspace.none", nil)
			}
			w, err := env.Workspace.Context(ctx)
			if err != nil {
				return nil, err
			}
			open := w.OpenPaths
			if open == nil {
				open = []string{}
			}
			return tool.Data{"activePath": w.ActivePath, "viewType": w.ViewType, "openPaths": open}, nil
		},
	})
}
