package server

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
)

// openReview simulates a session and shows it. A run that nobody has to be
// asked about goes on at once; the approval is recorded as automatic.
func (s *Server) openReview(ctx context.Context, se *session) error {
	if err := s.simulate(ctx, se); err != nil {
		return err
	}
	return s.showReview(se)
}

// showReview shows a session that was simulated, unless something else is under
// way.
func (s *Server) showReview(se *session) error {
	s.mu.Lock()
	if (s.run != nil && !s.run.over()) || (s.turn != nil && s.turn != se.turn && !s.turn.over()) {
		s.mu.Unlock()
		return fault.New(fault.Precondition, "error.busy", nil)
	}
	se.shown = s.now()
	s.review = se
	s.mu.Unlock()
	s.out.tell(protocol.Event{Type: protocol.EventReviewOpened, Review: se.view})
	if se.view.Approvable && !s.mustAsk(se) {
		return s.begin(se, true)
	}
	return nil
}

// mustAsk says whether a person has to approve.
func (s *Server) mustAsk(se *session) bool {
	far := slices.ContainsFunc(se.changes, func(c overlay.Change) bool {
		return c.Status == overlay.Trash || c.Status == overlay.Rmdir || c.Status == overlay.Rename
	})
	// What may run by itself later is seen by somebody first, whatever the settings.
	far = far || slices.ContainsFunc(se.view.Files, func(f protocol.FileChange) bool { return !f.Dropped && f.Runs+f.Loads > 0 })
	return se.mustAsk || s.currentPolicy().Asks(se.graph.Risk, far)
}

// open gives the open review by its id.
func (s *Server) open(id string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.review == nil || s.review.id != id {
		return nil, fault.New(fault.NotFound, "error.review.gone", nil)
	}
	return s.review, nil
}

func (s *Server) reviewGet(_ context.Context, p protocol.RunRef) (protocol.Review, error) {
	se, err := s.open(p.Run)
	if err != nil {
		return protocol.Review{}, err
	}
	return *se.view, nil
}

// reviewFile shows one path of the open review, or of a past run.
func (s *Server) reviewFile(ctx context.Context, p protocol.FileRef) (protocol.FileView, error) {
	se, err := s.open(p.Run)
	if err != nil {
		return s.pastFile(ctx, p)
	}
	i := slices.IndexFunc(se.changes, func(c overlay.Change) bool { return c.Path == p.Path })
	c, left := se.dropped[p.Path]
	switch {
	case i >= 0:
		c = se.changes[i]
	case !left:
		return protocol.FileView{}, host.NotFound(p.Path)
	}
	c, err = wholeRename(ctx, se.base, c)
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

// reviewAmend changes the review as the person says and simulates it again.
func (s *Server) reviewAmend(ctx context.Context, a protocol.Amendment) (protocol.Review, error) {
	se, err := s.open(a.Run)
	if err != nil {
		return protocol.Review{}, err
	}
	next := *se
	next.amend = se.amend.Clone()
	if err := s.amendSession(&next, a); err != nil {
		return protocol.Review{}, err
	}
	if err := s.simulate(ctx, &next); err != nil {
		return protocol.Review{}, err
	}
	if err := s.replaceReview(se, &next); err != nil {
		return protocol.Review{}, err
	}
	return *next.view, nil
}

func (s *Server) amendSession(se *session, a protocol.Amendment) error {
	switch a.Kind {
	case protocol.AmendPlan:
		if se.undo != nil {
			return fault.New(fault.Precondition, "error.review.noPlan", nil)
		}
		return s.amendPlan(se, a.Plan)
	case protocol.AmendAgain:
		se.base = nil // what was read is read anew
		return nil
	case protocol.AmendAll:
		return s.withoutLimit(se, a.Step)
	}
	i := slices.IndexFunc(se.changes, func(c overlay.Change) bool { return c.Path == a.Path })
	if i < 0 && se.dropped[a.Path].Path == "" {
		return host.NotFound(a.Path)
	}
	switch a.Kind {
	case protocol.AmendDrop:
		if i >= 0 {
			return leaveOut(se, se.changes[i])
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
		return amendText(se, se.changes[i], a)
	default:
		return fault.New(fault.Validation, "error.review.amendment", fault.P{"kind": string(a.Kind)})
	}
	return nil
}

// leaveOut drops a change; it stays in the list, to be taken in again.
func leaveOut(se *session, c overlay.Change) error {
	dropped := maps.Clone(se.dropped)
	dropped[c.Path] = c
	se.dropped = dropped
	se.amend.Dropped[c.Path] = true
	return nil
}

// amendText replaces a file's text: by the person's own, or by the shown one
// without the hunks that were rejected.
func amendText(se *session, c overlay.Change, a protocol.Amendment) error {
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
func (s *Server) amendPlan(se *session, text string) error {
	p, problems := plan.Decode([]byte(text), plan.Limits{})
	if p == nil || plan.Failed(problems) {
		return plan.Fault(problems)
	}
	g, problems := plan.Check(p, s.registry, s.rules())
	if g == nil || plan.Failed(problems) {
		return plan.Fault(problems)
	}
	se.plan, se.graph, se.raw = p, g, json.RawMessage(text)
	se.base, se.dropped = nil, map[string]overlay.Change{}
	se.amend = &overlay.Amendments{Dropped: map[string]bool{}, Edits: map[string]overlay.Edit{}}
	se.mustAsk = true
	se.warnings = warningsOf(problems)
	return nil
}

func warningsOf(problems []plan.Problem) []protocol.Message {
	var out []protocol.Message
	for _, p := range problems {
		if p.Warning {
			out = append(out, protocol.Message{Key: p.Key, Params: p.Params})
		}
	}
	return out
}

// reviewApprove is a yes to exactly what was shown, on the vault that it was
// shown of.
func (s *Server) reviewApprove(ctx context.Context, p protocol.Approve) (protocol.RunRef, error) {
	se, err := s.open(p.Run)
	if err != nil {
		return protocol.RunRef{}, err
	}
	switch {
	case !se.view.Approvable:
		return protocol.RunRef{}, fault.New(fault.Precondition, "error.review.notApprovable", nil)
	case p.Approval == "" || p.Approval != se.view.Approval:
		return protocol.RunRef{}, fault.New(fault.Conflict, "error.review.changed", nil)
	}
	if err := s.checkPolicy(ctx, se); err != nil {
		return protocol.RunRef{}, err
	}
	if err := s.checkDrift(ctx, se); err != nil {
		return protocol.RunRef{}, err
	}
	if se.undo != nil {
		return protocol.RunRef{Run: se.id}, s.beginUndo(se, p.Automatic)
	}
	return protocol.RunRef{Run: se.id}, s.begin(se, p.Automatic)
}

// reviewClose is a no.
func (s *Server) reviewClose(_ context.Context, p protocol.RunRef) (protocol.Empty, error) {
	s.mu.Lock()
	open := s.review != nil && (p.Run == "" || s.review.id == p.Run)
	if open {
		p.Run = s.review.id
		s.review = nil
	}
	s.mu.Unlock()
	if open {
		s.settle(p.Run, false)
		s.out.tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: p.Run})
	}
	return protocol.Empty{}, nil
}
