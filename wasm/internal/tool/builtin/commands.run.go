package builtin

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
)

func commandsRun() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "commands.run", Category: "api", SideEffects: tool.Commands, Facts: tool.Facts{RunsCommand: true},
			Flags:   tool.Flags{OwnerOnly: true, Elevated: true, Unstoppable: true},
			Aliases: map[string]string{"command": "id", "command_id": "id", "commandId": "id"},
		},
		Run:    runCommand,
		Check:  commandKnown,
		Claims: claimAll,
	})
}

// commandKnown says whether the app has the command.
func commandKnown(ctx context.Context, env *tool.Env, args tool.Args) error {
	if env.Commands == nil {
		return fault.New(fault.Precondition, "tools.commands.none", nil)
	}
	id := args.String("id")
	all, err := env.Commands.List(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(c host.Command) bool { return c.ID == id }) {
		return fault.New(fault.NotFound, "tools.commands.unknown", fault.P{"id": id})
	}
	return nil
}

func runCommand(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	if err := commandKnown(ctx, env, args); err != nil {
		return nil, err
	}
	id := args.String("id")
	ok, err := env.Commands.Run(ctx, id)
	switch {
	case fault.Is(err, fault.Cancelled), fault.Is(err, fault.Timeout):
		return nil, err
	case err != nil:
		return nil, commandError(ctx, env, "tools.commands.failed", id, err)
	case !ok:
		return nil, commandError(ctx, env, "tools.commands.refused", id, nil)
	}
	return tool.Data{"ok": true}, nil
}

// commandError says where the person was when a command did not run, which is
// most often why.
func commandError(ctx context.Context, env *tool.Env, key, id string, cause error) error {
	var w host.WorkspaceState
	if env.Workspace != nil {
		// What cannot be learned is left out: the command's failure is what counts.
		w, _ = env.Workspace.Context(ctx)
	}
	e := fault.New(fault.Precondition, key, fault.P{"id": id, "active": orDash(w.ActivePath), "view": orDash(w.ViewType)}).With(cause)
	reason := "the command's own check said no"
	if cause != nil {
		reason = cause.Error()
	}
	e.Data = map[string]any{"activeFile": w.ActivePath, "view": w.ViewType, "reason": reason}
	return e
}
