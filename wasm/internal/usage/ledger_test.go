package usage

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/record"
)

// spend puts n answers of one token into the ledger, one a day.
func spend(t *testing.T, l *ledger, from, n int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		day := fmt.Sprintf("%04d-%02d-%02d", 2000+i/360, 1+i/30%12, 1+i%30)
		l.add(t.Context(), spending{currency: "USD", Spent: Spent{Day: day, Host: "h", Model: "m", Usage: price.Usage{Input: 1}, Cost: 7, Known: true}})
	}
}

func newLedger(t *testing.T, mem *hosttest.Memory) *ledger {
	return &ledger{store: mem.Host().Store, device: deviceNamed("a"), failed: func(err error) { t.Helper(); t.Errorf("the ledger failed: %v", err) }}
}

// deviceNamed is a device of a name.
func deviceNamed(name string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return name, nil }
}

func total(t *testing.T, l *ledger) LedgerRow {
	t.Helper()
	r, err := l.report(t.Context(), "USD")
	if err != nil {
		t.Fatal(err)
	}
	return r.Total()
}

func TestTheLedgerIsGatheredAndBoundedAndLosesOnlyTheOldest(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	n := 0
	for range 3 { // three starts
		l := newLedger(t, mem)
		spend(t, l, n, maxAnswers+10)
		n += maxAnswers + 10
		if got := total(t, l); got.Calls != int64(n) || got.Input != int64(n) || got.Cost != price.Nano(7*n) {
			t.Fatalf("%d answers, %+v", n, got)
		}
	}
	l := newLedger(t, mem)
	if got := total(t, l); got.Calls != int64(n) {
		t.Errorf("%d answers, %+v", n, got)
	}
	files := 0
	for path := range mem.StoreFiles() {
		if strings.HasPrefix(path, usageFolder+"/") {
			files++
		}
	}
	if files != 1 {
		t.Errorf("%d files are left", files)
	}
	spend(t, l, n, maxUsageRows)
	if _, err := l.gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := newLedger(t, mem).report(t.Context(), "USD")
	if err != nil || len(r.Rows) != maxUsageRows || r.Rows[len(r.Rows)-1].Day != dayOf(n+maxUsageRows-1) || r.Rows[0].Day != dayOf(n) {
		t.Errorf("%v: %d rows, from %s to %s", err, len(r.Rows), r.Rows[0].Day, r.Rows[len(r.Rows)-1].Day)
	}
}

func dayOf(i int) string {
	return fmt.Sprintf("%04d-%02d-%02d", 2000+i/360, 1+i/30%12, 1+i%30)
}

// Killed at each write in turn, the ledger has every answer whose write had
// ended, and at most the one that was being written besides.
func TestAKillLosesNothingThatWasWrittenDown(t *testing.T) {
	for _, gathering := range []bool{false, true} {
		for seed := range uint64(16) {
			for n := 1; ; n++ {
				mem := hosttest.New(hosttest.Options{})
				before := 3
				spend(t, newLedger(t, mem), 0, before)
				mem.ResetCounts()
				mem.KillAt(n, seed, false)
				l := &ledger{store: mem.Host().Store, device: deviceNamed("a"), failed: func(error) {}}
				sure := before
				alive := func() bool {
					select {
					case <-mem.Dead():
						return false
					default:
						return true
					}
				}
				for i := range 4 {
					spend(t, l, before+i, 1)
					if gathering && alive() {
						_, _ = l.gather(t.Context())
					}
					if alive() {
						sure++
					}
				}
				done := alive()
				after := total(t, newLedger(t, mem.CrashClone()))
				if after.Calls < int64(sure) || after.Calls > int64(sure)+1 {
					t.Fatalf("gathering %v, killed at %d, seed %d: %d answers of %d", gathering, n, seed, after.Calls, sure)
				}
				// What is found can be gone on with.
				clone := mem.CrashClone()
				l = newLedger(t, clone)
				spend(t, l, 50, 1)
				if got := total(t, newLedger(t, clone)); got.Calls != after.Calls+1 {
					t.Fatalf("gathering %v, killed at %d, seed %d: %d answers, then %d", gathering, n, seed, after.Calls, got.Calls)
				}
				if done {
					break
				}
			}
		}
	}
}

