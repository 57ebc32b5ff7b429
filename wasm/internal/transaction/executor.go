package transaction

import (
	"context"
	"strconv"
	"time"

	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
)

// executor carries out approved reviews. It has no state: what is under way is in
// current, and each run has an execution of its own.
type executor struct {
	deps *Deps
	sim  *simulator
	now  *current
}

// Begin carries out the open review, approved by a person or, where nobody has to be
// asked, automatically. It returns when the run has begun. CONFLICT says that the
// review is not the open one any more, PRECONDITION_FAILED that a run is under way.
func (e *executor) Begin(rv *Review, automatic bool) error {
	ctx, cancel := context.WithCancel(e.deps.Life)
	behind, total := okay(rv.prior), rv.View.Calls
	x := &execution{
		deps: e.deps, sim: e.sim, now: e.now, ctx: ctx, review: rv, automatic: automatic,
		began: e.deps.Now(), beganAt: time.Now(),
	}
	x.Run = newRun(rv, protocol.RunState{
		Run: rv.ID, Kind: protocol.KindRun, State: protocol.RunRunning, Total: total, Done: behind, Goal: e.deps.Out.Redact(rv.Goal()),
		Text: protocol.Message{Key: "run.running", Params: map[string]string{"n": strconv.Itoa(behind), "total": strconv.Itoa(total)}},
		Can:  protocol.Can{Cancel: true, Pause: true},
	}, cancel, e.deps.Out)
	var err error
	if x.shown, err = e.now.take(rv, x.Run); err != nil {
		cancel()
		return err
	}
	go x.carryOut()
	return nil
}

// Stop cancels the run under way, where it has this id, or none is named.
func (e *executor) Stop(id string) {
	if x, err := e.now.Running(id); err == nil {
		x.stop()
	}
}

// Pause makes the run under way wait before its next call. NOT_FOUND says that it is
// not under way.
func (e *executor) Pause(_ context.Context, p protocol.RunRef) (protocol.Empty, error) {
	return e.pause(p.Run, true)
}

// Resume lets a paused run go on. NOT_FOUND says that it is not under way.
func (e *executor) Resume(_ context.Context, p protocol.RunRef) (protocol.Empty, error) {
	return e.pause(p.Run, false)
}

func (e *executor) pause(run string, pause bool) (protocol.Empty, error) {
	x, err := e.now.Running(run)
	if err == nil {
		x.pause(pause)
	}
	return protocol.Empty{}, err
}

// EndRun ends a run's records, and then its being under way.
func (e *executor) EndRun(ctx context.Context, end journal.End, sum *protocol.RunSummary) error {
	return e.deps.endRun(ctx, end, sum)
}

func (d *Deps) endRun(ctx context.Context, end journal.End, sum *protocol.RunSummary) error {
	if err := d.History.End(ctx, end, sum); err != nil {
		return err
	}
	return d.Runs.End(ctx, sum.Run)
}

// prune makes room in the history, once a run has ended.
func (d *Deps) prune(ctx context.Context) {
	if err := d.History.Prune(ctx); err != nil {
		d.Out.Notice("warn", "notice.notPruned", nil, "")
	}
}

// LookAgain looks for what a crash has left, and tells the panel.
func (e *executor) LookAgain(ctx context.Context) { e.deps.LookAgain(ctx) }

// NewDeeds gives the deeds of a turn, which become a run under its id with the
// first yes.
func (e *executor) NewDeeds(id, goal string) *Deeds {
	return &Deeds{deps: e.deps, ID: id, goal: goal, now: e.deps.Now}
}
