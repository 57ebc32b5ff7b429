package transaction

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/protocol"
)

// Revert takes a run back: what can be restored or merged is; what cannot is
// told, and waits for the person's choice. Asking again does the rest.
func (t *Transactions) Revert(ctx context.Context, p protocol.Revert) (protocol.Reverted, error) {
	free, err := t.Alone()
	if err != nil {
		return emptyReverted(), err
	}
	defer free()
	if err := t.deps.Runs.Quiet(ctx); err != nil {
		return emptyReverted(), err
	}
	return t.revert(ctx, p)
}

// Idle refuses to touch the vault while a run does.
func (t *Transactions) Idle() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run != nil && !t.run.over() {
		return fault.New(fault.Precondition, "error.busy", nil)
	}
	return nil
}

// takeBack is one attempt of a revert. With trust, files that the host tells to
// be as the run left them are not read before they are written; again says that
// one of them was not.
func (t *Transactions) takeBack(ctx context.Context, p protocol.Revert, trust bool) (_ protocol.Reverted, again bool, _ error) {
	out := emptyReverted()
	doc, l, err := t.deps.History.Past(ctx, p.Run)
	if err != nil {
		return out, false, err
	}
	chosen, err := choices(p.Choices)
	if err != nil {
		return out, false, err
	}
	of := undoOf{run: p.Run, kind: KindRevert, path: p.Path, choices: chosen}
	if p.Review || !l.Ours() {
		out, err = t.reviewUndo(ctx, of)
		return out, false, err
	}
	if l.Hot() {
		if err := t.deps.Runs.Own(ctx, p.Run); err != nil {
			return out, false, err
		}
		if err := t.settleJournal(ctx, p.Run, l); err != nil {
			return out, false, err
		}
	}
	of.settled = true
	ahead := &ahead{t: t, base: overlay.NewBase(t.deps.Host.Vault, nil, t.deps.Now()), trust: trust}
	u, err := t.planUndo(ctx, l, of, ahead.base, nil, journal.RevertOptions{Ahead: ahead.look})
	if err != nil {
		return out, false, err
	}
	rep := u.report
	out.Run, err = t.carryBack(ctx, doc, p.Path, u, ahead.base)
	out.Restored, out.Merged, out.Kept = canon.List(rep.Restored), canon.List(rep.Merged), canon.List(rep.Kept)
	out.Gone = canon.List(rep.Gone)
	for _, c := range rep.Conflicts {
		out.Conflicts = append(out.Conflicts, conflictView(c))
	}
	out.NotUndone = append(append(out.NotUndone, refusedMessages(t, u.refused)...), notUndone(of, u)...)
	if err != nil {
		out.Problem = t.deps.Out.Problem(err)
		return out, fault.Is(err, fault.Conflict) && (ahead.trusted > 0 || l.Hot()), nil
	}
	whole := p.Path == "" && len(out.Conflicts) == 0 && len(u.refused) == 0
	if l.Hot() && whole {
		if late, err := t.cameLate(ctx, p.Run, l); err != nil || late {
			return out, late, err
		}
		if err := t.settleAs(ctx, p.Run, l, history.OutcomeCancelled, out.Run); err != nil {
			return out, false, err
		}
		if err := t.FindHot(ctx); err != nil {
			return out, false, err
		}
	}
	if whole {
		t.afterRevert(ctx, p, &out)
	} else {
		t.deps.Tell(ctx)
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
			return nil, fault.New(fault.Validation, "error.recovery.choice", fault.P{"choice": c.Choice})
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
func (t *Transactions) carryBack(ctx context.Context, doc *history.Run, only string, u *undoing, base *overlay.Base) (string, error) {
	planned := u.writes(KindRevert)
	if len(planned) == 0 {
		return "", nil
	}
	id := ids.New()
	changes, err := u.vault.Changes(ctx)
	if err == nil {
		changes, err = shownChanges(ctx, base, changes)
	}
	if err != nil {
		return "", err
	}
	back := &history.Run{
		Version: "1", RunID: id, Kind: KindRevert, Goal: doc.Goal, Now: t.deps.Now(), Reverts: doc.RunID, Only: only,
		Policy: t.deps.Guard.Policy().Snapshot(), Registry: t.deps.Registry.Version(), Calls: len(planned), Files: []protocol.FileChange{},
	}
	for _, c := range changes {
		back.Files = append(back.Files, fileview.Row(c))
	}
	return id, t.writeRun(ctx, back, journal.Header{Reverts: doc.RunID}, planned, protocol.Message{
		Key: "run.reverted", Params: map[string]string{"n": strconv.Itoa(len(changes)), "goal": doc.Goal},
	}, t.undoable(true))
}

// writeRun carries out writes that need no plan (a revert, the rest of a run)
// as a run with a journal of its own, on a vault that asks before each. Its
// error is that of the writes; what was made until then is recorded.
func (t *Transactions) writeRun(ctx context.Context, d *history.Run, h journal.Header, planned []journal.Planned, text protocol.Message, vault host.Vault) error {
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := t.deps.Runs.Begin(ctx, d.RunID, cancel); err != nil {
		return err
	}
	defer t.deps.Runs.Let(d.RunID)
	dir := history.Dir(d.RunID)
	log := audit.New(t.deps.Host.Store, dir, nil)
	if err := log.WriteRun(ctx, b); err != nil {
		return err
	}
	h.Run, h.Kind, h.At, h.Doc = d.RunID, d.Kind, pipeline.Stamp(d.Now), host.Etag(b)
	jw, err := journal.Begin(ctx, t.deps.Host.Store, t.deps.Runs.Ground(d.RunID, vault), dir, h, planned)
	if err != nil {
		return err
	}
	failed := doAll(ctx, jw, planned)
	if err := jw.Close(ctx); err != nil {
		return err
	}
	end := journal.End{Outcome: history.OutcomeOK, At: pipeline.Stamp(t.deps.Now()), Done: jw.Done()}
	end.Heads, end.Counts = log.Heads()
	if failed != nil {
		end.Outcome = history.OutcomePartial
	}
	end.Heads[journal.File], end.Counts[journal.File] = jw.Head()
	sum := protocol.RunSummary{
		Run: d.RunID, Kind: d.Kind, Goal: d.Goal, StartedAt: h.At, EndedAt: end.At, Outcome: end.Outcome,
		Files: len(d.Files), Calls: len(planned), Reverts: d.Reverts, Can: protocol.Can{Revert: end.Done > 0}, Text: text,
	}
	if err := t.endRun(ctx, end, &sum); err != nil {
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
func (t *Transactions) afterRevert(ctx context.Context, p protocol.Revert, out *protocol.Reverted) {
	if sum, err := t.deps.History.Summary(ctx, p.Run); err == nil {
		if out.Run != "" { // else there was nothing left to do
			sum.RevertedBy = out.Run
		}
		sum.Can = protocol.Can{}
		if err := t.deps.History.KeepSummary(ctx, &sum); err != nil {
			t.deps.Out.Notice("warn", "notice.historyNotKept", nil, p.Run)
		}
	}
	t.ForgetLast(p.Run)
	t.mu.Lock()
	if t.run != nil && t.run.Review.ID == p.Run {
		t.run.mu.Lock()
		t.run.rs.Can = protocol.Can{Save: t.run.rs.Can.Save}
		t.run.rs.Text = protocol.Message{Key: "run.takenBack", Params: map[string]string{"goal": t.run.rs.Goal}}
		t.run.rs.Summary = nil // what it did is no more
		t.run.mu.Unlock()
	}
	t.mu.Unlock()
	t.deps.Tell(ctx)
}
