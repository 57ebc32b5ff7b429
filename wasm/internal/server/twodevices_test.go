package server

import (
	"bytes"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// recordsOf gives what the store of a device has of runs.
func recordsOf(mem *hosttest.Memory) map[string][]byte {
	files := mem.StoreFiles()
	maps.DeleteFunc(files, func(path string, _ []byte) bool {
		return !strings.HasPrefix(path, "hot/") && !strings.HasPrefix(path, "runs/")
	})
	return files
}

// arrived puts files of another device's into a store, as a sync does.
func arrived(t *testing.T, mem *hosttest.Memory, files map[string][]byte) {
	t.Helper()
	for path, data := range files {
		if err := mem.Host().Store.Write(t.Context(), path, data); err != nil {
			t.Fatal(err)
		}
	}
}

// untouched fails where one of the files is not as it arrived.
func untouched(t *testing.T, mem *hosttest.Memory, files map[string][]byte) {
	t.Helper()
	now := mem.StoreFiles()
	for path, data := range files {
		if is, there := now[path]; !there || !bytes.Equal(is, data) {
			t.Errorf("%s of the other device was changed or removed: there %v", path, there)
		}
	}
}

// sparing are settings under which a history keeps no more than it must.
func sparing() protocol.Settings {
	set := free
	set.KeepRuns, set.KeepDays, set.KeepBytes = 1, 1, 1
	return set
}

// theirRuns gives the records of a run as another device has them: under way, cut
// short by a crash, ended, and taken back; with the run's id.
func theirRuns(t *testing.T) map[string]struct {
	run   string
	files map[string][]byte
} {
	t.Helper()
	type records = struct {
		run   string
		files map[string][]byte
	}
	out := map[string]records{}
	mem := hosttest.New(hosttest.Options{Files: boxes, Device: "theirs"})
	ui, r := underWay(t, mem)
	out["under way"] = records{r.Run, recordsOf(mem)}
	ui.s.Close()
	synctest.Wait()
	mem = hosttest.New(hosttest.Options{Files: boxes, Device: "theirs"})
	ui = begin(t, mem, free)
	run := ui.do(boxPlan).Run
	out["ended"] = records{run, recordsOf(mem)}
	ui.revert(run)
	out["taken back"] = records{run, recordsOf(mem)}
	ui.s.Close()
	return out
}

// meddle does all that a person can do about a run, and about all of them.
func meddle(ui *panel, run string) {
	ui.s.undo.LookAgain(ui.t.Context())
	for _, choice := range []protocol.RecoveryChoice{protocol.RecoverFinish, protocol.RecoverRevert, protocol.RecoverKeep, protocol.RecoverBring} {
		_, _ = try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: choice})
	}
	for _, method := range []string{"run.get", "run.verify", "run.export", "run.replay", "run.rest"} {
		_, _ = try[map[string]any](ui, method, protocol.RunRef{Run: run})
	}
	back, err := try[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: run})
	if err == nil && back.Review != "" {
		r := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: back.Review})
		if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval}); err == nil {
			ui.finished()
		}
	}
	_, _ = try[protocol.Runs](ui, "runs.clear", protocol.Clear{Run: run})
	call[protocol.Runs](ui, "runs.clear", protocol.Clear{})
}

func TestNothingOfARunOfAnotherDeviceIsTouchedWhateverOfItHasArrived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, theirs := range theirRuns(t) {
			time.Sleep(100 * time.Hour) // nobody has said for long that it is under way
			for some := range arrivalsOf(theirs.files) {
				sizes := map[string]int{}
				for path, data := range some {
					sizes[path] = len(data)
				}
				mem := hosttest.New(hosttest.Options{Files: boxes, Device: "ours"})
				arrived(t, mem, some)
				ui := beginWith(t, mem, otherDevice, sparing())
				if cards := cardsOf(ui); len(cards) != 0 {
					t.Errorf("%s, with %v: offered: %+v", name, sizes, cards)
				}
				list := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{})
				for _, sum := range list.Runs {
					if sum.Origin != protocol.OriginElsewhere || sum.Can != (protocol.Can{Revert: true}) {
						t.Errorf("%s, with %v: as a run of this device: %+v", name, sizes, sum)
					}
				}
				meddle(ui, theirs.run)
				ui.do(oneNote)
				untouched(t, mem, some)
				ui.s.Close()
				synctest.Wait()
				if t.Failed() {
					t.Fatalf("%s, with %v", name, sizes)
				}
			}
		}
	})
}

// arrivalsOf gives the parts of some files that may have arrived. Where the files
// are few, each is missing, half there or whole; else they come in many orders,
// and the last one is half there.
func arrivalsOf(files map[string][]byte) iter.Seq[map[string][]byte] {
	paths := slices.Sorted(maps.Keys(files))
	return func(yield func(map[string][]byte) bool) {
		if len(paths) > 5 {
			ordersOf(paths, files, yield)
			return
		}
		for n := range int(math.Pow(3, float64(len(paths)))) {
			some := map[string][]byte{}
			for _, path := range paths {
				switch n % 3 {
				case 1:
					some[path] = files[path][:len(files[path])/2]
				case 2:
					some[path] = files[path]
				}
				n /= 3
			}
			if !yield(some) {
				return
			}
		}
	}
}

func ordersOf(paths []string, files map[string][]byte, yield func(map[string][]byte) bool) {
	orders := 6
	if exhaustive() {
		orders = 100
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range orders {
		r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		some := map[string][]byte{}
		for _, path := range paths {
			half := maps.Clone(some)
			half[path] = files[path][:len(files[path])/2]
			some[path] = files[path]
			if !yield(half) || !yield(maps.Clone(some)) {
				return
			}
		}
	}
}

func TestARunUnderWayIsStillRecoveredAfterAnotherDeviceHasSeenItsRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(24) {
			mine := hosttest.New(hosttest.Options{Files: boxes, Device: "mine"})
			before := mine.Snapshot()
			ui, r := underWay(t, mine)
			sent := recordsOf(mine)
			mine.Slow(1000)
			mine.Crash(func(int) []int { return nil })
			ui.s.Close()
			synctest.Wait()

			// The other device has the panel open while the files come, one by one; of some
			// only a half at first.
			other := hosttest.New(hosttest.Options{Files: boxes, Device: "other"})
			theirs := beginWith(t, other, otherDevice, sparing())
			chance := rand.New(rand.NewPCG(seed, 1))
			order := slices.Sorted(maps.Keys(sent))
			chance.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for _, path := range order {
				if data := sent[path]; chance.IntN(2) == 0 {
					arrived(t, other, map[string][]byte{path: data[:len(data)/2]})
					meddle(theirs, r.Run)
				}
				arrived(t, other, map[string][]byte{path: sent[path]})
				time.Sleep(time.Duration(chance.IntN(20)) * time.Minute)
				meddle(theirs, r.Run)
			}
			theirs.do(oneNote)
			untouched(t, other, sent)
			theirs.s.Close()

			// What the other device has made of them comes back.
			other.Sync(mine, sent)
			mine.Restart()
			again := begin(t, mine, free)
			if cards := cardsOf(again); len(cards) != 1 || cards[0].Run != r.Run || cards[0].Origin != "" || !cards[0].Can.Recover {
				t.Fatalf("seed %d: offered where it was cut short: %+v", seed, cards)
			}
			call[protocol.Reverted](again, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: protocol.RecoverRevert})
			if d := before.Diff(mine.Snapshot()); d != "" {
				t.Fatalf("seed %d: %s", seed, d)
			}
			again.s.Close()
			synctest.Wait()
		}
	})
}
