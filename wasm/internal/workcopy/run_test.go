//go:build linux || darwin

package workcopy_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/workcopy"
)

var a1970 = time.Unix(0, 0)

// asHolder lets the test binary make a copy of a folder, and run a command in it that
// does not end: HOLD is the folder, and where the copy is made.
const asHolder = "EMBEDDED_AGENT_TEST_HOLD"

func hold() {
	vault, temp, _ := strings.Cut(os.Getenv(asHolder), "\n")
	c, err := workcopy.Make(workcopy.Options{Vault: vault, MaySee: everything, Temp: temp, Command: "hold"})
	if err == nil {
		_, err = c.Run(context.Background(), workcopy.Command{Args: []string{"sh", "-c", "echo from the command > A.md; sleep 1000 & echo started; wait"}})
	}
	if err != nil {
		panic(err)
	}
}

// output runs a command in a copy, and gives all that was printed: it waits until
// nobody is left who could print more.
func output(t testing.TB, ctx context.Context, c *workcopy.Copy, cmd workcopy.Command) (workcopy.Ended, string) {
	t.Helper()
	r, w, err := os.Pipe()
	do(t, err)
	in, err := os.Open(os.DevNull)
	do(t, err)
	cmd.In, cmd.Out, cmd.Err = in, w, w
	printed := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(r) // what was read until then is looked at
		printed <- string(b)
	}()
	ended, err := c.Run(ctx, cmd)
	do(t, w.Close(), in.Close())
	text := <-printed
	do(t, r.Close())
	if err != nil {
		t.Fatalf("want no error, got %v\n%s", err, text)
	}
	return ended, text
}

func sh(script string) workcopy.Command {
	return workcopy.Command{Args: []string{"sh", "-c", script}}
}

func small(t testing.TB) (string, *workcopy.Copy) {
	t.Helper()
	vault := notes(t, map[string]string{"A.md": "a", "Deep/B.md": "b", ".hidden/secret": "s"})
	return vault, made(t, workcopy.Options{Vault: vault})
}

func TestACommandWorksInTheCopyAndItsStatusIsTold(t *testing.T) {
	vault, c := small(t)
	before := listed(t, vault)
	ended, text := output(t, t.Context(), c, sh("pwd; echo changed > A.md; exit 7"))
	if ended.Ending != workcopy.Exited || ended.Status != 7 {
		t.Errorf("want Ending workcopy.Exited and Status 7, got %+v\n%s", ended, text)
	}
	if got := listed(t, vault); got != before {
		t.Errorf("the notes are\n%s", got)
	}
	if got := compared(t, c); got != "modify A.md" {
		t.Errorf("got %s", got)
	}
	if ended, _ := output(t, t.Context(), c, sh("kill -9 $$")); ended.Status != 128+9 {
		t.Errorf("a command that was killed: %+v", ended)
	}
	if _, err := c.Run(t.Context(), workcopy.Command{Args: []string{"there-is-no-such-command"}}); err == nil || !strings.Contains(err.Error(), "could not be started") {
		t.Errorf("a command that is not there: %v", err)
	}
}

// confined says how this machine keeps a command from the notes.
func confined(t testing.TB, c *workcopy.Copy) workcopy.Confinement {
	t.Helper()
	ended, _ := output(t, t.Context(), c, sh("true"))
	return ended.Confinement
}

func TestAConfinedCommandCannotReachTheNotes(t *testing.T) {
	vault, c := small(t)
	if how := confined(t, c); how == workcopy.Unconfined {
		t.Logf("this machine confines no command; what the others do is not shown here")
		return
	}
	before := listed(t, vault)
	_, text := output(t, t.Context(), c, workcopy.Command{Confine: workcopy.OrFail, Args: []string{"sh", "-c", `
		cat "$1/.hidden/secret"; ls -a "$1"
		echo w > "$1/A.md"; echo w > ../notes/A.md; rm -rf "$1/Deep"; ln -s / root; echo w > "root$1/New.md"
		umount "$1"; mount --bind /tmp "$1"; unshare -Urm umount "$1"; unshare -Urm sh -c 'umount "$0"; cat "$0/.hidden/secret"' "$1"
		for p in /proc/[0-9]*; do cat "$p/root$1/.hidden/secret"; cat "$p/cwd/.hidden/secret"; done
		find "$2" -name secret; cat "$2"/embedded-agent-stage-*/index | wc -c
	`, "sh", vault, filepath.Dir(filepath.Dir(c.Notes()))}})
	if strings.Contains(text, "\ns\n") || strings.HasPrefix(text, "s") || strings.Contains(text, "secret\n") && !strings.Contains(text, "No such file") {
		t.Errorf("the command has read what is hidden:\n%s", text)
	}
	if got := listed(t, vault); got != before {
		t.Errorf("the command has changed the notes:\n%s\nit printed\n%s", got, text)
	}
	if runtime.GOOS == "linux" && !strings.Contains(text, "\nA.md\n") {
		t.Errorf("the copy is not in the place of the notes:\n%s", text)
	}
}

