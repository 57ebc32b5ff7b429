package builtin

import (
	"context"
	"maps"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/sorting"
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

// renameTarget gives the new path: a trailing slash keeps the name, and a file
// keeps its extension where the new name has none.
func renameTarget(info host.Info, newPath string) (string, error) {
	into := strings.HasSuffix(strings.TrimSpace(newPath), "/")
	to, err := vaultpath.CleanFolder(newPath)
	switch {
	case err != nil:
		return "", err
	case into || to == "":
		to = vaultpath.Join(to, vaultpath.Base(info.Path))
	case info.Kind == host.File && vaultpath.Ext(to) == "":
		to += vaultpath.Ext(info.Path)
	}
	if info.Kind == host.Folder && vaultpath.Under(to, info.Path) && to != info.Path {
		return "", fault.New(fault.Validation, "tools.path.intoItself", fault.P{"path": info.Path})
	}
	return to, nil
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

// linkChange is a note whose links follow: its path after the rename.
type linkChange struct {
	path          string
	before, after []byte
}

// linkChanges finds the notes whose links change, sorted by path.
func linkChanges(ctx context.Context, env *tool.Env, plan *note.Rename) ([]linkChange, error) {
	infos, err := linkCarriers(ctx, env, plan)
	if err != nil {
		return nil, err
	}
	var out []linkChange
	err = readAll(ctx, env, infos, func(i host.Info, data []byte) error {
		if !mayChange(plan, i.Path, data) {
			return nil
		}
		changed := plan.RewriteLinks(data, i.Path)
		if changed == nil {
			return nil
		}
		path := i.Path
		if moved, ok := plan.Moves[path]; ok {
			path = moved
		}
		out = append(out, linkChange{path, data, changed})
		return nil
	})
	sorting.Func(out, func(a, b linkChange) int { return strings.Compare(a.path, b.path) })
	return out, err
}

// mayChange spares reading a note for its links when it holds none of the names
// that a small rename is about.
func mayChange(plan *note.Rename, path string, data []byte) bool {
	if _, moves := plan.Moves[path]; moves || len(plan.Moves) > 4 {
		return true
	}
	for from, to := range plan.Moves {
		if note.MayLink(data, from) || note.MayLink(data, to) {
			return true
		}
	}
	return false
}

// manyMoves is from how many moved files on it costs less to read all notes
// than to ask for the backlinks of each.
const manyMoves = 32

// linkCarriers gives the notes that may hold a link which changes: those that
// link to a moved file or to a file that shares its new name, and the moved
// notes themselves.
func linkCarriers(ctx context.Context, env *tool.Env, plan *note.Rename) ([]host.Info, error) {
	if len(plan.Moves) > manyMoves {
		all, err := env.Vault.Walk(ctx, "")
		return slices.DeleteFunc(slices.Clone(all), func(i host.Info) bool { return i.Kind != host.File || !carriesLinks(i.Path) }), err
	}
	carriers := map[string]bool{}
	for _, from := range slices.Sorted(maps.Keys(plan.Moves)) {
		carriers[from] = carriesLinks(from)
		targets := append([]string{from}, plan.After.Named(strings.ToLower(vaultpath.Base(plan.Moves[from])))...)
		for _, target := range targets {
			if target == plan.Moves[from] {
				continue
			}
			links, err := env.Vault.Backlinks(ctx, target)
			if err != nil {
				return nil, err
			}
			for _, p := range links {
				carriers[p] = carriers[p] || carriesLinks(p)
			}
		}
	}
	var infos []host.Info
	for _, p := range slices.Sorted(maps.Keys(carriers)) {
		if !carriers[p] {
			continue
		}
		info, err := env.Vault.Stat(ctx, p)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// carriesLinks says whether a file can hold links: notes and canvases.
func carriesLinks(path string) bool {
	return isNote(path) || strings.EqualFold(extension(path), "canvas")
}
