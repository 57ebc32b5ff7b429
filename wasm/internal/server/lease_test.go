package server

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

var (
	secondWindow = host.Owner{Device: "this device", Window: "window 2"}
	otherDevice  = host.Owner{Device: "another device", Window: "window 1"}
)

// beginAt starts a core in another window, or on another device.
func beginAt(t *testing.T, mem *hosttest.Memory, at host.Owner) *panel {
	t.Helper()
	return beginWith(t, mem, at, free)
}

// beginWith does so with other settings.
func beginWith(t *testing.T, mem *hosttest.Memory, at host.Owner, set protocol.Settings) *panel {
	t.Helper()
	ui := &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: mem.HostAt(at), Emit: ui.hear})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux", Language: "en"}})
	return ui
}

// underWay approves the boxes and pauses the run after its first writes, so that
// it is under way.
func underWay(t *testing.T, mem *hosttest.Memory) (*panel, *protocol.Review) {
	t.Helper()
	ui := begin(t, mem, free)
	r := ui.open(boxPlan)
	var once sync.Once
	for n := 2; n < 40; n++ {
		mem.BeforeWrite(n, func() {
			if ui.text("Box/a.md") != boxes["Box/a.md"] {
				once.Do(func() { call[protocol.Empty](ui, "run.pause", protocol.RunRef{Run: r.Run}) })
			}
		})
	}
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	ui.await("pause", func(e protocol.Event) bool { return e.Type == protocol.EventRunState && e.Run.State == "paused" })
	synctest.Wait()
	return ui, r
}

func cardsOf(ui *panel) []protocol.RunSummary {
	return call[protocol.State](ui, "state", protocol.Empty{}).Recoveries
}

func TestARunThatIsUnderWayElsewhereIsWatchedAndNotRecovered(t *testing.T) {
	for _, c := range []struct {
		at  host.Owner
		key string
	}{{secondWindow, "recovery.liveHere"}, {otherDevice, "recovery.liveRemote"}} {
		synctest.Test(t, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: boxes})
			ui, r := underWay(t, mem)
			defer ui.s.Close()
			time.Sleep(2 * time.Minute) // it beats all the while
			other := beginAt(t, mem, c.at)
			defer other.s.Close()
			cards := cardsOf(other)
			if len(cards) != 1 || cards[0].Stands != protocol.StandsLive || len(cards[0].Choices) != 0 || cards[0].Can.Recover || cards[0].Text.Key != c.key {
				t.Fatalf("want 1 cards, cards[0].Stands protocol.StandsLive, no cards[0].Choices, cards[0].Can.Recover false and cards[0].Text.Key as in the case, got %+v", cards)
			}
			at := mem.Snapshot()
			for _, choice := range []protocol.RecoveryChoice{protocol.RecoverRevert, protocol.RecoverKeep, protocol.RecoverFinish} {
				if _, err := try[protocol.Reverted](other, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: choice}); err == nil {
					t.Errorf("%s was done to a run that is under way", choice)
				}
			}
			if _, err := try[protocol.Reverted](other, "run.revert", protocol.Revert{Run: r.Run}); err == nil {
				t.Error("a run that is under way was taken back")
			}
			if _, err := try[protocol.Reverted](other, "run.revert", protocol.Revert{Run: r.Run, Review: true}); err == nil {
				t.Error("a review of taking it back was opened")
			}
			if d := at.Diff(mem.Snapshot()); d != "" {
				t.Error("want the vault as expected; it differs:", d)
			}
			call[protocol.Empty](ui, "run.resume", protocol.RunRef{Run: r.Run})
			if end := ui.ranTo(); end.Outcome != "ok" {
				t.Errorf("want Outcome \"ok\", got %+v", end)
			}
			time.Sleep(time.Minute) // the other one looks again
			synctest.Wait()
			if left := cardsOf(other); len(left) != 0 {
				t.Errorf("it has ended, and is still shown: %+v", left)
			}
		})
	}
}

// ranTo gives the end of the run that is under way.
func (ui *panel) ranTo() *protocol.RunState {
	return ui.await("the end of the run", func(e protocol.Event) bool {
		return e.Type == protocol.EventRunState && e.Run.State == "finished"
	}).Run
}

func TestARunWhoseOwnerIsGoneIsOfferedAtOnceInAWindowAndLaterOnAnotherDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := hosttest.New(hosttest.Options{Files: boxes})
		before := mem.Snapshot()
		ui, r := underWay(t, mem)
		mem.Slow(1000)
		mem.Crash(func(int) []int { return nil })
		ui.s.Close()
		synctest.Wait()
		mem.Restart()
		remote := beginAt(t, mem, otherDevice)
		defer remote.s.Close()
		if c := cardsOf(remote); len(c) != 1 || c[0].Stands != protocol.StandsLive {
			t.Fatalf("at once, on another device: %+v", c)
		}
		mem.CloseWindow("window 1")
		window := beginAt(t, mem, secondWindow)
		defer window.s.Close()
		if c := cardsOf(window); len(c) != 1 || c[0].Stands != protocol.StandsInterrupted {
			t.Fatalf("in another window: %+v", c)
		}
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		if c := cardsOf(remote); len(c) != 1 || c[0].Stands != protocol.StandsInterrupted {
			t.Fatalf("later, on another device: %+v", c)
		}
		call[protocol.Reverted](remote, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: protocol.RecoverRevert})
		if d := before.Diff(mem.Snapshot()); d != "" {
			t.Fatal("want the vault as it was before; it differs:", d)
		}
	})
}

func TestARunWhoseGroundWasTakenStopsAndSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := hosttest.New(hosttest.Options{Files: boxes})
		before := mem.Snapshot()
		ui, r := underWay(t, mem)
		defer ui.s.Close()
		ui.s.runs.Lease(r.Run).Stop() // the first device sleeps: nothing of it beats
		time.Sleep(11 * time.Minute)
		remote := beginAt(t, mem, otherDevice)
		defer remote.s.Close()
		call[protocol.Reverted](remote, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: protocol.RecoverRevert})
		call[protocol.Empty](ui, "run.resume", protocol.RunRef{Run: r.Run})
		end := ui.ranTo()
		if end.Outcome != "conflict" || end.Problem == nil || end.Problem.Key != "error.run.taken" || end.Can.Revert {
			t.Errorf("want Outcome \"conflict\", Problem set, Problem.Key \"error.run.taken\" and Can.Revert false, got %+v %+v", end, end.Problem)
		}
		var d string
		if d = before.Diff(mem.Snapshot()); d != "" {
			t.Error("want the vault as it was before; it differs:", d)
		}
		if c := cardsOf(remote); len(c) != 0 {
			t.Errorf("want no of them, got %+v", c)
		}
	})
}
