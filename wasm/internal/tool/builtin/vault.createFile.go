package builtin

import (
	"context"

	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func vaultCreateFile() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: CreateFile, Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"file_path": "path", "text": "content", "contents": "content", "name": "title", "dir": "folder", "directory": "folder"},
		},
		Run: createFile,
		Claims: func(args tool.Args) []string {
			path, err := newFilePath("", args)
			if err != nil {
				return []string{args.String("path")}
			}
			return []string{vaultpath.Family(path)}
		},
	})
}

func createFile(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	path, err := newFile(ctx, env, args)
	if err != nil {
		return nil, err
	}
	return created(ctx, env, args, path, []byte(args.String("content")))
}
