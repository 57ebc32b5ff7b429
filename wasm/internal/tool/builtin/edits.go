package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

// editNote changes one note by a function of its bytes, and gives its path and
// etag and whether anything changed.
func editNote(ctx context.Context, env *tool.Env, path string, change func(host.Info, []byte) ([]byte, error)) (tool.Data, error) {
	info, err := findFile(ctx, env, path)
	if err != nil {
		return nil, err
	}
	before, err := readText(ctx, env, info)
	if err != nil {
		return nil, err
	}
	after, err := change(info, before)
	if err != nil {
		return nil, noteError(info.Path, err)
	}
	etag, err := modify(ctx, env, info.Path, before, after)
	if err != nil {
		return nil, err
	}
	return tool.Data{"path": info.Path, "etag": etag, "changed": !bytes.Equal(before, after)}, nil
}

// noteError makes what package note refuses an error with a code and words.
func noteError(path string, err error) error {
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, note.ErrFront):
		return fault.New(fault.Precondition, "tools.front.invalid", fault.P{"path": path}).With(err)
	}
	return fault.New(fault.Precondition, "tools.front.refused", fault.P{"path": path}).With(err)
}

// editMany changes many notes: change gives a note's new bytes and how many
// changes they are. First all are read, then those that differ are written, so
// an error of reading leaves everything as it was. It gives the notes changed,
// each with its count, the sum, and what scope.tell says of those left alone.
func editMany(ctx context.Context, env *tool.Env, s *scope, change func(host.Info, []byte) ([]byte, int, error)) (tool.Data, error) {
	var edits []edit
	err := s.read(ctx, env, func(i host.Info, data []byte) error {
		out, n, err := change(i, data)
		if err != nil {
			return s.leaveOut(i.Path, noteError(i.Path, err))
		}
		if n > 0 && !bytes.Equal(out, data) {
			edits = append(edits, edit{i.Path, data, out, n})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	changed, sum := []any{}, 0
	var last error
	for _, e := range edits {
		if _, err := modify(ctx, env, e.path, e.before, e.after); err != nil {
			if last = s.leaveOut(e.path, err); last != nil {
				return nil, last
			}
			last = err
			continue
		}
		changed = append(changed, map[string]any{"path": e.path, "count": e.count})
		sum += e.count
	}
	if len(changed) == 0 && last != nil {
		return nil, last // nothing of it can be written
	}
	return s.tell(tool.Data{"changed": changed, "count": sum}), nil
}

// edit is a note's new bytes, and how many changes they are.
type edit struct {
	path          string
	before, after []byte
	count         int
}

// claimTargets claims the notes that "path" or "paths" name, or everything.
func claimTargets(args tool.Args) []string {
	var out []string
	for _, g := range append(slices.Clip(args.List("paths")), args["path"]) {
		if p, ok := g.(string); ok {
			out = append(out, claimPath(tool.Args{"path": p})...)
		}
	}
	if len(out) == 0 && !args.Has("paths") {
		return claimAll(args)
	}
	return out
}

// touchTargets says what targets gives: the notes named, or all of a folder.
func touchTargets(args tool.Args) tool.Touch {
	if args.Has("path") || args.Has("paths") {
		return tool.Touch{Files: append(stringList(args, "paths"), stringList(tool.Args{"path": []any{args["path"]}}, "path")...)}
	}
	return tool.Touch{Folders: []string{args.String("folder")}}
}

// stringList gives a list argument's texts.
func stringList(args tool.Args, name string) []string {
	var out []string
	for _, e := range args.List(name) {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// errFront marks an error of reading a front matter.
func errFront(err error) error { return fmt.Errorf("%w: %w", note.ErrFront, err) }
