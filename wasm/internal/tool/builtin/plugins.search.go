package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// defaultPlugins is how many plugins are given where the call names no number.
const defaultPlugins = 5

func pluginsSearch() tool.Tool {
	t := define(tool.Tool{
		Spec: tool.Spec{
			Name: "plugins.search", Category: "search", SideEffects: tool.Reads,
			Facts:   tool.Facts{ReadsElsewhere: true, Finds: true},
			Aliases: map[string]string{"text": "query", "search": "query", "q": "query"},
		},
		Found: &tool.Found{List: "plugins"},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			if env.Plugins == nil {
				return nil, fault.New(fault.Precondition, "tools.plugins.none", nil)
			}
			limit := args.Int("limit")
			if limit <= 0 {
				limit = defaultPlugins
			}
			list, err := env.Plugins.Search(ctx, args.String("query"), limit, false)
			if err != nil {
				return nil, err
			}
			found := []any{}
			for _, p := range list.Plugins {
				found = append(found, map[string]any{
					"id": p.ID, "name": p.Name, "author": p.Author, "description": p.Description, "repo": p.Repo,
					"installed": p.Installed, "enabled": p.Enabled,
				})
			}
			return tool.Data{
				"plugins": found, "fetchedAt": timestamp.Second(list.FetchedAt), "offline": list.Offline,
			}, nil
		},
	})
	t.Flags.WorkspaceOnly = false
	return t
}
