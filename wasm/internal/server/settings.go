package server

import (
	"context"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/version"
)

// configure takes over settings. Settings that cannot be enforced are refused
// as a whole: a guard that is not there must be noticed.
func (s *Server) configure(in protocol.Settings) error {
	red, err := audit.NewRedactor(s.markers.Bytes(), in.RedactPatterns)
	if err != nil {
		return err
	}
	s.out.Hide(red) // before anything is done by the new settings
	s.guard.TakeSettings(in)
	return nil
}

func (s *Server) onConfigure(ctx context.Context, in protocol.Settings) (protocol.State, error) {
	if err := s.configure(in); err != nil {
		return protocol.State{}, err
	}
	if err := s.guard.ReadOrganisation(ctx); err != nil {
		s.out.Notice("error", err.Key, err.Params, "")
	}
	if err := s.usage.SetPrices(in.Prices); err != nil {
		return protocol.State{}, err // all else holds already
	}
	return s.state(ctx)
}

// hello opens the connection: an app's side of another contract is refused.
func (s *Server) hello(ctx context.Context, h protocol.Hello) (protocol.Welcome, error) {
	if h.Contract != protocol.Contract {
		return protocol.Welcome{}, fault.New(fault.Precondition, "error.contract", nil)
	}
	if err := s.markers.Read(ctx); err != nil {
		return protocol.Welcome{}, err
	}
	if err := s.seals.Open(ctx); err != nil {
		// What is written unsealed is taken back by a review: nothing is lost.
		s.out.Notice("warn", "notice.noKey", fault.P{"detail": fault.From(err).Error()}, "")
	}
	if err := s.configure(h.Settings); err != nil {
		return protocol.Welcome{}, err
	}
	if err := s.usage.SetPrices(h.Settings.Prices); err != nil {
		s.out.Notice("warn", "usage.prices", fault.P{"detail": fault.From(err).Error()}, "")
	}
	if err := s.guard.ReadOrganisation(ctx); err != nil {
		s.out.Notice("error", err.Key, err.Params, "")
	}
	s.usage.SetZone(s.guard.SetPlatform(h.Platform))
	s.library.Speak(h.Platform.Language)
	s.takeOver(ctx) // before anything looks for what a crash has left
	if err := s.undo.FindHot(ctx); err != nil {
		return protocol.Welcome{}, err
	}
	st, err := s.state(ctx)
	return protocol.Welcome{Contract: protocol.Contract, Version: version.Core, State: st}, err
}
