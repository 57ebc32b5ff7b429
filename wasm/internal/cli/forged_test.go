//go:build !js

package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hostfs"
	"embedded-agent/wasm/internal/journal/journaltest"
	"embedded-agent/wasm/internal/seal"
)

const forgedRun = "019a0000-0000-7000-8000-000000000001"

// everything describes every file and folder of a folder and beside it, hidden
// ones too, but for the records of runs.
func everything(t *testing.T, dir string) string {
	t.Helper()
	return described(t, filepath.Dir(dir), func(path string) bool { return path == filepath.Join(dir, hostfs.StoreFolder) })
}

// someones makes a folder that somebody else made: notes, a repository, the
// app's settings.
func someones(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "vault")
	for path, text := range map[string]string{
		"Note.md": "note\n", "Sub/Note.md": "sub\n", ".git/config": "theirs\n", ".git/hooks/sample": "x", ".obsidian/app.json": "theirs\n",
		".obsidian/plugins/evil/main.js": "theirs\n", ".hidden.md": "theirs\n", "Sub/.hidden.md": "theirs\n", ".embedded-agent/policy.json": `{"version":1}`,
		"../outside.md": "outside\n",
	} {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// stranger is somebody else's device.
type stranger struct{}

func (stranger) Key(context.Context) ([]byte, error) { return make([]byte, seal.Size), nil }

// storesOf gives the ways in which somebody can write into a folder's store.
func storesOf(t *testing.T, dir string) map[string]host.Store {
	t.Helper()
	f, err := hostfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	theirs := seal.Over(f.Host().Store, stranger{})
	if err := theirs.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return map[string]host.Store{"without a seal": f.Host().Store, "sealed elsewhere": theirs}
}

// typed gives the commands an answer to read.
func typed(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "typed")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdin
	os.Stdin = in
	t.Cleanup(func() { os.Stdin = was; _ = in.Close() })
}

func TestAFolderThatSomebodyElseMadeIsNotChangedByItsJournals(t *testing.T) {
	forged := 0
	for i, a := range journaltest.Attacks() {
		// All four ways for those that a person may allow; one, in turn, for others:
		// the core's own suite has them all.
		ways := []int{i % 4}
		if a.Allowed {
			ways = []int{0, 1, 2, 3}
		}
		for _, way := range ways {
			forged++
			hot, how := way%2 == 1, []string{"without a seal", "sealed elsewhere"}[way/2]
			t.Run(fmt.Sprintf("%q,hot=%v,%s", a.Name, hot, how), func(t *testing.T) { forgedNatively(t, a, hot, how) })
		}
	}
	if forged < 40 {
		t.Errorf("only %d journals were forged", forged)
	}
}

// forgedNatively lets a person revert a forged run, unasked, with a no and with a
// yes.
func forgedNatively(t *testing.T, a journaltest.Attack, hot bool, how string) {
	dir := someones(t)
	journaltest.Forge(t, storesOf(t, dir)[how], journaltest.Run{ID: forgedRun, Goal: "Tidy up", Ops: a.Ops, Hot: hot})
	before := everything(t, dir)
	for _, args := range [][]string{{"-yes"}, {"-restore", forgedRun}} {
		typed(t, "n\n")
		var out bytes.Buffer
		code := Revert(t.Context(), append([]string{"-vault", dir, "-allow-deletes"}, args...), &out, &out)
		if everything(t, dir) != before {
			t.Fatalf("%v: changed without an approval: %s", args, out.String())
		}
		if code == exitOK {
			t.Errorf("%v: want code other than exitOK, got %s", args, out.String())
		}
	}
	typed(t, "y\n")
	var out bytes.Buffer
	Revert(t.Context(), []string{"-vault", dir, "-allow-deletes", forgedRun}, &out, &out)
	if now := everything(t, dir); a.Allowed == (now == before) {
		t.Errorf("approved by a person: changed %v, want %v: %s", now != before, a.Allowed, out.String())
	}
	if !strings.Contains(out.String(), "Check every change") {
		t.Errorf("it does not say whose it is: %s", out.String())
	}
}

