package server

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/google/uuid"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/protocol"
)

// timeOf reads the time out of a run's id (UUIDv7).
func timeOf(id string, def time.Time) time.Time {
	u, err := uuid.Parse(id)
	if err != nil || u.Version() != 7 {
		return def
	}
	sec, nsec := u.Time().UnixTime()
	return time.Unix(sec, nsec)
}

// runRevert takes a run back: what can be restored or merged is; what cannot is
// told, and waits for the person's choice. Asking again does the rest.
func (s *Server) runRevert(ctx context.Context, p protocol.Revert) (protocol.Reverted, error) {
	free, err := s.alone()
	if err != nil {
		return emptyReverted(), err
	}
	defer free()
	if err := s.quiet(ctx); err != nil {
		return emptyReverted(), err
	}
	return s.revert(ctx, p)
}

// idle refuses to touch the vault while a run does.
func (s *Server) idle() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil && !s.run.over() {
		return fault.New(fault.Precondition, "error.busy", nil)
	}
	return nil
}

// takeBack is one attempt of a revert. With trust, files that the host tells to
// be as the run left them are not read before they are written; again says that
// one of them was not.
func (s *Server) takeBack(ctx context.Context, p protocol.Revert, trust bool) (_ protocol.Reverted, again bool, _ error) {
	out := emptyReverted()
	doc, l, err := s.pastRun(ctx, p.Run)
	if err != nil {
		return out, false, err
	}
	chosen, err := choices(p.Choices)
	if err != nil {
		return out, false, err
	}
	of := undoOf{run: p.Run, kind: kindRevert, path: p.Path, choices: chosen}
	if p.Review || !l.Ours() {
		out, err = s.reviewUndo(ctx, of)
		return out, false, err
	}
	if l.Hot() {
		if err := s.ownGround(ctx, p.Run); err != nil {
			return out, false, err
		}
		if err := s.settleJournal(ctx, p.Run, l); err != nil {
			return out, false, err
		}
	}
	of.settled = true
	ahead := &ahead{s: s, base: overlay.NewBase(s.host.Vault, nil, s.now()), trust: trust}
	u, err := s.planUndo(ctx, l, of, ahead.base, nil, journal.RevertOptions{Ahead: ahead.look})
	if err != nil {
		return out, false, err
	}
	rep := u.report
	out.Run, err = s.carryBack(ctx, doc, p.Path, u, ahead.base)
	out.Restored, out.Merged, out.Kept = nonNil(rep.Restored), nonNil(rep.Merged), nonNil(rep.Kept)
	out.Gone = nonNil(rep.Gone)
	for _, c := range rep.Conflicts {
		out.Conflicts = append(out.Conflicts, conflictView(c))
	}
	out.NotUndone = append(append(out.NotUndone, refusedMessages(s, u.refused)...), notUndone(of, u)...)
	if err != nil {
		out.Problem = s.problem(err)
		return out, fault.Is(err, fault.Conflict) && (ahead.trusted > 0 || l.Hot()), nil
	}
	whole := p.Path == "" && len(out.Conflicts) == 0 && len(u.refused) == 0
	if l.Hot() && whole {
		if late, err := s.cameLate(ctx, p.Run, l); err != nil || late {
			return out, late, err
		}
		if err := s.settleAs(ctx, p.Run, l, outcomeCancelled, out.Run); err != nil {
			return out, false, err
		}
		if err := s.findHot(ctx); err != nil {
			return out, false, err
		}
	}
	if whole {
		s.afterRevert(ctx, p, &out)
	} else {
		s.tellState(ctx)
	}
	return out, false, nil
}

// choices reads the person's decisions. One that is not known is refused: taken
// for a text it would empty the note.
func choices(list []protocol.ConflictChoice) (map[string]journal.Choice, error) {
	out := map[string]journal.Choice{}
	for _, c := range list {
		switch c.Choice {
		case protocol.ChooseKeep, protocol.ChooseRestore, protocol.ChooseMerged:
		default:
			return nil, fault.New(fault.Validation, "error.recovery.choice", fault.P{"choice": string(c.Choice)})
		}
		out[c.Path] = journal.Choice{Now: c.Now, Keep: c.Choice == protocol.ChooseKeep, Restore: c.Choice == protocol.ChooseRestore, Text: c.Text}
	}
	return out, nil
}

func conflictView(c journal.Conflict) protocol.Conflict {
	v := protocol.Conflict{Path: c.Path, NowEtag: c.NowEtag()}
	moved := c.Before == nil && c.After == nil // there is nothing to merge
	if moved || !fileview.IsText(c.Before, c.After, c.Now) {
		v.Binary = true
		if c.Before != nil {
			v.BeforeFacts = fileview.Facts(c.Before)
		}
		if c.Now != nil {
			v.NowFacts = fileview.Facts(c.Now)
		}
		return v
	}
	v.Before, v.After, v.Now = string(c.Before), string(c.After), string(c.Now)
	return v
}

