package server

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// execution is an approved session being carried out.
type execution struct {
	s         *Server
	se        *session
	kind      string
	automatic bool
	gate      *runner.Gate
	cancel    context.CancelFunc
	ctx       context.Context
	log       *audit.Log
	jw        *journal.Writer
	began     time.Time

	mu    sync.Mutex
	rs    protocol.RunState
	calls map[int]*approvedCall    // by sequence number
	byID  map[string]*approvedCall // by call_id
	done  map[int]*tool.Result
}

// approvedCall is what the simulation recorded of one call: its output or its
// failure (a file that was left out, say), its writes, their places in the journal, and which of them an earlier attempt
// has made.
type approvedCall struct {
	call   *tool.Call
	data   tool.Data
	failed *fault.Error
	writes []overlay.Write
	at     []int
	made   []bool
}

// begin carries out the open review. It returns when the run has begun.
func (s *Server) begin(se *session, automatic bool) error {
	ctx, cancel := context.WithCancel(s.life)
	x := &execution{
		s: s, se: se, kind: "run", automatic: automatic, gate: &runner.Gate{}, cancel: cancel, ctx: ctx,
		began: s.now(), calls: map[int]*approvedCall{}, byID: map[string]*approvedCall{},
	}
	x.rs = protocol.RunState{
		Run: se.id, Kind: x.kind, State: "running", Total: se.view.Calls, Goal: s.redact(se.plan.Goal),
		Text: protocol.Message{Key: "run.running", Params: map[string]string{"n": "0", "total": itoa(se.view.Calls)}},
		Can:  protocol.Can{Cancel: true, Pause: true},
	}
	s.mu.Lock()
	if s.run != nil && !s.run.over() {
		s.mu.Unlock()
		cancel()
		return fault.New(fault.Precondition, "error.busy", nil)
	}
	s.run, s.review = x, nil
	s.mu.Unlock()
	s.out.tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: se.id})
	x.tell()
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
	dir := runDir(x.se.id)
	rep, err := x.execute(dir)
	end := x.finish(rep, err)
	// Ending must not be cut short by the run's own cancellation.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx), time.Minute)
	defer cancel()
	if err := x.close(ctx, dir, end); err != nil {
		x.mu.Lock()
		x.rs.Problem = x.s.problem(err)
		x.mu.Unlock()
	}
	x.mu.Lock()
	x.rs.State = "finished"
	x.mu.Unlock()
	x.s.ended(ctx, x)
}

