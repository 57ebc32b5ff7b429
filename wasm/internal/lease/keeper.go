package lease

import (
	"context"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// Keeper holds a run's lease.
type Keeper struct {
	store host.Store
	path  string
	now   func() time.Time
	lost  func()
	end   context.CancelFunc
	over  chan struct{}

	mu    sync.Mutex // guards what follows
	lease Lease
	taken bool
}

// Keep takes a lease, over whoever had it, and holds it until Stop. It beats
// while ctx lasts. Lost is called, once, where somebody else has taken it.
func Keep(ctx context.Context, store host.Store, path string, l Lease, now func() time.Time, lost func()) (*Keeper, error) {
	l.At = now().UnixMilli()
	if err := Write(ctx, store, path, l); err != nil {
		return nil, err
	}
	beats, end := context.WithCancel(context.WithoutCancel(ctx))
	k := &Keeper{store: store, path: path, now: now, lost: lost, end: end, over: make(chan struct{}), lease: l}
	go k.beat(beats)
	return k, nil
}

func (k *Keeper) beat(ctx context.Context) {
	defer close(k.over)
	t := time.NewTicker(Beat)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			// A store that fails now and then is tried again at the next beat; one
			// that keeps failing stops the run at its own records.
			_ = k.renew(ctx)
		}
	}
}

// Check says whether the lease is still held: CONFLICT where somebody else has
// taken it. It asks the store only where the last beat is long past, as after a
// machine that slept.
func (k *Keeper) Check(ctx context.Context) error {
	k.mu.Lock()
	taken, age := k.taken, k.now().Sub(time.UnixMilli(k.lease.At))
	k.mu.Unlock()
	switch {
	case taken:
		return Taken()
	case age < 3*Beat:
		return nil
	}
	return k.renew(ctx)
}

// Taken is the error of a run whose ground somebody else has taken.
func Taken() *fault.Error { return fault.New(fault.Conflict, "error.run.taken", nil) }

// Lost says whether somebody else has taken the lease.
func (k *Keeper) Lost() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.taken
}

// renew looks whether the lease is still one's own, and says that one is there.
func (k *Keeper) renew(ctx context.Context) error {
	found, err := Read(ctx, k.store, k.path)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	k.mu.Lock()
	if k.taken {
		k.mu.Unlock()
		return Taken()
	}
	l := k.lease
	// A torn marker is one that was being written: its own.
	k.taken = err != nil || found.Owner != (host.Owner{}) && found.Owner != l.Owner
	taken := k.taken
	k.mu.Unlock()
	if taken {
		k.lost()
		return Taken()
	}
	l.At = k.now().UnixMilli()
	if err := Write(ctx, k.store, k.path, l); err != nil {
		return err
	}
	k.mu.Lock()
	k.lease = l
	k.mu.Unlock()
	return nil
}

// Look checks at once whether the lease is still ours.
func (k *Keeper) Look(ctx context.Context) error { return k.renew(ctx) }

// Stop ends the beats. The marker stays.
func (k *Keeper) Stop() {
	k.end()
	<-k.over
}