// carryBack journals and makes the writes of a revert: a run of its own, which
// can be reverted too. It gives its id, or "" when there was nothing to do.
func (s *Server) carryBack(ctx context.Context, doc *runDocument, only string, u *undoing, base *overlay.Base) (string, error) {
	planned := u.writes(string(kindRevert))
	if len(planned) == 0 {
		return "", nil
	}
	id := newID()
	changes, err := u.vault.Changes(ctx)
	if err == nil {
		changes, err = shownChanges(ctx, base, changes)
	}
	if err != nil {
		return "", err
	}
	back := &runDocument{
		Version: "1", RunID: id, Kind: kindRevert, Goal: doc.Goal, Now: s.now(), Reverts: doc.RunID, Only: only,
		Policy: s.currentPolicy().Snapshot(), Registry: s.registry.Version(), Calls: len(planned), Files: []protocol.FileChange{},
	}
	for _, c := range changes {
		back.Files = append(back.Files, fileview.Row(c))
	}
	return id, s.writeRun(ctx, back, journal.Header{Reverts: doc.RunID}, planned, protocol.Message{
		Key: "run.reverted", Params: map[string]string{"n": itoa(len(changes)), "goal": doc.Goal},
	}, s.undoable(true))
}

// writeRun carries out writes that need no plan (a revert, the rest of a run)
// as a run with a journal of its own, on a vault that asks before each. Its
// error is that of the writes; what was made until then is recorded.
func (s *Server) writeRun(ctx context.Context, d *runDocument, h journal.Header, planned []journal.Planned, text protocol.Message, vault host.Vault) error {
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.markHot(ctx, d.RunID, cancel); err != nil {
		return err
	}
	defer s.letLease(d.RunID)
	dir := runDir(d.RunID)
	log := audit.New(s.host.Store, dir, nil)
	if err := log.WriteRun(ctx, b); err != nil {
		return err
	}
	h.Run, h.Kind, h.At, h.Doc = d.RunID, string(d.Kind), pipeline.Stamp(d.Now), host.Etag(b)
	jw, err := journal.Begin(ctx, s.host.Store, s.ground(d.RunID, vault), dir, h, planned)
	if err != nil {
		return err
	}
	failed := doAll(ctx, jw, planned)
	if err := jw.Close(ctx); err != nil {
		return err
	}
	end := journal.End{Outcome: outcomeOK, At: pipeline.Stamp(s.now()), Done: jw.Done()}
	end.Heads, end.Counts = log.Heads()
	if failed != nil {
		end.Outcome = outcomePartial
	}
	end.Heads[journal.File], end.Counts[journal.File] = jw.Head()
	sum := protocol.RunSummary{
		Run: d.RunID, Kind: d.Kind, Goal: d.Goal, StartedAt: h.At, EndedAt: end.At, Outcome: protocol.RunOutcome(end.Outcome),
		Files: len(d.Files), Calls: len(planned), Reverts: d.Reverts, Can: protocol.Can{Revert: end.Done > 0}, Text: text,
	}
	if err := s.endRun(ctx, end, &sum); err != nil {
		return err
	}
	return failed
}

// revertWidth is how many writes of a revert are under way at once.
const revertWidth = 8

// doAll makes planned writes, several at once where they are of different files
// and none makes or removes a folder that another needs.
func doAll(ctx context.Context, jw *journal.Writer, planned []journal.Planned) error {
	for from := 0; from < len(planned); {
		to := from + 1
		if alone(planned[from].Op) {
			if err := jw.Do(ctx, from); err != nil {
				return err
			}
			from = to
			continue
		}
		seen := map[string]bool{planned[from].Op.Path: true}
		for to < len(planned) && !alone(planned[to].Op) && !seen[planned[to].Op.Path] {
			seen[planned[to].Op.Path] = true
			to++
		}
		if err := doGroup(ctx, jw, from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func alone(op host.Op) bool {
	switch op.Kind {
	case host.OpCreate, host.OpModify, host.OpRemove:
		return false
	}
	return true
}

func doGroup(ctx context.Context, jw *journal.Writer, from, to int) error {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		first error
		next  = from
	)
	for range min(revertWidth, to-from) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				done := i >= to || first != nil
				mu.Unlock()
				if done {
					return
				}
				if err := jw.Do(ctx, i); err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return first
}

// afterRevert notes that a run was taken back whole, and tells the panel.
func (s *Server) afterRevert(ctx context.Context, p protocol.Revert, out *protocol.Reverted) {
	if sum, err := s.summary(ctx, p.Run); err == nil {
		if out.Run != "" { // else there was nothing left to do
			sum.RevertedBy = out.Run
		}
		sum.Can = protocol.Can{}
		if err := s.keepSummary(ctx, &sum); err != nil {
			s.notice("warn", "notice.historyNotKept", nil, p.Run)
		}
	}
	s.mu.Lock()
	if s.lastRun != nil && s.lastRun.Run == p.Run {
		s.lastRun = nil
	}
	if s.run != nil && s.run.se.id == p.Run {
		s.run.mu.Lock()
		s.run.rs.Can = protocol.Can{Save: s.run.rs.Can.Save}
		s.run.rs.Text = protocol.Message{Key: "run.takenBack", Params: map[string]string{"goal": s.run.rs.Goal}}
		s.run.rs.Summary = nil // what it did is no more
		s.run.mu.Unlock()
	}
	s.mu.Unlock()
	s.tellState(ctx)
}

// tellState tells the panel how all stands.
func (s *Server) tellState(ctx context.Context) {
	if st, err := s.state(ctx); err == nil {
		s.out.tell(protocol.Event{Type: protocol.EventState, State: &st})
	}
}
