package server

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/lease"
	"embedded-agent/wasm/internal/protocol"
)

// The kinds of runs that no plan of a person's is in.
const (
	kindRevert = protocol.KindRevert
	kindFinish = protocol.KindFinish
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
func (s *Server) cards(ctx context.Context) ([]*card, error) {
	ids, err := s.hot(ctx)
	if err != nil {
		return nil, err
	}
	var out []*card
	for _, id := range ids { // by time, so the newest decides where a card stands
		if s.lease(id) != nil {
			continue // it is carried out here
		}
		state, err := s.held(ctx, id)
		if err != nil {
			return nil, err
		}
		if state != lease.Free {
			c, err := s.elsewhere(ctx, id, state)
			if err != nil {
				return nil, err
			}
			if c != nil {
				out = append(out, c)
			}
			continue
		}
		l, err := s.unfinished(ctx, id)
		if err != nil {
			return nil, err
		}
		if l == nil {
			continue
		}
		way, err := s.about(ctx, id)
		if err != nil {
			return nil, err
		}
		if !l.Ours() {
			// What it says that it is about may be a run of this device: it has a card
			// of its own.
			alone := *way[0]
			alone.RunID, alone.Kind = id, "run"
			way = []*runDocument{&alone}
		}
		root := way[len(way)-1].RunID
		i := slices.IndexFunc(out, func(c *card) bool { return c.run == root })
		if i < 0 {
			i = len(out)
			out = append(out, &card{run: root})
		}
		out[i].add(id, way)
		if err := s.describe(ctx, out[i], l); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// elsewhere gives the card of a run that another window or device carries out: it
// can be watched. Nil is one of which nothing can be read yet.
func (s *Server) elsewhere(ctx context.Context, id string, state lease.State) (*card, error) {
	sum, err := s.summary(ctx, id)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return nil, nil // files come one by one
	} else if err != nil {
		return nil, err
	}
	done, total := 0, sum.Calls
	l, err := journal.Load(ctx, s.host.Store, runDir(id))
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
	sum.Text = protocol.Message{Key: key, Params: map[string]string{"goal": sum.Goal, "n": itoa(done), "total": itoa(total)}}
	return &card{run: id, sum: sum}, nil
}

// about gives a run, the run that it is about, and so on to one that is about
// none. Where one of them is no longer kept, it ends before it.
func (s *Server) about(ctx context.Context, id string) ([]*runDocument, error) {
	var way []*runDocument
	for id != "" {
		d, err := s.readRun(ctx, id)
		if fault.Is(err, fault.NotFound) && len(way) > 0 {
			break
		} else if err != nil {
			return nil, err
		}
		way = append(way, d)
		switch d.Kind {
		case kindRevert:
			id = d.Reverts
		case kindFinish:
			id = d.Continues
		default:
			id = ""
		}
	}
	return way, nil
}

// add puts a run on the card.
func (c *card) add(id string, way []*runDocument) {
	c.hot = append(c.hot, id)
	c.back, c.only, c.sum.Stands = "", "", protocol.StandsInterrupted
	for _, d := range slices.Backward(way) { // from the root
		if d.Kind != kindRevert {
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
func (s *Server) describe(ctx context.Context, c *card, l *journal.Log) error {
	stands := c.sum.Stands
	sum, err := s.summary(ctx, c.run)
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
	if sum.Origin = originName(l.Origin); sum.Origin == "" && c.run != l.Run {
		if root, err := journal.Load(ctx, s.host.Store, runDir(c.run)); err == nil {
			sum.Origin = originName(root.Origin)
		}
	}
	sum.Stands, sum.Can = stands, protocol.Can{Recover: true}
	sum.Text = protocol.Message{Key: key, Params: map[string]string{"goal": sum.Goal, "n": itoa(done), "total": itoa(l.Ops)}}
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

// recoveryResolve does what the person chose for a run that did not end.
func (s *Server) recoveryResolve(ctx context.Context, p protocol.Recovery) (protocol.Reverted, error) {
	out := emptyReverted()
	free, err := s.alone()
	if err != nil {
		return out, err
	}
	defer free()
	if err := s.quiet(ctx); err != nil {
		return out, err
	}
	cards, err := s.cards(ctx)
	if err != nil {
		return out, err
	}
	i := slices.IndexFunc(cards, func(c *card) bool { return c.run == p.Run })
	if i < 0 {
		return s.endedMeanwhile(ctx, p)
	}
	if !slices.Contains(cards[i].sum.Choices, p.Choice) {
		return out, fault.New(fault.Validation, "error.recovery.choice", fault.P{"choice": string(p.Choice)})
	}
	if out, err = s.decide(ctx, cards[i], p.Choice); err != nil {
		return out, err
	}
	if err := s.findHot(ctx); err != nil {
		return out, err
	}
	if st, err := s.state(ctx); err == nil {
		s.out.tell(protocol.Event{Type: protocol.EventState, State: &st})
	}
	return out, nil
}

// endedMeanwhile does what was chosen for a run that is on no card any more: what
// the disk still had in hand of it was its end.
func (s *Server) endedMeanwhile(ctx context.Context, p protocol.Recovery) (protocol.Reverted, error) {
	out := emptyReverted()
	if _, err := s.readRun(ctx, p.Run); err != nil {
		return out, err
	}
	if err := s.findHot(ctx); err != nil {
		return out, err
	}
	defer s.tellState(ctx)
	switch p.Choice {
	case protocol.RecoverRevert:
		return s.revert(ctx, protocol.Revert{Run: p.Run})
	case protocol.RecoverFinish, protocol.RecoverKeep:
		return out, nil // there is nothing left to do
	}
	return out, fault.New(fault.NotFound, "error.run.missing", nil)
}

// decide does with a card what was chosen. What began last is settled first: the
// bytes that it has cut short are no sign of those before it.
func (s *Server) decide(ctx context.Context, c *card, choice protocol.RecoveryChoice) (protocol.Reverted, error) {
	out := emptyReverted()
	if err := s.takeOver(ctx, c); err != nil {
		return out, err
	}
	defer func() {
		for _, id := range c.hot {
			s.letLease(id)
		}
	}()
	about := slices.DeleteFunc(slices.Clone(c.hot), func(id string) bool { return id == c.run })
	for _, id := range slices.Backward(about) {
		l, err := journal.Load(ctx, s.host.Store, runDir(id))
		if err != nil {
			return out, err
		}
		if err := s.settleJournal(ctx, id, l); err != nil {
			return out, err
		}
	}
	var err error
	switch choice {
	case protocol.RecoverRevert:
		out, err = s.revert(ctx, protocol.Revert{Run: c.run, Path: c.only})
	case protocol.RecoverBring:
		out, err = s.revert(ctx, protocol.Revert{Run: c.back})
	case protocol.RecoverFinish:
		if slices.Contains(c.hot, c.run) {
			out, err = s.finishRun(ctx, c.run)
		} else {
			out, err = s.finishRun(ctx, c.hot[len(c.hot)-1])
		}
	case protocol.RecoverKeep:
		if slices.Contains(c.hot, c.run) {
			out, err = s.keep(ctx, c.run)
		}
	}
	if err != nil || out.Problem != nil || out.Review != "" {
		return out, err // it stands where it stood
	}
	for _, id := range slices.Backward(about) {
		if err := s.leave(ctx, id); err != nil {
			return out, err
		}
	}
	return out, nil
}

// takeOver takes the runs of a card in hand: whoever had them before finds that
// out before its next write.
func (s *Server) takeOver(ctx context.Context, c *card) error {
	for _, id := range c.hot {
		if err := s.ownGround(ctx, id); err != nil {
			return err
		}
		if err := s.markHot(ctx, id, func() {}); err != nil {
			return err
		}
	}
	return nil
}

// leave ends a run that did not end, with what it has done.
func (s *Server) leave(ctx context.Context, id string) error {
	l, err := journal.Load(ctx, s.host.Store, runDir(id))
	if err != nil || !l.Hot() {
		return err
	}
	if !l.Ours() {
		return s.unmarkHot(ctx, id)
	}
	return s.settleAs(ctx, id, l, outcomePartial, "")
}

// alone keeps other ways to take back or recover from the vault until it is
// given back.
func (s *Server) alone() (func(), error) {
	if err := s.idle(); err != nil {
		return nil, err
	}
	if !s.taking.TryLock() {
		return nil, fault.New(fault.Precondition, "error.busy", nil)
	}
	return s.taking.Unlock, nil
}

// aloneNext is alone for what a person has approved: it waits its turn. A review
// is shown before the request that opened it has given the vault back.
func (s *Server) aloneNext() (func(), error) {
	s.taking.Lock()
	if err := s.idle(); err != nil {
		s.taking.Unlock()
		return nil, err
	}
	return s.taking.Unlock, nil
}
