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
	"embedded-agent/wasm/internal/tool"
)

// replays opens reviews of past runs: of what one has not done, and of all of it once
// more. It has no state.
type replays struct {
	deps    *Deps
	sim     *simulator
	now     *current
	reviews *reviews
}

// ReplayRun goes through a past run again, and compares: its conversations with
// a model, as they were recorded; then its plan, on the vault as it was before
// that run (the present one with the run reverted, in memory): same calls,
// same ids, same effects. No model is asked, and nothing is written.
func (r *replays) ReplayRun(ctx context.Context, p protocol.Replay) (protocol.RunRef, error) {
	d, err := r.deps.History.Read(ctx, p.Run)
	if err != nil {
		return protocol.RunRef{}, err
	}
	if d.Kind != protocol.KindRun && d.Kind != protocol.KindAgent {
		return protocol.RunRef{}, fault.New(fault.Precondition, "error.replay.kind", nil)
	}
	pl, err := r.replayConversations(ctx, d)
	if err != nil {
		return protocol.RunRef{}, err
	}
	rv, err := r.replayPlan(ctx, d, pl)
	if err != nil {
		return protocol.RunRef{}, err
	}
	out := protocol.RunRef{Run: p.Run}
	if p.Review && rv != nil {
		shown, err := r.showReplay(rv)
		if err != nil {
			return protocol.RunRef{}, err
		}
		out.Run = shown.ID
	}
	r.deps.Out.Notice("info", "notice.replayed", nil, p.Run)
	return out, nil
}

// replayConversations goes through a run's conversations with a model, and gives the
// plan of what they staged; nil where they staged nothing.
func (r *replays) replayConversations(ctx context.Context, d *history.Run) (*plan.Plan, error) {
	own, err := r.deps.History.Bundles(ctx, d.RunID)
	if err != nil || own == nil {
		return nil, err
	}
	return r.deps.PlayBack(ctx, d.Goal, own.Bundles)
}

// replayPlan simulates what a run did, and holds it against the records. What was
// done at once in a conversation has no plan of its own: then it is the one given,
// on the vault as it is now, or none.
func (r *replays) replayPlan(ctx context.Context, d *history.Run, staged *plan.Plan) (*Review, error) {
	if d.Kind == protocol.KindAgent {
		if staged == nil {
			return nil, nil
		}
		return r.sealedPlan(ctx, staged, nil)
	}
	l, err := journal.Load(ctx, r.deps.Host.Store, history.Dir(d.RunID))
	if err != nil {
		return nil, err
	}
	rv, err := r.again(ctx, d, l)
	if err != nil {
		return nil, err
	}
	problems, err := r.compare(ctx, d, l, rv)
	if err == nil && len(problems) > 0 {
		err = fault.New(fault.Conflict, "error.replay.differs", fault.P{"what": problems[0]})
	}
	return rv, err
}

// showReplay opens the review of a replay, as one of its own.
func (r *replays) showReplay(rv *Review) (*Review, error) {
	id := ids.New()
	shown := rv.asReplay(id, r.deps.History.Trace(id, ""))
	return shown, r.now.Show(shown)
}

// again simulates a past run's plan as it was then, on the vault as it was
// before: the present one with what the journals hold reverted in memory, the
// last one first. What cannot be simulated is taken as it was recorded, and
// never made.
func (r *replays) again(ctx context.Context, d *history.Run, logs ...*journal.Log) (*Review, error) {
	before := overlay.New(overlay.NewBase(r.deps.Host.Vault, nil, d.Now))
	for _, l := range logs {
		if _, err := journal.Revert(ctx, l, before.For("replay"), journal.RevertOptions{}); err != nil {
			return nil, err
		}
	}
	draft, err := r.draftOf(ctx, d)
	if err != nil {
		return nil, err
	}
	draft.ID, draft.from, draft.prior, draft.sealed = d.RunID, d.From, map[int]*tool.Result{}, true
	if d.Confirmation != nil {
		draft.once = d.Confirmation.Once // it is simulated, and never run
	}
	maps.Copy(draft.prior, d.Prior)
	pairs, err := audit.ReadCalls(ctx, r.deps.Host.Store, history.Dir(d.RunID))
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		if n := draft.graph.Node(p.Call.StepID); n != nil && !n.Tool.Simulable && p.Result != nil {
			draft.prior[p.Call.Seq] = p.Result
		}
	}
	if draft.Selection == nil {
		draft.Selection = &host.EditorState{}
	}
	draft.base = overlay.NewBase(before.For("replay"), r.sim.editorOf(draft.Selection), d.Now)
	return r.sim.Simulate(ctx, draft)
}

// compare holds a replay against the records of its run.
func (r *replays) compare(ctx context.Context, d *history.Run, l *journal.Log, rv *Review) ([]string, error) {
	var diff []string
	i := 0
	for _, w := range rv.Vault.Log() {
		if w.Refused != nil || w.Op.Kind == "" {
			continue
		}
		if i >= len(l.Entries) {
			if l.End != nil && l.End.Outcome != protocol.OutcomeOK {
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
	pairs, err := audit.ReadCalls(ctx, r.deps.Host.Store, history.Dir(d.RunID))
	if err != nil {
		return nil, err
	}
	made := map[string]bool{}
	for _, res := range results(rv.Report, 0, everything) {
		made[res.LogicalID] = true
	}
	for _, p := range pairs {
		if p.Call.Attempt == 1 && p.Result != nil && p.Result.OK && !made[p.Call.LogicalID] {
			diff = append(diff, p.Call.StepID)
		}
	}
	return diff, nil
}
