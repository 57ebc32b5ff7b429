package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func tagsRename() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "tags.rename", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"old_tag": "from", "tag": "from", "new_tag": "to", "file_path": "path", "files": "paths"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			from, to := bareTag(args.String("from")), bareTag(args.String("to"))
			for _, t := range []string{from, to} {
				if !note.ValidTag(t) {
					return nil, fault.New(fault.Validation, "tools.tags.invalid", fault.P{"tag": t})
				}
			}
			s, err := noteTargets(ctx, env, args)
			if err != nil {
				return nil, err
			}
			return editMany(ctx, env, s, func(_ host.Info, data []byte) ([]byte, int, error) {
				out, n, err := note.MapTags(data, func(tag string) string { return note.RenameTag(tag, from, to) })
				if n == 0 && err == nil {
					err = unread(data, from)
				}
				return out, n, err
			})
		},
		Claims: claimTargets, Touches: touchTargets,
	})
}
