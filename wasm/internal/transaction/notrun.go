package transaction

import (
	"context"
	"maps"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/notrun"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/reuse"
)

// notRun gives what a closed review leaves behind; nil where it is not kept: what
// is no plan of a turn can be had again without a model, or is of a run.
func (rv *Review) notRun() *protocol.NotRun {
	ofTurn := rv.Turn != nil || rv.reopened != nil
	if !ofTurn || rv.Undo != nil || rv.sealed || rv.continues != "" {
		return nil
	}
	files := 0
	for _, f := range rv.View.Files {
		if !f.Dropped && f.Status != "mkdir" && f.Status != "rmdir" {
			files++
		}
	}
	return &protocol.NotRun{Run: rv.ID, Goal: rv.View.Goal, Files: files, Amended: rv.View.Amended}
}

// keep keeps an open review as it is now, until it runs.
func (c *current) keep(rv *Review) {
	kept := rv.notRun()
	if kept == nil {
		return
	}
	r := &notrun.Record{
		NotRun: *kept, Plan: rv.raw, Instruction: rv.Instruction, Action: rv.Action, Link: rv.Link, DryRun: rv.DryRun,
		Dropped: slices.Sorted(maps.Keys(rv.amend.Dropped)), Edits: map[string]notrun.Edit{}, Frozen: rv.frozenUsed(),
		Selection: rv.editorSeen(),
	}
	for path, e := range rv.amend.Edits {
		r.Edits[path] = notrun.Edit{Shown: string(e.Shown), Text: string(e.Data), Rejected: e.Rejected}
	}
	if err := c.deps.NotRun.Put(c.deps.Life, r); err != nil {
		c.deps.Out.Notice("warn", "notice.reviewNotKept", nil, rv.ID)
	}
}

// forget forgets a plan that was kept.
func (c *current) forget(run string) {
	if err := c.deps.NotRun.Remove(c.deps.Life, run); err != nil {
		c.deps.Out.Notice("warn", "notice.historyNotKept", nil, run)
	}
}

// Supersede forgets a plan whose changes are those of a later one, and tells.
func (c *current) Supersede(run string) {
	c.forget(run)
	c.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: run})
}

// ForgetPlans forgets those of the runs that are plans which have not run, since
// nothing leads to them any more, and tells. An open review of one is closed.
func (r *reviews) ForgetPlans(ctx context.Context, runs []string) error {
	for _, run := range runs {
		kept, err := r.deps.NotRun.Get(ctx, run)
		if err != nil {
			return err
		}
		if kept == nil {
			continue
		}
		if r.now.closeReview(run) != nil {
			r.deps.Settled(run, false)
		}
		if err := r.deps.NotRun.Remove(ctx, run); err != nil {
			return err
		}
		r.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: run})
	}
	return nil
}

// KeepDrafts keeps what the person is writing in a review.
func (r *reviews) KeepDrafts(ctx context.Context, p protocol.ReviewDrafts) (protocol.Empty, error) {
	return protocol.Empty{}, r.deps.NotRun.Draft(ctx, p.Run, p.Drafts)
}

// OpenAgain opens the review of a plan once more whose review is no more. The plan
// may hold text of notes: what it would send is asked about. NOT_FOUND says that
// it was not kept, and not given.
func (r *reviews) OpenAgain(ctx context.Context, p protocol.PlanAgain) (protocol.RunRef, error) {
	if err := r.deps.Guard.ReadOrganisation(ctx); err != nil {
		return protocol.RunRef{}, err
	}
	kept, err := r.deps.NotRun.Get(ctx, p.Run)
	if err != nil {
		return protocol.RunRef{}, err
	}
	raw := []byte(p.Plan)
	switch {
	case kept != nil:
		raw = kept.Plan
	case p.Run != "" && p.Plan == "":
		return protocol.RunRef{}, fault.New(fault.NotFound, "error.review.notKept", nil)
	}
	pl, g, raw, problems, err := r.check(raw, r.deps.Guard.BoundRules()) // it may be one of an action
	if err != nil {
		return protocol.RunRef{}, err
	}
	d := r.NewDraft(pl, g, raw)
	d.DryRun, d.MustAsk, d.Warnings = p.DryRun, true, outbox.Warnings(problems)
	if kept == nil {
		return protocol.RunRef{Run: d.ID}, r.OpenReview(ctx, d)
	}
	d.resume(r.deps, kept)
	rv, err := r.sim.Simulate(ctx, d)
	if err != nil {
		return protocol.RunRef{}, err
	}
	if rv, err = r.leaveOutAgain(ctx, rv, kept.Dropped); err != nil {
		return protocol.RunRef{}, err
	}
	return protocol.RunRef{Run: rv.ID}, r.ShowReview(rv)
}

// resume makes a draft the review that was kept: under its id, with the person's
// texts, and with what models gave.
func (d *Draft) resume(deps *Deps, kept *notrun.Record) {
	d.ID, d.reopened, d.Trace = kept.Run, kept, deps.History.Trace(kept.Run, "")
	d.Instruction, d.Action, d.Link, d.DryRun = kept.Instruction, kept.Action, kept.Link, kept.DryRun
	d.Selection = kept.Selection
	d.Frozen = reuse.NewFrozen(kept.Frozen)
	for path, e := range kept.Edits {
		shown := []byte(e.Shown)
		d.amend.Edits[path] = overlay.Edit{ShownEtag: host.Etag(shown), Shown: shown, Data: []byte(e.Text), Rejected: e.Rejected}
	}
}

// leaveOutAgain leaves out what the person had left out. It takes a simulation of
// its own, since what is left out is listed as it would have been.
func (r *reviews) leaveOutAgain(ctx context.Context, rv *Review, paths []string) (*Review, error) {
	if len(paths) == 0 {
		return rv, nil
	}
	d := rv.again()
	for _, c := range rv.Changes {
		if slices.Contains(paths, c.Path) {
			d.leaveOut(c)
		}
	}
	return r.sim.Simulate(ctx, d)
}
