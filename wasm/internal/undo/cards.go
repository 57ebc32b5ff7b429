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

// card is what a crash has left of one run, with all that was done about it
// since: going on with it, taking it back, bringing it back. It stands where the
// newest of these stands, and it is decided about as one.
type card struct {
	run  string   // the run that a person knows
	hot  []string // those that did not end, oldest first
	back string   // the run that takes it back, where one had begun
	only string   // the one path that is taken back; "" for all
	sum  protocol.RunSummary
}

// cards gives one card for each run that a crash has left.
func (b *Undo) cards(ctx context.Context) ([]*card, error) {
	ids, err := b.deps.Runs.IDs(ctx)
	if err != nil {
		return nil, err
	}
	var out []*card
	for _, id := range ids { // by time, so the newest decides where a card stands
		if b.deps.Runs.Lease(id) != nil {
			continue // it is carried out here
		}
		state, err := b.deps.Runs.Held(ctx, id)
		if err != nil {
			return nil, err
		}
		if state != lease.Free {
			c, err := b.elsewhere(ctx, id, state)
			if err != nil {
				return nil, err
			}
			if c != nil {
				out = append(out, c)
			}
			continue
		}
		l, err := b.unfinished(ctx, id)
		if err != nil {
			return nil, err
		}
		if l == nil {
			continue
		}
		way, err := b.about(ctx, id)
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
		if err := b.describe(ctx, out[i], l); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// elsewhere gives the card of a run that another window or device carries out: it
// can be watched. Nil is one of which nothing can be read yet.
func (b *Undo) elsewhere(ctx context.Context, id string, state lease.State) (*card, error) {
	sum, err := b.deps.History.Summary(ctx, id)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return nil, nil // files come one by one
	} else if err != nil {
		return nil, err
	}
	done, total := 0, sum.Calls
	l, err := journal.Load(ctx, b.deps.Host.Store, history.Dir(id))
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
func (b *Undo) about(ctx context.Context, id string) ([]*history.Run, error) {
	var way []*history.Run
	for id != "" {
		d, err := b.deps.History.Read(ctx, id)
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
func (b *Undo) describe(ctx context.Context, c *card, l *journal.Log) error {
	stands := c.sum.Stands
	sum, err := b.deps.History.Summary(ctx, c.run)
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
		if root, err := journal.Load(ctx, b.deps.Host.Store, history.Dir(c.run)); err == nil {
			sum.Origin = history.OriginName(root.Origin)
		}
	}
	sum.Stands, sum.Can = stands, protocol.Can{Recover: true}
	sum.Text = protocol.Message{Key: key, Params: map[string]string{"goal": sum.Goal, "n": strconv.Itoa(done), "total": strconv.Itoa(l.Ops)}}
	sum.Choices = []protocol.RecoveryChoice{protocol.RecoverFinish, protocol.RecoverRevert, protocol.RecoverKeep}
	if stands != protocol.StandsInterrupted {
		sum.Choices = []protocol.RecoveryChoice{protocol.RecoverRevert, protocol.RecoverBring, protocol.RecoverKeep}
		if c.back == c.run { // what it takes back is no longer kept
			sum.Choices = sum.Choices[1:]
		}
	}
	c.sum = sum
	return nil
}

// Resolve does what the person chose for a run that did not end.
func (b *Undo) Resolve(ctx context.Context, p protocol.Recovery) (protocol.Reverted, error) {
	out := emptyReverted()
	free, err := b.deps.Transactions.Alone()
	if err != nil {
		return out, err
	}
	defer free()
	if err := b.deps.Runs.Quiet(ctx); err != nil {
		return out, err
	}
	cards, err := b.cards(ctx)
	if err != nil {
		return out, err
	}
	i := slices.IndexFunc(cards, func(c *card) bool { return c.run == p.Run })
	if i < 0 {
		return b.endedMeanwhile(ctx, p)
	}
	if !slices.Contains(cards[i].sum.Choices, p.Choice) {
		return out, fault.New(fault.Validation, "error.recovery.choice", fault.P{"choice": string(p.Choice)})
	}
	if out, err = b.decide(ctx, cards[i], p.Choice); err != nil {
		return out, err
	}
	if err := b.FindHot(ctx); err != nil {
		return out, err
	}
	b.deps.Tell(ctx)
	return out, nil
}

// endedMeanwhile does what was chosen for a run that is on no card any more: what
// the disk still had in hand of it was its end.
func (b *Undo) endedMeanwhile(ctx context.Context, p protocol.Recovery) (protocol.Reverted, error) {
	out := emptyReverted()
	if _, err := b.deps.History.Read(ctx, p.Run); err != nil {
		return out, err
	}
	if err := b.FindHot(ctx); err != nil {
		return out, err
	}
	defer b.deps.Tell(ctx)
	switch p.Choice {
	case protocol.RecoverRevert:
		return b.revert(ctx, protocol.Revert{Run: p.Run})
	case protocol.RecoverFinish, protocol.RecoverKeep:
		return out, nil // there is nothing left to do
	}
	return out, fault.New(fault.NotFound, "error.run.missing", nil)
}

// decide does with a card what was chosen. What began last is settled first: the
// bytes that it has cut short are no sign of those before it.
func (b *Undo) decide(ctx context.Context, c *card, choice protocol.RecoveryChoice) (protocol.Reverted, error) {
	out := emptyReverted()
	defer func() {
		for _, id := range c.hot {
			b.deps.Runs.Let(id)
		}
	}()
	if err := b.takeOver(ctx, c); err != nil {
		return out, err
	}
	about := slices.DeleteFunc(slices.Clone(c.hot), func(id string) bool { return id == c.run })
	for _, id := range slices.Backward(about) {
		l, err := journal.Load(ctx, b.deps.Host.Store, history.Dir(id))
		if err != nil {
			return out, err
		}
		if err := b.settleJournal(ctx, id, l); err != nil {
			return out, err
		}
	}
	var err error
	switch choice {
	case protocol.RecoverRevert:
		out, err = b.revert(ctx, protocol.Revert{Run: c.run, Path: c.only})
	case protocol.RecoverBring:
		out, err = b.revert(ctx, protocol.Revert{Run: c.back})
	case protocol.RecoverFinish:
		if slices.Contains(c.hot, c.run) {
			out, err = b.finishRun(ctx, c.run)
		} else {
			out, err = b.finishRun(ctx, c.hot[len(c.hot)-1])
		}
	case protocol.RecoverKeep:
		if slices.Contains(c.hot, c.run) {
			out, err = b.keep(ctx, c.run)
		}
	}
	if err != nil || out.Problem != nil || out.Review != "" {
		return out, err // it stands where it stood
	}
	for _, id := range slices.Backward(about) {
		if err := b.leave(ctx, id); err != nil {
			return out, err
		}
	}
	return out, nil
}

// takeOver takes the runs of a card in hand: whoever had them before finds that
// out before its next write.
func (b *Undo) takeOver(ctx context.Context, c *card) error {
	for _, id := range c.hot {
		if err := b.deps.Runs.Own(ctx, id); err != nil {
			return err
		}
		if err := b.deps.Runs.Begin(ctx, id, func() {}); err != nil {
			return err
		}
	}
	return nil
}

// leave ends a run that did not end, with what it has done.
func (b *Undo) leave(ctx context.Context, id string) error {
	l, err := journal.Load(ctx, b.deps.Host.Store, history.Dir(id))
	if err != nil || !l.Hot() {
		return err
	}
	if !l.Ours() {
		return b.deps.Runs.End(ctx, id)
	}
	return b.settleAs(ctx, id, l, history.OutcomePartial, "")
}

// Needed lists the runs that did not end, and those that they are about.
func (b *Undo) Needed(ctx context.Context) ([]string, error) {
	ids, err := b.deps.Runs.IDs(ctx)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(ids)
	for _, id := range ids {
		way, err := b.about(ctx, id)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
			continue // it died while it wrote down what it was
		} else if err != nil {
			return nil, err
		}
		for _, d := range way {
			out = append(out, d.RunID)
		}
	}
	return out, nil
}
