package builtin

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func vaultCopyFile() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.copyFile", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"from": "path", "source": "path", "to": "newPath", "destination": "newPath"},
		},
		Run: copyFile,
		Claims: func(args tool.Args) []string {
			to, err := vaultpath.CleanFolder(args.String("newPath"))
			if err != nil {
				return []string{args.String("newPath")}
			}
			if vaultpath.Ext(to) == "" {
				to += ".md"
			}
			return append(claimPath(args), vaultpath.Family(to))
		},
		Touches: func(args tool.Args) tool.Touch {
			to := strings.TrimSpace(args.String("newPath"))
			if strings.HasSuffix(to, "/") {
				return tool.Touch{Folders: []string{to}}
			}
			return tool.Touch{Files: []string{to}} // what is read is not touched
		},
	})
}

func copyFile(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	info, err := findFile(ctx, env, args.String("path"))
	if err != nil {
		return nil, err
	}
	to, err := renameTarget(info, args.String("newPath"))
	if err != nil {
		return nil, err
	}
	if err := checkNew(ctx, env, to); err != nil {
		return nil, err
	}
	data, err := env.Vault.Read(ctx, info.Path)
	if err != nil {
		return nil, err
	}
	if _, err := ensureFolder(ctx, env, vaultpath.Parent(to)); err != nil {
		return nil, err
	}
	return created(ctx, env, args, to, data, data)
}
