package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// boxes is a plan that changes notes and then moves what they are in, twice.
var (
	boxes    = map[string]string{"Box/a.md": "one\ntwo\nthree\n", "Box/Sub/b.md": "uno\ndos\ntres\n", "Box/Sub/c.md": "eins\n", "Other.md": "o\n", "Last.md": "l\n"}
	boxPlan  = planOf("boxes", boxSteps...)
	boxSteps = []string{
		`{"id":"a","tool":"vault.writeFile","args":{"path":"Box/a.md","content":"RUN\ntwo\nthree\n"}}`,
		`{"id":"b","tool":"vault.writeFile","args":{"path":"Box/Sub/b.md","content":"RUN\ndos\ntres\n"}}`,
		`{"id":"o","tool":"vault.writeFile","args":{"path":"Other.md","content":"RUN o\n"}}`,
		`{"id":"m","tool":"vault.rename","args":{"path":"Box","newPath":"Case"}}`,
		`{"id":"n","tool":"vault.rename","args":{"path":"Case/Sub/b.md","newPath":"Case/Sub/bb.md"}}`,
		`{"id":"bb","tool":"vault.writeFile","args":{"path":"Case/Sub/bb.md","content":"RUN\nRUN TWO\ntres\n"}}`,
		`{"id":"again","tool":"vault.createFile","args":{"path":"Box/a.md","content":"RUN new\n"}}`,
		`{"id":"z","tool":"vault.createFile","args":{"path":"Z.md","content":"RUN z\n"}}`,
		`{"id":"l","tool":"vault.delete","args":{"path":"Last.md"}}`,
	}
)

// interrupted runs a plan until the host dies in operation n, and gives what is
// found after that; false where the run had come to its end.
func interrupted(t *testing.T, files map[string]string, plan string, n int) (*hosttest.Memory, string, bool) {
	t.Helper()
	mem := hosttest.New(hosttest.Options{Files: files})
	ui := begin(t, mem, free)
	r := ui.open(plan)
	mem.KillAt(n, uint64(n)*0x9E3779B97F4A7C15, false)
	ui.approve(r)
	ui.s.Close()
	select {
	case <-mem.Dead():
		return mem.CrashClone(), r.Run, true
	default:
		return mem, r.Run, false
	}
}

func TestARunThatWasLeftOrFinishedAfterACrashIsTakenBackWholeAlsoWhereItMovedWhatItChanged(t *testing.T) {
	before := hosttest.New(hosttest.Options{Files: boxes}).Snapshot()
	for _, choice := range []protocol.RecoveryChoice{protocol.RecoverKeep, protocol.RecoverFinish, protocol.RecoverRevert} {
		for n := 1; ; n++ {
			found, run, died := interrupted(t, boxes, boxPlan, n)
			if !died {
				break
			}
			ui, w, err := start(t, found, free)
			if err != nil {
				t.Fatal(err)
			}
			if len(w.State.Recoveries) == 0 {
				continue
			}
			got := call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: choice})
			runs := []string{run}
			if choice == protocol.RecoverFinish && got.Run != "" {
				runs = []string{got.Run, run}
			}
			if choice != protocol.RecoverRevert {
				for _, id := range runs {
					got = ui.revert(id)
				}
			}
			if d := before.Diff(found.Snapshot()); d != "" || got.Problem != nil {
				t.Fatalf("killed at operation %d, %s, and taken back: %+v\n%s", n, choice, got, d)
			}
		}
	}
}

func TestANoteThatWasEditedAfterACrashIsMergedOrToldByALaterRevert(t *testing.T) {
	const line = "the person's\n"
	for _, choice := range []protocol.RecoveryChoice{protocol.RecoverKeep, protocol.RecoverFinish, protocol.RecoverRevert} {
		for n := 1; ; n++ {
			found, run, died := interrupted(t, boxes, boxPlan, n)
			if !died {
				break
			}
			ui, w, err := start(t, found, free)
			if err != nil {
				t.Fatal(err)
			}
			if len(w.State.Recoveries) == 0 {
				continue
			}
			edited := 0
			for path, data := range found.Snapshot() {
				if strings.HasSuffix(path, "/") || !strings.HasSuffix(string(data), "\n") {
					continue // a folder, or a write that was cut short
				}
				found.Put(path, string(data)+line)
				edited++
			}
			got := call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: choice})
			runs := []string{run}
			if choice == protocol.RecoverFinish && got.Run != "" {
				runs = []string{got.Run, run}
			}
			told := notPutBack(got)
			if choice != protocol.RecoverRevert {
				for _, id := range runs {
					got = ui.revert(id)
					told = append(told, notPutBack(got)...)
				}
			}
			where := fmt.Sprintf("killed at operation %d, edited, %s, and taken back: %+v", n, choice, got)
			lines := 0
			for path, data := range found.Snapshot() {
				lines += strings.Count(string(data), line)
				if strings.Contains(string(data), "RUN") && !slices.ContainsFunc(told, func(p string) bool { return p == path || strings.HasPrefix(path, p+"/") }) {
					t.Fatalf("%s\n%s keeps the run's text, and nobody was told: %q", where, path, data)
				}
			}
			if lines < edited {
				t.Fatalf("%s\n%d of %d edits of the person are gone", where, edited-lines, edited)
			}
		}
	}
}

// notPutBack gives the paths that a revert says it did not put back.
func notPutBack(r protocol.Reverted) []string {
	out := slices.Concat(r.Kept, r.Gone)
	for _, c := range r.Conflicts {
		out = append(out, c.Path)
	}
	return out
}