// A journal of this device, in another folder of notes or under another name, or
// with another's parts, is somebody else's.
func TestARunOfThisDeviceThatSomebodyHasChangedIsAReview(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, runs, id, other string){
		"moved to another run": func(t *testing.T, runs, id, other string) {
			rename(t, filepath.Join(runs, other), filepath.Join(runs, forgedRun))
			rename(t, filepath.Join(runs, id), filepath.Join(runs, other))
		},
		"the journal of another run": func(t *testing.T, runs, id, other string) { copyFile(t, runs, other, id, "journal.jsonl") },
		"the end of another run":     func(t *testing.T, runs, id, other string) { copyFile(t, runs, other, id, "end.json") },
		"the document of another":    func(t *testing.T, runs, id, other string) { copyFile(t, runs, other, id, "run.json") },
		"all but the summary": func(t *testing.T, runs, id, other string) {
			copyFile(t, runs, other, id, "journal.jsonl", "end.json", "run.json")
		},
		"cut":             changeFile("journal.jsonl", func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] }),
		"a record twice":  changeFile("journal.jsonl", func(b []byte) []byte { return append(b, b[bytes.LastIndexByte(b[:len(b)-1], '\n')+1:]...) }),
		"another path":    changeFile("journal.jsonl", func(b []byte) []byte { return bytes.Replace(b, []byte("Made"), []byte("Mads"), 1) }),
		"another outcome": changeFile("end.json", func(b []byte) []byte { return bytes.Replace(b, []byte(`"outcome":"ok"`), []byte(`"outcome":"no"`), 1) }),
		"another plan":    changeFile("run.json", func(b []byte) []byte { return bytes.Replace(b, []byte("Many notes"), []byte("Fine notes"), 1) }),
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			dir, plan := vault(t, 3)
			var out bytes.Buffer
			for range 2 {
				if code := Run(t.Context(), []string{"-vault", dir, "-yes", plan}, &out, &out); code != exitOK {
					t.Fatal("want code equal to exitOK, got:", out.String())
				}
			}
			runs := filepath.Join(dir, hostfs.StoreFolder, "runs")
			ids, err := os.ReadDir(runs)
			if err != nil || len(ids) != 2 {
				t.Fatal("want no error and 2 ids, got:", ids, err)
			}
			change(t, runs, ids[1].Name(), ids[0].Name())
			before := everything(t, dir)
			for _, id := range []string{ids[1].Name(), forgedRun} {
				out.Reset()
				code := Revert(t.Context(), []string{"-vault", dir, "-yes", "-allow-deletes", id}, &out, &out)
				if code == exitOK && !strings.Contains(out.String(), "nothing to undo") || everything(t, dir) != before {
					t.Errorf("%s: want code other than exitOK (or String with \"nothing to undo\") and equal to before, got %d, %s", id, code, out.String())
				}
				verify := Verify(t.Context(), []string{"-vault", dir, id}, &out, &out)
				if verify == exitOK {
					t.Errorf("%s: verified: %s", id, out.String())
				}
			}
		})
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, runs, from, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(runs, from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(runs, to, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func changeFile(name string, how func([]byte) []byte) func(t *testing.T, runs, id, other string) {
	return func(t *testing.T, runs, id, _ string) {
		t.Helper()
		file := filepath.Join(runs, id, name)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		now := how(bytes.Clone(data))
		if bytes.Equal(now, data) {
			t.Fatal("nothing was changed")
		}
		if err := os.WriteFile(file, now, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARevertShowsWhatItRestoresAndAsks(t *testing.T) {
	dir, plan := vault(t, 3)
	before := everything(t, dir)
	var out bytes.Buffer
	if code := Run(t.Context(), []string{"-vault", dir, "-yes", plan}, &out, &out); code != exitOK {
		t.Fatal("want code equal to exitOK, got:", out.String())
	}
	after := everything(t, dir)
	typed(t, "n\n")
	out.Reset()
	if code := Revert(t.Context(), []string{"-vault", dir}, &out, &out); code != exitFailed || everything(t, dir) != after {
		t.Fatalf("refused: %d, %s", code, out.String())
	}
	for _, want := range []string{"Undo “Many notes”", "trash  Made/Item 0.md", "modify  List.md", "+ - Item 0", "Make these changes?", "Nothing was changed."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	typed(t, "y\n")
	if code := Revert(t.Context(), []string{"-vault", dir}, &out, &out); code != exitOK || everything(t, dir) != before {
		t.Fatalf("approved: %d, %s\n%s", code, out.String(), everything(t, dir))
	}
	runs, err := os.ReadDir(filepath.Join(dir, hostfs.StoreFolder, "runs"))
	if err != nil || len(runs) != 2 {
		t.Fatal("want no error and 2 runs, got:", runs, err)
	}
	out.Reset()
	if code := Verify(t.Context(), []string{"-vault", dir, runs[1].Name()}, &out, &out); code != exitOK || !strings.Contains(out.String(), "sealed by this device") {
		t.Errorf("want code equal to exitOK and String with \"sealed by this device\", got %s", out.String())
	}
}

// The attack as it was: a repository of notes whose journal brings back a hook.
func TestACloneOfNotesRunsNothing(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git here")
	}
	dir := someones(t)
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) {
		t.Helper()
		cmd := exec.Command(git, append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	do("init", "-q")
	if err := os.WriteFile(filepath.Join(dir, "format.sh"), []byte("#!/bin/sh\ntouch PWNED\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	journaltest.Forge(t, storesOf(t, dir)["without a seal"], journaltest.Run{ID: forgedRun, Goal: "Tidy up", Ops: []host.Op{
		{Kind: host.OpRename, Path: ".git/hooks/post-commit", To: "format.sh"},
	}})
	typed(t, "y\n")
	var out bytes.Buffer
	Revert(t.Context(), []string{"-vault", dir}, &out, &out)
	do("add", "Note.md")
	do("commit", "-q", "-m", "a note")
	if _, err := os.Stat(filepath.Join(dir, "PWNED")); err == nil {
		t.Fatalf("its code was run: %s", out.String())
	}
	if !strings.Contains(out.String(), "left as it is") {
		t.Errorf("it is not told what was refused: %s", out.String())
	}
}
