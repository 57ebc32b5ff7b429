package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/devicestore"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/lease"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/seal"
	"embedded-agent/wasm/internal/takeover"
)

// cutShort gives a vault in which a run has ended, was reverted, and another one was
// cut short by a crash.
func cutShort(t *testing.T, device string, at host.Owner) *hosttest.Memory {
	t.Helper()
	mem := hosttest.New(hosttest.Options{Files: boxes, Device: device})
	ui := beginAt(t, mem, at)
	ui.revert(ui.do(oneNote).Run)
	r := ui.open(boxPlan)
	mem.KillAt(mem.Counts().Ops()+12, 1, false)
	ui.approve(r)
	ui.s.Close()
	return mem.CrashClone()
}

// faulty is two stores that fail together.
type faulty struct {
	n, at int  // operations so far, and the one that fails
	crash bool // all after it fail too, and it is cut short
	dead  bool
}

func (f *faulty) fails() bool {
	f.n++
	f.dead = f.dead && f.crash || f.n == f.at
	return f.dead
}

// faultyStore is one of them.
type faultyStore struct {
	host.Store
	f *faulty
}

var errFaulty = fault.New(fault.Internal, "error.store.io", nil).With(errors.New("faulty"))

func (s *faultyStore) Read(ctx context.Context, path string) ([]byte, error) {
	if s.f.fails() {
		return nil, errFaulty
	}
	return s.Store.Read(ctx, path)
}

func (s *faultyStore) List(ctx context.Context, path string) ([]host.Info, error) {
	if s.f.fails() {
		return nil, errFaulty
	}
	return s.Store.List(ctx, path)
}

func (s *faultyStore) Write(ctx context.Context, path string, data []byte) error {
	if first := !s.f.dead; s.f.fails() {
		if first && s.f.crash {
			_ = s.Store.Write(ctx, path, data[:len(data)/2])
		}
		return errFaulty
	}
	return s.Store.Write(ctx, path, data)
}

// Remove of a folder that is cut short removes every second file.
func (s *faultyStore) Remove(ctx context.Context, path string) error {
	if first := !s.f.dead; s.f.fails() {
		if first && s.f.crash {
			entries, _ := s.Store.List(ctx, path)
			for i, e := range entries {
				if i%2 == 0 {
					_ = s.Store.Remove(ctx, e.Path)
				}
			}
		}
		return errFaulty
	}
	return s.Store.Remove(ctx, path)
}

// moving is a takeover between two stores in memory.
type moving struct{ old, fresh *hosttest.Memory }

func newMoving(t *testing.T, files map[string][]byte) *moving {
	t.Helper()
	m := &moving{hosttest.New(hosttest.Options{Device: "mine"}), hosttest.New(hosttest.Options{Device: "mine"})}
	arrived(t, m.old, files)
	return m
}

