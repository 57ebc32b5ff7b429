package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/related"
	"embedded-agent/wasm/internal/tool"
)

func vaultRelated() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.related", Category: "search", SideEffects: tool.Reads,
			Aliases: map[string]string{"query": "text", "note": "path", "file_path": "path", "dir": "folder", "take": "count", "limit": "count"},
		},
		Found: &tool.Found{List: "notes", Columns: []string{"path", "words", "score"}, Words: plainWords("finding.related")},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			s := &relatives{ctx: ctx, env: env, most: args.Int("count")}
			if s.most == 0 {
				s.most = 10
			}
			if args.Has("path") == args.Has("text") {
				return nil, fault.New(fault.Validation, "tools.related.ways", nil)
			}
			folder, err := findFolder(ctx, env, args.String("folder"))
			if err != nil {
				return nil, err
			}
			text := []byte(args.String("text"))
			if args.Has("path") {
				if s.path, text, err = readNote(ctx, env, args.String("path")); err != nil {
					return nil, err
				}
				if err := onlyNote(s.path); err != nil {
					return nil, err
				}
			}
			s.query = related.Ask(text, titleOf(s.path))
			for _, do := range []func() error{func() error { return s.gather(folder) }, func() error { return s.tie(text) }, s.weigh, s.rank} {
				if err := do(); err != nil {
					return nil, err
				}
			}
			return s.tell(), nil
		},
	})
}

func titleOf(path string) string {
	if path == "" {
		return ""
	}
	return title(path)
}
