package transaction

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
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
	"embedded-agent/wasm/internal/tool"
)

// Run is an approved session being carried out: its plan, segment by
// segment (segment.go).
type Run struct {
	t         *Transactions
	Review    *Review
	kind      protocol.RunKind
	automatic bool
	gate      *runner.Gate
	cancel    context.CancelFunc
	ctx       context.Context
	log       *audit.Log
	jw        *journal.Writer
	began     time.Time
	beganAt   time.Time // by the clock of the trace
	meter     *meter
	acted     atomic.Bool       // something was begun that cannot be undone
	again     *Review           // the rest, where it is not what was approved
	beside    map[string]string // files that are not in a chain, by name: their etags

	mu    sync.Mutex
	rs    protocol.RunState
	calls map[int]*approvedCall    // by sequence number
	byID  map[string]*approvedCall // by call_id
	done  map[int]*tool.Result
}

// Begin carries out the open review. It returns when the run has begun.
func (t *Transactions) Begin(se *Review, automatic bool) error {
	ctx, cancel := context.WithCancel(t.deps.Life)
	x := &Run{
		t: t, Review: se, kind: protocol.KindRun, automatic: automatic, gate: &runner.Gate{}, cancel: cancel, ctx: ctx,
		began: t.deps.Now(), beganAt: time.Now(), calls: map[int]*approvedCall{}, byID: map[string]*approvedCall{}, meter: newMeter(),
	}
	behind := okay(se.prior)
	x.rs = protocol.RunState{
		Run: se.ID, Kind: x.kind, State: "running", Total: se.View.Calls, Done: behind, Goal: t.deps.Out.Redact(se.plan.Goal),
		Text: protocol.Message{Key: "run.running", Params: map[string]string{"n": strconv.Itoa(behind), "total": strconv.Itoa(se.View.Calls)}},
		Can:  protocol.Can{Cancel: true, Pause: true},
	}
	if err := t.takeReview(se, x); err != nil {
		cancel()
		return err
	}
	go x.carryOut()
	return nil
}

func (x *Run) state() protocol.RunState {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.rs
}

func (x *Run) over() bool { return x.state().State == "finished" }

func (x *Run) tell() {
	rs := x.state()
	x.t.deps.Out.Tell(protocol.Event{Type: protocol.EventRunState, Run: &rs})
}

// stop cancels the run: at once, also in the middle of a host call.
func (x *Run) stop() {
	x.mu.Lock()
	if x.rs.State != "finished" {
		x.rs.State = "cancelling"
		x.rs.Can = protocol.Can{}
	}
	x.mu.Unlock()
	x.cancel()
	x.tell()
}

// carryOut is the run, from its first record to its last.
func (x *Run) carryOut() {
	defer x.cancel()
	defer x.t.deps.Runs.Let(x.Review.ID)
	dir := history.Dir(x.Review.ID)
	rep, err := x.execute(dir)
	end := x.finish(rep, err)
	// Ending must not be cut short by the run's own cancellation.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx), time.Minute)
	defer cancel()
	x.traced(ctx, rep, end.Outcome)
	sum, err := x.close(ctx, end)
	rest := x.askAgain()
	x.awaitTurn()
	x.mu.Lock()
	x.rs.State = "finished"
	if err != nil {
		x.rs.Problem = x.t.deps.Out.Problem(err)
	}
	if fault.Is(err, fault.Conflict) {
		x.rs.Outcome = history.OutcomeConflict
		x.rs.Text = protocol.Message{Key: "run.taken", Params: map[string]string{"goal": x.rs.Goal}}
		x.rs.Can, sum.Can = protocol.Can{}, protocol.Can{}
	}
	x.mu.Unlock()
	if err != nil {
		x.t.deps.LookAgain(ctx)
	}
	x.t.ended(ctx, x, sum)
	x.letGo()
	x.showRest(rest)
}

// awaitTurn waits until the turn is over that the run came from: it may still be
// writing down what was said when a quick run is through. Until then nothing new
// can begin, so that the end is not told before.
func (x *Run) awaitTurn() {
	if x.Review.Turn == nil {
		return
	}
	select {
	case <-x.Review.Turn.Ended():
	case <-x.t.deps.Life.Done():
	}
}

// letGo keeps at hand, of a run that has ended, what its rest and a saved action
// are made of. All else it held is in its records, and of ten thousand notes as
// much again as the next review takes.
func (x *Run) letGo() {
	x.t.mu.Lock()
	defer x.t.mu.Unlock()
	if x.t.run != x {
		return
	}
	past := &Run{rs: x.state(), Review: x.Review.past()}
	if past.rs.Can.Rest {
		past.done = x.done
	}
	x.t.run = past
}

// execute begins the records and carries out the plan.
func (x *Run) execute(dir string) (*runner.Report, error) {
	se, s := x.Review, x.t
	confirmation := confirmationOf(se)
	pol := s.policyOf(se)
	if err := s.deps.Runs.Begin(x.ctx, se.ID, x.cancel); err != nil {
		return nil, err
	}
	x.log = audit.New(s.deps.Host.Store, dir, s.deps.Out.Redact)
	doc, err := json.Marshal(s.runDocument(x, confirmation, pol))
	if err != nil {
		return nil, err
	}
	if err := x.log.WriteRun(x.ctx, doc); err != nil {
		return nil, err
	}
	planned := x.take(se, se.from, se.cut(se.from), 0)
	x.jw, err = journal.Begin(x.ctx, s.deps.Host.Store, s.deps.Runs.Ground(se.ID, s.deps.Guard.Writable()), dir,
		journal.Header{Run: se.ID, Kind: string(x.kind), At: timestamp.Milli(x.began), Approval: se.View.Approval, Ops: len(se.writes(se.from)), Doc: host.Etag(doc)}, planned)
	if err != nil {
		return nil, err
	}
	said := "The run began without a question: none was due, or it was answered beforehand."
	if !x.automatic {
		said = "The changes were approved."
		x.log.Event(&audit.Event{
			Type: "run.confirmationRequested", RunID: se.ID, Timestamp: timestamp.Milli(se.Shown), Level: "info", Message: "The changes were shown for approval.",
		})
	}
	x.event("run.confirmed", "info", said, map[string]any{"confirmationId": confirmation, "automatic": x.automatic})
	x.event("run.started", "info", "The run has started.", nil)
	return x.segments(pol, confirmation)
}

// close ends the records: what was done is durable before the run is marked as
// ended. A run of which that fails is as one that a crash has left.
func (x *Run) close(ctx context.Context, end journal.End) (protocol.RunSummary, error) {
	var err error
	if x.jw != nil {
		err = x.jw.Close(ctx)
	}
	sum := x.summarise(end.At)
	if err != nil {
		return sum, err
	}
	if k := x.t.deps.Runs.Lease(x.Review.ID); k != nil && k.Look(ctx) != nil && k.Lost() {
		return sum, lease.Taken() // what there is to be recorded, another has recorded
	}
	if x.log == nil || x.jw == nil { // nothing was begun
		return sum, x.t.EndRun(ctx, end, &sum)
	}
	for _, o := range x.jw.Outcomes() {
		switch o {
		case journal.Done:
			end.Done++
		case journal.Failed:
			end.Failed++
		}
	}
	if err := x.log.Flush(ctx); err != nil {
		return sum, err
	}
	end.Heads, end.Counts = x.log.Heads()
	end.Heads[journal.File], end.Counts[journal.File] = x.jw.Head()
	for file, etag := range x.beside {
		end.Heads[file], end.Counts[file] = etag, 1
	}
	return sum, x.t.EndRun(ctx, end, &sum)
}
