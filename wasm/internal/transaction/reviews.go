package transaction

import (
	"context"
	"encoding/json"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pins"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/reuse"
)

// reviews opens reviews, and changes, approves and closes the open one. It has no
// state: the open review is in current.
type reviews struct {
	deps *Deps
	sim  *simulator
	now  *current
	exec *executor
}

// NewDraft begins a review of a checked plan.
func (r *reviews) NewDraft(p *plan.Plan, g *plan.Graph, raw json.RawMessage) *Draft {
	return newDraft(r.deps, p, g, raw)
}

func newDraft(d *Deps, p *plan.Plan, g *plan.Graph, raw json.RawMessage) *Draft {
	id := ids.New()
	return &Draft{
		ID: id, Asked: Asked{Now: d.Now()}, program: program{plan: p, graph: g, raw: raw}, decided: undecided(),
		Aids: Aids{
			Frozen: reuse.NewFrozen(nil), Pins: &pins.Set{}, Trace: d.History.Trace(id, ""),
			Leave: &modelstep.Leave{}, memo: reuse.NewScripts(),
		},
	}
}

// OpenReview simulates a draft and shows it. A run that nobody has to be asked about
// goes on at once; the approval is recorded as automatic. PRECONDITION_FAILED says
// that something else is under way.
func (r *reviews) OpenReview(ctx context.Context, d *Draft) error {
	_, err := r.open(ctx, d)
	return err
}

// open is OpenReview; it gives the review that was shown.
func (r *reviews) open(ctx context.Context, d *Draft) (*Review, error) {
	rv, err := r.sim.Simulate(ctx, d)
	if err != nil {
		return nil, err
	}
	return rv, r.ShowReview(rv)
}

// ShowReview is OpenReview for a draft that is simulated already.
func (r *reviews) ShowReview(rv *Review) error {
	if err := r.now.Show(rv); err != nil {
		return err
	}
	if rv.View.Approvable && !r.sim.MustAsk(rv) {
		return r.exec.Begin(rv, true)
	}
	return nil
}

// Get gives the open review as the panel shows it. NOT_FOUND says that it is not
// open.
func (r *reviews) Get(_ context.Context, p protocol.RunRef) (protocol.Review, error) {
	rv, err := r.now.Open(p.Run)
	if err != nil {
		return protocol.Review{}, err
	}
	return *rv.View, nil
}

// File shows one path of the open review, or of a past run.
func (r *reviews) File(ctx context.Context, p protocol.FileRef) (protocol.FileView, error) {
	rv, err := r.now.Open(p.Run)
	if err != nil {
		return r.deps.History.PastFile(ctx, p)
	}
	i := slices.IndexFunc(rv.Changes, func(c overlay.Change) bool { return c.Path == p.Path })
	c, left := rv.dropped[p.Path]
	switch {
	case i >= 0:
		c = rv.Changes[i]
	case !left:
		return protocol.FileView{}, host.NotFound(p.Path)
	}
	c, err = wholeRename(ctx, rv.Base, c)
	if err != nil {
		return protocol.FileView{}, err
	}
	v := fileview.Of(c)
	if v.Moved, err = rv.Base.MovesAlong(ctx, c); err != nil {
		return protocol.FileView{}, err
	}
	if e, ok := rv.amend.Edits[p.Path]; ok && e.Rejected != nil {
		v.Hunks = fileview.Hunks(v.Before, string(e.Shown))
		for k := range v.Hunks {
			v.Hunks[k].Rejected = slices.Contains(e.Rejected, k)
		}
	}
	return v, nil
}

// Approve is a yes to exactly what was shown, on the vault that it was shown of. It
// returns when the run has begun. CONFLICT says that something else is shown now.
func (r *reviews) Approve(ctx context.Context, p protocol.Approve) (protocol.RunRef, error) {
	rv, err := r.now.Open(p.Run)
	if err != nil {
		return protocol.RunRef{}, err
	}
	switch {
	case !rv.View.Approvable:
		return protocol.RunRef{}, fault.New(fault.Precondition, "error.review.notApprovable", nil)
	case p.Approval == "" || p.Approval != rv.View.Approval:
		return protocol.RunRef{}, fault.New(fault.Conflict, "error.review.changed", nil)
	}
	if err := r.checkPolicy(ctx, rv); err != nil {
		return protocol.RunRef{}, err
	}
	if err := r.checkDrift(ctx, rv); err != nil {
		return protocol.RunRef{}, err
	}
	if rv.Undo != nil {
		return protocol.RunRef{Run: rv.ID}, r.exec.beginUndo(rv)
	}
	return protocol.RunRef{Run: rv.ID}, r.exec.Begin(rv, p.Automatic)
}

// Close is a no to the open review, where it has this id or none is named.
func (r *reviews) Close(_ context.Context, p protocol.RunRef) (protocol.Empty, error) {
	if rv := r.now.closeReview(p.Run); rv != nil {
		r.deps.Settled(rv.ID, false)
		r.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: rv.ID, NotRun: rv.notRun()})
	}
	return protocol.Empty{}, nil
}

// again simulates a draft and shows it in the place of the review that it was made
// from. CONFLICT says that that is not open any more.
func (r *reviews) again(ctx context.Context, rv *Review, d *Draft) (*Review, error) {
	next, err := r.sim.Simulate(ctx, d)
	if err != nil {
		return nil, err
	}
	return next, r.now.replace(rv, next)
}
