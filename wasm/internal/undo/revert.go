package undo

import (
	"context"
	"strconv"
	"sync"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/headway"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/transaction"
)

// reverts is how runs are reverted: those of this device at once, all others by a
// review.
type reverts struct {
	deps     *Deps
	stopping *stopping
	rules    *rules
	settler  *settler
	found    *found
}

// Revert reverts a run: what can be restored or merged is; what cannot is
// told, and waits for the person's choice. Asking again does the rest.
func (r *reverts) Revert(ctx context.Context, p protocol.Revert) (protocol.Reverted, error) {
	free, err := r.deps.Transactions.Alone()
	if err != nil {
		return emptyReverted(), err
	}
	defer free()
	if err := r.deps.Runs.Quiet(ctx); err != nil {
		return emptyReverted(), err
	}
	return r.revert(ctx, p)
}

// takeBack is one attempt of a revert. With trust, files that the host tells to
// be as the run left them are not read before they are written; again says that
// one of them was not.
func (r *reverts) takeBack(ctx context.Context, p protocol.Revert, trust bool, did *deeds) (_ protocol.Reverted, again bool, _ error) {
	out := emptyReverted()
	doc, l, err := r.deps.History.Past(ctx, p.Run)
	if err != nil {
		return out, false, err
	}
	chosen, err := choices(p.Choices)
	if err != nil {
		return out, false, err
	}
	of := undoOf{run: p.Run, kind: KindRevert, path: p.Path, choices: chosen}
	if l.Hot() {
		if err := r.deps.Runs.Own(ctx, p.Run); err != nil {
			return out, false, err
		}
	}
	if p.Review || !l.Ours() {
		out, err = r.reviewUndo(ctx, of)
		return out, false, err
	}
	if l.Hot() {
		if err := r.settler.settleJournal(ctx, p.Run, l); err != nil {
			return out, false, err
		}
	}
	of.settled = true
	ahead := &ahead{deps: r.deps, base: overlay.NewBase(r.deps.Host.Vault, nil, r.deps.Now()), trust: trust}
	u, err := r.planUndo(ctx, l, of, ahead.base, nil, journal.RevertOptions{Ahead: ahead.look})
	if err != nil {
		return out, false, err
	}
	rep := u.report
	var wrote []protocol.FileChange
	out.Run, wrote, err = r.carryBack(ctx, doc, p.Path, u, ahead.base)
	out.Did = did.add(wrote, rep.Merged)
	if err != nil {
		rep.Restored, rep.Merged = among(rep.Restored, wrote), among(rep.Merged, wrote)
	}
	out.Restored, out.Merged, out.Kept = canon.List(rep.Restored), canon.List(rep.Merged), canon.List(rep.Kept)
	out.Gone = canon.List(rep.Gone)
	for _, c := range rep.Conflicts {
		out.Conflicts = append(out.Conflicts, conflictView(c))
	}
	out.NotUndone = append(append(out.NotUndone, refusedMessages(r.deps.Out, u.refused)...), notUndone(of, u)...)
	if err != nil {
		out.Problem = r.deps.Out.Problem(err)
		return out, fault.Is(err, fault.Conflict) && (ahead.trusted > 0 || l.Hot()), nil
	}
	whole := p.Path == "" && len(out.Conflicts) == 0 && len(u.refused) == 0
	if l.Hot() && whole {
		if late, err := r.settler.cameLate(ctx, p.Run, l); err != nil || late {
			return out, late, err
		}
		if err := r.settler.settleAs(ctx, p.Run, l, protocol.OutcomeCancelled, out.Run); err != nil {
			return out, false, err
		}
		if err := r.found.FindHot(ctx); err != nil {
			return out, false, err
		}
	}
	if whole {
		r.afterRevert(ctx, p, &out)
	} else {
		r.deps.Tell(ctx)
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
func (r *reverts) carryBack(ctx context.Context, doc *history.Run, only string, u *undoing, base *overlay.Base) (id string, wrote []protocol.FileChange, _ error) {
	planned := u.writes(string(KindRevert))
	if len(planned) == 0 {
		return "", nil, nil
	}
	id = ids.New()
	changes, err := u.vault.Changes(ctx)
	if err == nil {
		changes, err = transaction.ShownChanges(ctx, base, changes)
	}
	if err != nil {
		return "", nil, err
	}
	back := &history.Run{
		Version: "1", RunID: id, Kind: KindRevert, Goal: doc.Goal, Now: r.deps.Now(), About: history.About{Reverts: doc.RunID, Only: only},
		Policy: r.deps.Guard.Policy().Snapshot(), Registry: r.deps.Registry.Version(), Calls: len(planned), Files: []protocol.FileChange{},
	}
	for _, c := range changes {
		back.Files = append(back.Files, fileview.Row(c))
	}
	wrote, err = r.WriteRun(ctx, back, journal.Header{Reverts: doc.RunID}, planned, lineOf(back), r.rules.undoable(true))
	return id, wrote, err
}

// lineOf gives the line of the history for an undo, or for a run that was finished
// after a crash.
func lineOf(d *history.Run) Line {
	return func(_ protocol.RunOutcome, made []protocol.FileChange) protocol.Message {
		if d.Kind == KindRevert {
			return protocol.Message{Key: "run.reverted", Params: map[string]string{"n": strconv.Itoa(len(made)), "goal": d.Goal}}
		}
		return protocol.Message{Key: "run.finishedAfterCrash", Params: map[string]string{"goal": d.Goal}}
	}
}

// Line gives a run's line of the history for its outcome and the files that were
// written.
type Line = func(protocol.RunOutcome, []protocol.FileChange) protocol.Message

// WriteRun carries out writes that need no plan (a revert, the rest of a run, what a
// command left) as a run with a journal of its own, on a vault that asks before each.
// It gives the files that were written. The error is that of the writes; what was
// made until then is recorded.
func (r *reverts) WriteRun(ctx context.Context, d *history.Run, h journal.Header, planned []journal.Planned, line Line, vault host.Vault) ([]protocol.FileChange, error) {
	doc, err := r.deps.History.Document(ctx, d)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := r.deps.Runs.Begin(ctx, d.RunID, cancel); err != nil {
		return nil, err
	}
	defer r.deps.Runs.Let(d.RunID)
	dir := history.Dir(d.RunID)
	log := audit.New(r.deps.Host.Store, dir, nil)
	if err := log.WriteRun(ctx, doc); err != nil {
		return nil, err
	}
	h.Run, h.Kind, h.At, h.Doc = d.RunID, string(d.Kind), timestamp.Milli(d.Now), host.Etag(doc)
	jw, err := journal.Begin(ctx, r.deps.Host.Store, r.deps.Runs.Ground(d.RunID, vault), dir, h, planned)
	if err != nil {
		return nil, err
	}
	failed := doAll(ctx, jw, planned, r.headway(d.RunID, len(planned)))
	// Ending must not be cut short by the run's own cancellation.
	ctx, ended := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer ended()
	if err := jw.Close(ctx); err != nil {
		return nil, err
	}
	end := journal.End{Outcome: protocol.OutcomeOK, At: timestamp.Milli(r.deps.Now()), Done: jw.Done()}
	end.Heads, end.Counts = log.Heads()
	switch {
	case fault.Is(failed, fault.Cancelled):
		end.Outcome = protocol.OutcomeCancelled
	case failed != nil:
		end.Outcome = protocol.OutcomePartial
	}
	end.Heads[journal.File], end.Counts[journal.File] = jw.Head()
	wrote := writtenOf(d.Files, jw)
	sum := protocol.RunSummary{
		Run: d.RunID, Kind: d.Kind, Goal: d.Goal, StartedAt: h.At, EndedAt: end.At, Outcome: end.Outcome,
		Files: len(wrote), Calls: end.Done, Reverts: d.Reverts, Can: protocol.Can{Revert: end.Done > 0}, Text: line(end.Outcome, wrote),
	}
	if err := r.deps.Transactions.EndRun(ctx, end, &sum); err != nil {
		return nil, err
	}
	return wrote, failed
}

// revertWidth is how many writes of a revert are under way at once: the more there are,
// the more cross in one message (docs/adr/0049-a-message-carries-half-of-the-writes.md).
const revertWidth = 32

// headway gives what counts the writes of a run that were made, and tells the panel
// now and then. Several may count at once.
func (r *reverts) headway(run string, writes int) (made func()) {
	m, c := headway.NewMeter(), &tool.Call{RunID: run, StepID: run}
	m.Expect(run, writes, r.deps.Now())
	return func() {
		m.Ended(run, r.deps.Now(), func(p tool.Progress) {
			r.deps.Out.GatherProgress(headway.Event(c, "", r.deps.Now(), false, p))
		})
	}
}

// doAll makes planned writes and counts each that was made, several at once where they are of different files
// and none makes or removes a folder that another needs.
func doAll(ctx context.Context, jw *journal.Writer, planned []journal.Planned, made func()) error {
	for from := 0; from < len(planned); {
		to := from + 1
		if alone(planned[from].Op) {
			if err := jw.Do(ctx, from); err != nil {
				return err
			}
			made()
			from = to
			continue
		}
		seen := map[string]bool{planned[from].Op.Path: true}
		for to < len(planned) && !alone(planned[to].Op) && !seen[planned[to].Op.Path] {
			seen[planned[to].Op.Path] = true
			to++
		}
		if err := doGroup(ctx, jw, from, to, made); err != nil {
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

func doGroup(ctx context.Context, jw *journal.Writer, from, to int, made func()) error {
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
					continue
				}
				made()
			}
		})
	}
	wg.Wait()
	return first
}

