package builtin

import (
	"context"

	"embedded-agent/wasm/internal/tool"
)

func datesFormat() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{Name: "dates.format", Category: "utility", SideEffects: tool.None},
		Run: func(_ context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			text := args.String("date")
			if text == "" {
				text = "now"
			}
			t, err := readDate(env, text)
			if err != nil {
				return nil, err
			}
			out, err := formatDate(env, t, args.String("format"))
			if err != nil {
				return nil, err
			}
			return tool.Data{"text": out}, nil
		},
	})
}
