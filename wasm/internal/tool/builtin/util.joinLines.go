package builtin

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
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

// itemText gives the text of one item, or of the field of it that is named.
func itemText(item any, field string, i int) (string, error) {
	n := strconv.Itoa(i + 1)
	value := item
	if field != "" {
		if _, isText := item.(string); !isText {
			for name := range strings.SplitSeq(field, ".") {
				m, ok := value.(map[string]any)
				if !ok || m[name] == nil {
					return "", fault.New(fault.Validation, "tools.join.field", fault.P{"n": n, "field": field})
				}
				value = m[name]
			}
		}
	}
	switch v := value.(type) {
	case string:
		return v, nil
	case bool, float64, int, int64, json.Number:
		b, err := json.Marshal(v)
		return string(b), err
	}
	return "", fault.New(fault.Validation, "tools.join.item", fault.P{"n": n})
}
