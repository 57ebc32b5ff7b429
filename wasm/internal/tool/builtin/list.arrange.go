package builtin

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/compare"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

func listArrange() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "list.arrange", Category: "data", SideEffects: tool.None, Cache: tool.CacheForever,
			Aliases: map[string]string{
				"list": "items", "zip": "with", "filter": "where", "when": "where", "unique": "distinct", "sortBy": "sort", "limit": "take",
				"group": "groupBy", "total": "sum",
			},
		},
		Found: &tool.Found{List: "items"},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			a := &arranged{items: args.List("items"), args: args, env: env}
			for _, do := range []func() error{a.pair, a.keep, a.distinct, a.sort} {
				if err := ctx.Err(); err != nil {
					return nil, fault.From(err)
				}
				if err := do(); err != nil {
					return nil, err
				}
			}
			if n := args.Int("take"); args.Has("take") && n < len(a.items) {
				a.items = a.items[:n]
			}
			return a.tell()
		},
	})
}

// arranged is a list on its way through the parts of a call. Each part makes another
// list.
type arranged struct {
	items   []any
	args    tool.Args
	env     *tool.Env
	skipped []any // elements with a value that is no number, or that cannot be compared
}

// pair puts the elements of a second list beside those of the first. Lists of two
// lengths are refused: which belongs to which is not known.
func (a *arranged) pair() error {
	if !a.args.Has("with") {
		return nil
	}
	with := a.args.List("with")
	if len(with) != len(a.items) {
		return fault.New(fault.Validation, "tools.list.lengths", fault.P{"n": strconv.Itoa(len(a.items)), "m": strconv.Itoa(len(with))})
	}
	pairs := make([]any, len(with))
	for i := range with {
		pairs[i] = map[string]any{"item": a.items[i], "with": with[i]}
	}
	a.items = pairs
	return nil
}

// keep leaves the elements for which the conditions hold.
func (a *arranged) keep() error {
	for _, w := range a.args.List("where") {
		m, _ := w.(map[string]any)
		c := tool.Args(m)
		test := compare.New(c.String("op"), c["value"], a.env.Now)
		var kept []any
		for _, e := range a.items {
			switch passes, known := test.Test(compare.Field(e, c.String("property"))); {
			case !known:
				a.skip(e, "tools.compare.not")
			case passes:
				kept = append(kept, e)
			}
		}
		a.items = kept
	}
	return nil
}

func (a *arranged) skip(e any, key string) {
	name := ""
	for _, field := range []string{"path", "title", "name", ""} {
		if name, _ = compare.Field(e, field).(string); name != "" {
			break
		}
	}
	if name == "" {
		name = written(e)
	}
	s := tool.Skip{Path: name, Why: fault.New(fault.Validation, key, nil)}
	a.skipped = append(a.skipped, s.Data())
}

// written gives a value as JSON.
func written(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// distinct leaves the first element of each value. Texts are alike in any case.
func (a *arranged) distinct() error {
	if !a.args.Has("distinct") {
		return nil
	}
	seen := map[string]bool{}
	var kept []any
	for _, e := range a.items {
		key := strings.ToLower(written(compare.Field(e, a.args.String("distinct"))))
		if !seen[key] {
			kept = append(kept, e)
		}
		seen[key] = true
	}
	a.items = kept
	return nil
}

// sort orders as vault.query does; elements that are alike stay in their order.
func (a *arranged) sort() error {
	if !a.args.Has("sort") {
		return nil
	}
	field, descending := strings.CutPrefix(a.args.String("sort"), "-")
	keys := make([]sortKey, len(a.items))
	for i, e := range a.items {
		v := compare.Field(e, field)
		if n, ok := compare.Number(v); ok {
			v = n
		}
		keys[i] = keyOf(v)
		keys[i].place = i
	}
	slices.SortStableFunc(keys, func(x, y sortKey) int { return compareKeys(&x, &y, descending) })
	sorted := make([]any, len(keys))
	for i := range keys {
		sorted[i] = a.items[keys[i].place]
	}
	a.items = sorted
	return nil
}

func (a *arranged) tell() (tool.Data, error) {
	out := tool.Data{"items": listOrEmpty(a.items), "count": len(a.items)}
	if a.args.Has("sum") {
		out["sum"] = a.sum(a.items, true)
	}
	if a.args.Has("groupBy") {
		groups, err := a.groups()
		if err != nil {
			return nil, err
		}
		out["groups"] = groups
	}
	if len(a.skipped) > 0 {
		out["skipped"], out["looked"] = a.skipped, len(a.args.List("items"))
	}
	return out, nil
}

func listOrEmpty(l []any) []any {
	if l == nil {
		return []any{}
	}
	return l
}

// sum adds up a field. An element without a value counts nothing; one whose value
// is no number is told of.
func (a *arranged) sum(items []any, tell bool) float64 {
	sum := 0.0
	for _, e := range items {
		v := compare.Field(e, a.args.String("sum"))
		n, ok := compare.Number(v)
		switch {
		case ok:
			sum += n
		case tell && !compare.Empty(v):
			a.skip(e, "tools.list.number")
		}
	}
	return sum
}

// groups gathers the elements by a field, in the order of the first of each group.
// An element whose value is a list is in the group of each of its values.
func (a *arranged) groups() ([]any, error) {
	groups, places := []any{}, 0
	at := map[string]int{}
	for _, e := range a.items {
		value := compare.Field(e, a.args.String("groupBy"))
		values, isList := value.([]any)
		if !isList {
			values = []any{value}
		}
		if places += len(values); places > len(a.items) {
			if err := a.env.Quota.Fits(perPlace * places); err != nil {
				return nil, err
			}
		}
		for _, v := range values {
			id := strings.ToLower(written(v))
			i, known := at[id]
			if !known {
				i = len(groups)
				at[id], groups = i, append(groups, map[string]any{"key": v, "items": []any{}})
			}
			g := groups[i].(map[string]any)
			g["items"] = append(g["items"].([]any), e)
		}
	}
	for _, one := range groups {
		g := one.(map[string]any)
		items := g["items"].([]any)
		if g["count"] = len(items); a.args.Has("sum") {
			g["sum"] = a.sum(items, false)
		}
	}
	return groups, nil
}

// perPlace estimates the bytes that an element takes in a group.
const perPlace = 32
