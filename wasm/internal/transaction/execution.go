package transaction

import (
	"context"
	"sync/atomic"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/lease"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/timestamp"
)

// execution carries out one approved review: its plan, segment by segment
// (segment.go). It belongs to one goroutine, but for what calls do, several at once:
// they look up approved calls, tell and record what they do, and note that they act.
type execution struct {
	*Run
	deps *Deps
	sim  *simulator
	now  *current
	ctx  context.Context // ends with the run

	review    *Review
	automatic bool      // nobody had to be asked
	shown     time.Time // when the review was
	began     time.Time
	beganAt   time.Time // by the clock of the trace

	// What it is recorded in; nil until the records have begun.
	told   *telling
	calls  *approvedCalls
	beside map[string]string // files that are not in a chain, by name: their etags

	acted atomic.Bool // something was begun that cannot be undone
	again *Review     // the rest, where it is not what was approved
}

// carryOut is the run, from its first record to its last.
func (x *execution) carryOut() {
	defer x.cancel()
	defer x.deps.Runs.Let(x.id)
	rep, err := x.execute()
	end := x.finish(rep, err)
	// Ending must not be cut short by the run's own cancellation.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx), time.Minute)
	defer cancel()
	x.leaveTraces(ctx, rep, end.Outcome)
	sum, err := x.close(ctx, end)
	rest := x.askAgain()
	x.awaitTurn()
	x.change(func(rs *protocol.RunState) {
		rs.State = protocol.RunFinished
		if err != nil {
			rs.Problem = x.deps.Out.Problem(err)
		}
		if fault.Is(err, fault.Conflict) {
			rs.Outcome = protocol.OutcomeConflict
			rs.Text = protocol.Message{Key: "run.taken", Params: map[string]string{"goal": rs.Goal}}
			rs.Can, sum.Can = protocol.Can{}, protocol.Can{}
		}
	})
	if err != nil {
		x.deps.LookAgain(ctx)
	}
	if sum.Can.Revert {
		x.now.keepLast(sum)
	}
	x.tell()
	x.deps.prune(ctx)
	x.now.letGo(x.Run)
	x.showRest(rest)
}

// awaitTurn waits until the turn is over that the run came from: it may still be
// writing down what was said when a quick run is through. Until then nothing new
// can begin, so that the end is not told before.
func (x *execution) awaitTurn() {
	if x.review.Turn == nil {
		return
	}
	select {
	case <-x.review.Turn.Ended():
	case <-x.deps.Life.Done():
	}
}

// execute begins the records and carries out the plan.
func (x *execution) execute() (*runner.Report, error) {
	rv, dir := x.review, history.Dir(x.id)
	confirmation := confirmationOf(rv)
	pol := x.sim.policyOf(rv.Link)
	if err := x.deps.Runs.Begin(x.ctx, rv.ID, x.cancel); err != nil {
		return nil, err
	}
	log := audit.New(x.deps.Host.Store, dir, x.deps.Out.Redact)
	x.told = newTelling(x.deps, x.Run, log, x.began)
	doc, err := x.deps.History.Document(x.ctx, x.document(confirmation, x.sim.snapshotOf(rv, pol)))
	if err != nil {
		return nil, err
	}
	if err := log.WriteRun(x.ctx, doc); err != nil {
		return nil, err
	}
	calls := newApprovedCalls()
	planned := calls.take(rv, rv.from, rv.cut(rv.from), 0)
	calls.jw, err = journal.Begin(x.ctx, x.deps.Host.Store, x.deps.Runs.Ground(rv.ID, x.deps.Guard.Writable(rv.lifted())), dir,
		journal.Header{Run: rv.ID, Kind: string(protocol.KindRun), At: timestamp.Milli(x.began), Approval: rv.View.Approval, Ops: len(rv.writes(rv.from)), Doc: host.Etag(doc)}, planned)
	if err != nil {
		return nil, err
	}
	x.calls = calls
	said := "The run began without a question: none was due, or it was answered beforehand."
	if !x.automatic {
		said = "The changes were approved."
		log.Event(&audit.Event{
			Type: "run.confirmationRequested", RunID: rv.ID, Timestamp: timestamp.Milli(x.shown), Level: "info", Message: "The changes were shown for approval.",
		})
	}
	x.told.event("run.confirmed", "info", said, map[string]any{"confirmationId": confirmation, "automatic": x.automatic})
	x.told.toldOnce(rv, confirmation)
	x.told.event("run.started", "info", "The run has started.", nil)
	return x.segments(pol, confirmation)
}

// close ends the records: what was done is durable before the run is marked as
// ended. Where that fails, the run is as one that a crash has left.
func (x *execution) close(ctx context.Context, end journal.End) (protocol.RunSummary, error) {
	var err error
	if x.calls != nil {
		err = x.calls.jw.Close(ctx)
	}
	sum := x.summarise(end.At)
	if err != nil {
		return sum, err
	}
	if k := x.deps.Runs.Lease(x.id); k != nil && k.Look(ctx) != nil && k.Lost() {
		return sum, lease.Taken() // what there is to be recorded, another has recorded
	}
	if x.calls == nil { // nothing was begun
		return sum, x.deps.endRun(ctx, end, &sum)
	}
	for _, o := range x.calls.jw.Outcomes() {
		switch o {
		case journal.Done:
			end.Done++
		case journal.Failed:
			end.Failed++
		}
	}
	log := x.told.log
	if err := log.Flush(ctx); err != nil {
		return sum, err
	}
	end.Heads, end.Counts = log.Heads()
	end.Heads[journal.File], end.Counts[journal.File] = x.calls.jw.Head()
	for file, etag := range x.beside {
		end.Heads[file], end.Counts[file] = etag, 1
	}
	return sum, x.deps.endRun(ctx, end, &sum)
}
