package builtin

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

func commandsList() tool.Tool {
	return define(tool.Tool{
		Spec:  tool.Spec{Name: "commands.list", Category: "api", SideEffects: tool.Reads, Aliases: map[string]string{"search": "query"}},
		Found: &tool.Found{List: "commands", Columns: []string{"name", "id"}},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			if env.Commands == nil {
				return nil, fault.New(fault.Precondition, "tools.commands.none", nil)
			}
			all, err := env.Commands.List(ctx)
			if err != nil {
				return nil, err
			}
			words := strings.Fields(strings.ToLower(args.String("query")))
			found := []any{}
			for _, c := range all {
				text := strings.ToLower(c.Name + " " + c.ID)
				if strings.HasPrefix(c.ID, args.String("prefix")) && holdsAll(text, words) {
					found = append(found, map[string]any{"id": c.ID, "name": c.Name})
				}
			}
			return tool.Data{"commands": found}, nil
		},
	})
}

func holdsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
