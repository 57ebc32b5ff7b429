package builtin

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/compare"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
)

func metadataValues() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "metadata.values", Category: "search", SideEffects: tool.Reads,
			Aliases: map[string]string{"key": "property", "files": "paths", "file_path": "path"},
			Limit:   "limit",
		},
		Run: propertyValues, Cut: cutValues, Found: &tool.Found{List: "properties", Within: "values", Columns: []string{"property", "value", "count"}},
	})
}

// cutValues is tool.Tool.Cut: the values given, of the different ones there are.
func cutValues(d tool.Data) (shown, total int) {
	if _, total = cutOf("properties")(d); total == 0 {
		return 0, 0
	}
	list, _ := d["properties"].([]any)
	for _, p := range list {
		one, _ := p.(map[string]any)
		values, _ := one["values"].([]any)
		shown += len(values)
	}
	return shown, total
}

// tally counts one value; the first spelling seen is shown.
type tally struct {
	value any
	count int
}

func propertyValues(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	s, err := targets(ctx, env, args)
	if err != nil {
		return nil, err
	}
	only := args.String("property")
	byKey := map[string]map[string]*tally{}
	spelled := map[string]string{} // a name is one, however it is written: as it was first seen
	err = s.read(ctx, env, func(i host.Info, data []byte) error {
		values, err := note.ParseFront(data).Values()
		if err != nil {
			return s.leaveOut(i.Path, noteError(i.Path, errFront(err)))
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			low := strings.ToLower(key)
			if only != "" && !strings.EqualFold(key, only) {
				continue
			}
			if spelled[low] == "" {
				spelled[low] = key
			}
			count(byKey, low, values[key])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	part := pageOf(env, args, 100)
	different, most := 0, 0
	out := []any{}
	for key, values := range byKey {
		all := make([]*tally, 0, len(values))
		for _, t := range values {
			all = append(all, t)
		}
		sorting.Func(all, func(a, b *tally) int {
			return cmp.Or(b.count-a.count, strings.Compare(fmt.Sprint(a.value), fmt.Sprint(b.value)))
		})
		list := []any{}
		different, most = different+len(all), max(most, len(all))
		from, to := part.bounds(len(all))
		for _, t := range all[from:to] {
			list = append(list, map[string]any{"value": t.value, "count": t.count})
		}
		out = append(out, map[string]any{"property": spelled[key], "different": len(all), "values": list})
	}
	sorting.Func(out, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["property"].(string), b.(map[string]any)["property"].(string))
	})
	part.seen = most // there is more where one of them has more
	data := s.tell(part.tell(tool.Data{"properties": out}))
	data["total"] = different
	return data, nil
}

// count counts a property's value, or each element of a list.
func count(byKey map[string]map[string]*tally, key string, v any) {
	if byKey[key] == nil {
		byKey[key] = map[string]*tally{}
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		if compare.Empty(e) {
			continue
		}
		if _, nested := e.(map[string]any); nested {
			continue // has no value of its own
		}
		id := strings.ToLower(compare.Text(e))
		if byKey[key][id] == nil {
			byKey[key][id] = &tally{value: e}
		}
		byKey[key][id].count++
	}
}
