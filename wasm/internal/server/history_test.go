package server

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestAPastRunIsListedOpenedVerifiedAndReplayed(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	end := ui.do(editPlan)
	list := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{})
	if len(list.Runs) != 1 || list.Runs[0].Run != end.Run || list.Runs[0].Bytes == 0 || list.Bytes != list.Runs[0].Bytes || list.Runs[0].Outcome != "ok" {
		t.Fatalf("want 1 Runs, Runs[0].Run end.Run, Runs[0].Bytes other than 0, Bytes equal to list.Runs[0].Bytes and Runs[0].Outcome \"ok\", got %+v", list)
	}
	if none := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{Text: "other"}); len(none.Runs) != 0 {
		t.Errorf("want no Runs, got %+v", none)
	}
	for _, q := range []struct {
		protocol.RunsQuery
		found int
	}{
		{protocol.RunsQuery{Kind: "run", Outcome: "ok"}, 1},
		{protocol.RunsQuery{Kind: "revert"}, 0},
		{protocol.RunsQuery{Outcome: "failed"}, 0},
	} {
		if l := call[protocol.Runs](ui, "runs.list", q.RunsQuery); len(l.Runs) != q.found {
			t.Errorf("%+v found %d", q.RunsQuery, len(l.Runs))
		}
	}
	d := call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: end.Run})
	if len(d.Calls) != 4 || len(d.Files) != 3 || !strings.Contains(d.Plan, `"goal":"Edit"`) {
		t.Fatalf("want 4 Calls, 3 Files and Plan with \"\\\"goal\\\":\\\"Edit\\\"\", got %+v", d)
	}
	v := call[protocol.FileView](ui, "review.file", protocol.FileRef{Run: end.Run, Path: "A.md"})
	if v.Before != twoNotes["A.md"] || v.After != ui.text("A.md") {
		t.Errorf("a past file is shown as %q, then %q", v.Before, v.After)
	}
	if ok := call[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: end.Run}); !ok.OK || ok.Records == 0 {
		t.Errorf("want everything in order and Records other than 0, got %+v", ok)
	}
	after := mem.Snapshot()
	call[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: end.Run})
	if d := after.Diff(mem.Snapshot()); d != "" {
		t.Errorf("a replay wrote:\n%s", d)
	}
}

func TestTheWholeWorkloadReplaysAlsoAfterItWasTakenBack(t *testing.T) {
	files, plan := workload(t)
	mem := hosttest.New(hosttest.Options{Files: files, Active: "Active.md"})
	ui := begin(t, mem, free)
	end := ui.do(plan)
	call[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: end.Run})
	ui.revert(end.Run)
	call[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: end.Run})
}

func TestAChangedByteInAnyFileOfARunIsFound(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	end := ui.do(editPlan)
	store := mem.Host().Store
	for path, data := range mem.StoreFiles() {
		name, ok := strings.CutPrefix(path, history.Dir(end.Run)+"/")
		if !ok || name == history.SummaryFile { // a line for the history, made again when it is lost
			continue
		}
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			step := max(1, len(data)/40)
			for i := 0; i < len(data); i += step {
				bad := bytes.Clone(data)
				bad[i] ^= 1
				if err := store.Write(t.Context(), path, bad); err != nil {
					t.Fatal(err)
				}
				v, err := try[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: end.Run})
				if err == nil && v.OK {
					t.Fatalf("byte %d of %d was changed (%q) and not found", i, len(data), around(data, i))
				}
			}
			for _, cut := range []int{len(data) - 1, len(data) / 2, 0} {
				if err := store.Write(t.Context(), path, data[:cut]); err != nil {
					t.Fatal(err)
				}
				if v, err := try[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: end.Run}); err == nil && v.OK {
					t.Fatalf("cut to %d of %d bytes and not found", cut, len(data))
				}
			}
			if err := store.Remove(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			if v, err := try[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: end.Run}); err == nil && v.OK {
				t.Fatal("removed and not found")
			}
			if err := store.Write(t.Context(), path, data); err != nil {
				t.Fatal(err)
			}
			if v := call[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: end.Run}); !v.OK {
				t.Fatalf("whole again, and refused: %+v", v)
			}
		})
	}
}

func around(data []byte, i int) []byte { return data[max(0, i-20):min(len(data), i+20)] }

