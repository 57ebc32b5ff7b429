package builtin

import (
	"bytes"
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func metadataRemove() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "metadata.remove", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"properties": "keys", "files": "paths", "file_path": "path"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			s, err := noteTargets(ctx, env, args)
			if err != nil {
				return nil, err
			}
			return editMany(ctx, env, s, func(_ host.Info, data []byte) ([]byte, int, error) {
				names := propertyNames(data)
				n := 0
				for _, key := range stringList(args, "keys") {
					key = ownKey(names, key)
					if _, there := names[key]; !there {
						if err := unread(data, key); err != nil {
							return nil, 0, err
						}
						continue
					}
					out, err := note.RemoveProperty(data, key)
					if err != nil {
						return nil, 0, err
					}
					if !bytes.Equal(out, data) {
						n++
					}
					data = out
				}
				return data, n, nil
			})
		},
		Claims: claimTargets, Touches: touchTargets,
	})
}
