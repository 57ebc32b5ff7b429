package builtin

import (
	"context"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func utilParseMarkdownBullets() tool.Tool {
	return define(tool.Tool{
		Found: &tool.Found{List: "items", Columns: []string{"text", "checked"}},
		Spec: tool.Spec{
			Name: "util.parseMarkdownBullets", Category: "utility", SideEffects: tool.None, Cache: tool.CacheForever,
			Aliases: map[string]string{"markdown": "text", "content": "text"},
		},
		Run: func(_ context.Context, _ *tool.Env, args tool.Args) (tool.Data, error) {
			return tool.Data{"items": bulletItems(note.Bullets([]byte(args.String("text"))))}, nil
		},
	})
}

func bulletItems(bullets []*note.Bullet) []any {
	items := make([]any, 0, len(bullets))
	for _, b := range bullets {
		item := map[string]any{
			"text": b.Text, "title": b.Title, "level": b.Level,
			"children": bulletItems(b.Children), "content": b.Content,
		}
		if b.Task {
			item["checked"] = b.State != " "
		}
		if b.Ordered {
			item["ordered"] = true
		}
		items = append(items, item)
	}
	return items
}