// execute journals and makes the approved writes by running the plan again.
func (x *execution) execute(dir string) (*runner.Report, error) {
	se, s := x.se, x.s
	confirmation := confirmationOf(se)
	pol := s.currentPolicy()
	if err := s.markHot(x.ctx, se.id); err != nil {
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
	planned := x.planWrites()
	x.jw, err = journal.Begin(x.ctx, s.host.Store, s.host.Vault, dir,
		journal.Header{Run: se.id, Kind: x.kind, At: pipeline.Stamp(x.began), Approval: se.view.Approval}, planned)
	if err != nil {
		return nil, err
	}
	if !x.automatic {
		x.event("run.confirmationRequested", "info", "The changes were shown for approval.", nil)
	}
	x.event("run.confirmed", "info", "The changes were approved.", map[string]any{"confirmationId": confirmation, "automatic": x.automatic})
	x.event("run.started", "info", "The run has begun.", nil)
	rc := s.runConfig(se, x.pipeline(pol), pol, confirmation)
	rc.Gate = x.gate
	rc.Expanded, rc.Ready, rc.Fatal = x.scheduled, x.ready, x.fatal
	rc.Skipped, rc.Finished, rc.Stopped = x.skipped, x.abandon, x.jw.AbandonRest
	return runner.Run(x.ctx, rc), nil
}

// planWrites lists the approved writes in the order of the simulation, and what
// each call is to do.
func (x *execution) planWrites() []journal.Planned {
	for place, st := range x.se.report.Steps {
		for i, r := range st.Results {
			if r == nil || !replayable(st.Node.Tool) {
				continue
			}
			if c := x.se.called[r.LogicalID]; c != nil {
				a := &approvedCall{call: c, data: r.Data, failed: r.Fault}
				x.calls[runner.Seq(place, i)], x.byID[r.LogicalID] = a, a
			}
		}
	}
	var planned []journal.Planned
	for _, w := range x.se.vault.Log() {
		c := x.byID[w.Call]
		if c == nil || w.Refused != nil || w.Op.Kind == "" {
			continue
		}
		c.writes = append(c.writes, w)
		c.at = append(c.at, len(planned))
		c.made = append(c.made, false)
		planned = append(planned, journal.Planned{Call: w.Call, Op: w.Op, BeforeEtag: w.BeforeEtag, AfterEtag: w.AfterEtag})
	}
	return planned
}

// replayable says whether a run takes a call as it was simulated. What cannot
// be simulated, and what acts on the window, is executed.
func replayable(e *tool.Entry) bool { return e.Simulable && e.Namespace() != "workspace" }

// approved gives the record of a call.
func (x *execution) approved(seq int) (*pipeline.Recorded, bool) {
	a, ok := x.calls[seq]
	if !ok {
		return nil, false
	}
	return &pipeline.Recorded{Args: a.call.Args, ArgsHash: a.call.ArgsHash, LogicalID: a.call.LogicalID, Data: a.data, Failed: a.failed, Writes: a.writes, Write: func(ctx context.Context, i int) error {
		if a.made[i] {
			return nil
		}
		err := x.jw.Do(ctx, a.at[i])
		a.made[i] = err == nil
		return err
	}}, true
}

// ready waits for the writes of other calls that come before those of a call.
func (x *execution) ready(ctx context.Context, seq int) bool {
	a, ok := x.calls[seq]
	return !ok || x.jw.AwaitBefore(ctx, a.at) == nil
}

// fatal says whether a failure is that the vault is not as it was approved:
// then nothing further is written, whatever the plan says of errors. A conflict
// that the simulation had too was approved.
func (x *execution) fatal(seq int, e *tool.Error) bool {
	a, ok := x.calls[seq]
	return e.Code == fault.Conflict && (!ok || a.failed == nil)
}

// abandon gives up the writes that a call has not made, so that nothing waits
// for them.
func (x *execution) abandon(call string) {
	a, ok := x.byID[call]
	if !ok || x.jw == nil {
		return
	}
	for i, made := range a.made {
		if !made {
			x.jw.Abandon(a.at[i])
		}
	}
}

func (x *execution) pipeline(pol *policy.Policy) pipeline.Func {
	s := x.s
	// Tools that are executed in a run may look, and nothing more: every write
	// is a recorded one.
	look := overlay.New(overlay.NewBase(s.host.Vault, s.host.Editor, x.se.now), overlay.WithGuard(func(op host.Op) error {
		return fault.New(fault.Conflict, "error.vault.notApproved", fault.P{"path": op.Path})
	}))
	return pipeline.New(pipeline.Deps{
		Registry: s.registry, Policy: pol, Audit: x.log, Approved: x.approved,
		Env: func(c *tool.Call) (*tool.Env, *overlay.View) {
			w := look.For(c.LogicalID)
			return s.env(x.se, w, s.host.Workspace), w
		},
		Ask:     s.askAllow,
		Started: x.started,
		Ended:   x.ended,
		Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
	})
}

// close ends the records: what was done is durable before the run is marked as
// ended.
func (x *execution) close(ctx context.Context, dir string, end journal.End) error {
	if x.jw != nil {
		if err := x.jw.Close(ctx); err != nil {
			return err
		}
		for _, o := range x.jw.Outcomes() {
			switch o {
			case journal.Done:
				end.Done++
			case journal.Failed:
				end.Failed++
			}
		}
	}
	if x.log != nil {
		if err := x.log.Flush(ctx); err != nil {
			return err
		}
		end.Heads, end.Counts = x.log.Heads()
	}
	if x.jw != nil {
		end.Heads[journal.File], end.Counts[journal.File] = x.jw.Head()
	}
	if err := journal.WriteEnd(ctx, x.s.host.Store, dir, end); err != nil {
		return err
	}
	return x.s.unmarkHot(ctx, x.se.id)
}
