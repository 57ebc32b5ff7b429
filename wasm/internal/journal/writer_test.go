package journal

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
)

// plan is a run of writes of every kind, over a small vault.
func plan(n int) (map[string]string, []Planned) {
	files := map[string]string{"Log.md": "start\n", "Old/Keep.md": "keep\n", "Gone.md": "to the trash\n", "Pic.png": "\x89PNG\x00\xff"}
	w := func(op host.Op) Planned {
		p := Planned{Call: fmt.Sprint("call_", op.Path), Op: op}
		if op.Before != nil {
			p.BeforeEtag = host.Etag(op.Before)
		}
		if op.Kind == host.OpCreate || op.Kind == host.OpModify {
			p.AfterEtag = host.Etag(op.Data)
		}
		return p
	}
	ops := []Planned{w(host.Op{Kind: host.OpMkdir, Path: "New"})}
	log := "start\n"
	for i := range n {
		ops = append(ops, w(host.Op{Kind: host.OpCreate, Path: fmt.Sprintf("New/Note %d.md", i), Data: fmt.Appendf(nil, "Note %d\nwith two lines\n", i)}))
		next := log + fmt.Sprintf("- made %d\n", i)
		ops = append(ops, w(host.Op{Kind: host.OpModify, Path: "Log.md", Before: []byte(log), Data: []byte(next)}))
		log = next
	}
	ops = append(ops,
		w(host.Op{Kind: host.OpRename, Path: "Old/Keep.md", To: "New/Kept.md"}),
		w(host.Op{Kind: host.OpRmdir, Path: "Old"}),
		w(host.Op{Kind: host.OpTrash, Path: "Gone.md", Before: []byte(files["Gone.md"])}),
		w(host.Op{Kind: host.OpTrash, Path: "Pic.png", Before: []byte(files["Pic.png"])}),
	)
	return files, ops
}

func execute(ctx context.Context, m *hosttest.Memory, ops []Planned) error {
	h := m.Host()
	w, err := Begin(ctx, h.Store, h.Vault, "runs/r", Header{Run: "r", Kind: "run"}, ops)
	if err != nil {
		return err
	}
	var failed error
	for i := range ops {
		if failed = w.Do(ctx, i); failed != nil {
			break
		}
	}
	if err := w.Close(ctx); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return WriteEnd(ctx, h.Store, "runs/r", End{Outcome: "ok"})
}

func revertAll(t *testing.T, m *hosttest.Memory) *Report {
	t.Helper()
	ctx, h := t.Context(), m.Host()
	l, err := Load(ctx, h.Store, "runs/r")
	if err != nil {
		t.Fatal(err)
	}
	if l.Hot() {
		if err := l.Settle(ctx, h.Vault); err != nil {
			t.Fatal(err)
		}
	}
	rep, err := Revert(ctx, l, h.Vault, RevertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestARevertedRunLeavesEveryByteAsItWas(t *testing.T) {
	files, ops := plan(100)
	m := hosttest.New(hosttest.Options{Files: files})
	before := m.Snapshot()
	if err := execute(t.Context(), m, ops); err != nil {
		t.Fatal(err)
	}
	if before.Equal(m.Snapshot()) {
		t.Fatal("the run changed nothing")
	}
	rep := revertAll(t, m)
	if d := before.Diff(m.Snapshot()); d != "" {
		t.Fatalf("after revert:\n%s\n%+v", d, rep)
	}
	if rep2 := revertAll(t, m); len(rep2.Restored)+len(rep2.Merged)+len(rep2.Conflicts) != 0 {
		t.Fatalf("a second revert did something: %+v", rep2)
	}
}

func TestAKillAtAnyOperationIsTakenBackWhole(t *testing.T) {
	files, ops := plan(12)
	for n := 1; ; n++ {
		m := hosttest.New(hosttest.Options{Files: files})
		before := m.Snapshot()
		m.KillAt(n, uint64(n)*2654435761, false)
		err := execute(t.Context(), m, ops)
		if err == nil {
			if n < 30 {
				t.Fatalf("the run ended after %d operations", n)
			}
			return
		}
		after := m.CrashClone()
		if _, err := Load(t.Context(), after.Host().Store, "runs/r"); err != nil {
			if before.Equal(after.Snapshot()) {
				continue // it had not begun
			}
			t.Fatalf("killed at %d: written without a journal", n)
		}
		rep := revertAll(t, after)
		if d := before.Diff(after.Snapshot()); d != "" {
			t.Fatalf("killed at operation %d, reverted:\n%s\n%+v", n, d, rep)
		}
	}
}

func TestAFailureAtAnyOperationIsTakenBackWhole(t *testing.T) {
	files, ops := plan(12)
	for n := 1; ; n++ {
		m := hosttest.New(hosttest.Options{Files: files})
		before := m.Snapshot()
		m.FailAt(n, nil)
		err := execute(t.Context(), m, ops)
		if err == nil {
			return
		}
		m.FailAt(0, nil)
		if _, err := Load(t.Context(), m.Host().Store, "runs/r"); err != nil {
			if !before.Equal(m.Snapshot()) {
				t.Fatalf("failed at %d: written without a journal", n)
			}
			continue
		}
		revertAll(t, m)
		if d := before.Diff(m.Snapshot()); d != "" {
			t.Fatalf("failed at operation %d, reverted:\n%s", n, d)
		}
	}
}

func TestAnEditMadeSinceIsMergedOrAskedAboutAndNeverLost(t *testing.T) {
	text := func(s string) []byte { return []byte(s) }
	before, after := "one\ntwo\nthree\nfour\nfive\n", "ONE\ntwo\nthree\nfour\nfive\n"
	ops := []Planned{{Op: host.Op{Kind: host.OpModify, Path: "A.md", Before: text(before), Data: text(after)}, BeforeEtag: host.Etag(text(before)), AfterEtag: host.Etag(text(after))}}
	for _, c := range []struct{ name, now, want string }{
		{"untouched", after, before},
		{"edited elsewhere", "ONE\ntwo\nthree\nfour\nfive and a half\n", "one\ntwo\nthree\nfour\nfive and a half\n"},
		{"edited in the same line", "Uno\ntwo\nthree\nfour\nfive\n", "Uno\ntwo\nthree\nfour\nfive\n"},
		{"edited beside", "ONE\nTWO\nthree\nfour\nfive\n", "ONE\nTWO\nthree\nfour\nfive\n"},
		{"put back by hand", before, before},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": before}})
			if err := execute(t.Context(), m, ops); err != nil {
				t.Fatal(err)
			}
			m.Put("A.md", c.now)
			rep := revertAll(t, m)
			got, _ := m.File("A.md")
			if string(got) != c.want {
				t.Fatalf("got %q, want %q; %+v", got, c.want, rep)
			}
			if c.want == c.now && c.now != before && len(rep.Conflicts) != 1 {
				t.Fatalf("left alone without asking: %+v", rep)
			}
		})
	}
}