func TestWhatACommandHasStartedEndsWithIt(t *testing.T) {
	_, c := small(t)
	// output waits for whoever holds the pipe: a test that does not end is the failure.
	output(t, t.Context(), c, sh("sleep 1000 & echo started"))
	if confined(t, c) == workcopy.Namespace {
		output(t, t.Context(), c, sh("setsid sleep 1000 & (setsid sh -c 'sleep 1000' &) ; echo started"))
	}
}

func TestACommandThatHangsIsEnded(t *testing.T) {
	_, c := small(t)
	hangs := sh("trap '' TERM INT; echo changed > A.md; while :; do sleep 1; done")
	hangs.Timeout = 300 * time.Millisecond
	if ended, _ := output(t, t.Context(), c, hangs); ended.Ending != workcopy.TimedOut {
		t.Errorf("want Ending workcopy.TimedOut, got %+v", ended)
	}
	ctx, cancel := context.WithCancel(t.Context())
	hangs.Timeout, hangs.Said = 0, func(workcopy.Confinement, error) { cancel() }
	if ended, _ := output(t, ctx, c, hangs); ended.Ending != workcopy.Cancelled {
		t.Errorf("want Ending workcopy.Cancelled, got %+v", ended)
	}
}

func TestACommandWhoseCopyGrowsOverItsLimitIsEnded(t *testing.T) {
	for name, script := range map[string]string{
		"one file":   "while :; do dd if=/dev/zero of=big bs=1M count=4 oflag=append conv=notrunc 2>/dev/null; done",
		"hidden":     "mkdir .h; while :; do dd if=/dev/zero of=.h/big bs=1M count=4 oflag=append conv=notrunc 2>/dev/null; done",
		"many files": "i=0; while :; do i=$((i+1)); : > f$i; done",
	} {
		t.Run(name, func(t *testing.T) {
			vault := notes(t, map[string]string{"A.md": "a"})
			c := made(t, workcopy.Options{Vault: vault, Limit: workcopy.Limit{Bytes: 32 << 20, Files: 2000}})
			ended, _ := output(t, t.Context(), c, sh(script))
			if ended.Ending != workcopy.OverLimit {
				t.Errorf("want Ending workcopy.OverLimit, got %+v", ended)
			}
			if _, err := c.Compare(); !errors.Is(err, workcopy.ErrTooLarge) {
				t.Errorf("the comparison says %v", err)
			}
		})
	}
}

func TestACommandDiesWithItsProcessAndTheCopyIsFound(t *testing.T) {
	vault, temp := notes(t, map[string]string{"A.md": "a"}), t.TempDir()
	for round := range 3 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asHolder+"="+vault+"\n"+temp)
		out, err := cmd.StdoutPipe()
		do(t, err, cmd.Start())
		r := bufio.NewReader(out)
		line, err := r.ReadString('\n')
		if err != nil || line != "started\n" {
			t.Fatalf("want no error and line \"started\\n\", got %q %v", line, err)
		}
		if left, err := workcopy.FindLeft(temp, vault); err != nil || len(left) != round {
			t.Errorf("a copy that is worked with is among %v (%v)", left, err)
		}
		do(t, cmd.Process.Kill())
		if _, err := io.ReadAll(r); err != nil { // it ends when nobody can print any more
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
	}
	if left, err := workcopy.FindLeft(temp, vault+"2"); err != nil || len(left) != 0 {
		t.Errorf("copies of other notes: %v %v", left, err)
	}
	left, err := workcopy.FindLeft(temp, vault)
	if err != nil || len(left) != 3 {
		t.Fatalf("want no error and 3 left, got %v %v", left, err)
	}
	for i, l := range left {
		if !l.Whole || l.Done || l.Command != "hold" {
			t.Errorf("want Whole true, Done false and Command \"hold\", got %+v", l)
		}
		if i > 0 {
			do(t, l.Remove())
			continue
		}
		c, err := l.Open(workcopy.Options{Vault: vault, MaySee: everything})
		do(t, err)
		if got := compared(t, c); got != "modify A.md" {
			t.Errorf("the copy that was left says %s", got)
		}
		do(t, c.Remove())
	}
	if rest, err := os.ReadDir(temp); err != nil || len(rest) > 0 {
		t.Errorf("%v is left (%v)", rest, err)
	}
}

func TestACopyThatOthersCouldHaveMadeIsNotTaken(t *testing.T) {
	vault, temp := notes(t, map[string]string{"A.md": "a"}), t.TempDir()
	c := made(t, workcopy.Options{Vault: vault, Temp: temp})
	do(t, c.Keep())
	dir := filepath.Dir(c.Notes())
	if left, err := workcopy.FindLeft(temp, vault); err != nil || len(left) != 1 {
		t.Fatalf("want no error and 1 left, got %v %v", left, err)
	}
	do(t, os.Symlink(dir, filepath.Join(temp, "embedded-agent-stage-link")), os.Chmod(dir, 0o755))
	if left, err := workcopy.FindLeft(temp, vault); err != nil || len(left) != 0 {
		t.Errorf("want no error and no left, got %v %v", left, err)
	}
}
