package takeover

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
)

// What earlier versions kept beside the runs, and any device may have written.
// Without these, searches and first questions take longer, and nothing is lost.
var cached = []string{"index", "endpoints.json"}

// caches takes over what the new store has nothing of. Traces of turns are copied
// and stay where they are as well: nobody can say whose they are.
func (m *mover) caches(ctx context.Context) error {
	for _, path := range append([]string{history.TracesFolder}, cached...) {
		if err := m.fill(ctx, path); err != nil {
			return err
		}
	}
	for _, path := range cached {
		if err := m.Old.Remove(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// fill copies a file, or a folder with all that is in it, unless something is there.
// One that was cut short is as good as none: what it lacks is made again.
func (m *mover) fill(ctx context.Context, path string) error {
	files, err := allOf(ctx, m.Old, path)
	if err != nil || len(files) == 0 {
		return err
	}
	there, err := allOf(ctx, m.New, path)
	if err != nil || len(there) > 0 {
		return err
	}
	for _, file := range files {
		data, err := m.Old.Read(ctx, file)
		if err != nil {
			return err
		}
		if err := m.New.Write(ctx, file, data); err != nil {
			return err
		}
	}
	return nil
}

// allOf lists the files of a folder, or the file itself.
func allOf(ctx context.Context, s host.Store, path string) ([]string, error) {
	files, err := filesIn(ctx, s, path)
	if err != nil || len(files) > 0 {
		return files, err
	}
	there, err := has(ctx, s, path)
	if err != nil || !there {
		return nil, err
	}
	return []string{path}, nil
}

// Left says whether an earlier version has left anything in a store that may have to
// be taken over.
func Left(ctx context.Context, old host.Store) (bool, error) {
	entries, err := old.List(ctx, "")
	if err != nil {
		return false, err
	}
	of := append([]string{"runs", history.HotFolder}, cached...)
	return slices.ContainsFunc(entries, func(e host.Info) bool { return slices.Contains(of, e.Path) }), nil
}
