package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func vaultRename() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.rename", Category: "data", SideEffects: tool.Writes, Facts: tool.Facts{Renames: true},
			Aliases: map[string]string{
				"from": "path", "old_path": "path", "source": "path", "file_path": "path",
				"to": "newPath", "destination": "newPath", "target": "newPath",
			},
		},
		Run:    rename,
		Claims: claimAll,
		// Links follow, in whatever note they are.
		Touches: func(tool.Args) tool.Touch { return tool.Touch{Anywhere: true, Renames: true} },
	})
}

func rename(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	if clean, err := vaultpath.CleanFolder(args.String("path")); err == nil && clean == "" {
		return nil, fault.New(fault.Precondition, "tools.path.root", nil)
	}
	info, err := find(ctx, env, args.String("path"))
	if err != nil {
		return nil, err
	}
	to, err := renameTarget(info, args.String("newPath"))
	if err != nil {
		return nil, err
	}
	if to == info.Path {
		return tool.Data{"path": to, "from": info.Path, "linksUpdated": []any{}}, nil
	}
	if err := checkNew(ctx, env, to); err != nil {
		return nil, err
	}
	if to, err = freeTarget(ctx, env, info.Path, to, args.String("onCollision") == "unique"); err != nil {
		return nil, err
	}
	updated, err := move(ctx, env, info, to)
	if err != nil {
		return nil, err
	}
	return tool.Data{"path": to, "from": info.Path, "linksUpdated": updated}, nil
}

// freeTarget refuses a new path that is taken, or gives the next free number. A
// change of case alone is no collision.
func freeTarget(ctx context.Context, env *tool.Env, from, to string, unique bool) (string, error) {
	var failed error
	taken := func(p string) bool {
		if failed != nil || vaultpath.Fold(p) == vaultpath.Fold(from) {
			return false
		}
		there, err := occupied(ctx, env, p)
		failed = err
		return there
	}
	if unique {
		to = vaultpath.Unique(to, taken)
	} else if taken(to) {
		return "", host.Exists(to)
	}
	return to, failed
}

// move renames a file or folder and then lets the links follow that led to
// what has moved. It gives the notes whose links it changed, sorted.
func move(ctx context.Context, env *tool.Env, info host.Info, to string) ([]string, error) {
	moves, err := movesOf(ctx, env, info, to)
	if err != nil {
		return nil, err
	}
	names, err := namesOf(ctx, env)
	if err != nil {
		return nil, err
	}
	plan := note.NewRename(names, moves, note.Format(env.Platform.LinkFormat))
	if info.Kind == host.Folder {
		plan.Folders = note.Moves{info.Path: to}
	}
	changes, err := linkChanges(ctx, env, plan)
	if err != nil {
		return nil, err
	}
	if names.err != nil {
		return nil, names.err
	}
	if _, err := ensureFolder(ctx, env, vaultpath.Parent(to)); err != nil {
		return nil, err
	}
	if err := apply(ctx, env, host.Op{Kind: host.OpRename, Path: info.Path, To: to}); err != nil {
		return nil, err
	}
	updated := make([]string, 0, len(changes))
	for _, c := range changes {
		op := host.Op{Kind: host.OpModify, Path: c.path, Before: c.before, Data: c.after, Follows: true}
		if err := apply(ctx, env, op); err != nil {
			return nil, err
		}
		updated = append(updated, c.path)
	}
	return updated, nil
}

// movesOf gives what happens to each file when an entry moves.
func movesOf(ctx context.Context, env *tool.Env, info host.Info, to string) (note.Moves, error) {
	if info.Kind == host.File {
		return note.Moves{info.Path: to}, nil
	}
	below, err := env.Vault.Walk(ctx, info.Path)
	if err != nil {
		return nil, err
	}
	moves := make(note.Moves, len(below))
	for _, e := range below {
		if e.Kind == host.File {
			moves[e.Path] = to + e.Path[len(info.Path):]
		}
	}
	return moves, nil
}
