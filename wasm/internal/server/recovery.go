package server

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/protocol"
)

// hot lists the runs that have begun and not ended.
func (s *Server) hot(ctx context.Context) ([]string, error) {
	entries, err := s.host.Store.List(ctx, hotFolder)
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

// findHot finds what a crash has left, and the last run that can be reverted.
func (s *Server) findHot(ctx context.Context) error {
	cards, err := s.cards(ctx)
	if err != nil {
		return err
	}
	var found []protocol.RunSummary
	for _, c := range cards {
		found = append(found, c.sum)
		if c.sum.Stands == protocol.StandsLive {
			s.watchElsewhere()
		}
	}
	last, err := s.findLast(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recover, s.lastRun = found, last
	return nil
}

// unfinished says whether a hot run is one that a person must decide about. One
// that had ended but for its marker, or had not begun to write, is settled here.
func (s *Server) unfinished(ctx context.Context, id string) (*journal.Log, error) {
	l, err := journal.Load(ctx, s.host.Store, runDir(id))
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, s.unmarkHot(ctx, id)
	case err != nil:
		return nil, err
	case !l.Hot():
		return nil, s.unmarkHot(ctx, id)
	case len(l.Entries) == 0 && !l.Ours():
		return nil, s.unmarkHot(ctx, id)
	case len(l.Entries) == 0 && len(l.Acts) == 0:
		return nil, s.settleAs(ctx, id, l, outcomeCancelled, "")
	}
	if l.Ours() {
		if settled, err := s.settleDeeds(ctx, id, l); settled || err != nil {
			return nil, err
		}
	}
	return l, nil
}

// lookAgain finds runs that did not end, and tells.
func (s *Server) lookAgain(ctx context.Context) {
	if err := s.findHot(ctx); err != nil {
		return // the store fails; the next start looks again
	}
	if st, err := s.state(ctx); err == nil {
		s.out.tell(protocol.Event{Type: protocol.EventState, State: &st})
	}
}

// findLast finds the newest run that can be taken back.
func (s *Server) findLast(ctx context.Context) (*protocol.RunSummary, error) {
	ids, err := s.runIDs(ctx)
	if err != nil {
		return nil, err
	}
	for n, id := range slices.Backward(ids) {
		if len(ids)-n > 20 {
			break
		}
		sum, err := s.summary(ctx, id)
		if err == nil && sum.Kind == protocol.KindRun && sum.Can.Revert && sum.Origin == "" && sum.RevertedBy == "" && sum.Outcome != protocol.OutcomeUnfinished {
			return &sum, nil
		}
	}
	return nil, nil
}

// settleAs ends a run that a crash had left: its files are sealed as they are,
// but for what was torn, and it gets its line for the history. The journal is
// nil where it cannot be read.
func (s *Server) settleAs(ctx context.Context, id string, l *journal.Log, outcome, by string) error {
	dir := runDir(id)
	end := journal.End{Outcome: outcome, At: pipeline.Stamp(s.now()), By: by}
	var err error
	end.Heads, end.Counts, end.Torn, err = audit.Seal(ctx, s.host.Store, dir, append(audit.Files(), journal.File, journal.SettledFile)...)
	if err != nil {
		return err
	}
	d, err := s.readRun(ctx, id)
	if err != nil { // it died while it wrote down what it was
		if err := journal.WriteEnd(ctx, s.host.Store, dir, end); err != nil {
			return err
		}
		return s.unmarkHot(ctx, id)
	}
	sum := summaryOf(d)
	sum.EndedAt, sum.Outcome, sum.Files, sum.Can = end.At, protocol.RunOutcome(outcome), 0, protocol.Can{}
	if l != nil {
		sum.Files = len(l.Touched())
		for _, e := range l.Entries {
			if e.Outcome == journal.Done {
				end.Done++
			}
		}
		sum.Can.Revert = end.Done > 0 && outcome != outcomeCancelled
		sum.Can.Rest = d.Kind == "run" && outcome == outcomePartial
	}
	if sum.Calls, err = s.callsMade(ctx, id); err != nil {
		return err
	}
	sum.Text = textOf(outcome, d, sum.Calls)
	if outcome == outcomeCancelled {
		sum.RevertedBy = by
	}
	return s.endRun(ctx, end, &sum)
}

// callsMade counts the calls of a run that went well, as far as it was recorded.
func (s *Server) callsMade(ctx context.Context, id string) (int, error) {
	pairs, err := audit.ReadCalls(ctx, s.host.Store, runDir(id))
	if fault.Is(err, fault.Conflict) {
		return 0, nil // the records were changed; verify says so
	}
	n := 0
	for _, p := range pairs {
		if p.Result != nil && p.Result.OK {
			n++
		}
	}
	return n, err
}

func emptyReverted() protocol.Reverted {
	return protocol.Reverted{Restored: []string{}, Merged: []string{}, Kept: []string{}, Gone: []string{}, Conflicts: []protocol.Conflict{}, NotUndone: []protocol.Message{}}
}

// keep leaves what was done; a half-written file is still put right.
func (s *Server) keep(ctx context.Context, id string) (protocol.Reverted, error) {
	out := emptyReverted()
	_, l, err := s.pastRun(ctx, id)
	if err != nil {
		return out, err
	}
	if !l.Ours() {
		// Nothing of what it says is done, and nothing is written into its folder:
		// it is only not offered any more.
		return out, s.unmarkHot(ctx, id)
	}
	if err := s.settleJournal(ctx, id, l); err != nil {
		return out, err
	}
	return out, s.settleAs(ctx, id, l, outcomePartial, "")
}

// finishRun makes the writes that were approved and recorded, and are not there
// yet. What the journal does not hold any more was never reached: it is told.
func (s *Server) finishRun(ctx context.Context, id string) (protocol.Reverted, error) {
	out := emptyReverted()
	doc, l, err := s.pastRun(ctx, id)
	if err != nil {
		return out, err
	}
	of := undoOf{run: id, kind: kindFinish}
	if !l.Ours() {
		return s.reviewUndo(ctx, of)
	}
	if err := s.settleJournal(ctx, id, l); err != nil {
		return out, err
	}
	rest, err := l.Rest(ctx)
	if err != nil {
		return out, err
	}
	var refused []journal.Refused
	rest = slices.DeleteFunc(rest, func(p journal.Planned) bool {
		err := s.checkUndo(ctx, true, p.Op)
		if err != nil {
			refused = append(refused, journal.Refused{Path: p.Op.Path, Err: err})
		}
		return err != nil
	})
	next := newID()
	if len(rest) > 0 {
		out.Run = next
		if err := s.carryOn(ctx, next, doc, l, rest); err != nil {
			out.Problem = s.problem(err)
			return out, nil
		}
		if err := s.settleJournal(ctx, id, l); err != nil {
			return out, err
		}
	}
	if n := unknown(l); n > 0 {
		out.NotUndone = append(out.NotUndone, protocol.Message{Key: "recovery.changed", Params: map[string]string{"n": itoa(n)}})
	}
	out.NotUndone = append(append(out.NotUndone, refusedMessages(s, refused)...), notUndone(of, &undoing{log: l})...)
	return out, s.settleAs(ctx, id, l, outcomePartial, out.Run)
}

// unknown counts the files of which nobody can say whether the run's last write
// to them was made: somebody has changed them since.
func unknown(l *journal.Log) int {
	paths := map[string]bool{}
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Outcome == journal.Unknown {
			paths[e.Path] = true
		}
	}
	return len(paths)
}

// carryOn makes the rest of a run as a run of its own.
func (s *Server) carryOn(ctx context.Context, id string, doc *runDocument, l *journal.Log, rest []journal.Planned) error {
	d := *doc
	d.RunID, d.Kind, d.Continues, d.Plan, d.Now, d.Calls = id, kindFinish, doc.RunID, nil, s.now(), len(rest)
	return s.writeRun(ctx, &d, journal.Header{Approval: l.Approval, Finishes: l.Run}, rest, protocol.Message{
		Key: "run.finishedAfterCrash", Params: map[string]string{"goal": doc.Goal},
	}, s.undoable(true))
}
