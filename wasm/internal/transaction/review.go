package transaction

import (
	"context"
	"encoding/json"
	"maps"
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

// OpenReview simulates a session and shows it. A run that nobody has to be
// asked about goes on at once; the approval is recorded as automatic.
func (t *Transactions) OpenReview(ctx context.Context, se *Review) error {
	if err := t.Simulate(ctx, se); err != nil {
		return err
	}
	return t.Show(se)
}

// Show shows a session that was simulated, unless something else is under
// way.
func (t *Transactions) Show(se *Review) error {
	t.mu.Lock()
	if (t.run != nil && !t.run.over()) || (t.begun != nil && t.begun != se.Turn && !t.begun.Over()) {
		t.mu.Unlock()
		return fault.New(fault.Precondition, "error.busy", nil)
	}
	se.Shown = t.deps.Now()
	t.review = se
	t.mu.Unlock()
	t.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewOpened, Review: se.View})
	if se.View.Approvable && !t.MustAsk(se) {
		return t.Begin(se, true)
	}
	return nil
}

// MustAsk says whether a person has to approve.
func (t *Transactions) MustAsk(se *Review) bool {
	far := slices.ContainsFunc(se.Changes, func(c overlay.Change) bool {
		return c.Status == overlay.Trash || c.Status == overlay.Rmdir || c.Status == overlay.Rename
	})
	// What may run by itself later is seen by somebody first, whatever the settings.
	far = far || slices.ContainsFunc(se.View.Files, func(f protocol.FileChange) bool { return !f.Dropped && f.Runs+f.Loads > 0 })
	return se.MustAsk || t.deps.Guard.Policy().Asks(se.graph.Risk, far)
}

// Open gives the open review by its id.
func (t *Transactions) Open(id string) (*Review, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.review == nil || t.review.ID != id {
		return nil, fault.New(fault.NotFound, "error.review.gone", nil)
	}
	return t.review, nil
}

func (t *Transactions) Get(_ context.Context, p protocol.RunRef) (protocol.Review, error) {
	se, err := t.Open(p.Run)
	if err != nil {
		return protocol.Review{}, err
	}
	return *se.View, nil
}

// File shows one path of the open review, or of a past run.
func (t *Transactions) File(ctx context.Context, p protocol.FileRef) (protocol.FileView, error) {
	se, err := t.Open(p.Run)
	if err != nil {
		return t.deps.History.PastFile(ctx, p)
	}
	i := slices.IndexFunc(se.Changes, func(c overlay.Change) bool { return c.Path == p.Path })
	c, left := se.dropped[p.Path]
	switch {
	case i >= 0:
		c = se.Changes[i]
	case !left:
		return protocol.FileView{}, host.NotFound(p.Path)
	}
	c, err = wholeRename(ctx, se.Base, c)
	if err != nil {
		return protocol.FileView{}, err
	}
	v := fileview.Of(c)
	if e, ok := se.amend.Edits[p.Path]; ok && e.Rejected != nil {
		v.Hunks = fileview.Hunks(v.Before, string(e.Shown))
		for k := range v.Hunks {
			v.Hunks[k].Rejected = slices.Contains(e.Rejected, k)
		}
	}
	return v, nil
}

// Amend changes the review as the person says and simulates it again.
func (t *Transactions) Amend(ctx context.Context, a protocol.Amendment) (protocol.Review, error) {
	se, err := t.Open(a.Run)
	if err != nil {
		return protocol.Review{}, err
	}
	next := *se
	next.amend = se.amend.Clone()
	if err := t.amendSession(&next, a); err != nil {
		return protocol.Review{}, err
	}
	if err := t.Simulate(ctx, &next); err != nil {
		return protocol.Review{}, err
	}
	if err := t.replaceReview(se, &next); err != nil {
		return protocol.Review{}, err
	}
	return *next.View, nil
}

