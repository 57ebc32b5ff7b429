package builtin

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/tool"
)

func utilJoinLines() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "util.joinLines", Category: "utility", SideEffects: tool.None, Cache: tool.CacheForever,
			Aliases: map[string]string{"lines": "items", "key": "field", "delimiter": "separator"},
		},
		Run: func(_ context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			separator := "\n"
			if args.Has("separator") {
				separator = args.String("separator")
			}
			prefix, suffix := args.String("prefix"), args.String("suffix")
			var b strings.Builder
			for i, item := range args.List("items") {
				if item == nil {
					continue // the place of an iteration that was skipped
				}
				text, err := itemText(item, args.String("field"), i)
				if err != nil {
					return nil, err
				}
				if b.Len() > 0 {
					b.WriteString(separator)
				}
				if err := env.Quota.Fits(b.Len() + len(prefix) + len(text) + len(suffix)); err != nil {
					return nil, err
				}
				b.WriteString(prefix)
				b.WriteString(text)
				b.WriteString(suffix)
			}
			return tool.Data{"text": b.String()}, nil
		},
	})
}
