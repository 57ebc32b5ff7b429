//go:build !js && unix

package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/terminal"
)

// asProgram makes this test binary the program.
const asProgram = "EMBEDDED_AGENT_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// program is the program at work; both of its outputs are lines.
type program struct {
	*exec.Cmd
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Reader
}

func begin(t *testing.T, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // against a hang
	t.Cleanup(cancel)
	p := &program{Cmd: exec.CommandContext(ctx, os.Args[0], args...), t: t}
	p.Env = append(os.Environ(), asProgram+"=1")
	out, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	p.Stdout, p.Stderr = write, write
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	p.lines = bufio.NewReader(out)
	return p
}

// said waits until the program has written a text.
func (p *program) said(text string) {
	p.t.Helper()
	var all strings.Builder
	for !strings.Contains(all.String(), text) {
		b, err := p.lines.ReadByte()
		if err != nil {
			p.t.Fatalf("it ended before it said %q: %s", text, all.String())
		}
		all.WriteByte(b)
	}
}

func (p *program) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// code waits for the end and gives the exit code; -1 for one that was killed.
func (p *program) code() int {
	p.t.Helper()
	var failed *exec.ExitError
	if err := p.Wait(); err != nil && !errors.As(err, &failed) {
		p.t.Fatal(err)
	}
	return p.ProcessState.ExitCode()
}

// folder makes a folder with a note and a plan.
func folder(t *testing.T, note, plan string) (dir, file string) {
	t.Helper()
	dir, file = t.TempDir(), filepath.Join(t.TempDir(), "plan.json")
	for path, text := range map[string]string{filepath.Join(dir, "Note.md"): note, file: plan} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, file
}

const small = `{"version":1,"goal":"g","steps":[{"id":"a","tool":"vault.createFile","args":{"path":"New.md","content":"x"}}]}`

// endless looks for something at each of millions of places, each time to the
// end of the note.
const endless = `{"version":1,"goal":"g","steps":[{"id":"a","tool":"vault.replaceText","args":{"path":"Note.md","regex":true,"find":"[^x]*?x|a","replace":"b"}}]}`

func TestAnInterruptedQuestionIsANo(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		dir, plan := folder(t, "n", small)
		p := begin(t, "run", "--vault", dir, plan)
		p.said("Make these changes?")
		p.signal(s)
		p.said("Nothing was changed.")
		if code := p.code(); code != 1 {
			t.Errorf("%v: exit %d", s, code)
		}
		if _, err := os.Stat(filepath.Join(dir, "New.md")); err == nil {
			t.Errorf("%v: the change was made", s)
		}
	}
}

func TestAToolThatComputesOnIsEndedBySignals(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		note := strings.Repeat("a", 4<<20)
		dir, plan := folder(t, note, endless)
		p := begin(t, "run", "--vault", dir, "--yes", plan)
		began(t, p)
		p.signal(s)
		if code := p.code(); code < 1 {
			t.Errorf("%v: exit %d", s, code)
		}
		if after, err := os.ReadFile(filepath.Join(dir, "Note.md")); err != nil || string(after) != note {
			t.Errorf("%v: the note is changed, %v", s, err)
		}
	}
}

// began waits until the program has computed for a while.
func began(t *testing.T, p *program) {
	t.Helper()
	for {
		stat, err := os.ReadFile("/proc/" + itoa(p.Process.Pid) + "/stat")
		if err != nil {
			t.Skip("the system has no /proc")
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 11 && len(fields[11]) > 2 { // utime: 100 ticks, a second
			return
		}
		if p.ProcessState != nil {
			t.Fatal("it has ended")
		}
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

func TestTheSecondInterruptEndsAtOnce(t *testing.T) {
	dir, _ := folder(t, "n", small)
	p := begin(t, "run", "--vault", dir, "-") // waits for its plan
	// More than a pipe holds: once it is written, the program reads.
	if _, err := io.WriteString(p.in, strings.Repeat(" ", 1<<20)); err != nil {
		t.Fatal(err)
	}
	p.signal(syscall.SIGINT)
	p.said("interrupt again")
	p.signal(syscall.SIGINT)
	if code := p.code(); code != 130 {
		t.Errorf("exit %d", code)
	}
}

func TestSignalsCancelThenEnd(t *testing.T) {
	for name, c := range map[string]struct {
		signals []os.Signal
		after   time.Duration
		code    int
	}{
		"two interrupts":              {[]os.Signal{os.Interrupt, os.Interrupt}, 0, 130},
		"an interrupt, then a stop":   {[]os.Signal{os.Interrupt, syscall.SIGTERM}, 0, 143},
		"a stop that is not followed": {[]os.Signal{syscall.SIGTERM}, lastCall, 143},
	} {
		synctest.Test(t, func(t *testing.T) {
			in, code := make(chan os.Signal, 2), make(chan int, 1)
			for _, s := range c.signals {
				in <- s
			}
			began, cancelled := time.Now(), false
			go heed(in, func() { cancelled = true }, terminal.To(io.Discard), func(n int) { code <- n })
			if got := <-code; got != c.code || !cancelled || time.Since(began) != c.after {
				t.Errorf("%s: exit %d after %v, cancelled %v", name, got, time.Since(began), cancelled)
			}
		})
	}
}