func (t *Transactions) amendSession(se *Review, a protocol.Amendment) error {
	switch a.Kind {
	case protocol.AmendPlan:
		if se.Undo != nil {
			return fault.New(fault.Precondition, "error.review.noPlan", nil)
		}
		return t.amendPlan(se, a.Plan)
	case protocol.AmendAgain:
		se.Base = nil // what was read is read anew
		return nil
	case protocol.AmendAll:
		return t.withoutLimit(se, a.Step)
	}
	i := slices.IndexFunc(se.Changes, func(c overlay.Change) bool { return c.Path == a.Path })
	if i < 0 && se.dropped[a.Path].Path == "" {
		return host.NotFound(a.Path)
	}
	switch a.Kind {
	case protocol.AmendDrop:
		if i >= 0 {
			return leaveOut(se, se.Changes[i])
		}
		se.amend.Dropped[a.Path] = true
	case protocol.AmendKeep:
		delete(se.amend.Dropped, a.Path)
	case protocol.AmendReset:
		delete(se.amend.Dropped, a.Path)
		delete(se.amend.Edits, a.Path)
	case protocol.AmendEdit, protocol.AmendHunks:
		if i < 0 {
			return fault.New(fault.Precondition, "error.review.dropped", fault.P{"path": a.Path})
		}
		return amendText(se, se.Changes[i], a)
	default:
		return fault.New(fault.Validation, "error.review.amendment", fault.P{"kind": string(a.Kind)})
	}
	return nil
}

// leaveOut drops a change; it stays in the list, to be taken in again.
func leaveOut(se *Review, c overlay.Change) error {
	dropped := maps.Clone(se.dropped)
	dropped[c.Path] = c
	se.dropped = dropped
	se.amend.Dropped[c.Path] = true
	return nil
}

// amendText replaces a file's text: by the person's own, or by the shown one
// without the hunks that were rejected.
func amendText(se *Review, c overlay.Change, a protocol.Amendment) error {
	if c.After == nil || !fileview.IsText(c.After) {
		return fault.New(fault.Precondition, "error.review.noText", fault.P{"path": a.Path})
	}
	shown := host.Etag(c.After)
	original := string(c.After)
	if e, ok := se.amend.Edits[a.Path]; ok {
		shown, original = e.ShownEtag, string(e.Shown)
	}
	edited := a.Text
	if a.Kind == protocol.AmendHunks {
		edited = without(string(c.Before), original, a.Rejected)
	}
	if edited == original {
		delete(se.amend.Edits, a.Path)
		return nil
	}
	if c.Status == overlay.Modify && edited == string(c.Before) {
		return leaveOut(se, c) // nothing of the change is left
	}
	se.amend.Edits[a.Path] = overlay.Edit{ShownEtag: shown, Shown: []byte(original), Data: []byte(edited), Rejected: a.Rejected}
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
func (t *Transactions) amendPlan(se *Review, text string) error {
	p, problems := plan.Decode([]byte(text), plan.Limits{})
	if p == nil || plan.Failed(problems) {
		return plan.Fault(problems)
	}
	g, problems := plan.Check(p, t.deps.Registry, t.deps.Guard.Rules())
	if g == nil || plan.Failed(problems) {
		return plan.Fault(problems)
	}
	se.plan, se.graph, se.raw = p, g, json.RawMessage(text)
	se.Base, se.dropped = nil, map[string]overlay.Change{}
	se.amend = &overlay.Amendments{Dropped: map[string]bool{}, Edits: map[string]overlay.Edit{}}
	se.MustAsk = true
	se.Warnings = outbox.Warnings(problems)
	return nil
}

// Approve is a yes to exactly what was shown, on the vault that it was
// shown of.
func (t *Transactions) Approve(ctx context.Context, p protocol.Approve) (protocol.RunRef, error) {
	se, err := t.Open(p.Run)
	if err != nil {
		return protocol.RunRef{}, err
	}
	switch {
	case !se.View.Approvable:
		return protocol.RunRef{}, fault.New(fault.Precondition, "error.review.notApprovable", nil)
	case p.Approval == "" || p.Approval != se.View.Approval:
		return protocol.RunRef{}, fault.New(fault.Conflict, "error.review.changed", nil)
	}
	if err := t.checkPolicy(ctx, se); err != nil {
		return protocol.RunRef{}, err
	}
	if err := t.checkDrift(ctx, se); err != nil {
		return protocol.RunRef{}, err
	}
	if se.Undo != nil {
		return protocol.RunRef{Run: se.ID}, t.beginUndo(se, p.Automatic)
	}
	return protocol.RunRef{Run: se.ID}, t.Begin(se, p.Automatic)
}

// Close is a no.
func (t *Transactions) Close(_ context.Context, p protocol.RunRef) (protocol.Empty, error) {
	t.mu.Lock()
	open := t.review != nil && (p.Run == "" || t.review.ID == p.Run)
	if open {
		p.Run = t.review.ID
		t.review = nil
	}
	t.mu.Unlock()
	if open {
		t.deps.Settled(p.Run, false)
		t.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: p.Run})
	}
	return protocol.Empty{}, nil
}
