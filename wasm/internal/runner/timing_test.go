package runner

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// meeting blocks until n callers are there together; false when ctx ends first.
type meeting struct {
	mu   sync.Mutex
	n    int
	here int
	peak int
	all  chan struct{}
	once sync.Once
}

func meet(n int) *meeting { return &meeting{n: n, all: make(chan struct{})} }

func (m *meeting) enter() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.here++
	m.peak = max(m.peak, m.here)
	if m.here == m.n {
		m.once.Do(func() { close(m.all) })
	}
}

func (m *meeting) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.here--
}

func TestCallsRunBesideEachOtherUpToTheLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit int
		step  string
		want  int
	}{
		{"the run's limit", 4, `{"id":"a","tool":"t.pure","args":{},"foreach":{"from":[1,2,3,4,5,6,7,8],"itemName":"i"}}`, 4},
		{"the foreach's own", 8, `{"id":"a","tool":"t.pure","args":{},"foreach":{"from":[1,2,3,4,5,6,7,8],"itemName":"i","concurrency":3}}`, 3},
		{"never above the run's", 2, `{"id":"a","tool":"t.pure","args":{},"foreach":{"from":[1,2,3,4,5,6,7,8],"itemName":"i","concurrency":5}}`, 2},
		{"writes of other paths", 4, `{"id":"a","tool":"t.write","args":{"path":"{i}.md"},"foreach":{"from":["a","b","c","d","e"],"itemName":"i"}}`, 4},
		{"writes of one path", 4, `{"id":"a","tool":"t.write","args":{"path":"A.md"},"foreach":{"from":["a","b","c","d","e"],"itemName":"i"}}`, 1},
		{"writes of everything", 4, `{"id":"a","tool":"t.all","args":{},"foreach":{"from":["a","b","c"],"itemName":"i"}}`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// No call ends before so many are inside: fewer would never end.
				m := meet(c.want)
				k := newKit(t, func(ctx context.Context, _ string, _ tool.Args) (tool.Data, error) {
					m.enter()
					defer m.leave()
					select {
					case <-m.all:
					case <-ctx.Done():
						return nil, ctx.Err()
					}
					time.Sleep(time.Second) // of the bubble: all that can start has started
					return tool.Data{}, nil
				})
				cfg := k.config(c.step)
				cfg.Limits.MaxConcurrency = c.limit
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				r := Run(ctx, cfg)
				if r.Stopped != nil || m.peak != c.want {
					t.Fatalf("%d at once, want %d; %v", m.peak, c.want, r.Stopped)
				}
			})
		})
	}
}

func TestASimulationMakesOneCallAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := meet(1000)
		k := newKit(t, func(context.Context, string, tool.Args) (tool.Data, error) {
			m.enter()
			defer m.leave()
			time.Sleep(time.Second)
			return tool.Data{}, nil
		})
		c := k.config(`{"id":"a","tool":"t.pure","args":{},"foreach":{"from":[1,2,3,4],"itemName":"i"}}`, `{"id":"b","tool":"t.read","args":{}}`, `{"id":"c","tool":"t.write","args":{"path":"x"}}`)
		c.Simulating = true
		Run(t.Context(), c)
		if m.peak != 1 {
			t.Fatalf("%d at once", m.peak)
		}
		for i, want := range []string{"a", "a", "a", "a", "b", "c"} {
			if k.calls[i].StepID != want {
				t.Fatalf("call %d is of %s", i, k.calls[i].StepID)
			}
		}
	})
}

// pause is how long attempt i waited, in whole milliseconds: as wasm, a breath
// between two attempts sleeps for a microsecond.
func pause(at []time.Time, i int) time.Duration {
	return at[i].Sub(at[i-1]).Truncate(time.Millisecond)
}

