package journal

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/record"
)

// journalOf gives the files of a whole run, by name.
func journalOf(t testing.TB) (files map[string]string, m *hosttest.Memory) {
	t.Helper()
	files, ops := plan(3)
	m = hosttest.New(hosttest.Options{Files: files})
	if err := execute(context.Background(), m, ops); err != nil {
		t.Fatal(err)
	}
	return files, m
}

func FuzzAJournalIsReadOrRefusedAndNeverRestoredFromWhatDoesNotFit(f *testing.F) {
	_, m := journalOf(f)
	whole := m.StoreFiles()
	j, e, p := whole["runs/r/"+File], whole["runs/r/"+EndFile], whole["runs/r/"+packName(0)]
	f.Add(j, e, p, []byte{})
	f.Add(j[:len(j)/2], []byte{}, p, []byte{})
	f.Add(j, e, p[:len(p)/2], []byte{})
	c := record.New(File)
	forged := c.Append(nil, []byte(`{"t":"begin","run":"r","ops":1}`))
	f.Add(c.Append(forged, []byte(`{"t":"op","i":0,"kind":"modify","path":"Log.md","before":"x","pre":[0,9223372036854775807,9],"after":"y","post":[-1,-1,-1]}`)), []byte{}, p, []byte{})
	s := record.New(SettledFile)
	f.Add(j[:len(j)-7], []byte{}, p, s.Append(nil, []byte(`{"t":"done","i":[99]}`)))
	f.Fuzz(func(t *testing.T, j, e, p, settled []byte) {
		m := m.CrashClone()
		h, ctx := m.Host(), t.Context()
		for name, data := range map[string][]byte{File: j, EndFile: e, packName(0): p, SettledFile: settled} {
			if err := h.Store.Remove(ctx, "runs/r/"+name); err != nil {
				t.Fatal(err)
			}
			if len(data) > 0 {
				if err := h.Store.Write(ctx, "runs/r/"+name, data); err != nil {
					t.Fatal(err)
				}
			}
		}
		l, err := Load(ctx, h.Store, "runs/r")
		if err != nil {
			return
		}
		for i := range l.Entries {
			w, err := l.Write(ctx, i)
			if err != nil {
				continue
			}
			if w.BeforeEtag != "" && host.Etag(w.Op.Before) != w.BeforeEtag || w.AfterEtag != "" && host.Etag(w.Op.Data) != w.AfterEtag {
				t.Fatalf("entry %d gives bytes that do not fit its etags", i)
			}
		}
		before := m.Snapshot()
		if _, err := Revert(ctx, l, h.Vault, RevertOptions{}); l.Origin == Changed && (err == nil || !before.Equal(m.Snapshot())) {
			t.Fatal("restored from a journal that was changed")
		}
	})
}

func FuzzAMergeLosesNothingOfEitherSide(f *testing.F) {
	f.Add("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
	f.Add("a\nb\nc", "a\nb\nc\nd", "x\na\nb\nc")
	f.Add("", "x", "y")
	f.Add("a\r\nb\r\n", "a\nb\r\n", "a\r\nb\n")
	f.Add("same\nsame\nsame\n", "same\nsame\n", "same\nsame\nsame\nmore\n")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		merged, ok := Merge(base, ours, theirs)
		back, okBack := Merge(base, theirs, ours)
		if ok != okBack || merged != back {
			t.Fatalf("not the same from both sides: %q %v, %q %v", merged, ok, back, okBack)
		}
		if !ok {
			return
		}
		was, a, b, now := lineCounts(base), lineCounts(ours), lineCounts(theirs), lineCounts(merged)
		for line := range allLines(a, b) {
			if added := max(a[line], b[line]) - was[line]; added > 0 && now[line] < was[line]+added-max(was[line]-min(a[line], b[line]), 0) {
				t.Fatalf("%q was added and is not in %q (of %q, %q, %q)", line, merged, base, ours, theirs)
			}
		}
		if m, ok := Merge(base, ours, base); !ok || m != ours {
			t.Fatalf("with nothing on the other side: %q %v", m, ok)
		}
	})
}

func lineCounts(s string) map[string]int {
	n := map[string]int{}
	for line := range strings.Lines(s) {
		n[strings.TrimSuffix(line, "\n")]++
	}
	return n
}

func allLines(a, b map[string]int) map[string]bool {
	all := map[string]bool{}
	for l := range a {
		all[l] = true
	}
	for l := range b {
		all[l] = true
	}
	return all
}

func TestEndingAJournalDoesNotMissTheEndOfItsStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := hosttest.New(hosttest.Options{})
		w, err := Begin(t.Context(), m.Host().Store, m.Host().Vault, "runs/r", Header{Run: "r"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.mu.Lock()
		w.mu.running = true
		w.mu.Unlock()
		done := make(chan error, 1)
		go func() { done <- w.Close(t.Context()) }()
		synctest.Wait() // it waits for the stream
		w.stream(t.Context())
		synctest.Wait()
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
		default:
			t.Error("still waiting")
			w.mu.cond.Broadcast() // so that the bubble can end
		}
	})
}

func TestAWriteWaitsForTheFolderItNeedsAndForTheOneBeforeItOnItsPath(t *testing.T) {
	p := func(kind host.OpKind, path string) Planned { return Planned{Op: host.Op{Kind: kind, Path: path}} }
	file := func(kind host.OpKind, path string) Planned { q := p(kind, path); q.Op.Before = []byte{}; return q }
	ops := []Planned{
		p(host.OpMkdir, "F"), p(host.OpCreate, "F/a.md"), p(host.OpCreate, "b.md"), file(host.OpModify, "f/A.md"),
		p(host.OpMkdir, "F/G"), p(host.OpCreate, "F/G/c.md"),
		{Op: host.Op{Kind: host.OpRename, Path: "F", To: "H"}},
		p(host.OpCreate, "d.md"), file(host.OpTrash, "d.md"),
	}
	want := [][]int{nil, {0}, nil, {1, 0}, {0}, {4}, {0, 1, 2, 3, 4, 5}, {6}, {6, 7}}
	for i, got := range prerequisites(ops, 0) {
		if len(got) != len(want[i]) {
			t.Errorf("write %d waits for %v, want %v", i, got, want[i])
			continue
		}
		for k := range got {
			if got[k] != want[i][k] {
				t.Errorf("write %d waits for %v, want %v", i, got, want[i])
			}
		}
	}
}
