package builtin

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func vaultListFiles() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: ListFiles, Category: "data", SideEffects: tool.Reads,
			Aliases: map[string]string{"path": "folder", "dir": "folder", "directory": "folder", "ext": "extension"},
			Limit:   "limit",
		},
		Run: listFiles, Cut: cutOf("files"), Found: &tool.Found{List: "files", Columns: []string{"path", "mtime"}, Words: plainWords("finding.files")},
	})
}

func listFiles(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	folder, err := findFolder(ctx, env, args.String("folder"))
	if err != nil {
		return nil, err
	}
	list := env.Vault.Walk
	if args.Has("recursive") && !args.Bool("recursive") {
		list = env.Vault.List
	}
	entries, err := list(ctx, folder)
	if err != nil {
		return nil, err
	}
	part := pageOf(env, args, 1000)
	ext := strings.TrimPrefix(args.String("extension"), ".")
	found := []any{}
	for _, e := range entries {
		if e.Kind != host.File || ext != "" && !strings.EqualFold(extension(e.Path), ext) {
			continue
		}
		if !part.take() {
			continue
		}
		found = append(found, map[string]any{
			"path": e.Path, "name": vaultpath.Base(e.Path), "title": title(e.Path), "size": e.Size, "mtime": e.MTime,
		})
	}
	return part.tell(tool.Data{"files": found}), nil
}