func TestThePauseBetweenAttemptsDoublesWithJitterAndIsClamped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		k := newKit(t, func(context.Context, string, tool.Args) (tool.Data, error) {
			at = append(at, time.Now())
			return nil, fault.New(fault.Network, "error.network", nil)
		})
		c := k.config(`{"id":"a","tool":"t.pure","args":{},"retry":{"maxAttempts":7,"backoffMs":1000}}`)
		c.Limits.MaxBackoffMs = 10_000
		Run(t.Context(), c)
		if len(at) != 7 {
			t.Fatalf("%d attempts", len(at))
		}
		full := time.Second
		for i := 1; i < len(at); i++ {
			d := pause(at, i)
			low, high := min(full/2, 10*time.Second), min(full, 10*time.Second)
			if d < low || d > high {
				t.Errorf("pause %d is %v, want %v to %v", i, d, low, high)
			}
			full *= 2
		}
	})
}

func TestAPauseIsAsLongAsTheOtherSideAskedAndOverTheLimitThereIsNoFurtherAttempt(t *testing.T) {
	for _, c := range []struct {
		ask, limit, want time.Duration
		attempts         int
	}{
		{30 * time.Second, 60 * time.Second, 30 * time.Second, 2},
		{60 * time.Second, 60 * time.Second, 60 * time.Second, 2},
		{1500 * time.Microsecond, 60 * time.Second, 5 * time.Millisecond, 2}, // less than the plan's own
		{61 * time.Second, 60 * time.Second, 0, 1},
		{1 << 62, 60 * time.Second, 0, 1},
	} {
		for _, simulating := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				k := newKit(t, func(context.Context, string, tool.Args) (tool.Data, error) {
					at = append(at, time.Now())
					e := fault.New(fault.RateLimit, "error.network", nil)
					e.RetryAfterS = c.ask.Seconds()
					return nil, e
				})
				cfg := k.config(`{"id":"a","tool":"t.pure","args":{},"retry":{"maxAttempts":2,"backoffMs":10}}`)
				cfg.Limits.MaxBackoffMs, cfg.Simulating = c.limit.Milliseconds(), simulating
				Run(t.Context(), cfg)
				if len(at) != c.attempts {
					t.Fatalf("asked for %v: %d attempts, want %d", c.ask, len(at), c.attempts)
				}
				if c.attempts > 1 && (pause(at, 1) < c.want || pause(at, 1) > max(c.want, 10*time.Millisecond)) {
					t.Errorf("waited %v, want %v", pause(at, 1), c.want)
				}
			})
		}
	}
}

func TestASimulationWaitsBetweenAttemptsAsARunDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		var told []time.Duration
		k := newKit(t, func(context.Context, string, tool.Args) (tool.Data, error) {
			at = append(at, time.Now())
			e := fault.New(fault.Network, "error.network", nil)
			e.RetryAfterS = 2
			return nil, e
		})
		c := k.config(`{"id":"a","tool":"t.pure","args":{},"retry":{"maxAttempts":3,"backoffMs":1500}}`)
		c.Simulating, c.Limits.MaxBackoffMs = true, 60_000
		c.Events.Pausing = func(_ *tool.Call, d time.Duration) { told = append(told, d) }
		Run(t.Context(), c)
		if len(at) != 3 || len(told) != 2 {
			t.Fatalf("%d attempts, %d pauses were told", len(at), len(told))
		}
		for i := 1; i < 3; i++ {
			if d := pause(at, i); d < 2*time.Second || d != told[i-1].Truncate(time.Millisecond) {
				t.Errorf("pause %d was %v, told was %v", i, d, told[i-1])
			}
		}
	})
}

func TestASimulationThatIsCancelledInAPauseEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, func(context.Context, string, tool.Args) (tool.Data, error) {
			return nil, fault.New(fault.Network, "error.network", nil)
		})
		c := k.config(`{"id":"a","tool":"t.pure","args":{},"retry":{"maxAttempts":9,"backoffMs":60000}}`)
		c.Simulating = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		r := Run(ctx, c)
		if d := time.Since(began); d != time.Second || r.Stopped == nil || len(k.calls) != 1 {
			t.Fatalf("%v, %v, %d calls", d, r.Stopped, len(k.calls))
		}
	})
}