func TestALineLeftOutOrMovedIsFound(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	end := ui.do(editPlan)
	for _, name := range []string{"calls.jsonl", "results.jsonl", "events.jsonl", "journal.jsonl"} {
		path := history.Dir(end.Run) + "/" + name
		data := mem.StoreFiles()[path]
		lines := bytes.SplitAfter(data, []byte("\n"))
		swapped := slices.Clone(lines)
		swapped[0], swapped[1] = swapped[1], swapped[0]
		for what, bad := range map[string][][]byte{"the first left out": lines[1:], "the last left out": lines[:len(lines)-2], "swapped": swapped, "doubled": append([][]byte{lines[0]}, lines...)} {
			if err := mem.Host().Store.Write(t.Context(), path, bytes.Join(bad, nil)); err != nil {
				t.Fatal(err)
			}
			if v, err := try[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: end.Run}); err == nil && v.OK {
				t.Errorf("%s: %s, and not found", name, what)
			}
		}
		if err := mem.Host().Store.Write(t.Context(), path, data); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRunsAreKeptWithinTheirLimitsAndTheNewestAlways(t *testing.T) {
	note := func(i int) string {
		return planOf(fmt.Sprint("run ", i), fmt.Sprintf(`{"id":"a","tool":"vault.createFile","args":{"path":"N%d.md","content":%q}}`, i, strings.Repeat("x", 2000)))
	}
	for _, c := range []struct {
		name string
		set  func(s *protocol.Settings)
		want int
	}{
		{"by number", func(s *protocol.Settings) { s.KeepRuns = 3 }, 3},
		{"by bytes", func(s *protocol.Settings) { s.KeepBytes = 1 }, 1},
		{"no limit reached", func(s *protocol.Settings) { s.KeepRuns = 50 }, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := free
			c.set(&set)
			ui := begin(t, hosttest.New(hosttest.Options{}), set)
			var last string
			for i := range 6 {
				last = ui.do(note(i)).Run
			}
			// A run makes room after its end is told; asked again, here, it is made.
			if err := ui.s.history.Prune(t.Context()); err != nil {
				t.Fatal(err)
			}
			runs := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{})
			if len(runs.Runs) != c.want || runs.Runs[0].Run != last {
				t.Fatalf("%d runs are kept, want %d; the newest is %v", len(runs.Runs), c.want, runs.Runs[0].Run == last)
			}
		})
	}
}

func TestOldRunsGoByTheirAge(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	began := time.Now()
	var later atomic.Int64
	ui := &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: mem.Host(), Emit: ui.hear, Now: func() time.Time { return began.Add(time.Duration(later.Load())) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	set := free
	set.KeepDays = 30
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set})
	for i := range 3 {
		ui.do(planOf("old", fmt.Sprintf(`{"id":"a","tool":"vault.createFile","args":{"path":"N%d.md","content":""}}`, i)))
	}
	later.Store(int64(31 * 24 * time.Hour))
	if err := s.history.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ids, err := s.history.IDs(t.Context()); err != nil || len(ids) != 1 {
		t.Fatalf("%d runs are kept of 31 days ago, want the newest: %v", len(ids), err)
	}
}

func TestClearedRunsAreGoneAndOneUnderWayStays(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	a := ui.do(planOf("a", `{"id":"a","tool":"vault.createFile","args":{"path":"X.md","content":""}}`))
	b := ui.do(planOf("b", `{"id":"a","tool":"vault.createFile","args":{"path":"Y.md","content":""}}`))
	if err := ui.s.runs.Begin(t.Context(), b.Run, func() {}); err != nil {
		t.Fatal(err)
	}
	left := call[protocol.Runs](ui, "runs.clear", protocol.Clear{})
	if len(left.Runs) != 1 || left.Runs[0].Run != b.Run {
		t.Fatalf("want 1 Runs and Runs[0].Run equal to b.Run, got %+v", left)
	}
	if _, err := try[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: a.Run}); !fault.Is(err, fault.NotFound) {
		t.Errorf("a cleared run: %v", err)
	}
	for p := range mem.StoreFiles() {
		if strings.Contains(p, a.Run) {
			t.Errorf("%s is left of a cleared run", p)
		}
	}
}

func TestARunThatIsNotThereIsNotFound(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{}), free)
	for _, id := range []string{"", "x", "../../secret", "a/b", "..", `a\b`} {
		for _, m := range []string{"run.get", "run.verify", "run.replay", "run.rest", "run.revert"} {
			if _, err := try[map[string]any](ui, m, protocol.RunRef{Run: id}); !fault.Is(err, fault.NotFound) {
				t.Errorf("%s %q: want the error fault.NotFound, got %v", m, id, err)
			}
		}
		if _, err := try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: id, Choice: "keep"}); !fault.Is(err, fault.NotFound) {
			t.Errorf("recovery.resolve %q: %v", id, err)
		}
	}
}
