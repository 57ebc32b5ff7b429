package builtin

import (
	"context"

	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func vaultEnsureFolder() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.ensureFolder", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"folder": "path", "dir": "path", "directory": "path", "folder_path": "path"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			path, err := vaultpath.CleanFolder(args.String("path"))
			if err != nil {
				return nil, err
			}
			if err := checkNew(ctx, env, path); err != nil {
				return nil, err
			}
			created, err := ensureFolder(ctx, env, path)
			if err != nil {
				return nil, err
			}
			return tool.Data{"path": path, "created": created}, nil
		},
		// Two calls that make the same parent must not do so at once, and any
		// two folders may share one: the first part of the path is the claim.
		Claims: func(args tool.Args) []string {
			path, err := vaultpath.CleanFolder(args.String("path"))
			if err != nil || path == "" {
				return nil
			}
			for p := vaultpath.Parent(path); p != ""; p = vaultpath.Parent(p) {
				path = p
			}
			return []string{path}
		},
		Touches: func(args tool.Args) tool.Touch { return tool.Touch{Folders: []string{args.String("path")}} },
	})
}
