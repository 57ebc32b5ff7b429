package underway

import (
	"context"
	"slices"
	"strings"
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

// Quiet waits until nothing of a former core is under way. Until then nobody can
// say what it has written, and it would write over what is reverted: no journal
// of a run that did not end is read before.
func (r *Runs) Quiet(ctx context.Context) error {
	if r.deps.Host.Owners == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, quietTime)
	defer cancel()
	err := r.allQuiet(ctx)
	if err != nil && ctx.Err() != nil {
		return fault.New(fault.Timeout, "error.recovery.busy", nil).With(err)
	}
	return err
}

func (r *Runs) allQuiet(ctx context.Context) error {
	if err := r.deps.Host.Owners.Quiet(ctx); err != nil {
		return err
	}
	ids, err := r.IDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		state, err := r.Held(ctx, id)
		if err != nil {
			return err
		}
		there, err := r.deps.Elsewhere(ctx, id)
		if err != nil {
			return err
		}
		if state == lease.Free && !there {
			if err := r.still(ctx, id); err != nil {
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
func (r *Runs) still(ctx context.Context, id string) error {
	r.mu.Lock()
	owner, taken := r.mu.former[id]
	if !taken {
		owner = r.mu.seen[id].lease.Owner
	}
	r.mu.Unlock()
	self, err := r.deps.Host.Owners.Self(ctx)
	if err != nil || owner == (host.Owner{}) || owner == self {
		return err
	}
	for was := ""; ; {
		l, err := journal.Load(ctx, r.deps.Host.Store, history.Dir(id))
		if fault.Is(err, fault.NotFound) {
			return nil // it had not begun
		} else if err != nil {
			return err
		}
		is, err := l.Sights(ctx, r.deps.Host.Vault)
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

// Begin takes a run in hand: its marker is in the store, and names this place
// as its owner. Lost is called where somebody else takes it.
func (r *Runs) Begin(ctx context.Context, id string, lost func()) error {
	if err := r.deps.KeepKey(ctx); err != nil {
		return err
	}
	l := lease.Lease{Run: id}
	if r.deps.Host.Owners != nil {
		self, err := r.deps.Host.Owners.Self(ctx)
		if err != nil {
			return err
		}
		l.Owner = self
	}
	k, err := lease.Keep(ctx, r.deps.Host.Store, history.MarkerPath(id), l, r.deps.Now, lost)
	if err != nil {
		return err
	}
	// Without its marker nobody would look for the run after a power cut.
	if err := host.Flush(ctx, r.deps.Host.Store, history.MarkerPath(id)); err != nil {
		k.Stop()
		return fault.Store(err)
	}
	r.mu.Lock()
	old := r.mu.leases[id]
	r.mu.leases[id] = k
	if was := r.mu.seen[id].lease.Owner; was != (host.Owner{}) && was != l.Owner {
		r.mu.former[id] = was
	}
	r.mu.Unlock()
	if old != nil {
		old.Stop()
	}
	return nil
}

// End removes the marker of a run that has ended.
func (r *Runs) End(ctx context.Context, id string) error {
	r.Let(id)
	if err := r.deps.Host.Store.Remove(ctx, history.MarkerPath(id)); err != nil {
		return fault.Store(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.mu.former, id)
	return nil
}

// Let ends the beats of a run that is no longer carried out here. Its marker
// stays where it did not end.
func (r *Runs) Let(id string) {
	r.mu.Lock()
	k := r.mu.leases[id]
	delete(r.mu.leases, id)
	r.mu.Unlock()
	if k != nil {
		k.Stop()
	}
}

// Lease gives the lease that this core holds of a run; nil where it holds none.
func (r *Runs) Lease(id string) *lease.Keeper {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mu.leases[id]
}

// Ground is a vault as the writes of a run are made to it: none once somebody else
// has taken the run in hand.
type Ground struct {
	host.Vault
	k *lease.Keeper
}

// Ground gives a vault for the writes of a run that this core has in hand, or the
// vault itself for any other.
func (r *Runs) Ground(id string, v host.Vault) host.Vault {
	if k := r.Lease(id); k != nil {
		return Ground{v, k}
	}
	return v
}

// Apply makes a write, on ground that is still held.
func (g Ground) Apply(ctx context.Context, op host.Op) (host.Info, error) {
	if err := g.k.Check(ctx); err != nil {
		return host.Info{}, err
	}
	return g.Vault.Apply(ctx, op)
}

// Held says whether a run that did not end is in somebody else's hand.
func (r *Runs) Held(ctx context.Context, id string) (lease.State, error) {
	l, err := lease.Read(ctx, r.deps.Host.Store, history.MarkerPath(id))
	if fault.Is(err, fault.NotFound) {
		return lease.Free, nil
	} else if err != nil {
		return lease.Free, err
	}
	r.mu.Lock()
	was, ok := r.mu.seen[id]
	if !ok || was.lease != l {
		was = sighting{l, r.deps.Now()}
		r.mu.seen[id] = was
	}
	r.mu.Unlock()
	return lease.Judge(ctx, r.deps.Host.Owners, l, r.deps.Now(), was.at)
}

// sighting is a lease as it was found, and when that was first so.
type sighting struct {
	lease lease.Lease
	at    time.Time
}

// Own refuses what would touch a run that somebody else carries out.
func (r *Runs) Own(ctx context.Context, id string) error {
	state, err := r.Held(ctx, id)
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

// WatchElsewhere looks again, until no run goes on elsewhere.
func (r *Runs) WatchElsewhere() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.watching || r.deps.Life.Err() != nil {
		return
	}
	r.mu.watching = true
	go func() {
		select {
		case <-r.deps.Life.Done():
			return
		case <-time.After(watchEvery):
		}
		r.mu.Lock()
		r.mu.watching = false
		r.mu.Unlock()
		r.deps.LookAgain(r.deps.Life)
	}()
}

// IDs lists the runs that have begun and not ended.
func (r *Runs) IDs(ctx context.Context) ([]string, error) {
	entries, err := r.deps.Host.Store.List(ctx, history.HotFolder)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.Path[strings.LastIndexByte(e.Path, '/')+1:])
	}
	slices.Sort(ids)
	return ids, nil
}
