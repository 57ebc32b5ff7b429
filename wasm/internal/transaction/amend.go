package transaction

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

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
		edited = without(string(c.Before), original, a.Rejected)
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

// without gives after with some of its hunks against before put back.
func without(before, after string, rejected []int) string {
	old, lines := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	var b strings.Builder
	at := 0
	for i, h := range fileview.Hunks(before, after) {
		if !slices.Contains(rejected, i) {
			continue
		}
		b.WriteString(strings.Join(lines[at:min(h.AfterFrom, len(lines))], ""))
		b.WriteString(strings.Join(old[h.BeforeFrom:min(h.BeforeTo, len(old))], ""))
		at = min(h.AfterTo, len(lines))
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return b.String()
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
