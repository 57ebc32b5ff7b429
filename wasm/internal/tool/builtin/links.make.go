package builtin

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
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

// linkSource gives the path of the note that a link will stand in. It may be a note
// that a later step makes.
func linkSource(ctx context.Context, env *tool.Env, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	info, err := find(ctx, env, path)
	if fault.Is(err, fault.NotFound) {
		return vaultpath.Clean(path)
	}
	return info.Path, err
}

func makeLink(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	info, err := named(ctx, env, args.String("to"))
	if err != nil {
		return nil, err
	}
	source, err := linkSource(ctx, env, args.String("from"))
	if err != nil {
		return nil, err
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
