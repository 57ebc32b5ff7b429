package journal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/journal"
)

// ground is a few notes in folders, and what a run may do to them.
var ground = map[string]string{"A/1.md": "a1\nx\ny\n", "A/2.md": "a2\nx\ny\n", "A/S/3.md": "s3\nx\ny\n", "B/4.md": "b4\nx\ny\n", "5.md": "five\nx\ny\n"}

// writes draws the writes of a run: each is one that a tool would make on the vault
// as the ones before it leave it.
func writes(t *rapid.T, mem *hosttest.Memory) []journal.Planned {
	v := mem.Host().Vault
	var out []journal.Planned
	for n := range rapid.IntRange(1, 12).Draw(t, "writes") {
		files, folders := names(mem)
		op := host.Op{Kind: host.OpCreate, Path: fmt.Sprintf("New %d.md", n), Data: fmt.Appendf(nil, "RUN %d\n", n)}
		file := rapid.SampledFrom(append(files, "")).Draw(t, "file")
		folder := rapid.SampledFrom(append(folders, "")).Draw(t, "folder")
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0, 1:
			if file != "" {
				now, _ := mem.File(file)
				op = host.Op{Kind: host.OpModify, Path: file, Before: now, Data: edited(t, now, fmt.Sprintf("RUN %d\n", n))}
			}
		case 2:
			if file != "" {
				op = host.Op{Kind: host.OpRename, Path: file, To: fmt.Sprintf("Moved %d.md", n)}
			}
		case 3:
			if folder != "" {
				op = host.Op{Kind: host.OpRename, Path: folder, To: fmt.Sprintf("Folder %d", n)}
			}
		case 4:
			if file != "" {
				now, _ := mem.File(file)
				op = host.Op{Kind: host.OpTrash, Path: file, Before: now}
			}
		case 5:
			op = host.Op{Kind: host.OpMkdir, Path: fmt.Sprintf("Made %d", n)}
		}
		if _, err := v.Apply(t.Context(), op); err != nil {
			continue // a name that is taken
		}
		out = append(out, journal.Planned{Call: fmt.Sprint(n), Op: op, BeforeEtag: etag(op.Before), AfterEtag: etag(op.Data)})
	}
	return out
}

// edited adds a line to a note where one is drawn, and may take the last line away:
// what is left of a note that was cut short begins the text before, the text after,
// or both.
func edited(t *rapid.T, now []byte, line string) []byte {
	lines := strings.SplitAfter(string(now), "\n")
	at := rapid.IntRange(min(1, len(lines)-1), len(lines)-1).Draw(t, "at")
	if len(lines) > 3 && rapid.Bool().Draw(t, "shorter") {
		lines = slices.Delete(lines, len(lines)-2, len(lines)-1)
		at = min(at, len(lines)-1)
	}
	return []byte(strings.Join(slices.Insert(lines, at, line), ""))
}

func etag(b []byte) string {
	if b == nil {
		return ""
	}
	return host.Etag(b)
}

func names(mem *hosttest.Memory) (files, folders []string) {
	for p := range mem.Snapshot() {
		if f, ok := strings.CutSuffix(p, "/"); !ok {
			files = append(files, p)
		} else if f != "" {
			folders = append(folders, f)
		}
	}
	slices.Sort(files)
	slices.Sort(folders)
	return files, folders
}

