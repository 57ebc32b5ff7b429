package builtin

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/compare"

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
			s, err := noteTargets(ctx, env, args)
			if err != nil {
				return nil, err
			}
			return editMany(ctx, env, s, func(_ host.Info, data []byte) ([]byte, int, error) {
				return fromInline(data, stringList(args, "keys"), args.Bool("keep"))
			})
		},
		Claims: claimTargets, Touches: touchTargets,
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
	for _, p := range gather(moved, values) {
		more := p.values
		if compare.Empty(values[p.key]) {
			if out, err = note.SetProperty(out, p.key, more[0]); err != nil {
				return nil, 0, err
			}
			more = more[1:]
		}
		if len(more) > 0 {
			if out, err = note.AddToProperty(out, p.key, flat(more)); err != nil {
				return nil, 0, err
			}
		}
	}
	return out, len(moved), nil
}

// gathered is the values that a note's inline fields give one property.
type gathered struct {
	key    string
	values []any
}

// gather puts fields of one name together, however each is written, so that a
// property is written once, whatever the number of its fields.
func gather(fields []note.Field, values map[string]any) []gathered {
	var out []gathered
	place := map[string]int{}
	for _, f := range fields {
		low := strings.ToLower(f.Key)
		i, known := place[low]
		if !known {
			i, place[low] = len(out), len(out)
			out = append(out, gathered{key: ownKey(values, f.Key)})
		}
		out[i].values = append(out[i].values, note.FieldValue(f.Value))
	}
	return out
}

// flat makes lists in a list its own elements.
func flat(values []any) []any {
	var out []any
	for _, v := range values {
		if list, ok := v.([]any); ok {
			out = append(out, list...)
		} else {
			out = append(out, v)
		}
	}
	return out
}
