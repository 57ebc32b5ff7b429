package builtin

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/outline"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
)

func metadataTidy() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "metadata.tidy", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"keys": "plain", "unlink": "plain", "files": "paths", "file_path": "path"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			plain, order, sort := stringList(args, "plain"), stringList(args, "order"), args.Bool("sort")
			if len(plain)+len(order) == 0 && !sort {
				return nil, fault.New(fault.Validation, "tools.metadata.tidy", nil)
			}
			s, err := noteTargets(ctx, env, args)
			if err != nil {
				return nil, err
			}
			return editMany(ctx, env, s, func(_ host.Info, data []byte) ([]byte, int, error) {
				out, n, err := withoutLinks(data, plain)
				if err != nil || len(order) == 0 && !sort {
					return out, n, err
				}
				out, moved, err := ordered(out, order, sort)
				return out, n + moved, err
			})
		},
		Claims: claimTargets, Touches: touchTargets,
	})
}

// withoutLinks gives a note whose properties hold words in place of links, and how
// many properties these are.
func withoutLinks(data []byte, keys []string) ([]byte, int, error) {
	if len(keys) == 0 {
		return data, 0, nil
	}
	if err := unread(data, keys...); err != nil {
		return data, 0, err
	}
	values, err := note.ParseFront(data).Loose()
	if err != nil {
		return data, 0, errFront(err)
	}
	count := 0
	for _, k := range keys {
		key := ownKey(values, k)
		value, changed := unlinked(values[key])
		if !changed {
			continue
		}
		if data, err = note.SetProperty(data, key, value); err != nil {
			return data, 0, err
		}
		values[key] = value
		count++
	}
	return data, count, nil
}

// unlinked gives a value with the words that its links show, and whether it has any.
func unlinked(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		words := linkWordsOf(v)
		return words, words != v
	case []any:
		out, changes := slices.Clone(v), false
		for i := range v {
			one, changed := unlinked(v[i])
			out[i], changes = one, changes || changed
		}
		return out, changes
	}
	return v, false
}

// linkWordsOf gives a text with each link inside of it as the words that it shows: the
// alias, or the name of the note.
func linkWordsOf(s string) string {
	if !strings.Contains(s, "[[") && !strings.Contains(s, "](") {
		return s
	}
	text := []byte("\n" + s) // no front matter
	d := note.Parse(text)
	var edits note.Edits
	for i := range d.Links {
		l := &d.Links[i]
		switch {
		case l.Kind != note.Wiki:
			edits.Replace(l.Span, l.Alias)
		case l.Alias == "" && l.Path != "":
			edits.Replace(l.Span, title(l.Path))
		default:
			edits.Replace(l.Span, l.Shown())
		}
	}
	return string(edits.Apply(text))[1:]
}

// ordered gives a note with its properties in an order, and how many others have
// another one before them. The rest goes by the alphabet, or stays behind them.
func ordered(data []byte, order []string, sort bool) ([]byte, int, error) {
	props, ok := note.ParseFront(data).Properties()
	have := make([]string, len(props))
	place := make(map[string]int, len(order))
	for i, k := range order {
		if _, twice := place[strings.ToLower(k)]; !twice {
			place[strings.ToLower(k)] = i
		}
	}
	for i := range props {
		have[i] = props[i].Key
	}
	want := slices.Clone(have)
	sorting.StableFunc(want, func(a, b string) int {
		x, named := place[strings.ToLower(a)]
		y, also := place[strings.ToLower(b)]
		switch {
		case named && also:
			return x - y
		case named:
			return -1
		case also:
			return 1
		case sort:
			return outline.Natural(a, b)
		}
		return 0
	})
	if slices.Equal(have, want) {
		return data, 0, nil
	}
	out := note.OrderProperties(data, want)
	if slices.Equal(out, data) || !ok {
		return data, 0, fault.New(fault.Precondition, "tools.front.loose", nil)
	}
	moved := 0
	for i := range have {
		if have[i] != want[i] {
			moved++
		}
	}
	return out, moved, nil
}
