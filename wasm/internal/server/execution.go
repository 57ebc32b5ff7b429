package server

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/lease"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// execution is an approved session being carried out: its plan, segment by
// segment (segment.go).
type execution struct {
	s         *Server
	se        *session
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
	again     *session          // the rest, where it is not what was approved
	beside    map[string]string // files that are not in a chain, by name: their etags

	mu    sync.Mutex
	rs    protocol.RunState
	calls map[int]*approvedCall    // by sequence number
	byID  map[string]*approvedCall // by call_id
	done  map[int]*tool.Result
}

// begin carries out the open review. It returns when the run has begun.
func (s *Server) begin(se *session, automatic bool) error {
	ctx, cancel := context.WithCancel(s.life)
	x := &execution{
		s: s, se: se, kind: protocol.KindRun, automatic: automatic, gate: &runner.Gate{}, cancel: cancel, ctx: ctx,
		began: s.now(), beganAt: time.Now(), calls: map[int]*approvedCall{}, byID: map[string]*approvedCall{}, meter: newMeter(),
	}
	behind := okay(se.prior)
	x.rs = protocol.RunState{
		Run: se.id, Kind: x.kind, State: "running", Total: se.view.Calls, Done: behind, Goal: s.redact(se.plan.Goal),
		Text: protocol.Message{Key: "run.running", Params: map[string]string{"n": itoa(behind), "total": itoa(se.view.Calls)}},
		Can:  protocol.Can{Cancel: true, Pause: true},
	}
	if err := s.takeReview(se, x); err != nil {
		cancel()
		return err
	}
	go x.carryOut()
	return nil
}

func (x *execution) state() protocol.RunState {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.rs
}

func (x *execution) over() bool { return x.state().State == "finished" }

func (x *execution) tell() {
	rs := x.state()
	x.s.out.tell(protocol.Event{Type: protocol.EventRunState, Run: &rs})
}

// stop cancels the run: at once, also in the middle of a host call.
func (x *execution) stop() {
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
func (x *execution) carryOut() {
	defer x.cancel()
	defer x.s.letLease(x.se.id)
	dir := runDir(x.se.id)
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
		x.rs.Problem = x.s.problem(err)
	}
	if fault.Is(err, fault.Conflict) {
		x.rs.Outcome = outcomeConflict
		x.rs.Text = protocol.Message{Key: "run.taken", Params: map[string]string{"goal": x.rs.Goal}}
		x.rs.Can, sum.Can = protocol.Can{}, protocol.Can{}
	}
	x.mu.Unlock()
	if err != nil {
		x.s.lookAgain(ctx)
	}
	x.s.ended(ctx, x, sum)
	x.letGo()
	x.showRest(rest)
}

// awaitTurn waits until the turn is over that the run came from: it may still be
// writing down what was said when a quick run is through. Until then nothing new
// can begin, so that the end is not told before.
func (x *execution) awaitTurn() {
	if x.se.turn == nil {
		return
	}
	select {
	case <-x.se.turn.ended:
	case <-x.s.life.Done():
	}
}

// letGo keeps at hand, of a run that has ended, what its rest and a saved action
// are made of. All else it held is in its records, and of ten thousand notes as
// much again as the next review takes.
func (x *execution) letGo() {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	if x.s.run != x {
		return
	}
	past := &execution{rs: x.state(), se: x.se.past()}
	if past.rs.Can.Rest {
		past.done = x.done
	}
	x.s.run = past
}

// execute begins the records and carries out the plan.
func (x *execution) execute(dir string) (*runner.Report, error) {
	se, s := x.se, x.s
	confirmation := confirmationOf(se)
	pol := s.policyOf(se)
	if err := s.markHot(x.ctx, se.id, x.cancel); err != nil {
		return nil, err
	}
	x.log = audit.New(s.host.Store, dir, s.redact)
	doc, err := json.Marshal(s.runDocument(x, confirmation, pol))
	if err != nil {
		return nil, err
	}
	if err := x.log.WriteRun(x.ctx, doc); err != nil {
		return nil, err
	}
	planned := x.take(se, se.from, se.cut(se.from), 0)
	x.jw, err = journal.Begin(x.ctx, s.host.Store, s.ground(se.id, s.writable()), dir,
		journal.Header{Run: se.id, Kind: string(x.kind), At: pipeline.Stamp(x.began), Approval: se.view.Approval, Ops: len(se.writes(se.from)), Doc: host.Etag(doc)}, planned)
	if err != nil {
		return nil, err
	}
	said := "The run began without a question: none was due, or it was answered beforehand."
	if !x.automatic {
		said = "The changes were approved."
		x.log.Event(&audit.Event{
			Type: "run.confirmationRequested", RunID: se.id, Timestamp: pipeline.Stamp(se.shown), Level: "info", Message: "The changes were shown for approval.",
		})
	}
	x.event("run.confirmed", "info", said, map[string]any{"confirmationId": confirmation, "automatic": x.automatic})
	x.event("run.started", "info", "The run has begun.", nil)
	return x.segments(pol, confirmation)
}

// close ends the records: what was done is durable before the run is marked as
// ended. A run of which that fails is as one that a crash has left.
func (x *execution) close(ctx context.Context, end journal.End) (protocol.RunSummary, error) {
	var err error
	if x.jw != nil {
		err = x.jw.Close(ctx)
	}
	sum := x.summarise(end.At)
	if err != nil {
		return sum, err
	}
	if k := x.s.lease(x.se.id); k != nil && k.Look(ctx) != nil && k.Lost() {
		return sum, lease.Taken() // what there is to be recorded, another has recorded
	}
	if x.log == nil || x.jw == nil { // nothing was begun
		return sum, x.s.endRun(ctx, end, &sum)
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
	return sum, x.s.endRun(ctx, end, &sum)
}
