package server

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/protocol"
)

// summarise gives a run's line for the history, and what may be done with it.
func (x *execution) summarise(end string) protocol.RunSummary {
	wrote := x.jw != nil && slices.Contains(x.jw.Outcomes(), journal.Done)
	x.mu.Lock()
	defer x.mu.Unlock()
	rs := &x.rs
	ok := rs.Outcome == history.OutcomeOK
	rs.Can = protocol.Can{Revert: wrote, Rest: !ok, Save: ok && x.kind == "run" && x.se.action == ""}
	return protocol.RunSummary{
		Run: rs.Run, Kind: x.kind, Goal: rs.Goal, StartedAt: pipeline.Stamp(x.began), EndedAt: end,
		Outcome: rs.Outcome, Files: x.changed(), Calls: rs.Done, Text: rs.Text, Can: rs.Can,
	}
}

// endRun ends a run's records, and then its being under way.
func (s *Server) endRun(ctx context.Context, end journal.End, sum *protocol.RunSummary) error {
	if err := s.history.End(ctx, end, sum); err != nil {
		return err
	}
	return s.unmarkHot(ctx, sum.Run)
}

// ended tells that a run is over, and makes room.
func (s *Server) ended(ctx context.Context, x *execution, sum protocol.RunSummary) {
	s.mu.Lock()
	if sum.Can.Revert {
		s.lastRun = &sum
	}
	s.mu.Unlock()
	x.tell()
	if err := s.history.Prune(ctx); err != nil {
		s.out.Notice("warn", "notice.notPruned", nil, "")
	}
}

// forgetLast forgets the last run that could be taken back, where it is this one.
func (s *Server) forgetLast(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lastRun != nil && s.lastRun.Run == id {
		s.lastRun = nil
	}
}
