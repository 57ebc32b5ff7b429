package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func noteMerge() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "note.merge", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"files": "paths", "sources": "paths", "to": "path", "newPath": "path"},
		},
		Run:    mergeNotes,
		Claims: claimAll,
		Touches: func(args tool.Args) tool.Touch {
			path, err := newFilePath("", args)
			drops := args.Bool("deleteSources")
			// With the sources gone, links to them follow wherever they are.
			return tool.Touch{Files: []string{path}, Anywhere: err != nil || drops, Deletes: drops}
		},
	})
}

func mergeNotes(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	if args.Has("embedsOf") == args.Has("paths") {
		return nil, fault.New(fault.Validation, "tools.merge.ways", nil)
	}
	path, err := newFilePath(env.Platform.Name, args)
	if err != nil {
		return nil, err
	}
	if err := checkNew(ctx, env, path); err != nil {
		return nil, err
	}
	collision := args.String("onCollision")
	if collision == "" {
		collision = "unique"
	}
	if path, err = freePath(ctx, env, path, collision, nil); err != nil {
		return nil, err
	}
	names, err := namesOf(ctx, env)
	if err != nil {
		return nil, err
	}
	merge := merger{ctx: ctx, env: env, names: names, to: path, seen: map[string]bool{}}
	var text []byte
	if args.Has("embedsOf") {
		text, err = merge.expand(args.String("embedsOf"))
	} else {
		text, err = merge.join(args)
	}
	if err == nil {
		err = names.err
	}
	if err != nil {
		return nil, err
	}
	if _, err := ensureFolder(ctx, env, vaultpath.Parent(path)); err != nil {
		return nil, err
	}
	path, _, err = createAt(ctx, env, path, text, collision, merge.read...)
	if err != nil {
		return nil, err
	}
	link, err := linkTo(ctx, env, path)
	if err != nil {
		return nil, err
	}
	merged := []any{}
	for _, s := range merge.sources {
		merged = append(merged, s.Path)
	}
	if args.Bool("deleteSources") {
		if err := merge.dropSources(path); err != nil {
			return nil, err
		}
	}
	return tool.Data{"path": path, "title": title(path), "etag": host.Etag(text), "link": link, "merged": merged}, nil
}
