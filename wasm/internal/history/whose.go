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

// whose tells which device made each run, and remembers it where it is known for
// good.
type whose struct {
	store  host.Store
	device func(context.Context) (string, error)

	mu    sync.Mutex      // guards known
	known map[string]bool // by run: whether another device made it
}

func (w *whose) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.known, id)
}

// learn takes it from the index that this device has made a run.
func (w *whose) learn(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known[id] = false
}

// Elsewhere says whether a run was made on another device. Such a run is shown, and
// nothing of it is changed, marked or removed here: the files of a sync arrive in
// any order, and what is removed here is then missing there. A run that nobody
// says this device has made is taken to be another's.
func (h *History) Elsewhere(ctx context.Context, id string) (bool, error) {
	return h.whose.elsewhere(ctx, id)
}

func (w *whose) elsewhere(ctx context.Context, id string) (bool, error) {
	w.mu.Lock()
	there, known := w.known[id]
	w.mu.Unlock()
	if known {
		return there, nil
	}
	there, known, err := w.find(ctx, id)
	if err == nil && known {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.known[id] = there
	}
	return there, err
}

// find looks whose a run is. What is not known for good may be another when more of
// the run has arrived.
func (w *whose) find(ctx context.Context, id string) (elsewhere, known bool, err error) {
	sealed, err := w.sealedHere(ctx, id)
	if err != nil || sealed {
		return false, sealed, err
	}
	self, err := w.device(ctx)
	if err != nil {
		return false, false, err
	}
	// A run that has no seal of this device may still be its own: it was made without
	// a key, or with one that is lost.
	by, err := w.madeBy(ctx, id)
	if err != nil || by != "" {
		return by != self, err == nil, err
	}
	l, err := lease.Read(ctx, w.store, MarkerPath(id))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return false, false, err
	}
	return l.Owner.Device == "" || host.NameOf(l.Owner.Device) != self, false, nil
}

// madeBy gives the name of the device that a run's document says has made it; ""
// where it is not there yet, cannot be read, or is of an earlier version.
func (w *whose) madeBy(ctx context.Context, id string) (string, error) {
	b, err := w.store.Read(ctx, Dir(id)+"/"+audit.RunFile)
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
func (w *whose) sealedHere(ctx context.Context, id string) (bool, error) {
	key := seal.OfRun(w.store, Dir(id))
	if key == nil {
		return false, nil
	}
	b, err := w.store.Read(ctx, Dir(id)+"/"+SummaryFile)
	if err == nil {
		if _, ours := seal.Unwrap(key, SummaryFile, b); ours {
			return true, nil
		}
	} else if !fault.Is(err, fault.NotFound) {
		return false, err
	}
	end, err := journal.ReadEnd(ctx, w.store, Dir(id))
	if err != nil || end != nil {
		return end.Ours(), err
	}
	l, err := journal.Load(ctx, w.store, Dir(id))
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
