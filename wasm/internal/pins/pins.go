// Package pins keeps the last values of the pins of agent steps, for the rule
// stale_last_success: when a run of their saved action has gone well, redacted,
// the newest ones, and only on the device that they were found on.
package pins

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/seal"
)

// Where the values are: a file for each device. Earlier versions had one file.
const (
	folder  = "pins"
	oneFile = "pins.json"
)

// Bounds of what is kept: values, the newest ones, and the bytes of each as JSON.
const (
	maxPins      = 200
	maxPinnedLen = 64 << 10
)

// pinnedValue is one value in the file, the newest last.
type pinnedValue struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

// Set has the pins of one plan: values that earlier runs of its action left, and those that its
// own model steps gave. The zero value is empty.
type Set struct {
	mu    sync.Mutex // guards both
	old   map[string]any
	fresh map[string]any
}

// Book reads and keeps the values of this device.
type Book struct {
	store  host.Store
	device func(context.Context) (string, error)
	out    *outbox.Outbox
}

// NewBook gives the book of a store, whose device names itself.
func NewBook(store host.Store, device func(context.Context) (string, error), out *outbox.Outbox) *Book {
	return &Book{store, device, out}
}

// Of gives the values of one step of a plan. Nothing is stale in a plan that is
// no saved action's: it has no last run, and there are none. Run is named where
// the values cannot be read, which is told.
func (b *Book) Of(ctx context.Context, set *Set, action, step, run string) *StepValues {
	if action == "" || set == nil {
		return nil
	}
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.old == nil {
		set.old = map[string]any{}
		list, err := b.read(ctx)
		if err != nil {
			b.out.Notice("warn", "notice.historyNotKept", nil, run)
		}
		for _, p := range list {
			set.old[p.Key] = p.Value
		}
	}
	return &StepValues{set, action + "/" + step + "/"}
}

// StepValues are the values of one step, by the name of the pin.
type StepValues struct {
	set    *Set
	prefix string
}

// Last gives what the last run left.
func (p *StepValues) Last(key string) (any, bool) {
	p.set.mu.Lock()
	defer p.set.mu.Unlock()
	v, ok := p.set.old[p.prefix+key]
	return v, ok
}

// Keep holds a value until the run has gone well.
func (p *StepValues) Keep(key string, value any) {
	p.set.mu.Lock()
	defer p.set.mu.Unlock()
	if p.set.fresh == nil {
		p.set.fresh = map[string]any{}
	}
	p.set.fresh[p.prefix+key] = value
}

// file gives the path of this device's file.
func (b *Book) file(ctx context.Context) (string, error) {
	device, err := b.device(ctx)
	return folder + "/" + device + ".json", err
}

func (b *Book) read(ctx context.Context) ([]pinnedValue, error) {
	own, err := b.file(ctx)
	if err != nil {
		return nil, err
	}
	for _, path := range []string{own, spare(own), oneFile} {
		list, err := b.at(ctx, path)
		if list != nil || err != nil {
			return list, err
		}
	}
	return nil, nil
}

// spare gives the file that is written before another one is replaced, so that
// a crash leaves one of the two whole.
func spare(path string) string { return strings.TrimSuffix(path, ".json") + ".new.json" }

// at reads a file; nil where there is none, or none that can be used.
func (b *Book) at(ctx context.Context, path string) ([]pinnedValue, error) {
	data, err := b.store.Read(ctx, path)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	// A value that is not of this device would go into the notes unasked.
	name := folder
	if path == oneFile {
		name = oneFile
	}
	data, ours := seal.Unwrap(seal.Of(b.store), name, data)
	if !ours && seal.Of(b.store) != nil {
		return nil, nil
	}
	var list []pinnedValue
	if json.Unmarshal(data, &list) != nil {
		return nil, nil // torn by a crash
	}
	return list, nil
}

// Keep keeps what a run's steps pinned, redacted, once the run has gone well.
func (b *Book) Keep(ctx context.Context, set *Set) error {
	if set == nil {
		return nil
	}
	set.mu.Lock()
	fresh := set.fresh
	set.fresh = nil
	set.mu.Unlock()
	if len(fresh) == 0 {
		return nil
	}
	list, err := b.read(ctx)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(p pinnedValue) bool { _, again := fresh[p.Key]; return again })
	for key, value := range fresh {
		clean, _ := b.out.RedactValue(value)
		if text, err := canon.Encode(clean); err == nil && len(text) <= maxPinnedLen {
			list = append(list, pinnedValue{key, clean})
		}
	}
	if n := len(list); n > maxPins {
		list = list[n-maxPins:]
	}
	data, err := canon.Encode(list)
	if err != nil {
		return err
	}
	path, err := b.file(ctx)
	if err != nil {
		return err
	}
	data = seal.Wrap(seal.Of(b.store), folder, data)
	for _, to := range []string{spare(path), path} {
		if err := b.store.Write(ctx, to, data); err != nil {
			return err
		}
	}
	return b.store.Remove(ctx, spare(path))
}
