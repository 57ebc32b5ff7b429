package breath

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestAContextThatHasEndedIsSaid(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if err := Take(ctx); err != nil {
		t.Error(err)
	}
	cancel()
	if err := Take(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// unfired is a context past its deadline whose timer has not fired.
type unfired struct {
	context.Context
	by time.Time
}

func (u unfired) Deadline() (time.Time, bool) { return u.by, true }

func TestADeadlineIsSeenThoughNoTimerFires(t *testing.T) {
	if err := Take(unfired{t.Context(), time.Now().Add(time.Hour)}); err != nil {
		t.Error(err)
	}
	if err := Take(unfired{t.Context(), time.Now()}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestWhatWaitsComesInDuringAComputation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	for began := time.Now(); Take(ctx) == nil; {
		if time.Since(began) > time.Minute {
			t.Fatal("nothing has come in for a minute")
		}
	}
}

func TestABreathIsTakenOnceAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		last = time.Time{}
		n := 0
		for range 1000 {
			if due() {
				n++
			}
			time.Sleep(time.Millisecond)
		}
		if n < 19 || n > 21 {
			t.Errorf("%d breaths in a second", n)
		}
	})
}
