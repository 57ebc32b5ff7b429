package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// indexFiles is the folder of the store that the index is in.
const indexFiles = "history/"

// manyKept keeps more runs than a test makes.
func manyKept() protocol.Settings {
	set := free
	set.KeepRuns = 5000
	return set
}

func makeNote(i int) string {
	return planOf(fmt.Sprint("note ", i), fmt.Sprintf(`{"id":"a","tool":"vault.createFile","args":{"path":"N%d.md","content":"x"}}`, i))
}

// listed gives the history, a line of JSON for each run, for comparing.
func listed(t *testing.T, ui *panel) string {
	t.Helper()
	runs := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{Limit: 500})
	out := fmt.Sprintln(runs.Bytes, "bytes")
	for _, sum := range runs.Runs {
		b, err := json.Marshal(sum)
		if err != nil {
			t.Fatal(err)
		}
		out += string(b) + "\n"
	}
	return out
}

// differ gives the lines that only one of two histories has.
func differ(want, got string) string {
	out := ""
	for _, side := range []struct{ name, a, b string }{{"want", want, got}, {"got", got, want}} {
		for line := range strings.Lines(side.a) {
			if !strings.Contains(side.b, line) {
				out += side.name + " " + line
			}
		}
	}
	return out
}

// fromRuns gives the history as a core finds it that has no index.
func fromRuns(t *testing.T, mem *hosttest.Memory) string {
	t.Helper()
	bare := mem.CrashClone()
	if err := bare.Host().Store.Remove(t.Context(), strings.TrimSuffix(indexFiles, "/")); err != nil {
		t.Fatal(err)
	}
	return listed(t, begin(t, bare, manyKept()))
}

// indexOf gives the files of the index.
func indexOf(mem *hosttest.Memory) map[string][]byte {
	files := mem.StoreFiles()
	maps.DeleteFunc(files, func(path string, _ []byte) bool { return !strings.HasPrefix(path, indexFiles) })
	return files
}

// How many runs there are does not show in what an opening and a letter ask of the
// store: the lists of runs, markers and the index, and the index itself, once.
func TestAnOpenedHistoryAsksTheStoreAsOftenForAThousandRunsAsForTen(t *testing.T) {
	sizes := []int{10, 100}
	if !testing.Short() {
		sizes = append(sizes, 1000)
	}
	mem, made := hosttest.New(hosttest.Options{}), 0
	for _, runs := range sizes {
		ui := begin(t, mem, manyKept())
		for ; made < runs; made++ {
			ui.do(makeNote(made))
		}
		listed(t, ui)
		again := begin(t, mem, manyKept())
		if err := again.s.runs.Quiet(t.Context()); err != nil {
			t.Fatal(err)
		}
		mem.ResetCounts()
		all := call[protocol.Runs](again, "runs.list", protocol.RunsQuery{Limit: 500})
		if n, most := mem.Counts().StoreReads, 4; len(all.Runs) != min(runs, 500) || n > most {
			t.Errorf("an opening with %d runs asked the store %d times and gave %d runs, want at most %d times and all", runs, n, len(all.Runs), most)
		}
		for _, text := range []string{"n", "no", "not", "note 7"} {
			mem.ResetCounts()
			found := call[protocol.Runs](again, "runs.list", protocol.RunsQuery{Text: text})
			if n, most := mem.Counts().StoreReads, 3; n > most || len(found.Runs) == 0 {
				t.Errorf("%q among %d runs asked the store %d times and found %d, want at most %d times and some", text, runs, n, len(found.Runs), most)
			}
		}
	}
}

// storied gives a vault with runs, reverts and an index of them.
func storied(t *testing.T) (*hosttest.Memory, []string) {
	t.Helper()
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, manyKept())
	var runs []string
	for i := range 6 {
		runs = append(runs, ui.do(makeNote(i)).Run)
	}
	ui.revert(runs[1])
	listed(t, ui)
	return mem, runs
}

