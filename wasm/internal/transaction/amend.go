package transaction

import (
	"context"
	"encoding/json"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
)

// Amend changes the open review as the person says, and simulates it again. CONFLICT
// says that another review has taken its place meanwhile.
func (r *reviews) Amend(ctx context.Context, a protocol.Amendment) (protocol.Review, error) {
	rv, err := r.now.Open(a.Run)
	if err != nil {
		return protocol.Review{}, err
	}
	d := rv.again()
	if err := r.amend(d, rv.Changes, a); err != nil {
		return protocol.Review{}, err
	}
	next, err := r.again(ctx, rv, d)
	if err != nil {
		return protocol.Review{}, err
	}
	return *next.View, nil
}

// amend changes a draft; shown are the changes that the person sees.
func (r *reviews) amend(d *Draft, shown []overlay.Change, a protocol.Amendment) error {
	switch a.Kind {
	case protocol.AmendPlan:
		if d.Undo != nil {
			return fault.New(fault.Precondition, "error.review.noPlan", nil)
		}
		return r.amendPlan(d, a.Plan)
	case protocol.AmendAgain:
		d.base = nil // what was read is read anew
		return nil
	case protocol.AmendAll:
		return r.withoutLimit(d, a.Step)
	case protocol.AmendWithout:
		return r.withoutRefused(d)
	case protocol.AmendOnce:
		return r.allowOnce(d)
	}
	if len(a.Paths) > 0 {
		return d.amendMany(shown, a)
	}
	i := slices.IndexFunc(shown, func(c overlay.Change) bool { return c.Path == a.Path })
	if i < 0 && d.dropped[a.Path].Path == "" {
		return host.NotFound(a.Path)
	}
	switch a.Kind {
	case protocol.AmendDrop:
		if i >= 0 {
			d.leaveOut(shown[i])
		}
		d.amend.Dropped[a.Path] = true
	case protocol.AmendKeep:
		delete(d.amend.Dropped, a.Path)
	case protocol.AmendReset:
		delete(d.amend.Dropped, a.Path)
		delete(d.amend.Edits, a.Path)
	case protocol.AmendEdit, protocol.AmendHunks:
		if i < 0 {
			return fault.New(fault.Precondition, "error.review.dropped", fault.P{"path": a.Path})
		}
		return d.amendText(shown[i], a)
	default:
		return fault.New(fault.Validation, "error.review.amendment", fault.P{"kind": string(a.Kind)})
	}
	return nil
}

// amendMany leaves many changes out, or takes them in again: all that are named, or
// none where one of them is not there.
func (d *Draft) amendMany(shown []overlay.Change, a protocol.Amendment) error {
	if a.Kind != protocol.AmendDrop && a.Kind != protocol.AmendKeep {
		return fault.New(fault.Validation, "error.review.amendment", fault.P{"kind": string(a.Kind)})
	}
	at := make(map[string]int, len(shown))
	for i, c := range shown {
		at[c.Path] = i
	}
	for _, path := range a.Paths {
		i, here := at[path]
		switch {
		case !here && d.dropped[path].Path == "":
			return host.NotFound(path)
		case a.Kind == protocol.AmendKeep:
			delete(d.amend.Dropped, path)
		case here:
			d.leaveOut(shown[i])
		default:
			d.amend.Dropped[path] = true
		}
	}
	return nil
}

// leaveOut drops a change; it stays in the list, to be taken in again.
func (d *Draft) leaveOut(c overlay.Change) {
	d.dropped[c.Path] = c
	d.amend.Dropped[c.Path] = true
}

// amendText replaces a file's text: by the person's own, or by the shown one
// without the hunks that were rejected.
func (d *Draft) amendText(c overlay.Change, a protocol.Amendment) error {
	if c.After == nil || !fileview.IsText(c.After) {
		return fault.New(fault.Precondition, "error.review.noText", fault.P{"path": a.Path})
	}
	shown := host.Etag(c.After)
	original := string(c.After)
	if e, ok := d.amend.Edits[a.Path]; ok {
		shown, original = e.ShownEtag, string(e.Shown)
	}
	edited := a.Text
	if a.Kind == protocol.AmendHunks {
		edited = fileview.Without(string(c.Before), original, a.Rejected)
	}
	if edited == original {
		delete(d.amend.Edits, a.Path)
		return nil
	}
	if c.Status == overlay.Modify && edited == string(c.Before) {
		d.leaveOut(c) // nothing of the change is left
		return nil
	}
	d.amend.Edits[a.Path] = overlay.Edit{ShownEtag: shown, Shown: []byte(original), Data: []byte(edited), Rejected: a.Rejected}
	return nil
}

// amendPlan takes the plan as the person edited it: checked like a model's, and
// simulated from the start.
func (r *reviews) amendPlan(d *Draft, text string) error {
	p, g, raw, problems, err := r.check([]byte(text), r.deps.Guard.Rules())
	if err != nil {
		return err
	}
	d.plan, d.graph, d.raw = p, g, raw
	d.base, d.decided = nil, undecided()
	d.MustAsk, d.Warnings = true, outbox.Warnings(problems)
	return nil
}

// check reads a plan and checks it. VALIDATION_ERROR says what is wrong with it.
func (r *reviews) check(given []byte, rules plan.Rules) (*plan.Plan, *plan.Graph, json.RawMessage, []plan.Problem, error) {
	p, g, raw, problems := plan.Accept(given, r.deps.Registry, rules)
	if g == nil || plan.Failed(problems) {
		return nil, nil, nil, nil, plan.Fault(problems)
	}
	return p, g, raw, problems, nil
}