func TestWhatWasPaidInAnotherCurrencyIsKeptApart(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	l := newLedger(t, mem)
	spend(t, l, 0, 2)
	l.add(t.Context(), spending{currency: "EUR", Spent: Spent{Day: "2026-01-01", Host: "h", Model: "m", Cost: 5, Known: true}})
	for currency, want := range map[string][2]int64{"USD": {14, 1}, "EUR": {5, 2}, "GBP": {0, 3}} {
		r, err := newLedger(t, mem).report(t.Context(), currency)
		if got := r.Total(); err != nil || got.Calls != 3 || int64(got.Cost) != want[0] || got.Unpriced != want[1] {
			t.Errorf("%s: want no error, Calls 3, equal to want[0] and Unpriced equal to want[1], got %v %+v", currency, err, got)
		}
	}
}

// full is a store that has no room for the ledger.
type full struct{ host.Store }

func (full) Append(context.Context, string, []byte) error {
	return fault.New(fault.Internal, "error.store.io", nil)
}

func (full) Write(context.Context, string, []byte) error {
	return fault.New(fault.Internal, "error.store.io", nil)
}

func TestAnswersThatCouldNotBeWrittenAreWrittenLater(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	l := newLedger(t, mem)
	spend(t, l, 0, 2)
	good := l.store
	l.store, l.failed = full{good}, func(error) {}
	spend(t, l, 2, 2)
	if got := total(t, l); got.Calls != 4 {
		t.Errorf("meanwhile: %+v", got)
	}
	l.store = good
	spend(t, l, 4, 1)
	if got := total(t, newLedger(t, mem)); got.Calls != 5 || got.Cost != 35 {
		t.Errorf("want Calls 5 and Cost 35, got %+v", got)
	}
}

func TestALedgerThatCannotBeKeptIsSaidOnceAndStopsNothing(t *testing.T) {
	h := hosttest.New(hosttest.Options{}).Host()
	h.Store = full{h.Store}
	var told int
	l := &ledger{store: h.Store, device: deviceNamed("a"), failed: func(error) { told++ }}
	spend(t, l, 0, 3)
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	if got := total(t, l); got.Calls != 3 {
		t.Errorf("the answers that are not written are not shown: %+v", got)
	}
}

func TestWhatTwoDevicesUsedIsAllCountedOnBoth(t *testing.T) {
	a, b := hosttest.New(hosttest.Options{}), hosttest.New(hosttest.Options{})
	// What an earlier version has kept: one file for all.
	old := newLedger(t, a)
	spend(t, old, 0, 3)
	for path, data := range a.StoreFiles() {
		recs, _, _, err := record.Read(path, data)
		if err != nil {
			t.Fatal(err)
		}
		chain, text := record.New("usage/1.jsonl"), []byte(nil)
		for _, rec := range recs {
			text = chain.Append(text, rec)
		}
		for _, err := range []error{a.Host().Store.Write(t.Context(), "usage/1.jsonl", text), a.Host().Store.Remove(t.Context(), path)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	a.Sync(b, nil)
	la, lb := newLedger(t, a), newLedger(t, b)
	lb.device = deviceNamed("b")
	base := a.StoreFiles()
	spend(t, la, 0, 5)
	spend(t, lb, 0, 7)
	a.Sync(b, base)
	b.Sync(a, base)
	for _, l := range []*ledger{la, lb, newLedger(t, a), newLedger(t, b)} { // the first two are running
		if got := total(t, l); got.Calls != 15 || got.Cost != 7*15 {
			t.Errorf("want Calls 15 and Cost equal to 7*15, got %+v", got)
		}
	}
	// Gathering changes nothing of what others have used.
	base = b.StoreFiles()
	spend(t, la, 0, maxAnswers+10)
	if _, err := la.gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.Sync(b, base)
	for _, l := range []*ledger{la, lb} {
		if got := total(t, l); got.Calls != 15+maxAnswers+10 {
			t.Errorf("gathered: %+v", got)
		}
	}
}

func TestTwoWindowsOfOneDeviceCountInTheSameFile(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	one, two := newLedger(t, mem), newLedger(t, mem)
	for i := range 6 {
		spend(t, []*ledger{one, two}[i%2], i, 1)
	}
	for _, l := range []*ledger{one, two, newLedger(t, mem)} {
		if got := total(t, l); got.Calls != 6 {
			t.Errorf("want Calls 6, got %+v", got)
		}
	}
}
