package builtin

import (
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
)

func vaultReadFile() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.readFile", Category: "data", SideEffects: tool.Reads,
			Aliases: map[string]string{"file_path": "path", "file": "path", "filename": "path"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			info, err := findFile(ctx, env, args.String("path"))
			if err != nil {
				return nil, err
			}
			data, err := readText(ctx, env, info)
			if err != nil {
				return nil, err
			}
			return tool.Data{
				"path": info.Path, "content": string(data), "etag": host.Etag(data), "size": len(data),
			}, nil
		},
	})
}
