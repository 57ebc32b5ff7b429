package transaction

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
)

// summarise gives a run's line for the history, and what may be done with it.
func (x *Run) summarise(end string) protocol.RunSummary {
	wrote := x.jw != nil && slices.Contains(x.jw.Outcomes(), journal.Done)
	x.mu.Lock()
	defer x.mu.Unlock()
	rs := &x.rs
	ok := rs.Outcome == history.OutcomeOK
	rs.Can = protocol.Can{Revert: wrote, Rest: !ok, Save: ok && x.kind == "run" && x.Review.Action == ""}
	return protocol.RunSummary{
		Run: rs.Run, Kind: x.kind, Goal: rs.Goal, StartedAt: timestamp.Milli(x.began), EndedAt: end,
		Outcome: rs.Outcome, Files: x.changed(), Calls: rs.Done, Text: rs.Text, Can: rs.Can,
	}
}

// EndRun ends a run's records, and then its being under way.
func (t *Transactions) EndRun(ctx context.Context, end journal.End, sum *protocol.RunSummary) error {
	if err := t.deps.History.End(ctx, end, sum); err != nil {
		return err
	}
	return t.deps.Runs.End(ctx, sum.Run)
}

// ended tells that a run is over, and makes room.
func (t *Transactions) ended(ctx context.Context, x *Run, sum protocol.RunSummary) {
	t.mu.Lock()
	if sum.Can.Revert {
		t.lastRun = &sum
	}
	t.mu.Unlock()
	x.tell()
	if err := t.deps.History.Prune(ctx); err != nil {
		t.deps.Out.Notice("warn", "notice.notPruned", nil, "")
	}
}

// ForgetLast forgets the last run that could be taken back, where it is this one.
func (t *Transactions) ForgetLast(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lastRun != nil && t.lastRun.Run == id {
		t.lastRun = nil
	}
}

// SetFound sets what a crash has left, and the last run that can be taken back;
// nil for none.
func (t *Transactions) SetFound(left []protocol.RunSummary, last *protocol.RunSummary) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.recover, t.lastRun = left, last
}

// TakenBack notes that a run was taken back whole, where it is still shown.
func (t *Transactions) TakenBack(run string) {
	t.ForgetLast(run)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run == nil || t.run.Review.ID != run {
		return
	}
	t.run.mu.Lock()
	defer t.run.mu.Unlock()
	rs := &t.run.rs
	rs.Can = protocol.Can{Save: rs.Can.Save}
	rs.Text = protocol.Message{Key: "run.takenBack", Params: map[string]string{"goal": rs.Goal}}
	rs.Summary = nil // what it did is no more
}

// LookAgain looks for what a crash has left, and tells.
func (t *Transactions) LookAgain(ctx context.Context) { t.deps.LookAgain(ctx) }
