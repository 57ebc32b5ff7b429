package transaction

import (
	"context"
	"maps"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// ReplayRun goes through a past run again, and compares: its conversations with
// a model, as they were recorded; then its plan, on the vault as it was before
// that run (the present one with the run taken back, in memory): same calls,
// same ids, same effects. No model is asked, and nothing is written.
func (t *Transactions) ReplayRun(ctx context.Context, p protocol.Replay) (protocol.RunRef, error) {
	d, err := t.deps.History.Read(ctx, p.Run)
	if err != nil {
		return protocol.RunRef{}, err
	}
	if d.Kind != protocol.KindRun && d.Kind != protocol.KindAgent {
		return protocol.RunRef{}, fault.New(fault.Precondition, "error.replay.kind", nil)
	}
	pl, err := t.replayTalks(ctx, d)
	if err != nil {
		return protocol.RunRef{}, err
	}
	se, err := t.replayPlan(ctx, d, pl)
	if err != nil {
		return protocol.RunRef{}, err
	}
	out := protocol.RunRef{Run: p.Run}
	if p.Review && se != nil {
		if out.Run, err = t.showReplay(se); err != nil {
			return protocol.RunRef{}, err
		}
	}
	t.deps.Out.Notice("info", "notice.replayed", nil, p.Run)
	return out, nil
}

// replayTalks goes through a run's conversations with a model, and gives the
// plan of what they staged; nil where they staged nothing.
func (t *Transactions) replayTalks(ctx context.Context, d *history.Run) (*plan.Plan, error) {
	own, err := t.deps.History.Bundles(ctx, d.RunID)
	if err != nil || own == nil {
		return nil, err
	}
	return t.deps.PlayBack(ctx, d.Goal, own.Bundles)
}

// replayPlan simulates what a run did, and holds it against the records. What was
// done at once in a conversation has no plan of its own: then it is the one given,
// on the vault as it is now, or none.
func (t *Transactions) replayPlan(ctx context.Context, d *history.Run, staged *plan.Plan) (*Review, error) {
	if d.Kind == protocol.KindAgent {
		if staged == nil {
			return nil, nil
		}
		return t.sealedPlan(ctx, staged, nil)
	}
	l, err := journal.Load(ctx, t.deps.Host.Store, history.Dir(d.RunID))
	if err != nil {
		return nil, err
	}
	se, err := t.again(ctx, d, l)
	if err != nil {
		return nil, err
	}
	problems, err := t.compare(ctx, d, l, se)
	if err == nil && len(problems) > 0 {
		err = fault.New(fault.Conflict, "error.replay.differs", fault.P{"what": problems[0]})
	}
	return se, err
}

// showReplay opens the review of a replay. It is one of its own, so that closing
// it is no answer about the run.
func (t *Transactions) showReplay(se *Review) (string, error) {
	next, view := *se, *se.View
	next.ID, next.DryRun, next.Turn = ids.New(), true, nil
	next.title = &protocol.Message{Key: "review.replay", Params: map[string]string{"goal": view.Goal}}
	next.Trace = t.deps.History.Trace(next.ID, "")
	view.Run, view.Title, view.DryRun, view.Approvable = next.ID, next.title, true, false
	next.View = &view
	return next.ID, t.Show(&next)
}

// again simulates a past run's plan as it was then, on the vault as it was
// before: the present one with what the journals hold taken back in memory, the
// last one first. What cannot be simulated is taken as it was recorded, and
// never made.
func (t *Transactions) again(ctx context.Context, d *history.Run, logs ...*journal.Log) (*Review, error) {
	before := overlay.New(overlay.NewBase(t.deps.Host.Vault, nil, d.Now))
	for _, l := range logs {
		if _, err := journal.Revert(ctx, l, before.For("replay"), journal.RevertOptions{}); err != nil {
			return nil, err
		}
	}
	se, err := t.sessionOf(ctx, d)
	if err != nil {
		return nil, err
	}
	se.ID, se.from, se.prior, se.Sealed = d.RunID, d.From, map[int]*tool.Result{}, true
	maps.Copy(se.prior, d.Prior)
	pairs, err := audit.ReadCalls(ctx, t.deps.Host.Store, history.Dir(d.RunID))
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		if n := se.graph.Node(p.Call.StepID); n != nil && !n.Tool.Simulable && p.Result != nil {
			se.prior[p.Call.Seq] = p.Result
		}
	}
	if se.Selection == nil {
		se.Selection = &host.EditorState{}
	}
	se.Base = overlay.NewBase(before.For("replay"), t.editorOf(se), d.Now)
	return se, t.Simulate(ctx, se)
}

// compare holds a replay against the records of its run.
func (t *Transactions) compare(ctx context.Context, d *history.Run, l *journal.Log, se *Review) ([]string, error) {
	var diff []string
	i := 0
	for _, w := range se.Vault.Log() {
		if w.Refused != nil || w.Op.Kind == "" {
			continue
		}
		if i >= len(l.Entries) {
			if l.End != nil && l.End.Outcome != history.OutcomeOK {
				break // the run did not get this far
			}
			diff = append(diff, w.Op.Path)
			break
		}
		e := &l.Entries[i]
		i++
		if e.Call != w.Call || e.Kind != w.Op.Kind || e.Path != w.Op.Path || e.To != w.Op.To || e.Before != w.BeforeEtag || e.After != w.AfterEtag {
			diff = append(diff, e.Path)
		}
	}
	pairs, err := audit.ReadCalls(ctx, t.deps.Host.Store, history.Dir(d.RunID))
	if err != nil {
		return nil, err
	}
	ids := callIDs(se.Report)
	for _, p := range pairs {
		if p.Call.Attempt == 1 && p.Result != nil && p.Result.OK && !ids[p.Call.LogicalID] {
			diff = append(diff, p.Call.StepID)
		}
	}
	return diff, nil
}

func callIDs(r *runner.Report) map[string]bool {
	ids := map[string]bool{}
	for _, st := range r.Steps {
		for _, res := range st.Results {
			if res != nil {
				ids[res.LogicalID] = true
			}
		}
	}
	return ids
}
