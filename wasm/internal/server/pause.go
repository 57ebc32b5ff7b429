package server

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
)

// running gives the run under way by its id.
func (s *Server) running(id string) (*execution, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil || s.run.over() || (id != "" && s.run.se.id != id) {
		return nil, fault.New(fault.NotFound, "error.run.notRunning", nil)
	}
	return s.run, nil
}

func (s *Server) runPause(_ context.Context, p protocol.RunRef) (protocol.Empty, error) {
	x, err := s.running(p.Run)
	if err != nil {
		return protocol.Empty{}, err
	}
	x.gate.Pause()
	x.mark("paused")
	return protocol.Empty{}, nil
}

func (s *Server) runResume(_ context.Context, p protocol.RunRef) (protocol.Empty, error) {
	x, err := s.running(p.Run)
	if err != nil {
		return protocol.Empty{}, err
	}
	x.gate.Resume()
	x.mark("running")
	return protocol.Empty{}, nil
}

func (x *execution) mark(state string) {
	x.mu.Lock()
	if x.rs.State == "running" || x.rs.State == "paused" {
		x.rs.State = state
	}
	x.mu.Unlock()
	x.tell()
}
