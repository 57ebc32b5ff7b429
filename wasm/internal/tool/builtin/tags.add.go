package builtin

import (
	"bytes"
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func tagsAdd() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "tags.add", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"file_path": "path", "files": "paths"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			tags := stringList(args, "tags")
			for i := range tags {
				if tags[i] = bareTag(tags[i]); !note.ValidTag(tags[i]) {
					return nil, fault.New(fault.Validation, "tools.tags.invalid", fault.P{"tag": tags[i]})
				}
			}
			s, err := noteTargets(ctx, env, args)
			if err != nil {
				return nil, err
			}
			return editMany(ctx, env, s, func(_ host.Info, data []byte) ([]byte, int, error) {
				if most := args.Int("most"); most > 0 {
					d := note.Parse(data)
					values, err := d.Loose()
					if err != nil {
						return nil, 0, errFront(err)
					}
					if len(d.AllTags(values)) >= most {
						return data, 0, nil
					}
				}
				out, err := note.AddTags(data, tags)
				if err != nil || bytes.Equal(out, data) {
					return data, 0, err
				}
				return out, 1, nil
			})
		},
		Claims: claimTargets, Touches: touchTargets,
	})
}
