package builtin

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func metadataFromInline() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "metadata.fromInline", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"file_path": "path", "files": "paths", "properties": "keys"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			infos, err := targets(ctx, env, args)
			if err != nil {
				return nil, err
			}
			return editMany(ctx, env, args, infos, func(_ host.Info, data []byte) ([]byte, int, error) {
				return fromInline(data, stringList(args, "keys"), args.Bool("keep"))
			})
		},
		Claims: claimTargets,
	})
}

// fromInline moves inline fields into the front matter. A property that is
// there already keeps its values and gets the others added.
func fromInline(data []byte, keys []string, keep bool) ([]byte, int, error) {
	d := note.Parse(data)
	var edits note.Edits
	var moved []note.Field
	for _, f := range d.Fields() {
		if len(keys) > 0 && !slices.ContainsFunc(keys, func(k string) bool { return strings.EqualFold(k, f.Key) }) {
			continue
		}
		moved = append(moved, f)
		if f.Whole {
			edits.Replace(f.Span, "")
		} else {
			edits.Replace(f.Span, f.Value)
		}
	}
	if len(moved) == 0 {
		return data, 0, nil
	}
	values, err := d.Values()
	if err != nil {
		return nil, 0, errFront(err)
	}
	out := data
	if !keep {
		out = edits.Apply(data)
	}
	set := map[string]bool{}
	for _, f := range moved {
		v, key := note.FieldValue(f.Value), ownKey(values, f.Key)
		if emptyValue(values[key]) && !set[key] {
			out, err = note.SetProperty(out, key, v)
		} else {
			more, ok := v.([]any)
			if !ok {
				more = []any{v}
			}
			out, err = note.AddToProperty(out, key, more)
		}
		if err != nil {
			return nil, 0, err
		}
		set[key], values[key] = true, v
	}
	return out, len(moved), nil
}
