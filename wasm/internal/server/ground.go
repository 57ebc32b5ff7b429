package server

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
func (s *Server) quiet(ctx context.Context) error {
	if s.host.Owners == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, quietTime)
	defer cancel()
	err := s.allQuiet(ctx)
	if err != nil && ctx.Err() != nil {
		return fault.New(fault.Timeout, "error.recovery.busy", nil).With(err)
	}
	return err
}

func (s *Server) allQuiet(ctx context.Context) error {
	if err := s.host.Owners.Quiet(ctx); err != nil {
		return err
	}
	ids, err := s.hot(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		state, err := s.held(ctx, id)
		if err != nil {
			return err
		}
		if state == lease.Free {
			if err := s.still(ctx, id); err != nil {
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
func (s *Server) still(ctx context.Context, id string) error {
	s.mu.Lock()
	owner := s.seen[id].lease.Owner
	s.mu.Unlock()
	self, err := s.host.Owners.Self(ctx)
	if err != nil || owner == (host.Owner{}) || owner == self {
		return err
	}
	for was := ""; ; {
		l, err := journal.Load(ctx, s.host.Store, history.Dir(id))
		if fault.Is(err, fault.NotFound) {
			return nil // it had not begun
		} else if err != nil {
			return err
		}
		is, err := l.Sights(ctx, s.host.Vault)
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

// deviceName names this device in the names of files that it alone writes.
func (s *Server) deviceName(ctx context.Context) (string, error) {
	return host.DeviceName(ctx, s.host.Owners)
}

// markHot takes a run in hand: its marker is in the store, and names this place
// as its owner. Lost is called where somebody else takes it.
func (s *Server) markHot(ctx context.Context, id string, lost func()) error {
	if err := s.keepKey(ctx); err != nil {
		return err
	}
	l := lease.Lease{Run: id}
	if s.host.Owners != nil {
		self, err := s.host.Owners.Self(ctx)
		if err != nil {
			return err
		}
		l.Owner = self
	}
	k, err := lease.Keep(ctx, s.host.Store, hotPath(id), l, s.now, lost)
	if err != nil {
		return err
	}
	s.mu.Lock()
	old := s.leases[id]
	s.leases[id] = k
	s.mu.Unlock()
	if old != nil {
		old.Stop()
	}
	return nil
}

// unmarkHot removes the marker of a run that has ended.
func (s *Server) unmarkHot(ctx context.Context, id string) error {
	s.letLease(id)
	if err := s.host.Store.Remove(ctx, hotPath(id)); err != nil {
		return fault.Store(err)
	}
	return nil
}

// letLease ends the beats of a run that is no longer carried out here. Its marker
// stays where it did not end.
func (s *Server) letLease(id string) {
	s.mu.Lock()
	k := s.leases[id]
	delete(s.leases, id)
	s.mu.Unlock()
	if k != nil {
		k.Stop()
	}
}

// lease gives the lease that this core holds of a run; nil where it holds none.
func (s *Server) lease(id string) *lease.Keeper {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leases[id]
}

// ground is a vault as the writes of a run are made to it: none once somebody else
// has taken the run in hand.
type ground struct {
	host.Vault
	k *lease.Keeper
}

func (s *Server) ground(id string, v host.Vault) host.Vault {
	if k := s.lease(id); k != nil {
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
func (s *Server) held(ctx context.Context, id string) (lease.State, error) {
	l, err := lease.Read(ctx, s.host.Store, hotPath(id))
	if fault.Is(err, fault.NotFound) {
		return lease.Free, nil
	} else if err != nil {
		return lease.Free, err
	}
	s.mu.Lock()
	was, ok := s.seen[id]
	if !ok || was.lease != l {
		was = sighting{l, s.now()}
		s.seen[id] = was
	}
	s.mu.Unlock()
	return lease.Judge(ctx, s.host.Owners, l, s.now(), was.at)
}

// sighting is a lease as it was found, and when that was first so.
type sighting struct {
	lease lease.Lease
	at    time.Time
}

// ownGround refuses what would touch a run that somebody else carries out.
func (s *Server) ownGround(ctx context.Context, id string) error {
	state, err := s.held(ctx, id)
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
func (s *Server) watchElsewhere() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watching || s.life.Err() != nil {
		return
	}
	s.watching = true
	go func() {
		select {
		case <-s.life.Done():
			return
		case <-time.After(watchEvery):
		}
		s.mu.Lock()
		s.watching = false
		s.mu.Unlock()
		s.lookAgain(s.life)
	}()
}
