package builtin

import (
	"context"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func metadataGet() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "metadata.get", Category: "data", SideEffects: tool.Reads,
			Aliases: map[string]string{"file_path": "path", "file": "path", "properties": "keys"},
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
			d := note.Parse(data)
			values, err := d.Loose()
			if err != nil {
				return nil, noteError(info.Path, errFront(err))
			}
			tags := d.AllTags(values)
			if keys := stringList(args, "keys"); len(keys) > 0 {
				only := map[string]any{}
				for _, k := range keys {
					only[k] = values[ownKey(values, k)]
				}
				values = only
			}
			return tool.Data{"path": info.Path, "properties": values, "tags": orEmpty(tags)}, nil
		},
	})
}
