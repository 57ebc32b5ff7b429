package builtin

import (
	"context"

	"embedded-agent/wasm/internal/tool"
)

func utilSlugifyTitle() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "util.slugifyTitle", Category: "utility", SideEffects: tool.None, Cache: tool.CacheForever,
			Aliases: map[string]string{"text": "title", "name": "title"},
		},
		Run: func(_ context.Context, _ *tool.Env, args tool.Args) (tool.Data, error) {
			return tool.Data{"title": noteTitle(args.String("title"))}, nil
		},
	})
}