func (m *moving) take(t *testing.T, f *faulty) (takeover.Report, error) {
	t.Helper()
	h := m.old.Host()
	over := func(mem *hosttest.Memory) host.Store {
		s := seal.Over(&faultyStore{mem.Host().Store, f}, h.Device)
		if err := s.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	return takeover.Take(t.Context(), takeover.Deps{
		Old: over(m.old), New: over(m.fresh), Owners: h.Owners, Now: time.Now,
		Device: func(ctx context.Context) (string, error) { return host.DeviceName(ctx, h.Owners) },
	})
}

// filesOf gives the files that are of some runs, markers too.
func filesOf(files map[string][]byte, runs ...string) map[string][]byte {
	out := map[string][]byte{}
	for path, data := range files {
		for _, id := range runs {
			if strings.Contains(path, id) {
				out[path] = data
			}
		}
	}
	return out
}

func equalFiles(a, b map[string][]byte) bool { return maps.EqualFunc(a, b, bytes.Equal) }

func runsIn(files map[string][]byte) []string {
	seen := map[string]bool{}
	for path := range files {
		if parts := strings.Split(path, "/"); parts[0] == "runs" {
			seen[parts[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func TestTheRunsOfThisDeviceAreTakenOverWholeWhateverFailsMeanwhile(t *testing.T) {
	mine := cutShort(t, "mine", host.Owner{Device: "this device", Window: "window 1"})
	own := recordsOf(mine)
	theirs := recordsOf(cutShort(t, "theirs", otherDevice))
	files := maps.Clone(own)
	maps.Copy(files, theirs)
	files["index/000001.seg"], files["traces/a/trace.jsonl"], files["usage/x-1.jsonl"] = []byte("i"), []byte("t"), []byte("u")

	check := func(m *moving) error {
		if was, is := filesOf(m.old.StoreFiles(), runsIn(theirs)...), theirs; !equalFiles(was, is) {
			return errors.New("of the other device, something is gone or changed")
		}
		for _, id := range runsIn(own) {
			want := filesOf(own, id)
			if !equalFiles(filesOf(m.old.StoreFiles(), id), want) {
				now := filesOf(m.fresh.StoreFiles(), id)
				delete(now, "taken/"+id)
				if !equalFiles(now, want) {
					return fmt.Errorf("the run %s is whole in neither store", id)
				}
			}
		}
		return nil
	}
	for _, crash := range []bool{false, true} {
		for n := 1; ; n++ {
			m := newMoving(t, files)
			f := &faulty{at: n, crash: crash}
			_, failed := m.take(t, f)
			if err := check(m); err != nil {
				t.Fatalf("at %d, crash %v: %v", n, crash, err)
			}
			if _, err := m.take(t, &faulty{}); err != nil {
				t.Fatalf("at %d, crash %v: the next start: %v", n, crash, err)
			}
			if err := check(m); err != nil {
				t.Fatalf("at %d, crash %v: after the next start: %v", n, crash, err)
			}
			old, now := m.old.StoreFiles(), m.fresh.StoreFiles()
			if left := filesOf(old, runsIn(own)...); len(left) > 0 || len(old) != len(theirs)+2 || len(filesOf(now, runsIn(theirs)...)) > 0 {
				t.Fatalf("at %d, crash %v: left %d of ours, %d in all", n, crash, len(left), len(old))
			}
			if len(now) < len(own) || len(now) > len(own)+2 { // with the index and a trace, or a half of them
				t.Fatalf("at %d, crash %v: %v", n, crash, slices.Sorted(maps.Keys(now)))
			}
			if failed == nil && n > f.n {
				t.Logf("%d operations, crash %v", f.n, crash)
				break
			}
		}
	}
}

func TestWhatWasTakenOverIsRecoveredAndVerifiedInTheNewStore(t *testing.T) {
	mine := cutShort(t, "mine", host.Owner{Device: "this device", Window: "window 1"})
	m := newMoving(t, recordsOf(mine))
	rep, err := m.take(t, &faulty{})
	if err != nil || rep.Taken != 3 || rep.Left != 0 {
		t.Fatalf("want no error, Taken 3 and Left 0, got %+v, %v", rep, err)
	}
	inNew := func(d *Deps) { d.Host.Store = m.fresh.Host().Store }
	ui, w, err := start(t, mine, free, inNew)
	if err != nil || len(w.State.Recoveries) != 1 {
		t.Fatalf("want no error and 1 State.Recoveries, got %+v, %v", w.State.Recoveries, err)
	}
	call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: w.State.Recoveries[0].Run, Choice: protocol.RecoverRevert})
	if d := hosttest.New(hosttest.Options{Files: boxes}).Snapshot().Diff(mine.Snapshot()); d != "" {
		t.Error("want the vault as expected; it differs:", d)
	}
	for _, sum := range call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{}).Runs {
		if v := ui.verified(sum.Run); !v.OK || sum.Origin != "" {
			t.Errorf("%+v: want everything in order and no Origin, got %+v", sum, v)
		}
	}
}

func TestWhatASyncBringsBackIsNotTakenOverTwice(t *testing.T) {
	mine := cutShort(t, "mine", host.Owner{Device: "this device", Window: "window 1"})
	files := recordsOf(mine)
	m := newMoving(t, files)
	if _, err := m.take(t, &faulty{}); err != nil {
		t.Fatal(err)
	}
	ui, w, err := start(t, mine, free, func(d *Deps) { d.Host.Store = m.fresh.Host().Store })
	if err != nil {
		t.Fatal(err)
	}
	call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: w.State.Recoveries[0].Run, Choice: protocol.RecoverRevert})
	ui.s.Close()
	now := m.fresh.StoreFiles()
	arrived(t, m.old, files)
	if _, err := m.take(t, &faulty{}); err != nil {
		t.Fatal(err)
	}
	if !equalFiles(m.fresh.StoreFiles(), now) {
		t.Error("what was decided since is written over")
	}
	if left := m.old.StoreFiles(); len(left) > 0 {
		t.Errorf("left: %v", slices.Sorted(maps.Keys(left)))
	}
}

func TestARunThatAnotherWindowHasInHandIsTakenOverOnceThatIsGone(t *testing.T) {
	files := recordsOf(cutShort(t, "mine", host.Owner{Device: "this device", Window: "window 1"}))
	var hot string
	for path := range files {
		if id, ok := strings.CutPrefix(path, "hot/"); ok {
			hot = id
		}
	}
	m := newMoving(t, files)
	if err := lease.Write(t.Context(), m.old.Host().Store, "hot/"+hot, lease.Lease{Run: hot, Owner: secondWindow, At: time.Now().UnixMilli()}); err != nil {
		t.Fatal(err)
	}
	if rep, err := m.take(t, &faulty{}); err != nil || rep.Left != 1 || len(filesOf(m.fresh.StoreFiles(), hot)) > 0 {
		t.Fatalf("want no error, Left 1 and no of them, got %+v, %v", rep, err)
	}
	m.old.CloseWindow(secondWindow.Window)
	if rep, err := m.take(t, &faulty{}); err != nil || rep.Taken != 1 || len(m.old.StoreFiles()) > 0 {
		t.Fatalf("want no error, Taken 1 and no StoreFiles, got %+v, %v", rep, err)
	}
}

// placed is the store of a device, in front of the folder that travels.
type placed struct {
	host.Store
	shared   host.Store
	readOnly bool
	shown    bool // the runs of others
}

var _ host.Placed = (*placed)(nil)

func (p *placed) Facts(context.Context) (host.StoreFacts, error) {
	return host.StoreFacts{Kind: host.StoreOPFS, ReadOnly: p.readOnly}, nil
}

func (p *placed) Shared() host.Store { return p.shared }

func (p *placed) Clear(ctx context.Context) error { return p.Remove(ctx, "runs") }

func (p *placed) Owns(context.Context) (bool, error) { return !p.readOnly, nil }

func (p *placed) ShowOthers() { p.shown = true }

func TestAStartTakesOverWhatAnEarlierVersionLeftAndOffersWhatACrashCutShort(t *testing.T) {
	for _, readOnly := range []bool{true, false} {
		mine := cutShort(t, "mine", host.Owner{Device: "this device", Window: "window 1"})
		fresh := hosttest.New(hosttest.Options{})
		p := &placed{Store: fresh.Host().Store, shared: mine.Host().Store, readOnly: readOnly}
		ui, w, err := start(t, mine, free, func(d *Deps) { d.Host.Store = p })
		if err != nil {
			t.Fatal(err)
		}
		if p.shown == readOnly {
			t.Errorf("runs of others are shown: %v, in a window that may only look: %v", p.shown, readOnly)
		}
		if readOnly {
			if len(w.State.Recoveries) != 0 || len(recordsOf(mine)) == 0 {
				t.Errorf("by a window that may only look: %+v", w.State.Recoveries)
			}
			continue
		}
		if len(w.State.Recoveries) != 1 || len(recordsOf(mine)) != 0 {
			t.Errorf("offered: %+v; left: %d", w.State.Recoveries, len(recordsOf(mine)))
		}
		e := ui.await("a word about it", func(e protocol.Event) bool {
			return e.Type == protocol.EventNotice && e.Notice.Text.Key == "notice.takenOver"
		})
		if e.Notice.Text.Params["n"] != "3" {
			t.Errorf("want Notice.Text.Params[\"n\"] \"3\", got %+v", e.Notice)
		}
	}
}

func TestARunOfAnotherDeviceInTheFolderThatTravelsIsShownRevertedByAReviewAndLeftAsItIs(t *testing.T) {
	synctest.Test(t, testARunOfAnotherDevice)
}

func testARunOfAnotherDevice(t *testing.T) {
	theirs := theirRuns(t)["ended"]
	mem := hosttest.New(hosttest.Options{Files: boxes, Device: "mine"})
	before := mem.Snapshot()
	ui := begin(t, mem, free)
	ui.do(boxPlan) // the notes are here as the other device has left them
	ui.s.Close()
	notes := map[string]string{}
	for path, data := range mem.Snapshot() {
		if !strings.HasSuffix(path, "/") {
			notes[path] = string(data)
		}
	}
	mem = hosttest.New(hosttest.Options{Files: notes, Device: "mine"})
	arrived(t, mem, theirs.files)
	ui, w, err := start(t, mem, free, func(d *Deps) {
		place := func(context.Context) (devicestore.Place, error) {
			return devicestore.Place{ID: "this vault", Kept: true, Owns: true}, nil
		}
		d.Host = mem.HostAt(host.Owner{Device: "mine", Window: "window 1"})
		d.Host.Store = devicestore.New(d.Host.Store, place, func(string) []devicestore.Kind { return nil })
	})
	if err != nil || len(w.State.Recoveries) != 0 {
		t.Fatalf("%v, offered %+v", err, w.State.Recoveries)
	}
	defer ui.s.Close()
	runs := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{}).Runs
	if len(runs) != 1 || runs[0].Origin != protocol.OriginElsewhere {
		t.Fatalf("the history has %+v", runs)
	}
	back := ui.revert(theirs.run)
	if back.Review == "" {
		t.Fatalf("reverted without a review: %+v", back)
	}
	review := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: back.Review})
	ui.approve(&review)
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Errorf("reverted, the vault is not what it was:\n%s", d)
	}
	untouched(t, mem, theirs.files)
}
