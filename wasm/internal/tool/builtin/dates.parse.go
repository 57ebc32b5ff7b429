package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

func datesParse() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "dates.parse", Category: "utility", SideEffects: tool.None,
			Aliases: map[string]string{"date": "text"},
		},
		Run: func(_ context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			text := args.String("text")
			if !args.Has("format") {
				t, err := readDate(env, text)
				if err != nil {
					return nil, err
				}
				return dateData(t), nil
			}
			if err := checkFormat(args.String("format")); err != nil {
				return nil, err
			}
			p, ok := env.Platform.Dates.NewParser(args.String("format"))
			if !ok {
				return nil, fault.New(fault.Validation, "tools.dates.format", fault.P{"format": args.String("format")})
			}
			t, ok := p.Parse(text, env.Now.Location())
			if !ok {
				return nil, fault.New(fault.Validation, "tools.dates.unknown", fault.P{"text": text})
			}
			return dateData(t), nil
		},
	})
}
