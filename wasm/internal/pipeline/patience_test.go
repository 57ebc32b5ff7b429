package pipeline

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/tool"
)

// walking is a tool that comes further every so often, so many times, and then
// takes as long again as it is told to.
func walking(every time.Duration, times int, then time.Duration) func(*tool.Tool) {
	return func(tl *tool.Tool) {
		tl.Secrets = nil
		tl.Run = func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			for i := range times + 1 {
				wait := every
				if i == times {
					wait = then
				}
				select {
				case <-time.After(wait):
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				env.Progress(tool.Progress{Done: min(i+1, times), Total: times})
			}
			return tool.Data{"n": args["n"]}, nil
		}
	}
}

func (r *rig) timed(t *testing.T) (*tool.Result, time.Duration, int) {
	t.Helper()
	told := 0
	r.d.Timeout = time.Minute
	r.d.Env = func(*tool.Call) (*tool.Env, *overlay.View) {
		return &tool.Env{Progress: func(tool.Progress) { told++ }}, nil
	}
	began := time.Now()
	res := r.call(t.Context(), tool.Args{"n": 1.0})
	// In whole milliseconds: as wasm, a breath between two calls sleeps for a microsecond.
	return res, time.Since(began).Truncate(time.Millisecond), told
}

func TestACallThatComesFurtherHasAllItsTimeAgain(t *testing.T) {
	for _, simulating := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, walking(50*time.Second, 100, 0))
			r.d.Simulating = simulating
			res, took, told := r.timed(t)
			if !res.OK || took != 5000*time.Second || told != 101 {
				t.Errorf("%+v %v after %v, told %d times", res.Status, res.Error, took, told)
			}
		})
	}
}

func TestACallThatComesNoFurtherIsEndedAfterItsTime(t *testing.T) {
	for _, simulating := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, walking(50*time.Second, 10, time.Hour))
			r.d.Simulating = simulating
			res, took, _ := r.timed(t)
			if res.Status != tool.TimedOut || took != 560*time.Second {
				t.Errorf("%+v %v after %v", res.Status, res.Error, took)
			}
		})
	}
}

func TestToSayTheSameAgainIsNotToComeFurther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(tl *tool.Tool) {
			tl.Secrets = nil
			tl.Run = func(ctx context.Context, env *tool.Env, _ tool.Args) (tool.Data, error) {
				for ctx.Err() == nil {
					time.Sleep(time.Second)
					env.Progress(tool.Progress{Done: 7, Total: 10})
				}
				return nil, ctx.Err()
			}
		})
		if res, took, _ := r.timed(t); res.Status != tool.TimedOut || took > 62*time.Second {
			t.Errorf("%+v after %v", res.Status, took)
		}
	})
}

func TestWhoeverCancelsACallThatComesFurtherEndsItAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, walking(50*time.Second, 1000, 0))
		r.d.Timeout = time.Minute
		r.d.Env = func(*tool.Call) (*tool.Env, *overlay.View) { return &tool.Env{Progress: func(tool.Progress) {}}, nil }
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(500*time.Second, cancel)
		began := time.Now()
		res := r.call(ctx, tool.Args{"n": 1.0})
		if res.Status != tool.WasCancelled || time.Since(began) != 500*time.Second {
			t.Errorf("%+v after %v", res.Status, time.Since(began))
		}
	})
}

func TestEachOfACallsManyWritesHasTheTimeOfACall(t *testing.T) {
	for _, c := range []struct {
		each time.Duration
		ok   bool
	}{{50 * time.Second, true}, {70 * time.Second, false}} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, nil)
			r.d.Timeout = time.Minute
			r.d.Approved = func(int) (*Recorded, bool) {
				return &Recorded{
					Args: tool.Args{"n": 1.0}, ArgsHash: "h", LogicalID: "call_x", Data: tool.Data{"n": 5.0}, Writes: make([]overlay.Write, 100),
					Write: func(ctx context.Context, _ int) error {
						select {
						case <-time.After(c.each):
							return nil
						case <-ctx.Done():
							return fault.From(ctx.Err())
						}
					},
				}, true
			}
			if res := r.call(t.Context(), nil); res.OK != c.ok || !c.ok && res.Status != tool.TimedOut {
				t.Errorf("writes of %v: %+v %v", c.each, res.Status, res.Error)
			}
		})
	}
}

func TestTheContextOfACallHasTheDeadlineOfNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		p := newPatience(outer, time.Minute, time.Now().Add(time.Minute))
		defer p.end()
		inner, stop := context.WithCancel(p)
		defer stop()
		for range 3 {
			time.Sleep(50 * time.Second)
			p.extend()
			if by, ok := inner.Deadline(); !ok || time.Until(by) > time.Minute || inner.Err() != nil {
				t.Fatalf("want it to be found, at most time.Minute and no Err, got %v %v", time.Until(by), inner.Err())
			}
		}
		if by, _ := inner.Deadline(); time.Until(by) != 30*time.Second {
			t.Errorf("%v, and the caller has less", time.Until(by))
		}
		time.Sleep(time.Minute)
		if p.Err() != context.DeadlineExceeded || inner.Err() != context.DeadlineExceeded {
			t.Errorf("want Err context.DeadlineExceeded and Err context.DeadlineExceeded, got %v %v", p.Err(), inner.Err())
		}
		p.extend()
		if p.Err() == nil {
			t.Error("what was over goes on")
		}
	})
}
