package server

import (
	"context"
	"slices"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/protocol"
)

// runsClear removes past runs; one that is under way stays.
func (s *Server) runsClear(ctx context.Context, c protocol.Clear) (protocol.Runs, error) {
	ids, err := s.runIDs(ctx)
	if err != nil {
		return protocol.Runs{}, err
	}
	hot, err := s.needed(ctx)
	if err != nil {
		return protocol.Runs{}, err
	}
	for _, id := range ids {
		if (c.Run != "" && id != c.Run) || slices.Contains(hot, id) {
			continue
		}
		if err := s.dropRun(ctx, id); err != nil {
			return protocol.Runs{}, err
		}
	}
	return s.runsList(ctx, protocol.RunsQuery{})
}

// needed lists the runs that did not end, and those that they are about.
func (s *Server) needed(ctx context.Context) ([]string, error) {
	ids, err := s.hot(ctx)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(ids)
	for _, id := range ids {
		way, err := s.about(ctx, id)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
			continue // it died while it wrote down what it was
		} else if err != nil {
			return nil, err
		}
		for _, d := range way {
			out = append(out, d.RunID)
		}
	}
	return out, nil
}

func (s *Server) dropRun(ctx context.Context, id string) error {
	if err := s.host.Store.Remove(ctx, runDir(id)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lastRun != nil && s.lastRun.Run == id {
		s.lastRun = nil
	}
	return nil
}

// prune keeps the run folders within the limits by number, age and bytes; the
// newest run is always kept.
func (s *Server) prune(ctx context.Context) error {
	c, now := s.guard.Settings(), s.now()
	all, err := s.runIDs(ctx)
	if err != nil {
		return err
	}
	hot, err := s.needed(ctx)
	if err != nil {
		return err
	}
	var bytes int64
	for i, id := range slices.Backward(all) {
		n, err := s.sizes.Size(ctx, runDir(id))
		if err != nil {
			return err
		}
		bytes += n
		newest := len(all) - 1 - i
		old := now.Sub(ids.Time(id, now)) > time.Duration(c.KeepDays)*24*time.Hour
		if newest == 0 || slices.Contains(hot, id) || (newest < c.KeepRuns && !old && bytes <= c.KeepBytes) {
			continue
		}
		bytes -= n
		if err := s.dropRun(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
