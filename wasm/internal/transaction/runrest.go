package transaction

import (
	"context"
	"maps"
	"slices"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/tool"
)

// Rest opens the review of what a run has not done: the calls that failed or
// were not reached. What was done is taken from the run's own results.
func (r *replays) Rest(ctx context.Context, p protocol.RunRef) (protocol.RunRef, error) {
	if err := r.now.Idle(); err != nil {
		return protocol.RunRef{}, err
	}
	d, err := r.deps.History.Read(ctx, p.Run)
	if err != nil {
		return protocol.RunRef{}, err
	}
	draft, err := r.draftOf(ctx, d)
	if err != nil {
		return protocol.RunRef{}, err
	}
	draft.continues = d.RunID
	if !draft.plan.Conditional() { // its conditions have to come out as they did
		draft.Now = r.deps.Now()
	}
	// A plan that was not made here, and results that a crash has left, which
	// nothing seals before it, may say anything: the person is asked.
	draft.MustAsk = !r.approvedHere(ctx, d)
	maybe, err := r.takePrior(ctx, d, draft)
	if err != nil {
		return protocol.RunRef{}, err
	}
	for _, name := range maybe {
		draft.Warnings = append(draft.Warnings, protocol.Message{Key: "review.mayHaveRun", Params: map[string]string{"name": name}})
	}
	return protocol.RunRef{Run: draft.ID}, r.reviews.OpenReview(ctx, draft)
}

// approvedHere says whether a run is this device's, and came to its end.
func (r *replays) approvedHere(ctx context.Context, d *history.Run) bool {
	_, l, err := r.deps.History.Past(ctx, d.RunID)
	if err != nil || !l.Ours() || l.End == nil || l.End.By != "" {
		return false
	}
	return !l.End.AfterCrash()
}

// draftOf begins a review of a past run's plan. What was not kept of the run is
// taken from what is still at hand.
func (r *replays) draftOf(ctx context.Context, d *history.Run) (*Draft, error) {
	p, err := r.planIn(ctx, d.RunID)
	if err != nil {
		return nil, err
	}
	g, problems := plan.Check(p, r.deps.Registry, r.deps.Guard.BoundRules())
	if g == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	draft := newDraft(r.deps, p, g, d.Plan)
	draft.Instruction, draft.Action, draft.Selection, draft.Now = d.Instruction, d.Action, d.Editor, d.Now
	draft.Frozen = reuse.NewFrozen(d.Frozen)
	if x := r.now.atHand(d.RunID); x != nil {
		draft.Selection, draft.amend, draft.Frozen = x.kept.editor, x.kept.amend.Clone(), x.kept.frozen
	} else if d.Amendments != nil {
		draft.amend = d.Amendments.Clone()
	}
	return draft, nil
}

// takePrior gives a draft what a run has done, so that none of it is done
// again: the results of the calls that succeeded; those of calls whose writes
// were made and whose results a crash has lost, by simulating them again; and
// the commands that were begun, also where nobody knows how they ended. The
// names of these are given.
func (r *replays) takePrior(ctx context.Context, d *history.Run, draft *Draft) (maybe []string, err error) {
	pairs, err := audit.ReadCalls(ctx, r.deps.Host.Store, history.Dir(d.RunID))
	if err != nil {
		return nil, err
	}
	draft.prior = r.priorOf(d, pairs)
	logs, err := r.journalsOf(ctx, d.RunID)
	if err != nil || logs == nil {
		return nil, err
	}
	if err := r.takeLost(ctx, d, draft, pairs, logs); err != nil {
		return nil, err
	}
	last := map[string]*tool.Result{}
	for _, p := range pairs {
		last[p.Call.LogicalID] = p.Result
	}
	for _, a := range logs[len(logs)-1].Acts {
		r := last[a.Call]
		if draft.prior[a.Seq] != nil || r != nil && neverRan(r) {
			continue
		}
		n := draft.graph.Node(a.Step)
		if n == nil {
			continue
		}
		draft.prior[a.Seq] = &tool.Result{
			RunID: d.RunID, StepID: a.Step, Tool: n.Tool.Name, Version: n.Tool.Version, LogicalID: a.Call,
			Attempt: 1, Status: tool.OK, OK: true, Data: tool.Data{},
		}
		maybe = append(maybe, a.Step)
	}
	return maybe, nil
}

