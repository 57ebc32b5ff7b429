package server

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/seal"
)

// pinsFile keeps the last values of pins, for stale_last_success. They are kept
// when a run of their saved action has gone well, redacted, the newest ones.
const (
	pinsFile     = "pins.json"
	maxPins      = 200
	maxPinnedLen = 64 << 10
)

// pinnedValue is one value in the file, the newest last.
type pinnedValue struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

// pins is what a session pins: what earlier runs of its action left, and what
// its own model steps gave.
type pins struct {
	mu    sync.Mutex
	old   map[string]any
	fresh map[string]any
}

// pinsOf gives the values of one step; nothing is stale in a plan that is not a
// saved action: it has no last run.
func (s *Server) pinsOf(ctx context.Context, se *session, step string) agent.LastValues {
	if se.action == "" || se.pins == nil {
		return nil
	}
	se.pins.mu.Lock()
	defer se.pins.mu.Unlock()
	if se.pins.old == nil {
		se.pins.old = map[string]any{}
		list, err := s.readPins(ctx)
		if err != nil {
			s.notice("warn", "notice.historyNotKept", nil, se.id)
		}
		for _, p := range list {
			se.pins.old[p.Key] = p.Value
		}
	}
	return stepPins{se.pins, se.action + "/" + step + "/"}
}

type stepPins struct {
	*pins
	prefix string
}

// Last gives what the last run left.
func (p stepPins) Last(key string) (any, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok := p.old[p.prefix+key]
	return v, ok
}

// Keep holds a value until the run has gone well.
func (p stepPins) Keep(key string, value any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fresh == nil {
		p.fresh = map[string]any{}
	}
	p.fresh[p.prefix+key] = value
}

func (s *Server) readPins(ctx context.Context) ([]pinnedValue, error) {
	b, err := s.host.Store.Read(ctx, pinsFile)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	// A value that is not of this device would go into the notes unasked.
	b, ours := seal.Unwrap(seal.Of(s.host.Store), pinsFile, b)
	if !ours && seal.Of(s.host.Store) != nil {
		return nil, nil
	}
	var list []pinnedValue
	if json.Unmarshal(b, &list) != nil {
		return nil, nil // torn by a crash: nothing is stale then
	}
	return list, nil
}

// keepPins keeps what a run's steps pinned.
func (s *Server) keepPins(ctx context.Context, se *session) error {
	if se.pins == nil {
		return nil
	}
	se.pins.mu.Lock()
	fresh := se.pins.fresh
	se.pins.fresh = nil
	se.pins.mu.Unlock()
	if len(fresh) == 0 {
		return nil
	}
	list, err := s.readPins(ctx)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(p pinnedValue) bool { _, again := fresh[p.Key]; return again })
	for key, value := range fresh {
		clean, _ := s.redactValue(value)
		if b, err := jsonOf(clean); err == nil && len(b) <= maxPinnedLen {
			list = append(list, pinnedValue{key, clean})
		}
	}
	if n := len(list); n > maxPins {
		list = list[n-maxPins:]
	}
	b, err := jsonOf(list)
	if err != nil {
		return err
	}
	return s.host.Store.Write(ctx, pinsFile, seal.Wrap(seal.Of(s.host.Store), pinsFile, b))
}
