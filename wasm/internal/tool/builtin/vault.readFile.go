package builtin

import (
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
)

func vaultReadFile() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: ReadFile, Category: "data", SideEffects: tool.Reads,
			Aliases: map[string]string{
				"file_path": "path", "file": "path", "filename": "path", "section": "heading",
				"offset": "fromLine", "startLine": "fromLine", "endLine": "toLine",
			},
		},
		Run: readFile,
	})
}

func readFile(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	info, err := findFile(ctx, env, args.String("path"))
	if err != nil {
		return nil, err
	}
	if kind := imageType(info.Path); kind != "" && kind != svgType {
		return readImage(ctx, env, info, kind)
	}
	data, err := readText(ctx, env, info)
	if err != nil {
		return nil, err
	}
	part, err := section(info.Path, data, args)
	if err != nil {
		return nil, err
	}
	return tool.Data{
		"path": info.Path, "content": string(part), "etag": host.Etag(data), "size": len(data),
	}, nil
}
