package builtin

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func tagsRemove() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "tags.remove", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"file_path": "path", "files": "paths"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			tags := stringList(args, "tags")
			if len(tags) == 0 && !args.Bool("duplicates") {
				return nil, fault.New(fault.Validation, "tools.tags.nothing", nil)
			}
			s, err := noteTargets(ctx, env, args)
			if err != nil {
				return nil, err
			}
			nested := !args.Has("nested") || args.Bool("nested")
			drop := func(tag string) string {
				gone := slices.ContainsFunc(tags, func(t string) bool {
					return strings.EqualFold(bareTag(t), tag) || nested && note.HasTag(tag, bareTag(t))
				})
				if gone {
					return ""
				}
				return tag
			}
			return editMany(ctx, env, s, func(_ host.Info, data []byte) ([]byte, int, error) {
				out, n, err := note.MapTags(data, drop)
				if n == 0 && err == nil {
					err = unread(data, bareTags(tags)...)
				}
				if err != nil || !args.Bool("duplicates") {
					return out, n, err
				}
				out, twice, err := note.DedupeTags(out)
				return out, n + twice, err
			})
		},
		Claims: claimTargets, Touches: touchTargets,
	})
}
