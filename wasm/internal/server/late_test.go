package server

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// manyNotes makes some notes at once, changes others, and moves a folder.
var manyNotes = planOf("many",
	`{"id":"make","tool":"vault.createFile","args":{"folder":"New","title":"{n}","content":"RUN {n}\n"},"foreach":{"from":["one","two","three"],"itemName":"n","concurrency":3}}`,
	`{"id":"a","tool":"vault.appendFile","args":{"path":"{n}","content":"RUN"},"foreach":{"from":["Box/a.md","Box/Sub/b.md","Other.md"],"itemName":"n","concurrency":3},"dependsOn":["make"]}`,
	`{"id":"m","tool":"vault.rename","args":{"path":"Box","newPath":"Case"},"dependsOn":["a"]}`,
	`{"id":"z","tool":"vault.createFile","args":{"path":"Z.md","content":"RUN z\n"},"dependsOn":["m"]}`)

// orders gives every order of n things, or some of them where they are many.
func orders(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, o := range orders(n - 1) {
		for at := range n {
			out = append(out, slices.Insert(slices.Clone(o), at, n-1))
		}
	}
	return out
}

func TestWritesThatTheDiskStillHeldWhenTheCoreDiedDoNotLandAfterTheTakingBack(t *testing.T) {
	most := 0
	for n := 1; n <= 9; n++ {
		for k := 0; ; k++ {
			more := true
			for _, choice := range []protocol.RecoveryChoice{protocol.RecoverRevert, protocol.RecoverKeep, protocol.RecoverFinish} {
				synctest.Test(t, func(t *testing.T) { more = late(t, n, k, choice, &most) && more })
			}
			if !more {
				break
			}
		}
	}
	if most < 3 {
		t.Fatalf("the disk held %d writes at the most", most)
	}
}

// late lets the core die while the disk sits on write n and those with it, which
// land in order k. False where there is no such order.
func late(t *testing.T, n, k int, choice protocol.RecoveryChoice, most *int) bool {
	mem := hosttest.New(hosttest.Options{Files: boxes})
	before := mem.Snapshot()
	ui := begin(t, mem, free)
	defer ui.s.Close()
	r := ui.open(manyNotes)
	mem.Slow(n)
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	synctest.Wait()
	held, all := 0, [][]int{{}}
	held = mem.Crash(func(n int) []int { return all[k] })
	all = orders(held)
	*most = max(*most, held)
	ui.s.Close()
	synctest.Wait()
	mem.Restart()
	if k >= len(all) || held == 0 {
		return false
	}
	sh2, w, err := start(t, mem, free)
	if err != nil {
		t.Fatal(err)
	}
	defer sh2.s.Close()
	where := fmt.Sprintf("write %d and %d more in order %v, %s", n, held-1, all[k], choice)
	if len(w.State.Recoveries) == 0 {
		mem.Land()
		return true
	}
	back := call[protocol.Reverted](sh2, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: choice})
	if left := mem.Land(); left > 0 {
		t.Errorf("%s: %d writes were still under way when it was done", where, left)
	}
	if choice != protocol.RecoverRevert {
		for _, id := range []string{back.Run, r.Run} {
			if id != "" {
				sh2.revert(id)
			}
		}
	}
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("%s: taken back, the vault is not what it was: %+v\n%s", where, back, d)
	}
	return true
}

// deaf is a window that cannot hear of what another one has left under way.
type deaf struct{ host.Owners }

func (deaf) Quiet(context.Context) error { return nil }

// A window is gone in the middle of a run, and its last writes land only after the
// run was left or finished in another window, when that looks once more.
func TestAWriteOfAGoneWindowThatLandsWhileItsRunIsDecidedAboutIsTakenBackLater(t *testing.T) {
	seen := 0
	for n := 1; n <= 9; n++ {
		for _, choice := range []protocol.RecoveryChoice{protocol.RecoverKeep, protocol.RecoverFinish} {
			synctest.Test(t, func(t *testing.T) {
				mem := hosttest.New(hosttest.Options{Files: boxes})
				before := mem.Snapshot()
				ui := begin(t, mem, free)
				defer ui.s.Close()
				r := ui.open(manyNotes)
				mem.Slow(n)
				call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
				synctest.Wait()
				held := mem.Crash(inOrder)
				ui.s.Close()
				synctest.Wait()
				mem.Restart()
				mem.CloseWindow("window 1")
				other := begin(t, mem, free, func(d *Deps) {
					d.Host = mem.HostAt(host.Owner{Device: "this device", Window: "window 2"})
					d.Host.Owners = deaf{d.Host.Owners}
				})
				defer other.s.Close()
				if len(call[protocol.State](other, "state", protocol.Empty{}).Recoveries) == 0 {
					return
				}
				seen += held
				time.AfterFunc(3*time.Second, func() { mem.Land() }) // between the first look and the second
				back := call[protocol.Reverted](other, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: choice})
				mem.Land()
				for _, id := range []string{back.Run, r.Run} {
					if id != "" {
						other.revert(id)
					}
				}
				if d := before.Diff(mem.Snapshot()); d != "" {
					t.Errorf("write %d and %d more, %s: taken back, the vault is not what it was: %+v\n%s", n, held-1, choice, back, d)
				}
			})
		}
	}
	if seen == 0 {
		t.Error("no write was under way in any of them")
	}
}

func inOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
