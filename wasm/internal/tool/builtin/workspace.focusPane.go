package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

func workspaceFocusPane() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{Name: "workspace.focusPane", Category: "utility", SideEffects: tool.Reads, Facts: tool.Facts{OnWindow: true, MovesWindow: true}},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			if env.Workspace == nil {
				return nil, fault.New(fault.Precondition, "tools.workspace.none", nil)
			}
			pane := args.String("pane")
			err := env.Workspace.Focus(ctx, pane)
			if fault.Is(err, fault.NotFound) { // no note is open, or the sidebar is not there
				err = fault.New(fault.Precondition, "tools.workspace.pane", fault.P{"pane": pane})
			}
			return tool.Data{"pane": pane}, err
		},
	})
}
