package history

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
)

// written gives the files that a run has written, and how many it was allowed to
// write and did not. A run that was cancelled or stopped has written less than
// was approved, and only its journal says what. While a run is under way, and
// before somebody has decided about one that a crash cut short, nobody can say:
// then all files are given, and 0.
func written(ctx context.Context, store host.Store, d *Run, id string) (files []protocol.FileChange, rest int, _ error) {
	files = slices.DeleteFunc(slices.Clone(d.Files), func(f protocol.FileChange) bool { return f.Dropped })
	l, err := journal.Load(ctx, store, Dir(id))
	switch {
	case fault.Is(err, fault.NotFound): // it ended before its first write
		return nil, len(files), nil
	case err != nil:
		return nil, 0, err
	case l.Hot():
		return files, 0, nil
	}
	made := map[string]bool{}
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Made() {
			made[e.Path], made[e.To] = true, true
		}
	}
	approved := len(files)
	files = slices.DeleteFunc(files, func(f protocol.FileChange) bool { return !made[f.Path] })
	return files, approved - len(files), nil
}
