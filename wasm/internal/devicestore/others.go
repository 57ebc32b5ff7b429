package devicestore

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// ShowOthers implements host.Placed: from now on the runs in the shared folder can be
// read, too. They are those of other devices, where an earlier version kept them or
// somebody has copied them to. Nothing is ever written or removed there.
func (s *Store) ShowOthers() { s.others.Store(true) }

// runOf gives the run whose files or marker a path is among; "" for any other path.
func runOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if len(parts) < 2 || parts[0] != "runs" && parts[0] != "hot" {
		return ""
	}
	return parts[1]
}

// elsewhere says whether a run may be read from the shared folder: this device has no
// file of it. A run is never put together from both, since anybody could then add
// to what this device has written.
func (s *Store) elsewhere(ctx context.Context, kind host.Store, run string) (bool, error) {
	if !s.others.Load() || run == "" {
		return false, nil
	}
	entries, err := kind.List(ctx, "runs/"+run)
	return err == nil && len(entries) == 0, err
}

// readOther reads a file of another device's run, where this one has none.
func (s *Store) readOther(ctx context.Context, kind host.Store, path string, missing error) ([]byte, error) {
	if !fault.Is(missing, fault.NotFound) {
		return nil, missing
	}
	other, err := s.elsewhere(ctx, kind, runOf(path))
	if err != nil {
		return nil, err
	}
	if !other {
		return nil, missing
	}
	return s.shared.Read(ctx, path)
}

// listOthers adds what other devices have to what this one has in a folder.
func (s *Store) listOthers(ctx context.Context, kind host.Store, folder string, ours []host.Info) ([]host.Info, error) {
	switch {
	case !s.others.Load():
		return ours, nil
	case folder != "runs" && folder != "hot":
		if other, err := s.elsewhere(ctx, kind, runOf(folder)); err != nil || !other {
			return ours, err
		}
		return s.shared.List(ctx, folder)
	}
	theirs, err := s.shared.List(ctx, folder)
	if err != nil {
		return nil, err
	}
	for _, i := range theirs {
		if slices.ContainsFunc(ours, func(o host.Info) bool { return o.Path == i.Path }) {
			continue
		}
		other, err := s.elsewhere(ctx, kind, runOf(i.Path))
		if err != nil {
			return nil, err
		}
		if other {
			ours = append(ours, i)
		}
	}
	slices.SortFunc(ours, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
	return ours, nil
}
