package server

import (
	"context"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/seal"
	"embedded-agent/wasm/internal/takeover"
)

// takeOver moves what an earlier version has kept of this device in the folder that
// travels with the notes. What cannot be moved now stays there, and is tried again
// at the next start.
func (s *Server) takeOver(ctx context.Context) {
	placed, ok := host.PlacedOf(s.host.Store)
	if !ok {
		return // all is in one folder
	}
	done, err := s.takeOverFrom(ctx, placed)
	if err != nil {
		s.out.Notice("warn", "notice.notTakenOver", fault.P{"detail": fault.From(err).Error()}, "")
	}
	if done {
		placed.ShowOthers()
	}
}

// takeOverFrom says whether what is left in the shared folder is no longer this
// device's.
func (s *Server) takeOverFrom(ctx context.Context, placed host.Placed) (bool, error) {
	old := seal.Over(placed.Shared(), s.host.Device)
	left, err := takeover.Left(ctx, old)
	if err != nil || !left {
		return err == nil, err
	}
	facts, err := placed.Facts(ctx)
	if err != nil || facts.ReadOnly { // the window that writes does it
		return false, err
	}
	if seal.Of(s.seals) != nil {
		if err := old.Open(ctx); err != nil {
			return false, err
		}
	}
	rep, err := takeover.Take(ctx, takeover.Deps{Old: old, New: s.host.Store, Owners: s.host.Owners, Now: s.deps.Now, Device: s.deviceName})
	if rep.Taken > 0 && facts.Kind != host.StoreFolder {
		s.out.Notice("info", "notice.takenOver", fault.P{"n": strconv.Itoa(rep.Taken)}, "")
	}
	return err == nil, err
}
