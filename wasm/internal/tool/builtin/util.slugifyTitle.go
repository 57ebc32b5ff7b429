package builtin

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func utilSlugifyTitle() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "util.slugifyTitle", Category: "utility", SideEffects: tool.None, Cache: tool.CacheForever,
			Aliases: map[string]string{"text": "title", "name": "title", "max_chars": "maxLength"},
		},
		Run: func(_ context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			from := args.String("title")
			safe := noteTitle(env.Platform.Name, from)
			if n := args.Int("maxLength"); n > 0 {
				safe = vaultpath.SafeNameOn(env.Platform.Name, shorten(safe, n))
			}
			out := tool.Data{"title": safe, "from": from}
			if args.Has("path") {
				path, err := vaultpath.Clean(args.String("path"))
				if err != nil {
					return nil, err
				}
				out["path"] = path
				out["newPath"] = vaultpath.Join(vaultpath.Parent(path), safe+vaultpath.Ext(path))
			}
			return out, nil
		},
	})
}

// shorten cuts a text to so many characters, at the end of a word where one
// ends in its second half.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	cut := string(r[:most])
	if r[most] != ' ' {
		if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
			cut = cut[:i]
		}
	}
	return strings.TrimRight(cut, " ,;:-–—.")
}