func TestWhatOnlyTheVaultDecidesIsTriedOnceInASimulation(t *testing.T) {
	for _, code := range fault.Codes() {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			k := newKit(t, func(context.Context, string, tool.Args) (tool.Data, error) {
				n++
				return nil, fault.New(code, "error.internal", nil)
			})
			c := k.config(`{"id":"a","tool":"t.pure","args":{},"retry":{"maxAttempts":2,"backoffMs":1000}}`)
			c.Simulating = true
			Run(t.Context(), c)
			want := 1
			switch code {
			case fault.Timeout, fault.RateLimit, fault.Network, fault.Provider, fault.Internal:
				want = 2
			}
			if n != want {
				t.Errorf("%s: %d attempts, want %d", code, n, want)
			}
		})
	}
}

func TestACallThatTakesLongerThanItsLimitTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, func(ctx context.Context, _ string, _ tool.Args) (tool.Data, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		began := time.Now()
		r := Run(t.Context(), k.config(`{"id":"a","tool":"t.pure","args":{},"timeoutMs":1500,"onError":"skip"}`))
		if d := time.Since(began); d != 1500*time.Millisecond || r.Steps[0].Status != tool.TimedOut {
			t.Fatalf("%s after %v", r.Steps[0].Status, d)
		}
	})
}

func TestEveryAttemptHasTheWholeTimeLimitAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, func(ctx context.Context, _ string, _ tool.Args) (tool.Data, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		c := k.config(`{"id":"a","tool":"t.pure","args":{},"timeoutMs":1000,"retry":{"maxAttempts":3,"backoffMs":1}}`)
		c.Limits.MaxBackoffMs = 1
		began := time.Now()
		r := Run(t.Context(), c)
		if d := time.Since(began); d < 3*time.Second || d > 3*time.Second+5*time.Millisecond || len(k.calls) != 3 || r.Steps[0].Status != tool.TimedOut {
			t.Fatalf("%s after %v and %d attempts", r.Steps[0].Status, d, len(k.calls))
		}
	})
}

func TestACancelledRunEndsAtOnceAlsoInTheMiddleOfACallOrAPause(t *testing.T) {
	for name, do := range map[string]work{
		"in a call": func(ctx context.Context, _ string, _ tool.Args) (tool.Data, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"in a pause": func(context.Context, string, tool.Args) (tool.Data, error) {
			return nil, fault.New(fault.Network, "error.network", nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newKit(t, do)
				ctx, cancel := context.WithCancel(t.Context())
				began := time.Now()
				time.AfterFunc(3*time.Second, cancel)
				r := Run(ctx, k.config(`{"id":"a","tool":"t.pure","args":{},"retry":{"maxAttempts":9,"backoffMs":600000}}`, `{"id":"b","tool":"t.pure","args":{},"dependsOn":["a"]}`))
				if d := time.Since(began); d != 3*time.Second {
					t.Fatalf("ended after %v", d)
				}
				if r.Stopped == nil || r.Steps[1].Status == tool.OK {
					t.Fatalf("want Stopped set and Steps[1].Status other than tool.OK, got %s %v", status(r), r.Stopped)
				}
			})
		})
	}
}

func TestAPausedRunStartsNoFurtherCallAndGoesOnWhereItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &Gate{}
		n := 0
		k := newKit(t, func(context.Context, string, tool.Args) (tool.Data, error) {
			if n++; n == 2 {
				gate.Pause()
				gate.Pause() // twice is once
			}
			return tool.Data{}, nil
		})
		c := k.config(`{"id":"a","tool":"t.pure","args":{},"foreach":{"from":[1,2,3,4],"itemName":"i","concurrency":1}}`)
		c.Control.Gate = gate
		done := make(chan *Report, 1)
		go func() { done <- Run(t.Context(), c) }()
		synctest.Wait()
		if n != 2 || !gate.Paused() {
			t.Fatalf("%d calls in a paused run", n)
		}
		gate.Resume()
		if r := <-done; n != 4 || r.Stopped != nil {
			t.Fatalf("%d calls: %v", n, r.Stopped)
		}
	})
}

func TestAPausedRunCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &Gate{}
		gate.Pause()
		k := newKit(t, echo)
		c := k.config(`{"id":"a","tool":"t.pure","args":{}}`)
		c.Control.Gate = gate
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if r := Run(ctx, c); len(k.calls) != 0 || r.Stopped == nil {
			t.Fatalf("%d calls: %v", len(k.calls), r.Stopped)
		}
	})
}
