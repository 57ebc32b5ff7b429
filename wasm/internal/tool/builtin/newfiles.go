package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// newFilePath gives the path of a file to make: "path", or a safe name from
// "title" in "folder". ".md" is added where there is no extension. Whether its
// names are legal is for checkNew.
func newFilePath(platform string, args tool.Args) (string, error) {
	switch {
	case args.Has("path") && !args.Has("title"):
		path, err := vaultpath.Clean(args.String("path"))
		if err == nil && vaultpath.Ext(path) == "" {
			path += ".md"
		}
		return path, err
	case args.Has("title") && !args.Has("path"):
		folder, err := vaultpath.CleanFolder(args.String("folder"))
		if err != nil {
			return "", err
		}
		return vaultpath.Join(folder, noteTitle(platform, args.String("title"))+".md"), nil
	}
	return "", fault.New(fault.Validation, "tools.path.orTitle", nil)
}

// newFile gives the path of a file to make, checked, with its folder made.
func newFile(ctx context.Context, env *tool.Env, args tool.Args) (string, error) {
	path, err := newFilePath(env.Platform.Name, args)
	if err != nil {
		return "", err
	}
	if err := checkNew(ctx, env, path); err != nil {
		return "", err
	}
	_, err = ensureFolder(ctx, env, vaultpath.Parent(path))
	return path, err
}

// created makes a file at a path as onCollision says, and gives what is told of
// it. from is as apply has it.
func created(ctx context.Context, env *tool.Env, args tool.Args, path string, data []byte, from ...[]byte) (tool.Data, error) {
	collision := args.String("onCollision")
	if collision == "" {
		collision = "unique"
	}
	path, made, err := createAt(ctx, env, path, data, collision, from...)
	if err != nil {
		return nil, err
	}
	if !made {
		if data, err = env.Vault.Read(ctx, path); err != nil {
			return nil, err
		}
	}
	link, err := linkTo(ctx, env, path)
	if err != nil {
		return nil, err
	}
	return tool.Data{
		"path": path, "title": title(path), "etag": host.Etag(data), "link": link, "created": made,
	}, nil
}

// createAt makes a file at a path, or, where that is taken, does what collision
// says: "unique" (the next free number), "skip" (leaves it) or "error". from is
// as apply has it.
func createAt(ctx context.Context, env *tool.Env, path string, data []byte, collision string, from ...[]byte) (string, bool, error) {
	taken := map[string]bool{}
	for {
		target, err := freePath(ctx, env, path, collision, taken)
		if err != nil {
			return "", false, err
		}
		err = apply(ctx, env, host.Op{Kind: host.OpCreate, Path: target, Data: data}, from...)
		switch {
		case err == nil:
			return target, true, nil
		case !isTaken(err), collision == "error", len(taken) == maxTaken:
			return "", false, err
		case collision == "skip":
			// The disk may have it under another case, which only a create sees.
			if _, statErr := env.Vault.Stat(ctx, target); statErr != nil {
				return "", false, err
			}
			return target, false, nil
		}
		taken[target] = true
	}
}

// freePath gives the path itself, or, for the collision "unique", the next one
// that is free and not in taken.
func freePath(ctx context.Context, env *tool.Env, path, collision string, taken map[string]bool) (string, error) {
	if collision != "unique" {
		return path, nil
	}
	var failed error
	free := vaultpath.Unique(path, func(p string) bool {
		if failed != nil {
			return false // ends the search; the error is given below
		}
		there, err := occupied(ctx, env, p)
		failed = err
		return there || taken[p]
	})
	return free, failed
}

func occupied(ctx context.Context, env *tool.Env, path string) (bool, error) {
	_, err := env.Vault.Stat(ctx, path)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// maxTaken bounds how many names are tried that look free and are not: files on
// the disk that the app's index does not show under that case.
const maxTaken = 100

// isTaken says whether an error is a create's "already exists".
func isTaken(err error) bool {
	return fault.Is(err, fault.Conflict) && fault.From(err).Key == "error.vault.exists"
}
