package builtin

import (
	"context"
	"maps"
	"slices"

	"embedded-agent/wasm/internal/compare"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func metadataSet() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "metadata.set", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"file_path": "path", "file": "path", "values": "properties", "frontmatter": "properties", "append": "add"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			if !args.Has("properties") && !args.Has("property") && !args.Has("add") {
				return nil, fault.New(fault.Validation, "tools.metadata.nothing", nil)
			}
			return editNote(ctx, env, args.String("path"), func(i host.Info, data []byte) ([]byte, error) {
				if err := onlyNote(i.Path); err != nil {
					return nil, err
				}
				return setProperties(data, args)
			})
		},
		Claims: claimPath,
	})
}

func setProperties(data []byte, args tool.Args) ([]byte, error) {
	values, err := note.ParseFront(data).Loose()
	if err != nil {
		return nil, errFront(err)
	}
	set, _ := args["properties"].(map[string]any)
	if args.Has("property") {
		set = maps.Clone(set)
		if set == nil {
			set = map[string]any{}
		}
		set[args.String("property")] = args["value"]
	}
	add, _ := args["add"].(map[string]any)
	keep := args.Has("overwrite") && !args.Bool("overwrite")
	for _, k := range slices.Sorted(maps.Keys(set)) {
		key := ownKey(values, k)
		if keep && !compare.Empty(values[key]) {
			continue
		}
		if data, err = note.SetProperty(data, key, set[k]); err != nil {
			return nil, err
		}
	}
	for _, k := range slices.Sorted(maps.Keys(add)) {
		more, ok := add[k].([]any)
		if !ok {
			more = []any{add[k]}
		}
		if data, err = note.AddToProperty(data, ownKey(values, k), more); err != nil {
			return nil, err
		}
	}
	return data, nil
}
