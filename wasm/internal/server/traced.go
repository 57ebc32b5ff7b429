package server

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
func (x *execution) traced(ctx context.Context, rep *runner.Report, outcome string) {
	var err error
	if outcome == "ok" {
		err = x.s.pins.Keep(ctx, x.se.pins)
	}
	if t := x.se.trace; t != nil && err == nil && x.log != nil && x.jw != nil {
		x.spans(rep, outcome)
		t.Root.End()
		if x.beside, err = t.Write(ctx, history.Dir(x.se.id)); err == nil {
			err = x.s.history.Adopt(ctx, x.se.id)
		}
	}
	if err != nil {
		x.s.out.Notice("warn", "notice.historyNotKept", nil, x.se.id)
	}
}

// spans records the run's own span and those of its calls.
func (x *execution) spans(rep *runner.Report, outcome string) {
	rec := x.se.trace.Recorder()
	end := time.Now()
	run := rec.StartPlan(x.se.trace.Top(), "", len(x.se.graph.Nodes))
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

// liveTrace gives the trace of the open review, or of the run under way; nil for
// any other.
func (s *Server) liveTrace(run string) *history.Tracing {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.review != nil && s.review.id == run:
		return s.review.trace
	case s.run != nil && s.run.se.id == run && !s.run.over():
		return s.run.se.trace
	}
	return nil
}
