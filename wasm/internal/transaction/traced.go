package transaction

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/trace"
)

// leaveTraces writes what a run that has ended leaves beside its records: the last
// values of its pins, its trace, its conversations.
func (x *execution) leaveTraces(ctx context.Context, rep *runner.Report, outcome protocol.RunOutcome) {
	var err error
	if outcome == protocol.OutcomeOK {
		err = x.deps.Pins.Keep(ctx, x.review.Pins)
	}
	if t := x.review.Trace; t != nil && err == nil && x.calls != nil {
		x.spans(rep, outcome)
		t.Root.End()
		if x.beside, err = t.Write(ctx, history.Dir(x.id)); err == nil {
			err = x.deps.History.Adopt(ctx, x.id)
		}
	}
	if err != nil {
		x.deps.Out.Notice("warn", "notice.historyNotKept", nil, x.id)
	}
}

// spans records the run's own span and those of its calls.
func (x *execution) spans(rep *runner.Report, outcome protocol.RunOutcome) {
	rec := x.review.Trace.Recorder()
	end := time.Now()
	run := rec.StartPlan(x.review.Trace.Top(), len(x.review.graph.Nodes))
	run.Set(trace.Attr{Key: "embedded_agent.run.outcome", Value: outcome})
	n := 0
	if rep != nil {
		for _, r := range results(rep, 0, everything) {
			if r.Status == tool.Skipped {
				continue
			}
			if n++; n <= history.MaxSpans {
				history.CallSpan(rec, run, r)
			}
		}
	}
	run.Set(trace.Attr{Key: "embedded_agent.run.calls", Value: n})
	if outcome != protocol.OutcomeOK {
		run.Fail(string(outcome), "The run ended as "+string(outcome)+".")
	}
	rec.Add(run, x.beganAt, end)
}