// neverRan says whether a command's failure is that it was not begun: it is not
// there, or its own check said no.
func neverRan(r *tool.Result) bool {
	if r.OK || r.Error == nil {
		return false
	}
	return slices.Contains([]string{"tools.commands.none", "tools.commands.unknown", "tools.commands.refused"}, r.Error.Key)
}

// priorOf gives the results of a run's calls that succeeded, by sequence
// number. Long texts are kept by their hash in the records; calls whose results
// hold one are made again when they only read.
func (r *replays) priorOf(d *history.Run, pairs []audit.Pair) map[int]*tool.Result {
	if x := r.now.atHand(d.RunID); x != nil {
		if done := x.succeeded(); done != nil {
			return maps.Clone(done)
		}
	}
	prior := map[int]*tool.Result{}
	maps.Copy(prior, d.Prior)
	for _, p := range pairs {
		if p.Result != nil && p.Result.OK && (p.Call.Risk != tool.ReadOnly || !audit.Abridged(p.Result.Data)) {
			prior[p.Call.Seq] = p.Result
		}
	}
	return prior
}

// journalsOf loads a run's journal, which also has what was made of it after a
// crash; none where the run had not begun.
func (r *replays) journalsOf(ctx context.Context, id string) ([]*journal.Log, error) {
	l, err := journal.Load(ctx, r.deps.Host.Store, history.Dir(id))
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if l.End == nil {
		return nil, fault.New(fault.Precondition, "error.rest.unfinished", nil)
	}
	logs := []*journal.Log{l}
	if l.End.By == "" {
		return logs, nil
	}
	by, err := journal.Load(ctx, r.deps.Host.Store, history.Dir(l.End.By))
	switch {
	case err != nil:
		return nil, err
	case by.Reverts == id:
		return nil, fault.New(fault.Precondition, "error.rest.reverted", nil)
	}
	return logs, nil
}

// takeLost finds the results of calls whose writes were made and whose results
// were not recorded, by simulating the run as it was.
func (r *replays) takeLost(ctx context.Context, d *history.Run, draft *Draft, pairs []audit.Pair, logs []*journal.Log) error {
	told := map[string]bool{}
	for _, p := range pairs {
		told[p.Call.LogicalID] = told[p.Call.LogicalID] || p.Result != nil
	}
	made := map[string][]deed{} // call -> its writes that were made
	lost := false
	for _, l := range logs {
		for i := range l.Entries {
			e := &l.Entries[i]
			if e.Outcome == journal.Unknown && !told[e.Call] {
				return fault.New(fault.Precondition, "error.rest.unknown", nil)
			}
			if e.Outcome == journal.Done {
				made[e.Call] = append(made[e.Call], deed{kind: e.Kind, path: e.Path, to: e.To, beforeEtag: e.Before, hash: e.After})
				lost = lost || !told[e.Call]
			}
		}
	}
	if !lost {
		return nil
	}
	was, err := r.again(ctx, d, logs...)
	if err != nil {
		return err
	}
	whole := map[string][]deed{}
	for _, w := range was.writes(0) {
		whole[w.Call] = append(whole[w.Call], deed{kind: w.Op.Kind, path: w.Op.Path, to: w.Op.To, beforeEtag: w.BeforeEtag, hash: w.AfterEtag})
	}
	simulated := bySeq(was.Report, reached)
	for call, writes := range made {
		c := was.Called[call]
		if told[call] || onlyFolders(writes) && !sameDeeds(writes, whole[call]) {
			continue // made again, it finds its folders there
		}
		if c == nil || !sameDeeds(writes, whole[call]) {
			return fault.New(fault.Precondition, "error.rest.unknown", nil)
		}
		draft.prior[c.Seq] = simulated[c.Seq]
	}
	return nil
}

func onlyFolders(writes []deed) bool {
	return !slices.ContainsFunc(writes, func(d deed) bool { return d.kind != host.OpMkdir })
}

// sameDeeds compares writes whatever their order: those that a recovery made
// come first.
func sameDeeds(a, b []deed) bool {
	if len(a) != len(b) {
		return false
	}
	for _, d := range a {
		if !slices.Contains(b, d) {
			return false
		}
	}
	return true
}

// planIn gives the plan of a run: as it was executed, where that is at hand, or
// from its folder.
func (r *replays) planIn(ctx context.Context, run string) (*plan.Plan, error) {
	if p, _, _ := r.now.PlanAtHand(run); p != nil {
		return p, nil
	}
	p, _, err := r.deps.History.Plan(ctx, run)
	return p, err
}
