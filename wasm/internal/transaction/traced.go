package transaction

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/trace"
)

// traced writes what a run that has ended leaves beside its records: the last
// values of its pins, its trace, its conversations.
func (x *Run) traced(ctx context.Context, rep *runner.Report, outcome string) {
	var err error
	if outcome == "ok" {
		err = x.t.deps.Pins.Keep(ctx, x.Review.Pins)
	}
	if t := x.Review.Trace; t != nil && err == nil && x.log != nil && x.jw != nil {
		x.spans(rep, outcome)
		t.Root.End()
		if x.beside, err = t.Write(ctx, history.Dir(x.Review.ID)); err == nil {
			err = x.t.deps.History.Adopt(ctx, x.Review.ID)
		}
	}
	if err != nil {
		x.t.deps.Out.Notice("warn", "notice.historyNotKept", nil, x.Review.ID)
	}
}

// spans records the run's own span and those of its calls.
func (x *Run) spans(rep *runner.Report, outcome string) {
	rec := x.Review.Trace.Recorder()
	end := time.Now()
	run := rec.StartPlan(x.Review.Trace.Top(), "", len(x.Review.graph.Nodes))
	run.Set(trace.Attr{Key: "embedded_agent.run.outcome", Value: outcome})
	n := 0
	if rep != nil {
		for _, st := range rep.Steps {
			for _, r := range st.Results {
				if r == nil || r.Status == tool.Skipped {
					continue
				}
				if n++; n <= history.MaxSpans {
					history.CallSpan(rec, run, r)
				}
			}
		}
	}
	run.Set(trace.Attr{Key: "embedded_agent.run.calls", Value: n})
	if outcome != "ok" {
		run.Fail(outcome, "The run ended as "+outcome+".")
	}
	rec.Add(run, x.beganAt, end)
}

// LiveTrace gives the trace of the open review, or of the run under way; nil for
// any other.
func (t *Transactions) LiveTrace(run string) *history.Tracing {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.review != nil && t.review.ID == run:
		return t.review.Trace
	case t.run != nil && t.run.Review.ID == run && !t.run.over():
		return t.run.Review.Trace
	}
	return nil
}
