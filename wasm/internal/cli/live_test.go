//go:build unix

package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A process that is stopped in the middle of its run holds its lock; one that was
// killed does not.
func TestARunOfAnotherProcessIsLeftAloneWhileThatLivesAndFreeOnceItIsDead(t *testing.T) {
	dir, plan := vault(t, 400)
	before := folder(t, dir)
	cmd, ended := running(t, dir, plan)
	made := countUntil(filepath.Join(dir, "Made"), 20, ended)
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// It is told here once every thread stands still: one may have been in a write.
	if _, err := syscall.Wait4(cmd.Process.Pid, nil, syscall.WUNTRACED, nil); err != nil {
		t.Fatal(err)
	}
	run, between := hotRun(t, dir), folder(t, dir)
	var out bytes.Buffer
	code := Revert(t.Context(), []string{"-vault", dir, "-yes", run}, &out, &out)
	still := folder(t, dir)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	if made >= 400 || between == before {
		t.Fatalf("stopped after %d notes", made)
	}
	if code == exitOK || !strings.Contains(out.String(), "another window") || still != between {
		t.Fatalf("a run that another process has in hand was taken back (%d):\n%s", code, out.String())
	}
	out.Reset()
	if code := Revert(t.Context(), []string{"-vault", dir, "-yes", run}, &out, &out); code != exitOK {
		t.Fatalf("its owner is dead: %s", out.String())
	}
	if after := folder(t, dir); after != before {
		t.Fatalf("taken back:\n%s", diffLines(before, after))
	}
}
