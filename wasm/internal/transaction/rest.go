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
func (t *Transactions) Rest(ctx context.Context, p protocol.RunRef) (protocol.RunRef, error) {
	if err := t.Idle(); err != nil {
		return protocol.RunRef{}, err
	}
	d, err := t.deps.History.Read(ctx, p.Run)
	if err != nil {
		return protocol.RunRef{}, err
	}
	se, err := t.sessionOf(ctx, d)
	if err != nil {
		return protocol.RunRef{}, err
	}
	se.Now, se.continues = t.deps.Now(), d.RunID
	// A plan that was not made here, and results that a crash has left, which
	// nothing seals before it, may say anything: the person is asked.
	se.MustAsk = !t.approvedHere(ctx, d)
	maybe, err := t.takePrior(ctx, d, se)
	if err != nil {
		return protocol.RunRef{}, err
	}
	for _, name := range maybe {
		se.Warnings = append(se.Warnings, protocol.Message{Key: "review.mayHaveRun", Params: map[string]string{"name": name}})
	}
	return protocol.RunRef{Run: se.ID}, t.OpenReview(ctx, se)
}

// approvedHere says whether a run is this device's, and came to its end.
func (t *Transactions) approvedHere(ctx context.Context, d *history.Run) bool {
	_, l, err := t.deps.History.Past(ctx, d.RunID)
	if err != nil || !l.Ours() || l.End == nil || l.End.By != "" {
		return false
	}
	_, settled := l.End.Heads[journal.SettledFile]
	return !settled
}

// sessionOf makes a session of a past run's plan.
func (t *Transactions) sessionOf(ctx context.Context, d *history.Run) (*Review, error) {
	pl, err := t.planIn(ctx, d.RunID)
	if err != nil {
		return nil, err
	}
	g, problems := plan.Check(pl, t.deps.Registry, t.deps.Guard.BoundRules())
	if g == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	se := t.NewReview(pl, g, d.Plan)
	se.Instruction, se.Action, se.Selection, se.Now = d.Instruction, d.Action, d.Editor, d.Now
	se.Frozen = reuse.NewFrozen(d.Frozen)
	t.mu.Lock()
	if x := t.run; x != nil && x.Review.ID == d.RunID { // what was not kept is still at hand
		se.Selection, se.amend, se.Frozen = x.Review.editorSeen(), x.Review.amend.Clone(), x.Review.Frozen
	} else if d.Amendments != nil {
		se.amend = d.Amendments.Clone()
	}
	t.mu.Unlock()
	return se, nil
}

// takePrior gives a session what a run has done, so that none of it is done
// again: the results of the calls that succeeded; those of calls whose writes
// were made and whose results a crash has lost, by simulating them again; and
// the commands that were begun, also where nobody knows how they ended. The
// names of these are given.
func (t *Transactions) takePrior(ctx context.Context, d *history.Run, se *Review) (maybe []string, err error) {
	pairs, err := audit.ReadCalls(ctx, t.deps.Host.Store, history.Dir(d.RunID))
	if err != nil {
		return nil, err
	}
	if se.prior, err = t.priorOf(d, pairs); err != nil {
		return nil, err
	}
	logs, err := t.journalsOf(ctx, d.RunID)
	if err != nil || logs == nil {
		return nil, err
	}
	if err := t.takeLost(ctx, d, se, pairs, logs); err != nil {
		return nil, err
	}
	last := map[string]*tool.Result{}
	for _, p := range pairs {
		last[p.Call.LogicalID] = p.Result
	}
	for _, a := range logs[len(logs)-1].Acts {
		r := last[a.Call]
		if se.prior[a.Seq] != nil || r != nil && neverRan(r) {
			continue
		}
		n := se.graph.Node(a.Step)
		if n == nil {
			continue
		}
		se.prior[a.Seq] = &tool.Result{
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
func (t *Transactions) priorOf(d *history.Run, pairs []audit.Pair) (map[int]*tool.Result, error) {
	t.mu.Lock()
	x := t.run
	t.mu.Unlock()
	if x != nil && x.Review.ID == d.RunID && x.done != nil {
		return maps.Clone(x.done), nil
	}
	prior := map[int]*tool.Result{}
	maps.Copy(prior, d.Prior)
	for _, p := range pairs {
		if p.Result != nil && p.Result.OK && (p.Call.Risk != tool.ReadOnly || !audit.Abridged(p.Result.Data)) {
			prior[p.Call.Seq] = p.Result
		}
	}
	return prior, nil
}

// journalsOf loads a run's journal, which also has what was made of it after a
// crash; none where the run had not begun.
func (t *Transactions) journalsOf(ctx context.Context, id string) ([]*journal.Log, error) {
	l, err := journal.Load(ctx, t.deps.Host.Store, history.Dir(id))
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
	by, err := journal.Load(ctx, t.deps.Host.Store, history.Dir(l.End.By))
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
func (t *Transactions) takeLost(ctx context.Context, d *history.Run, se *Review, pairs []audit.Pair, logs []*journal.Log) error {
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
	was, err := t.again(ctx, d, logs...)
	if err != nil {
		return err
	}
	whole := map[string][]deed{}
	for _, w := range was.writes(0) {
		whole[w.Call] = append(whole[w.Call], deed{kind: w.Op.Kind, path: w.Op.Path, to: w.Op.To, beforeEtag: w.BeforeEtag, hash: w.AfterEtag})
	}
	results := resultsOf(was.Report)
	for call, writes := range made {
		c := was.Called[call]
		if told[call] || onlyFolders(writes) && !sameDeeds(writes, whole[call]) {
			continue // made again, it finds its folders there
		}
		if c == nil || !sameDeeds(writes, whole[call]) {
			return fault.New(fault.Precondition, "error.rest.unknown", nil)
		}
		se.prior[c.Seq] = results[c.Seq]
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
func (t *Transactions) planIn(ctx context.Context, run string) (*plan.Plan, error) {
	if p, _, _ := t.PlanAtHand(run); p != nil {
		return p, nil
	}
	p, _, err := t.deps.History.Plan(ctx, run)
	return p, err
}