// afterRevert notes that all of a run was reverted, and tells the panel.
func (r *reverts) afterRevert(ctx context.Context, p protocol.Revert, out *protocol.Reverted) {
	if sum, err := r.deps.History.Summary(ctx, p.Run); err == nil {
		if out.Run != "" { // else there was nothing left to do
			sum.RevertedBy = out.Run
		}
		sum.Can = protocol.Can{}
		if err := r.deps.History.KeepSummary(ctx, &sum); err != nil {
			r.deps.Out.Notice("warn", "notice.historyNotKept", nil, p.Run)
		}
	}
	if err := r.nothingLeft(ctx, p.Run); err != nil {
		r.deps.Out.Notice("warn", "notice.historyNotKept", nil, p.Run)
	}
	r.deps.Transactions.TakenBack(p.Run)
	r.deps.Tell(ctx)
}

// nothingLeft notes of the runs that went on with a run that they were reverted with
// it.
func (r *reverts) nothingLeft(ctx context.Context, run string) error {
	return r.settler.wentOn(ctx, run, func(sum protocol.RunSummary, _ *journal.Log) error {
		sum.Can = protocol.Can{}
		if err := r.deps.History.KeepSummary(ctx, &sum); err != nil {
			return err
		}
		return r.nothingLeft(ctx, sum.Run)
	})
}

func emptyReverted() protocol.Reverted {
	return protocol.Reverted{Restored: []string{}, Merged: []string{}, Kept: []string{}, Gone: []string{}, Conflicts: []protocol.Conflict{}, NotUndone: []protocol.Message{}, Did: []protocol.Message{}}
}
