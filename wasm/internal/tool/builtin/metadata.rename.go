package builtin

import (
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func metadataRename() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "metadata.rename", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"old_key": "from", "key": "from", "new_key": "to", "files": "paths", "file_path": "path"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			s, err := noteTargets(ctx, env, args)
			if err != nil {
				return nil, err
			}
			return editMany(ctx, env, s, func(_ host.Info, data []byte) ([]byte, int, error) {
				names := propertyNames(data)
				from := ownKey(names, args.String("from"))
				if _, there := names[from]; !there || from == args.String("to") {
					return data, 0, unread(data, from)
				}
				out, err := note.RenameProperty(data, from, args.String("to"))
				return out, 1, err
			})
		},
		Claims: claimTargets, Touches: touchTargets,
	})
}
