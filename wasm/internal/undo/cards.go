package undo

import (
	"context"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/lease"
	"embedded-agent/wasm/internal/protocol"
)

// The kinds of runs that no plan of a person's is in.
const (
	KindRevert = protocol.KindRevert
	KindFinish = protocol.KindFinish
)

// card describes a run that a crash has left, with all that was done about it
// since: going on with it, reverting it, bringing it back. It stands where the
// newest of these stands, and it is decided about as one.
type card struct {
	run  string   // the run that a person knows
	hot  []string // those that did not end, oldest first
	back string   // the run that reverts it, where one had begun
	only string   // the one path that is reverted; "" for all
	sum  protocol.RunSummary
}

// cards gives one card for each run that a crash has left.
func (f *found) cards(ctx context.Context) ([]*card, error) {
	ids, err := f.deps.Runs.IDs(ctx)
	if err != nil {
		return nil, err
	}
	var out []*card
	for _, id := range ids { // by time, so the newest decides where a card stands
		if f.deps.Runs.Lease(id) != nil {
			continue // it is carried out here
		}
		state, err := f.deps.Runs.Held(ctx, id)
		if err != nil {
			return nil, err
		}
		if state != lease.Free {
			c, err := f.elsewhere(ctx, id, state)
			if err != nil {
				return nil, err
			}
			if c != nil {
				out = append(out, c)
			}
			continue
		}
		// What another device has left is settled there. Here not even a marker
		// without a run is removed: the run may come after it.
		if there, err := f.deps.History.Elsewhere(ctx, id); err != nil {
			return nil, err
		} else if there {
			continue
		}
		l, err := f.unfinished(ctx, id)
		if err != nil {
			return nil, err
		}
		if l == nil {
			continue
		}
		way, err := f.about(ctx, id)
		if err != nil {
			return nil, err
		}
		if !l.Ours() {
			// What it says that it is about may be a run of this device: it has a card
			// of its own.
			alone := *way[0]
			alone.RunID, alone.Kind = id, "run"
			way = []*history.Run{&alone}
		}
		root := way[len(way)-1].RunID
		i := slices.IndexFunc(out, func(c *card) bool { return c.run == root })
		if i < 0 {
			i = len(out)
			out = append(out, &card{run: root})
		}
		out[i].add(id, way)
		if err := f.describe(ctx, out[i], l); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// elsewhere gives the card of a run that another window or device carries out: it
// can be watched. Nil is one of which nothing can be read yet.
func (f *found) elsewhere(ctx context.Context, id string, state lease.State) (*card, error) {
	sum, err := f.deps.History.Summary(ctx, id)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return nil, nil // files come one by one
	} else if err != nil {
		return nil, err
	}
	done, total := 0, sum.Calls
	l, err := journal.Load(ctx, f.deps.Host.Store, history.Dir(id))
	if err == nil {
		total = l.Ops
		for i := range l.Entries {
			if l.Entries[i].Outcome == journal.Done {
				done++
			}
		}
	}
	key := "recovery.liveHere"
	if state == lease.Remote {
		key = "recovery.liveRemote"
	}
	sum.Stands, sum.Choices, sum.Can = protocol.StandsLive, []protocol.RecoveryChoice{}, protocol.Can{}
	sum.Text = protocol.Message{Key: key, Params: map[string]string{"goal": sum.Goal, "n": strconv.Itoa(done), "total": strconv.Itoa(total)}}
	return &card{run: id, sum: sum}, nil
}

// about gives a run, the run that it is about, and so on to one that is about
// none. Where one of them is no longer kept, it ends before it.
func (f *found) about(ctx context.Context, id string) ([]*history.Run, error) {
	var way []*history.Run
	for id != "" {
		d, err := f.document(ctx, id)
		if fault.Is(err, fault.NotFound) && len(way) > 0 {
			break
		} else if err != nil {
			return nil, err
		}
		way = append(way, d)
		switch d.Kind {
		case KindRevert:
			id = d.Reverts
		case KindFinish:
			id = d.Continues
		default:
			id = ""
		}
	}
	return way, nil
}

// document reads a run's document or, where a power cut has taken it, what its
// journal says of it.
func (f *found) document(ctx context.Context, id string) (*history.Run, error) {
	d, err := f.deps.History.Read(ctx, id)
	if !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Conflict) {
		return d, err
	}
	if d, _, past := f.deps.History.Past(ctx, id); past == nil {
		return d, nil
	}
	return nil, err
}

// add puts a run on the card.
func (c *card) add(id string, way []*history.Run) {
	c.hot = append(c.hot, id)
	c.back, c.only, c.sum.Stands = "", "", protocol.StandsInterrupted
	for _, d := range slices.Backward(way) { // from the root
		if d.Kind != KindRevert {
			continue
		}
		if c.back == "" {
			c.back, c.only = d.RunID, d.Only
		}
		if c.sum.Stands == protocol.StandsTakingBack {
			c.sum.Stands = protocol.StandsBringingBack
		} else {
			c.sum.Stands = protocol.StandsTakingBack
		}
	}
}

// describe says in words where a card stands, and what can be chosen. The
// journal is that of its newest run.
func (f *found) describe(ctx context.Context, c *card, l *journal.Log) error {
	stands := c.sum.Stands
	sum, err := f.deps.History.Summary(ctx, c.run)
	if err != nil {
		return err
	}
	done := 0
	for _, e := range l.Entries {
		if e.Outcome == journal.Done {
			done++
		}
	}
	key := map[protocol.Stands]string{
		protocol.StandsInterrupted:  "recovery.found",
		protocol.StandsTakingBack:   "recovery.takingBack",
		protocol.StandsBringingBack: "recovery.bringingBack",
	}[stands]
	if sum.Origin = history.OriginName(l.Origin); sum.Origin == "" && c.run != l.Run {
		if root, err := journal.Load(ctx, f.deps.Host.Store, history.Dir(c.run)); err == nil {
			sum.Origin = history.OriginName(root.Origin)
		}
	}
	sum.Stands, sum.Can = stands, protocol.Can{Recover: true}
	sum.Text = protocol.Message{Key: key, Params: map[string]string{"goal": sum.Goal, "n": strconv.Itoa(done), "total": strconv.Itoa(l.Ops)}}
	sum.Choices = []protocol.RecoveryChoice{protocol.RecoverFinish, protocol.RecoverRevert, protocol.RecoverKeep}
	if stands != protocol.StandsInterrupted {
		sum.Choices = []protocol.RecoveryChoice{protocol.RecoverRevert, protocol.RecoverBring, protocol.RecoverKeep}
		if c.back == c.run { // what it reverts is no longer kept
			sum.Choices = sum.Choices[1:]
		}
	}
	c.sum = sum
	return nil
}
