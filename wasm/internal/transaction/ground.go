package transaction

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/lease"
)

// quietTime is how long a recovery waits for writes that a former core has
// handed to the disk.
const quietTime = 30 * time.Second

// quiet waits until nothing of a former core is under way. Until then nobody can
// say what it has written, and it would write over what is taken back: no journal
// of a run that did not end is read before.
func (t *Transactions) quiet(ctx context.Context) error {
	if t.deps.Host.Owners == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, quietTime)
	defer cancel()
	err := t.allQuiet(ctx)
	if err != nil && ctx.Err() != nil {
		return fault.New(fault.Timeout, "error.recovery.busy", nil).With(err)
	}
	return err
}

func (t *Transactions) allQuiet(ctx context.Context) error {
	if err := t.deps.Host.Owners.Quiet(ctx); err != nil {
		return err
	}
	ids, err := t.hot(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		state, err := t.held(ctx, id)
		if err != nil {
			return err
		}
		if state == lease.Free {
			if err := t.still(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// stillFor is how long nothing may change that a run of another window was about
// to write, before it is taken to be quiet. Nobody can be asked what that one has
// left under way.
const stillFor = 2 * time.Second

// still waits, where another window or device had a run in hand, until neither its
// journal nor the paths change any more that it may still be writing.
func (t *Transactions) still(ctx context.Context, id string) error {
	t.mu.Lock()
	owner := t.seen[id].lease.Owner
	t.mu.Unlock()
	self, err := t.deps.Host.Owners.Self(ctx)
	if err != nil || owner == (host.Owner{}) || owner == self {
		return err
	}
	for was := ""; ; {
		l, err := journal.Load(ctx, t.deps.Host.Store, history.Dir(id))
		if fault.Is(err, fault.NotFound) {
			return nil // it had not begun
		} else if err != nil {
			return err
		}
		is, err := l.Sights(ctx, t.deps.Host.Vault)
		if err != nil || is == was {
			return err
		}
		was = is
		select {
		case <-time.After(stillFor):
		case <-ctx.Done():
			return fault.From(ctx.Err())
		}
	}
}

func hotPath(id string) string { return history.HotFolder + "/" + id }

// MarkHot takes a run in hand: its marker is in the store, and names this place
// as its owner. Lost is called where somebody else takes it.
func (t *Transactions) MarkHot(ctx context.Context, id string, lost func()) error {
	if err := t.deps.KeepKey(ctx); err != nil {
		return err
	}
	l := lease.Lease{Run: id}
	if t.deps.Host.Owners != nil {
		self, err := t.deps.Host.Owners.Self(ctx)
		if err != nil {
			return err
		}
		l.Owner = self
	}
	k, err := lease.Keep(ctx, t.deps.Host.Store, hotPath(id), l, t.deps.Now, lost)
	if err != nil {
		return err
	}
	t.mu.Lock()
	old := t.leases[id]
	t.leases[id] = k
	t.mu.Unlock()
	if old != nil {
		old.Stop()
	}
	return nil
}

// unmarkHot removes the marker of a run that has ended.
func (t *Transactions) unmarkHot(ctx context.Context, id string) error {
	t.letLease(id)
	if err := t.deps.Host.Store.Remove(ctx, hotPath(id)); err != nil {
		return fault.Store(err)
	}
	return nil
}

// letLease ends the beats of a run that is no longer carried out here. Its marker
// stays where it did not end.
func (t *Transactions) letLease(id string) {
	t.mu.Lock()
	k := t.leases[id]
	delete(t.leases, id)
	t.mu.Unlock()
	if k != nil {
		k.Stop()
	}
}

// Lease gives the lease that this core holds of a run; nil where it holds none.
func (t *Transactions) Lease(id string) *lease.Keeper {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.leases[id]
}

// ground is a vault as the writes of a run are made to it: none once somebody else
// has taken the run in hand.
type ground struct {
	host.Vault
	k *lease.Keeper
}

func (t *Transactions) ground(id string, v host.Vault) host.Vault {
	if k := t.Lease(id); k != nil {
		return ground{v, k}
	}
	return v
}

// Apply makes a write, on ground that is still held.
func (g ground) Apply(ctx context.Context, op host.Op) (host.Info, error) {
	if err := g.k.Check(ctx); err != nil {
		return host.Info{}, err
	}
	return g.Vault.Apply(ctx, op)
}

// held says whether a run that did not end is in somebody else's hand.
func (t *Transactions) held(ctx context.Context, id string) (lease.State, error) {
	l, err := lease.Read(ctx, t.deps.Host.Store, hotPath(id))
	if fault.Is(err, fault.NotFound) {
		return lease.Free, nil
	} else if err != nil {
		return lease.Free, err
	}
	t.mu.Lock()
	was, ok := t.seen[id]
	if !ok || was.lease != l {
		was = sighting{l, t.deps.Now()}
		t.seen[id] = was
	}
	t.mu.Unlock()
	return lease.Judge(ctx, t.deps.Host.Owners, l, t.deps.Now(), was.at)
}

// sighting is a lease as it was found, and when that was first so.
type sighting struct {
	lease lease.Lease
	at    time.Time
}

// ownGround refuses what would touch a run that somebody else carries out.
func (t *Transactions) ownGround(ctx context.Context, id string) error {
	state, err := t.held(ctx, id)
	if err != nil {
		return err
	}
	switch state {
	case lease.Here:
		return fault.New(fault.Precondition, "error.run.liveHere", nil)
	case lease.Remote:
		return fault.New(fault.Precondition, "error.run.liveRemote", nil)
	}
	return nil
}

// watchEvery is how often a run that goes on elsewhere is looked at.
const watchEvery = 5 * time.Second

// watchElsewhere looks again, until no run goes on elsewhere.
func (t *Transactions) watchElsewhere() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.watching || t.deps.Life.Err() != nil {
		return
	}
	t.watching = true
	go func() {
		select {
		case <-t.deps.Life.Done():
			return
		case <-time.After(watchEvery):
		}
		t.mu.Lock()
		t.watching = false
		t.mu.Unlock()
		t.LookAgain(t.deps.Life)
	}()
}
