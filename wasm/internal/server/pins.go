package server

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/seal"
)

// The last values of pins are kept for stale_last_success, when a run of their
// saved action has gone well, redacted, the newest ones: in a file for each
// device, since those of another are not used. Earlier versions had one file.
const (
	pinsFolder   = "pins"
	onePinsFile  = "pins.json"
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

// pinsFile gives the path of this device's file.
func (s *Server) pinsFile(ctx context.Context) (string, error) {
	device, err := s.deviceName(ctx)
	return pinsFolder + "/" + device + ".json", err
}

func (s *Server) readPins(ctx context.Context) ([]pinnedValue, error) {
	own, err := s.pinsFile(ctx)
	if err != nil {
		return nil, err
	}
	for _, path := range []string{own, spareOf(own), onePinsFile} {
		list, err := s.pinsAt(ctx, path)
		if list != nil || err != nil {
			return list, err
		}
	}
	return nil, nil
}

// spareOf gives the file that is written before another one is replaced, so that
// a crash leaves one of the two whole.
func spareOf(path string) string { return strings.TrimSuffix(path, ".json") + ".new.json" }

// pinsAt reads a file; nil where there is none, or none that can be used.
func (s *Server) pinsAt(ctx context.Context, path string) ([]pinnedValue, error) {
	b, err := s.host.Store.Read(ctx, path)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	// A value that is not of this device would go into the notes unasked.
	name := pinsFolder
	if path == onePinsFile {
		name = onePinsFile
	}
	b, ours := seal.Unwrap(seal.Of(s.host.Store), name, b)
	if !ours && seal.Of(s.host.Store) != nil {
		return nil, nil
	}
	var list []pinnedValue
	if json.Unmarshal(b, &list) != nil {
		return nil, nil // torn by a crash
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
	path, err := s.pinsFile(ctx)
	if err != nil {
		return err
	}
	b = seal.Wrap(seal.Of(s.host.Store), pinsFolder, b)
	for _, to := range []string{spareOf(path), path} {
		if err := s.host.Store.Write(ctx, to, b); err != nil {
			return err
		}
	}
	return s.host.Store.Remove(ctx, spareOf(path))
}