func TestAnIndexThatIsMissingTornOrForgedIsMadeAnew(t *testing.T) {
	mem, runs := storied(t)
	begin(t, mem, manyKept()).revert(runs[2])
	want := fromRuns(t, mem)
	for path, data := range indexOf(mem) {
		for i := 0; i <= len(data); i += max(1, len(data)/25) {
			damaged := map[string][]byte{"cut": data[:i], "twice": append(bytes.Clone(data), data[:i]...)}
			if i < len(data) {
				damaged["changed"] = bytes.Clone(data)
				damaged["changed"][i] ^= 1
			}
			for what, bad := range damaged {
				// A file of marks that is cut between two of them is an older one, and
				// nobody cuts it but a restored copy: the next test.
				if what == "cut" && strings.Contains(path, "marks") && (i == 0 || data[i-1] == '\n') {
					continue
				}
				clone := mem.CrashClone()
				if err := clone.Host().Store.Write(t.Context(), path, bad); err != nil {
					t.Fatal(err)
				}
				ui := begin(t, clone, manyKept())
				if got := listed(t, ui); got != want {
					t.Fatalf("%s, %s at byte %d: the history is not that of the runs:\n%s", path, what, i, differ(want, got))
				}
				if got := listed(t, begin(t, clone, manyKept())); got != want {
					t.Fatalf("%s, %s at byte %d, opened again: the history is not that of the runs:\n%s", path, what, i, differ(want, got))
				}
			}
		}
	}
	for path := range indexOf(mem) {
		clone := mem.CrashClone()
		if err := clone.Host().Store.Remove(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		if got := listed(t, begin(t, clone, manyKept())); got != want && !strings.Contains(path, "marks") {
			t.Errorf("without %s: the history is not that of the runs:\n%s", path, differ(want, got))
		}
	}
}

// A copy of the index from before a run was reverted says that it can be.
func TestAnIndexThatIsOlderThanTheRunsIsNotBelieved(t *testing.T) {
	mem, runs := storied(t)
	old := indexOf(mem)
	ui := begin(t, mem, manyKept())
	ui.revert(runs[3])
	ui.do(makeNote(9))
	listed(t, ui)
	want := fromRuns(t, mem)
	clone := mem.CrashClone()
	store := clone.Host().Store
	for path := range indexOf(clone) {
		if err := store.Remove(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	for path, data := range old {
		if err := store.Write(t.Context(), path, data); err != nil {
			t.Fatal(err)
		}
	}
	for _, which := range []string{"first", "second"} {
		if got := listed(t, begin(t, clone, manyKept())); got != want {
			t.Fatalf("the %s opening with an old index is not the history of the runs:\n%s", which, differ(want, got))
		}
	}
}

// The core dies at each write of a story of runs, reverts and openings: whatever the
// index is then, the next start shows what the runs say.
func TestWhateverACrashLeavesOfTheIndexTheHistoryIsThatOfTheRuns(t *testing.T) {
	mem, runs := storied(t)
	seen := map[bool]int{}
	for n := 1; ; n++ {
		clone := mem.CrashClone()
		ui := begin(t, clone, manyKept())
		clone.KillAt(n, uint64(n)*0x9E3779B97F4A7C15, false)
		_, reverted := try[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: runs[4]})
		_, opened := try[protocol.Runs](ui, "runs.list", protocol.RunsQuery{})
		_, removed := try[protocol.Runs](ui, "runs.clear", protocol.Clear{Run: runs[0]})
		over := clone.Counts().Ops() < n
		clone = clone.CrashClone()
		for _, which := range []string{"first", "second"} {
			got := listed(t, begin(t, clone, manyKept()))
			// Read after it: the first start settles what the crash has left.
			if want := fromRuns(t, clone); got != want {
				t.Fatalf("killed at write %d (revert %v, list %v, clear %v), the %s opening is not the history of the runs:\n%s", n, reverted, opened, removed, which, differ(want, got))
			}
		}
		seen[over]++
		if over {
			break
		}
	}
	if seen[false] < 15 {
		t.Errorf("the core died %d times, want more than 15: the loop is broken", seen[false])
	}
}

func TestAnotherWindowSeesInItsIndexWhatThisOneHasReverted(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	first := beginWith(t, mem, secondWindow, manyKept())
	run := first.do(makeNote(1)).Run
	second := begin(t, mem, manyKept())
	for _, ui := range []*panel{first, second} {
		if sum := ui.lineOf(run); !sum.Can.Revert {
			t.Fatalf("want a run that can be reverted, got %+v", sum)
		}
	}
	by := first.revert(run).Run
	if sum := second.lineOf(run); sum.RevertedBy != by || sum.Can.Revert {
		t.Errorf("the other window: want a run that %s has reverted, got %+v", by, sum)
	}
}

func TestWhatWasClearedLeavesNoWordsInTheIndex(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	ui := begin(t, mem, free)
	gone := ui.do(planOf("a secret aim", `{"id":"a","tool":"vault.createFile","args":{"path":"X.md","content":""}}`)).Run
	ui.do(makeNote(1))
	listed(t, ui)
	call[protocol.Runs](ui, "runs.clear", protocol.Clear{Run: gone})
	for path, data := range indexOf(mem) {
		if bytes.Contains(data, []byte("secret aim")) || strings.Contains(path, "lines") && !bytes.Contains(data, []byte("note 1")) {
			t.Errorf("%s: want the run that is left and nothing of the one that was cleared, got %s", path, data)
		}
	}
}

func TestARunThatWaitsForAnAnswerIsNotInterrupted(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Commands: []hosttest.Command{{ID: "x:do", Name: "Do"}}})
	ui := begin(t, mem, free)
	r := ui.open(commandPlan)
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	q := ui.await("question", func(e protocol.Event) bool { return e.Type == protocol.EventQuestionOpened }).Question
	if sum := ui.lineOf(r.Run); sum.Outcome != protocol.OutcomeWaiting || sum.Text.Key != "run.waiting" || sum.Can != (protocol.Can{}) {
		t.Errorf("while it asks: want a run that waits and nothing to press, got %+v", sum)
	}
	other := beginWith(t, mem, secondWindow, free)
	if sum := other.lineOf(r.Run); sum.Outcome == protocol.OutcomeOK {
		t.Errorf("in another window: want a run that has not ended, got %+v", sum)
	}
	call[protocol.Empty](ui, "answer", protocol.Answer{ID: q.ID, Yes: true})
	ui.finished()
	if sum := ui.lineOf(r.Run); sum.Outcome != protocol.OutcomeOK {
		t.Errorf("when it has ended: want a run that is done, got %+v", sum)
	}
}