// The sum: each write of a run that a crash cut short has one fate, also where
// notes were edited, moved or deleted since, and where the run was first left
// and taken back later. What still holds the run's text is told.
func TestEveryWriteOfARunIsRestoredMergedAConflictKeptOrGone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		planned := writes(t, hosttest.New(hosttest.Options{Files: ground}))
		if len(planned) == 0 {
			return
		}
		mem := hosttest.New(hosttest.Options{Files: ground})
		before := mem.Snapshot()
		mem, begun := crashed(t, mem, planned)
		if !begun {
			return
		}
		l, err := journal.Load(t.Context(), mem.Host().Store, "r")
		if err != nil {
			t.Fatalf("the journal of a run that had begun: want no error, got %v", err)
		}
		changed := 0
		files, _ := names(mem)
		for _, f := range files {
			now, _ := mem.File(f)
			if len(now) == 0 || now[len(now)-1] != '\n' || !rapid.Bool().Draw(t, "edit") {
				continue
			}
			how := rapid.IntRange(0, 3).Draw(t, "how")
			trashes := func(p journal.Planned) bool { return p.Op.Kind == host.OpTrash }
			if strings.HasPrefix(string(now), "RUN ") || slices.ContainsFunc(planned, trashes) {
				how = 2 // moved away before anybody looked, it is as one that was never made, or is in the trash
			}
			switch how {
			case 0:
				mem.Move(f, "Elsewhere/"+f)
			case 1:
				mem.Delete(f)
			default:
				mem.Put(f, "PERSON\n"+string(now))
			}
			changed++
		}
		if err := l.Settle(t.Context(), mem.Host().Vault); err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "left") {
			if err := journal.RecordSettled(t.Context(), mem.Host().Store, "r", l); err != nil {
				t.Fatal(err)
			}
			if l, err = journal.Load(t.Context(), mem.Host().Store, "r"); err != nil {
				t.Fatal(err)
			}
		}
		persons := count(mem, "PERSON\n")
		rep, err := journal.Revert(t.Context(), l, mem.Host().Vault, journal.RevertOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sum := map[journal.Fate]int{}
		for i, f := range rep.Fates {
			made := l.Entries[i].Outcome != journal.NotReached && l.Entries[i].Outcome != journal.Failed
			if made == (f == journal.NotMade) || f == journal.NotAsked {
				t.Fatalf("write %d is %v, its fate %v", i, l.Entries[i].Outcome, f)
			}
			sum[f]++
		}
		if n := sum[journal.NotMade] + sum[journal.Restored] + sum[journal.Merged] + sum[journal.Conflicted] + sum[journal.Kept] + sum[journal.Gone]; n != len(l.Entries) || len(rep.Fates) != n {
			t.Fatalf("%d fates of %d writes", n, len(l.Entries))
		}
		if now := count(mem, "PERSON\n"); now < persons {
			t.Fatalf("%d of the person's edits are gone", persons-now)
		}
		if changed == 0 {
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Fatalf("nobody has changed anything, and taken back it differs:\n%s", d)
			}
			return
		}
		told := len(rep.Conflicts) + len(rep.Kept) + len(rep.Gone)
		if n := count(mem, "RUN "); n > 0 && told == 0 {
			t.Fatalf("%d lines of the run are left, and nothing is told: %+v\n%v", n, rep, mem.Snapshot())
		}
	})
}

// crashed gives what a crash leaves of a run, and whether it had begun.
func crashed(t *rapid.T, mem *hosttest.Memory, planned []journal.Planned) (*hosttest.Memory, bool) {
	mem.KillAt(rapid.IntRange(1, 2*len(planned)+6).Draw(t, "kill"), rapid.Uint64().Draw(t, "seed"), false)
	if w, err := journal.Begin(t.Context(), mem.Host().Store, mem.Host().Vault, "r", journal.Header{Run: "r"}, planned); err == nil {
		for i := range planned {
			if w.Do(t.Context(), i) != nil {
				break
			}
		}
		_ = w.Close(t.Context()) // the host may be dead: that is the point
	}
	mem = mem.CrashClone()
	_, err := journal.Load(t.Context(), mem.Host().Store, "r")
	return mem, err == nil
}

// A crash may come while what another one left is put right, and leave a note that
// begins the text before the run: no edit of a person's, which a revert would merge.
func TestACrashInTheMiddleOfASettlingIsSettledToo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		planned := writes(t, hosttest.New(hosttest.Options{Files: ground}))
		if len(planned) == 0 {
			return
		}
		mem := hosttest.New(hosttest.Options{Files: ground})
		before := mem.Snapshot()
		mem, begun := crashed(t, mem, planned)
		if !begun {
			return
		}
		settle := func() *journal.Log {
			l, err := journal.Load(t.Context(), mem.Host().Store, "r")
			if err != nil {
				t.Fatalf("the journal of a run that had begun: want no error, got %v", err)
			}
			if err := l.Settle(t.Context(), mem.Host().Vault); err == nil {
				_ = journal.RecordSettled(t.Context(), mem.Host().Store, "r", l) // the host may be dead
			}
			return l
		}
		for range rapid.IntRange(1, 3).Draw(t, "crashes") {
			mem.ResetCounts()
			mem.KillAt(rapid.IntRange(1, 4).Draw(t, "kill again"), rapid.Uint64().Draw(t, "seed again"), false)
			settle()
			mem = mem.CrashClone()
		}
		rep, err := journal.Revert(t.Context(), settle(), mem.Host().Vault, journal.RevertOptions{})
		if err != nil {
			t.Fatalf("taking back: want no error, got %v", err)
		}
		if n := len(rep.Merged) + len(rep.Conflicts); n > 0 {
			t.Fatalf("nobody has edited anything, and %d files count as edited: %+v", n, rep)
		}
		if d := before.Diff(mem.Snapshot()); d != "" {
			t.Fatalf("taken back, the vault differs:\n%s", d)
		}
	})
}

func count(mem *hosttest.Memory, text string) int {
	n := 0
	for _, data := range mem.Snapshot() {
		n += strings.Count(string(data), text)
	}
	return n
}
