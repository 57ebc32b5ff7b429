package builtin

import (
	"context"

	"embedded-agent/wasm/internal/moment"
	"embedded-agent/wasm/internal/tool"
)

func datesAdd() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{Name: "dates.add", Category: "utility", SideEffects: tool.None, Aliases: map[string]string{"text": "date"}},
		Run: func(_ context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			t, err := readDate(env, args.String("date"))
			if err != nil {
				return nil, err
			}
			t = moment.AddMonths(t, 12*args.Int("years")+args.Int("months"))
			return dateData(t.AddDate(0, 0, 7*args.Int("weeks")+args.Int("days"))), nil
		},
	})
}
