package journal

import (
	"slices"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
)

// cutShort gives a vault whose run died in the second of two writes to one note.
func cutShort(t *testing.T) (before hosttest.Snapshot, mem *hosttest.Memory, first string) {
	t.Helper()
	first = "z: 1\nwho: Hub\nText\n"
	second, third := "who: Hub\nz: 1\nText\n", "who: me\nz: 1\nText\nMore\n"
	var ops []Planned
	for _, w := range [][2]string{{first, second}, {second, third}} {
		ops = append(ops, Planned{
			Call: "c", BeforeEtag: host.Etag([]byte(w[0])), AfterEtag: host.Etag([]byte(w[1])),
			Op: host.Op{Kind: host.OpModify, Path: "a.md", Before: []byte(w[0]), Data: []byte(w[1])},
		})
	}
	mem = hosttest.New(hosttest.Options{Files: map[string]string{"a.md": first}})
	before = mem.Snapshot()
	for n := 1; n < 20; n++ {
		dead := mem.CrashClone()
		dead.KillAt(n, 1, false)
		if execute(t.Context(), dead, ops) == nil {
			break
		}
		dead = dead.CrashClone()
		if l, err := Load(t.Context(), dead.Host().Store, "runs/r"); err == nil && l.Hot() && len(l.Entries) == 2 {
			return before, dead, first
		}
	}
	t.Fatal("want a kill that leaves a journal of two writes, got none")
	return nil, nil, ""
}

func TestANoteWhosePuttingBackWasCutShortIsPutBackWhole(t *testing.T) {
	before, mem, first := cutShort(t)
	for n := range len(first) + 1 {
		mem := mem.CrashClone()
		mem.Put("a.md", first[:n])
		rep := revertAll(t, mem)
		if d := before.Diff(mem.Snapshot()); d != "" || len(rep.Merged)+len(rep.Conflicts) > 0 {
			t.Errorf("%d bytes were back when it died: want the note as before, not taken for an edit, got %+v\n%s", n, rep, d)
		}
	}
}

// outcomes gives what is known of each write.
func outcomes(l *Log) []Outcome {
	var out []Outcome
	for i := range l.Entries {
		out = append(out, l.Entries[i].Outcome)
	}
	return out
}

func TestFindingsThatWereCutShortAreFoundAgain(t *testing.T) {
	_, mem, _ := cutShort(t)
	ctx, store := t.Context(), mem.Host().Store
	load := func() *Log {
		l, err := Load(ctx, store, "runs/r")
		if err != nil {
			t.Fatalf("a journal beside findings that were cut short: want no error, got %v", err)
		}
		if err := l.Settle(ctx, mem.Host().Vault); err != nil {
			t.Fatalf("settling: want no error, got %v", err)
		}
		return l
	}
	write := func(name string, data []byte) {
		if err := store.Write(ctx, "runs/r/"+name, data); err != nil {
			t.Fatalf("writing %s: want no error, got %v", name, err)
		}
	}
	mem.Put("a.md", "who: Hub\nz: 1\nText\nA line of the person's\n")
	l := load()
	want := outcomes(l)
	if !slices.Contains(want, Unknown) {
		t.Fatalf("a note that was edited since: want a write that is not known, got %v", want)
	}
	if err := RecordSettled(ctx, store, "runs/r", l); err != nil {
		t.Fatalf("writing the findings down: want no error, got %v", err)
	}
	whole, err := store.Read(ctx, "runs/r/"+SettledFile)
	if err != nil {
		t.Fatalf("the findings: want no error, got %v", err)
	}
	for n := range whole {
		write(SettledFile, whole[:n])
		if got := outcomes(load()); !slices.Equal(got, want) {
			t.Fatalf("cut after %d of %d bytes, they are found again: want %v, got %v", n, len(whole), want, got)
		}
	}
	// Whole, they hold, whatever is there by now; and what is added to them does not
	// put them at risk.
	write(SettledFile, whole)
	mem.Put("a.md", "z: 1\nwho: Hub\nText\n")
	l = load()
	if got := outcomes(l); !slices.Equal(got, want) {
		t.Fatalf("written down whole, they are not looked for again: want %v, got %v", want, got)
	}
	l.Entries[0].Outcome = Failed
	if err := RecordSettled(ctx, store, "runs/r", l); err != nil {
		t.Fatalf("adding to the findings: want no error, got %v", err)
	}
	if got := outcomes(load()); got[0] != Failed {
		t.Fatalf("what was added: want the first write as failed, got %v", got)
	}
	added, err := store.Read(ctx, "runs/r/"+SettledToo)
	if err != nil {
		t.Fatalf("the second file of findings: want no error, got %v", err)
	}
	for n := range added {
		write(SettledToo, added[:n])
		if got := outcomes(load()); !slices.Equal(got, want) {
			t.Fatalf("the addition cut after %d of %d bytes: want the findings before it, %v, got %v", n, len(added), want, got)
		}
	}
}
