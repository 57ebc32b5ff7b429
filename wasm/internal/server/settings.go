package server

import (
	"context"
	"crypto/rand"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/chat"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/quota"
	"embedded-agent/wasm/internal/transaction"
)

// withDefaults fills what the person has not set.
func withDefaults(s protocol.Settings) protocol.Settings {
	positive := func(n *int, def int) {
		if *n <= 0 {
			*n = def
		}
	}
	if s.Provider == "" {
		s.Provider = chat.ProviderOpenAI
		if s.DemoURL != "" && s.KeyName == "" {
			s.Provider = chat.ProviderDemo
		}
	}
	if s.Confirm == "" {
		s.Confirm = string(policy.ConfirmAlways)
	}
	positive(&s.MaxAttempts, 3)
	positive(&s.MaxBackoffMs, 60_000)
	positive(&s.TimeoutMs, 60_000)
	positive(&s.MaxConcurrency, 8)
	positive(&s.MaxSteps, plan.DefaultMaxSteps)
	positive(&s.MaxCalls, 20_000)
	positive(&s.MaxPlanMB, quota.DefaultMB)
	s.MaxPlanMB = min(s.MaxPlanMB, quota.MaxMB)
	positive(&s.CodeMaxMs, transaction.DefaultCodeMs)
	positive(&s.CodeMaxMB, transaction.DefaultCodeMB)
	positive(&s.KeepRuns, 100)
	positive(&s.KeepDays, 365)
	positive(&s.AgentIterations, agent.DefaultMaxIterations)
	positive(&s.AgentCalls, agent.DefaultMaxToolCalls)
	if s.KeepBytes <= 0 {
		s.KeepBytes = 500 << 20
	}
	return s
}

// keyFile holds the key of the markers that stand for redacted text: random, so
// that nobody who sees a marker can check a guess against it.
const keyFile = "redaction.key"

// markerKey gives the key of the markers: that of the store once it is read,
// until then one that is forgotten.
func (s *Server) markerKey() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.marker == nil {
		s.marker = make([]byte, 32)
		_, _ = rand.Read(s.marker) // never fails (crypto/rand)
	}
	return s.marker
}

// readKey reads the markers' key, where one is kept.
func (s *Server) readKey(ctx context.Context) error {
	key, err := s.host.Store.Read(ctx, keyFile)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	case len(key) == 32:
		s.mu.Lock()
		s.marker, s.markerKept = key, true
		s.mu.Unlock()
	}
	return nil
}

// keepKey keeps the markers' key before the first record that may hold one.
func (s *Server) keepKey(ctx context.Context) error {
	s.mu.Lock()
	kept := s.markerKept
	s.mu.Unlock()
	if kept {
		return nil
	}
	if err := s.host.Store.Write(ctx, keyFile, s.markerKey()); err != nil {
		return fault.Store(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.markerKept = true
	return nil
}

// configure takes over settings. Settings that cannot be enforced are refused
// as a whole: a guard that is not there must be noticed.
func (s *Server) configure(in protocol.Settings) error {
	in = withDefaults(in)
	red, err := audit.NewRedactor(s.markerKey(), in.RedactPatterns)
	if err != nil {
		return err
	}
	s.guard.TakeSettings(in)
	s.out.Hide(red)
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

// hello opens the connection: a shell of another contract is refused.
func (s *Server) hello(ctx context.Context, h protocol.Hello) (protocol.Welcome, error) {
	if h.Contract != protocol.Contract {
		return protocol.Welcome{}, fault.New(fault.Precondition, "error.contract", nil)
	}
	if err := s.readKey(ctx); err != nil {
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
	if err := s.tx.FindHot(ctx); err != nil {
		return protocol.Welcome{}, err
	}
	st, err := s.state(ctx)
	return protocol.Welcome{Contract: protocol.Contract, Version: Version, State: st}, err
}
