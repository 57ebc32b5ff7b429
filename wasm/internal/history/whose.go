package history

import (
	"context"
	"encoding/json"
	"sync"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/lease"
	"embedded-agent/wasm/internal/seal"
)

// MarkerPath is where the marker of a run lies that has begun and not ended.
func MarkerPath(id string) string { return HotFolder + "/" + id }

// whose remembers which device made each run, where that is known for good.
type whose struct {
	mu    sync.Mutex
	known map[string]bool // by run: whether another device made it; guarded by mu
}

func (w *whose) get(id string) (elsewhere, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	elsewhere, known = w.known[id]
	return elsewhere, known
}

func (w *whose) set(id string, elsewhere bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known[id] = elsewhere
}

func (w *whose) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.known, id)
}

// Elsewhere says whether a run was made on another device. Such a run is shown, and
// nothing of it is changed, marked or removed here: the files of a sync arrive in
// any order, and what is removed here is then missing there. A run that nobody
// says this device has made is taken to be another's.
func (h *History) Elsewhere(ctx context.Context, id string) (bool, error) {
	if there, known := h.whose.get(id); known {
		return there, nil
	}
	sealed, err := h.sealedHere(ctx, id)
	if err != nil {
		return false, err
	}
	if sealed {
		h.whose.set(id, false)
		return false, nil
	}
	self, err := h.deps.Device(ctx)
	if err != nil {
		return false, err
	}
	// A run that has no seal of this device may still be its own: it was made without
	// a key, or with one that is lost.
	by, err := h.madeBy(ctx, id)
	if err != nil {
		return false, err
	}
	if by != "" {
		h.whose.set(id, by != self)
		return by != self, nil
	}
	l, err := lease.Read(ctx, h.deps.Store, MarkerPath(id))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return false, err
	}
	return l.Owner.Device == "" || host.NameOf(l.Owner.Device) != self, nil
}

// madeBy gives the name of the device that a run's document says has made it; ""
// where it is not there yet, cannot be read, or is of an earlier version.
func (h *History) madeBy(ctx context.Context, id string) (string, error) {
	b, err := h.deps.Store.Read(ctx, Dir(id)+"/"+audit.RunFile)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	var d struct {
		Device string `json:"device"`
	}
	if json.Unmarshal(b, &d) != nil {
		return "", nil
	}
	return d.Device, nil
}

// sealedHere says whether one of a run's records bears the seal of this device.
// The short ones are asked first.
func (h *History) sealedHere(ctx context.Context, id string) (bool, error) {
	key := seal.OfRun(h.deps.Store, Dir(id))
	if key == nil {
		return false, nil
	}
	b, err := h.deps.Store.Read(ctx, Dir(id)+"/"+SummaryFile)
	if err == nil {
		if _, ours := seal.Unwrap(key, SummaryFile, b); ours {
			return true, nil
		}
	} else if !fault.Is(err, fault.NotFound) {
		return false, err
	}
	end, err := journal.ReadEnd(ctx, h.deps.Store, Dir(id))
	if err != nil || end != nil {
		return end.Ours(), err
	}
	l, err := journal.Load(ctx, h.deps.Store, Dir(id))
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	// A journal whose first record is torn says nothing.
	return l.Run == id && (l.Ours() || l.Key == key.ID()), nil
}

// Document gives the bytes of run.json, with the name of this device in it.
func (h *History) Document(ctx context.Context, d *Run) ([]byte, error) {
	device, err := h.deps.Device(ctx)
	if err != nil {
		return nil, err
	}
	d.Device = device
	return json.Marshal(d)
}
