package builtin

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func linksMake() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "links.make", Category: "utility", SideEffects: tool.Reads,
			Aliases: map[string]string{"target": "to", "path": "to", "text": "alias", "source": "from"},
		},
		Run: makeLink,
	})
}

func makeLink(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	info, err := findFile(ctx, env, args.String("to"))
	if err != nil {
		return nil, err
	}
	source := ""
	if args.Has("from") {
		from, err := find(ctx, env, args.String("from"))
		if err != nil {
			return nil, err
		}
		source = from.Path
	}
	names, err := namesOf(ctx, env)
	if err != nil {
		return nil, err
	}
	sub := ""
	switch {
	case given(args, "heading"):
		sub = "#" + strings.NewReplacer("#", " ", "|", " ", "^", " ", "[[", "", "]]", "").Replace(strings.TrimLeft(args.String("heading"), "# "))
	case given(args, "block"):
		sub = "#^" + trimCaret(args.String("block"))
	}
	link := note.MakeLink(names, info.Path, source, sub, args.String("alias"), note.Format(env.Platform.LinkFormat), env.Platform.MarkdownLinks)
	if args.Bool("embed") {
		link = "!" + link
	}
	return tool.Data{"link": link, "path": info.Path}, names.err
}
