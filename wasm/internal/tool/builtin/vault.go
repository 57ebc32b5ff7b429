package builtin

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/text"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// find gives the entry that a path argument names. The ".md" of a note may be
// left out.
func find(ctx context.Context, env *tool.Env, path string) (host.Info, error) {
	clean, err := vaultpath.Clean(path)
	if err != nil {
		return host.Info{}, err
	}
	info, err := env.Vault.Stat(ctx, clean)
	if !fault.Is(err, fault.NotFound) {
		return info, err
	}
	if !strings.EqualFold(vaultpath.Ext(clean), ".md") {
		if info, mdErr := env.Vault.Stat(ctx, clean+".md"); mdErr == nil {
			return info, nil
		}
	}
	return host.Info{}, fault.New(fault.NotFound, "tools.note.missing", fault.P{"path": clean})
}

// findFile is find for what must be a file.
func findFile(ctx context.Context, env *tool.Env, path string) (host.Info, error) {
	info, err := find(ctx, env, path)
	if err == nil && info.Kind == host.Folder {
		return info, fault.New(fault.Precondition, "error.vault.isFolder", fault.P{"path": info.Path})
	}
	return info, err
}

// findFolder gives a folder argument's path; "" is the root.
func findFolder(ctx context.Context, env *tool.Env, path string) (string, error) {
	clean, err := vaultpath.CleanFolder(path)
	if err != nil || clean == "" {
		return "", err
	}
	info, err := env.Vault.Stat(ctx, clean)
	switch {
	case fault.Is(err, fault.NotFound):
		return "", fault.New(fault.NotFound, "tools.folder.missing", fault.P{"path": clean})
	case err != nil:
		return "", err
	case info.Kind == host.File:
		return "", fault.New(fault.Precondition, "error.vault.isFile", fault.P{"path": clean})
	}
	return clean, nil
}

// maxText is the largest note that tools read as text.
const maxText = 10 << 20

// readText reads a note: its bytes, refused when they are too many or no text.
func readText(ctx context.Context, env *tool.Env, info host.Info) ([]byte, error) {
	if info.Size > maxText {
		return nil, tooLarge(info.Path)
	}
	data, err := env.Vault.Read(ctx, info.Path)
	if err != nil {
		return nil, err
	}
	if !isText(data) {
		return nil, notText(info.Path)
	}
	return data, nil
}

// notes gives the files below a folder that are notes.
func notes(ctx context.Context, env *tool.Env, folder string) ([]host.Info, error) {
	all, err := env.Vault.Walk(ctx, folder)
	if err != nil {
		return nil, err
	}
	out := make([]host.Info, 0, len(all))
	for _, i := range all {
		if i.Kind == host.File && isNote(i.Path) {
			out = append(out, i)
		}
	}
	return out, nil
}

// isNote says whether a path is a Markdown note.
func isNote(path string) bool {
	return len(path) > 3 && strings.EqualFold(path[len(path)-3:], ".md")
}

// title gives a note's title: its name without extension.
func title(path string) string { return vaultpath.Stem(path) }

// checkNew refuses a path with a name that cannot be made on every system. The
// names of folders that are there already may be what they are.
func checkNew(ctx context.Context, env *tool.Env, path string) error {
	if path == "" || vaultpath.CheckNew(path) == nil && vaultpath.CheckNameOn(env.Platform.Name, path) == nil {
		return nil
	}
	for p := path; p != ""; p = vaultpath.Parent(p) {
		there, err := occupied(ctx, env, p)
		if err != nil || there {
			return err
		}
		if err := vaultpath.CheckNameOn(env.Platform.Name, p); err != nil {
			return err
		}
	}
	return nil
}

// ensureFolder makes a folder and its parents where they are missing, and says
// whether it made any. When several calls make the same one at once, the first
// wins and all are content.
func ensureFolder(ctx context.Context, env *tool.Env, folder string) (bool, error) {
	if folder == "" {
		return false, nil
	}
	info, err := env.Vault.Stat(ctx, folder)
	switch {
	case err == nil && info.Kind == host.File:
		return false, fault.New(fault.Precondition, "error.vault.isFile", fault.P{"path": folder})
	case err == nil:
		return false, nil
	case !fault.Is(err, fault.NotFound):
		return false, err
	}
	if _, err := ensureFolder(ctx, env, vaultpath.Parent(folder)); err != nil {
		return false, err
	}
	err = apply(ctx, env, host.Op{Kind: host.OpMkdir, Path: folder})
	if fault.Is(err, fault.Conflict) {
		if info, e := env.Vault.Stat(ctx, folder); e == nil && info.Kind == host.Folder {
			return false, nil
		}
	}
	return err == nil, err
}

// apply makes a write. What a tool writes as text is text, and has no control
// character that the file did not have: a NUL or an escape in a note is never
// what somebody asked for, and other programs would hide what stands beside it.
// from are other notes' bytes that the new ones were made of: what they have may
// come along, and a copy of one is a copy whatever it holds.
func apply(ctx context.Context, env *tool.Env, op host.Op, from ...[]byte) error {
	isCopy := slices.ContainsFunc(from, func(b []byte) bool { return bytes.Equal(b, op.Data) })
	if (op.Kind == host.OpCreate || op.Kind == host.OpModify) && !isCopy {
		if !text.Is(op.Data) {
			return fault.New(fault.Validation, "tools.content.notText", fault.P{"path": op.Path})
		}
		if at, bad := text.NotWritten(slices.Concat(append(from, op.Before)...), op.Data); bad {
			return fault.New(fault.Validation, "tools.content.control", fault.P{
				"path": op.Path, "line": strconv.Itoa(at.Line), "column": strconv.Itoa(at.Column), "character": at.Label,
			})
		}
	}
	_, err := env.Vault.Apply(ctx, op)
	return err
}

// modify replaces a note's bytes and gives its etag. Nothing is written when
// nothing changes.
func modify(ctx context.Context, env *tool.Env, path string, before, after []byte, from ...[]byte) (string, error) {
	if !bytes.Equal(before, after) {
		op := host.Op{Kind: host.OpModify, Path: path, Before: before, Data: after}
		if err := apply(ctx, env, op, from...); err != nil {
			return "", err
		}
	}
	return host.Etag(after), nil
}

func trashFile(ctx context.Context, env *tool.Env, path string) error {
	data, err := env.Vault.Read(ctx, path)
	if err != nil {
		return err
	}
	err = apply(ctx, env, host.Op{Kind: host.OpTrash, Path: path, Before: data})
	return err
}

// extension gives a path's extension without the dot.
func extension(path string) string { return strings.TrimPrefix(vaultpath.Ext(path), ".") }
