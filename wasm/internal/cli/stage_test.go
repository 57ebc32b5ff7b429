//go:build linux || darwin

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/workcopy"
)

// staged runs a command in a copy of a folder, and gives the status and what was said.
func staged(t *testing.T, dir string, flags []string, command ...string) (int, string) {
	t.Helper()
	temp := t.TempDir()
	return stagedIn(t, temp, dir, flags, command...)
}

// stagedIn is staged with the folder in which copies are made.
func stagedIn(t *testing.T, temp, dir string, flags []string, command ...string) (int, string) {
	t.Helper()
	t.Setenv("TMPDIR", temp)
	args := append([]string{"-vault", dir}, flags...)
	if len(command) > 0 {
		args = append(append(args, "--"), command...)
	}
	var out, errs bytes.Buffer
	code := Stage(t.Context(), args, &out, &errs)
	return code, out.String() + errs.String()
}

// copies lists the working copies in a folder.
func copies(t *testing.T, temp string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(temp, "embedded-agent-stage-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAStagedCommandIsShownMadeVerifiedAndTakenBack(t *testing.T) {
	dir, _ := vault(t, 10)
	before := folder(t, dir)
	temp := t.TempDir()
	code, out := stagedIn(t, temp, dir, []string{"-yes", "-allow-deletes"}, "sh", "-c", "sed -i.bak s/Item/Thing/ List.md && rm List.md.bak && mv Other/Kept.md Moved.md && printf '\\377\\000' > New.bin && rm -r Other")
	if code != exitOK {
		t.Fatalf("status %d\n%s", code, out)
	}
	for _, want := range []string{"    - - Item 3", "    + - Thing 3", "rename  Other/Kept.md -> Moved.md", "create  New.bin", "Done: ", "embedded-agent revert"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	list, err := os.ReadFile(filepath.Join(dir, "List.md"))
	if err != nil || !strings.HasPrefix(string(list), "- Thing 0\n") {
		t.Errorf("List.md is %q (%v)", list, err)
	}
	if left := copies(t, temp); len(left) > 0 {
		t.Errorf("the copy is left: %v", left)
	}
	var o, e bytes.Buffer
	if code := Verify(t.Context(), []string{"-vault", dir}, &o, &e); code != exitOK {
		t.Errorf("verify: %d %s%s", code, o.String(), e.String())
	}
	if code := Revert(t.Context(), []string{"-vault", dir, "-yes"}, &o, &e); code != exitOK {
		t.Errorf("revert: %d %s%s", code, o.String(), e.String())
	}
	if err := os.RemoveAll(filepath.Join(dir, ".trash")); err != nil {
		t.Fatal(err)
	}
	if after := folder(t, dir); after != before {
		t.Errorf("taken back, the notes are not what they were:\n%s", diffLines(before, after))
	}
}

func TestNothingIsChangedWithoutAYesAndTheWorkIsKept(t *testing.T) {
	dir, _ := vault(t, 3)
	before, temp := folder(t, dir), t.TempDir()
	code, out := stagedIn(t, temp, dir, nil, "sh", "-c", "echo more >> List.md") // nobody is there to say yes
	if code != exitFailed || folder(t, dir) != before || !strings.Contains(out, "Nothing was changed.") {
		t.Fatalf("status %d\n%s", code, out)
	}
	if code, out = stagedIn(t, temp, dir, []string{"-resume", "-yes"}); code != exitOK || !strings.Contains(out, "+ more") {
		t.Fatalf("resumed: status %d\n%s", code, out)
	}
	if list, err := os.ReadFile(filepath.Join(dir, "List.md")); err != nil || !strings.HasSuffix(string(list), "more\n") {
		t.Errorf("List.md is %q (%v)", list, err)
	}
	if left := copies(t, temp); len(left) > 0 {
		t.Errorf("the copy is left: %v", left)
	}
	if code, out = stagedIn(t, temp, dir, nil, "sh", "-c", "echo again >> List.md"); code != exitFailed {
		t.Fatalf("status %d\n%s", code, out)
	}
	if code, out = stagedIn(t, temp, dir, []string{"-discard"}); code != exitOK || len(copies(t, temp)) > 0 {
		t.Errorf("discarded: status %d, %v\n%s", code, copies(t, temp), out)
	}
}

func TestTheStatusOfAStagedCommandIsToldAndAFailureIsNotApprovedByItself(t *testing.T) {
	dir, _ := vault(t, 3)
	before := folder(t, dir)
	code, out := staged(t, dir, []string{"-yes"}, "sh", "-c", "echo more >> List.md; exit 3")
	if code != exitFailed || folder(t, dir) != before || !strings.Contains(out, "exit status 3") || !strings.Contains(out, "-resume") {
		t.Errorf("status %d\n%s", code, out)
	}
	code, out = staged(t, dir, []string{"-yes", "-timeout", "200ms"}, "sleep", "1000")
	if code != exitFailed || !strings.Contains(out, "took longer than 200ms") {
		t.Errorf("status %d\n%s", code, out)
	}
	code, out = staged(t, dir, []string{"-yes"}, "there-is-no-such-command")
	if code != exitFailed || !strings.Contains(out, "could not be started") {
		t.Errorf("status %d\n%s", code, out)
	}
	if code, out = staged(t, dir, []string{"-yes"}, "true"); code != exitOK || !strings.Contains(out, "The command changed nothing.") {
		t.Errorf("status %d\n%s", code, out)
	}
	if code, _ = staged(t, dir, []string{"-yes"}); code != exitUsage {
		t.Errorf("without a command: status %d", code)
	}
}

func TestAStagedCommandSeesWhatPlansSee(t *testing.T) {
	dir, _ := vault(t, 3)
	for path, text := range map[string]string{"Private/Diary.md": "secret\n", "Elsewhere/E.md": "e\n", ".obsidian/app.json": "{}"} {
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := folder(t, dir)
	_, out := staged(t, dir, []string{"-yes", "-deny", "Private/**", "-only", "Other", "-only", "Private"}, "sh", "-c", "find . -type f > Other/Seen.md; mkdir -p Private; echo x > Private/New.md; echo x > Outside.md; mkdir .git; rm Other/Kept.md")
	seen, err := os.ReadFile(filepath.Join(dir, "Other/Seen.md"))
	if err != nil || string(seen) != "./Other/Seen.md\n./Other/Kept.md\n" && string(seen) != "./Other/Kept.md\n./Other/Seen.md\n" {
		t.Errorf("it saw %q (%v)\n%s", seen, err, out)
	}
	for _, want := range []string{"Private/New.md", "Outside.md", ".git", "Other/Kept.md"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not named:\n%s", want, out)
		}
	}
	if err := os.Remove(filepath.Join(dir, "Other/Seen.md")); err != nil {
		t.Fatal(err)
	}
	if after := folder(t, dir); after != before { // deletes are switched off
		t.Errorf("more was changed:\n%s", diffLines(before, after))
	}
}

func TestAStagedCommandTellsAllAsJSON(t *testing.T) {
	dir, _ := vault(t, 3)
	t.Setenv("TMPDIR", t.TempDir())
	var out, errs bytes.Buffer
	code := Stage(t.Context(), []string{"-vault", dir, "-json", "-yes", "--", "sh", "-c", "echo printed; echo more >> List.md; ln -s / root"}, &out, &errs)
	var got struct {
		Command, Ending, Outcome, Run string
		Status                        int
		Files                         []struct{ Path, Status string }
		LeftOut                       []struct{ Count int }
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || code != exitOK {
		t.Fatalf("status %d, %v: %s\n%s", code, err, out.String(), errs.String())
	}
	if got.Ending != "exited" || got.Outcome != "ok" || got.Run == "" || len(got.Files) != 1 || got.Files[0].Path != "List.md" || len(got.LeftOut) != 1 || !strings.Contains(got.Command, "echo printed") {
		t.Errorf("want Ending \"exited\", Outcome \"ok\", Run set, 1 Files, Files[0].Path \"List.md\", 1 LeftOut and Command with \"echo printed\", got %+v", got)
	}
}

func TestAKeptCopyIsUsedAgainAndOneThatIsTooLargeIsRefused(t *testing.T) {
	dir, _ := vault(t, 3)
	temp := t.TempDir()
	for n := range 2 {
		code, out := stagedIn(t, temp, dir, []string{"-yes", "-keep"}, "sh", "-c", "echo more >> List.md")
		if code != exitOK || len(copies(t, temp)) != 1 {
			t.Fatalf("turn %d: status %d, %v\n%s", n, code, copies(t, temp), out)
		}
	}
	if list, err := os.ReadFile(filepath.Join(dir, "List.md")); err != nil || strings.Count(string(list), "more\n") != 2 {
		t.Errorf("List.md is %q (%v)", list, err)
	}
	code, out := staged(t, dir, []string{"-yes", "-limit-files", "2"}, "true")
	if code != exitFailed || !strings.Contains(out, "-limit-files") {
		t.Errorf("status %d\n%s", code, out)
	}
	before := folder(t, dir)
	code, out = staged(t, dir, []string{"-yes", "-limit", "16"}, "sh", "-c", "echo more >> List.md; while :; do dd if=/dev/zero of=big bs=1M count=4 oflag=append conv=notrunc 2>/dev/null; done")
	if code != exitFailed || !strings.Contains(out, "-limit") || folder(t, dir) != before {
		t.Errorf("status %d\n%s", code, out)
	}
}

// stageScript changes every note, makes as many, moves and deletes some.
const stageScript = `
mkdir -p Made/Deep
n=0
find . -name '*.md' | sort | while read -r f; do
  n=$((n+1)); printf '\nRUN\n' >> "$f"; printf 'RUN %s\n' "$n" > "Made/Deep/$n.md"
  if [ $((n % 4)) = 0 ]; then mv "$f" "Made/moved $n.md"; fi
  if [ $((n % 5)) = 0 ]; then rm -f "$f"; fi
done
`

// Kills from outside: a staged command and its revert are killed by SIGKILL at moments
// that a seed draws, while the copy is made, the command runs, the changes are made and
// taken back.
func TestKillsOfAStagedCommandLoseNothing(t *testing.T) {
	rounds := 6
	if os.Getenv("EXHAUSTIVE") != "" {
		rounds = 120
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	t.Setenv("TMPDIR", t.TempDir())
	dir, _ := vault(t, 10)
	for path, data := range realVault(t) {
		at := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, fs.FileMode(0o644)); err != nil {
			t.Fatal(err)
		}
	}
	k := &kills{t: t, r: rand.New(rand.NewPCG(seed, 0)), dir: dir, before: folder(t, dir)}
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte(stageScript), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"stage", "-vault", dir, "-yes", "-allow-deletes", "-diff=false", "--", "sh", script}
	began := time.Now()
	if !k.child(time.Hour, args...) || k.now() == k.before {
		t.Fatal("the command that nobody kills changed nothing")
	}
	k.whole = time.Since(began)
	began = time.Now()
	k.settle("the run that nobody killed")
	k.back = time.Since(began)
	killed := 0
	for n := range rounds {
		if !k.child(time.Duration(k.r.Int64N(int64(k.whole))), args...) {
			killed++
		}
		if k.now() == k.before { // it died before the yes: its work may be there still
			if err := os.RemoveAll(filepath.Join(dir, ".embedded-agent")); err != nil {
				t.Fatal(err)
			}
			k.resumed()
		}
		if k.now() != k.before && !k.child(time.Duration(k.r.Int64N(int64(k.back))), append([]string{"revert"}, k.revertArgs()...)...) {
			killed++
		}
		k.settle(fmt.Sprintf("seed %d, round %d", seed, n))
	}
	t.Logf("%d were killed", killed)
}

// resumed makes the changes of a copy that a kill has left whole, if there is one: what
// the command did until then is not lost. Then it removes the copies.
func (k *kills) resumed() {
	k.t.Helper()
	left, err := workcopy.FindLeft("", mustRoot(k.t, k.dir))
	if err != nil {
		k.t.Fatal(err)
	}
	for _, l := range left {
		if !l.Whole {
			continue
		}
		k.child(time.Hour, "stage", "-vault", k.dir, "-resume", "-yes", "-allow-deletes", "-diff=false")
		break
	}
	if !k.child(time.Hour, "stage", "-vault", k.dir, "-discard") {
		k.t.Fatal("the copies could not be removed")
	}
}

func mustRoot(t *testing.T, dir string) string {
	t.Helper()
	root, err := workcopy.Root(dir)
	if err != nil {
		t.Fatal(err)
	}
	return root
}