func TestARestoreKeepsTheLaterEditBeside(t *testing.T) {
	ops := []Planned{{Op: host.Op{Kind: host.OpModify, Path: "A.md", Before: []byte("a"), Data: []byte("b")}, BeforeEtag: host.Etag([]byte("a")), AfterEtag: host.Etag([]byte("b"))}}
	m := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a"}})
	if err := execute(t.Context(), m, ops); err != nil {
		t.Fatal(err)
	}
	m.Put("A.md", "mine")
	h := m.Host()
	l, err := Load(t.Context(), h.Store, "runs/r")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Revert(t.Context(), l, h.Vault, RevertOptions{Choices: map[string]Choice{"A.md": {Now: host.Etag([]byte("mine")), Restore: true}}}); err != nil {
		t.Fatal(err)
	}
	a, _ := m.File("A.md")
	beside, _ := m.File("A (edited).md")
	if string(a) != "a" || string(beside) != "mine" {
		t.Fatalf("A.md %q, beside %q", a, beside)
	}
}

func TestAChangedJournalIsNotRestoredFrom(t *testing.T) {
	files, ops := plan(3)
	m := hosttest.New(hosttest.Options{Files: files})
	if err := execute(t.Context(), m, ops); err != nil {
		t.Fatal(err)
	}
	h := m.Host()
	data, err := h.Store.Read(t.Context(), "runs/r/"+File)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := h.Store.Write(t.Context(), "runs/r/"+File, data); err != nil {
		t.Fatal(err)
	}
	after := m.Snapshot()
	l, err := Load(t.Context(), h.Store, "runs/r")
	if err == nil {
		_, err = Revert(t.Context(), l, h.Vault, RevertOptions{})
	}
	if err == nil || !after.Equal(m.Snapshot()) {
		t.Fatalf("want an error, got %v", err)
	}
}

func TestAWindowIsTwoAppendsAndTwoFlushes(t *testing.T) {
	files, ops := plan(200) // windows of 64 writes, 128 and the rest
	m := hosttest.New(hosttest.Options{Files: files})
	if err := execute(t.Context(), m, ops); err != nil {
		t.Fatal(err)
	}
	c := m.Counts()
	// Beside the windows: the journal's beginning, what was settled (64 writes at a
	// time or more), the end record, and the two flushes before the run's marker may go.
	settled := len(ops)/settledAtMost + 1
	if windows := len(split(ops, 0)); windows != 3 || c.StoreWrites > 2*windows+2+settled || c.Flushes != 2*windows+2 {
		t.Errorf("%d windows cost %d writes to the store and %d flushes", windows, c.StoreWrites, c.Flushes)
	}
}

// Windows are large, and a crash is to leave few writes that have to be looked for.
func TestWhatHasEndedIsWrittenDownThoughNoWindowIsDue(t *testing.T) {
	files, ops := plan(200)
	m := hosttest.New(hosttest.Options{Files: files})
	h := m.Host()
	w, err := Begin(t.Context(), h.Store, h.Vault, "runs/r", Header{Run: "r", Kind: "run"}, ops)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ops {
		if err := w.Do(t.Context(), i); err != nil {
			t.Fatal(err)
		}
	}
	w.mu.Lock()
	for w.mu.running {
		w.mu.cond.Wait()
	}
	w.mu.Unlock()
	l, err := Load(t.Context(), m.CrashClone().Host().Store, "runs/r")
	if err != nil {
		t.Fatal(err)
	}
	open := 0
	for _, e := range l.Entries {
		if e.Outcome != Done {
			open++
		}
	}
	if len(l.Entries) != len(ops) || open >= settledAtMost {
		t.Errorf("of %d writes that were made, %d have no outcome", len(l.Entries), open)
	}
}

func TestTheFirstWindowIsSmallAndTheNextOnesGrow(t *testing.T) {
	_, ops := plan(500)
	var sizes []int
	for _, w := range split(ops, 0) {
		sizes = append(sizes, w.to-w.from)
	}
	if want := []int{64, 128, 256, 256, 256, 45}; !slices.Equal(sizes, want) {
		t.Errorf("windows of %v writes, want %v", sizes, want)
	}
}
