package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	"golang.org/x/text/unicode/norm"
)

// openTerminal makes a terminal: the end that a person types on and reads, and the end
// that a program has.
func openTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "terminal"), program
}

// screen gathers what a terminal shows.
type screen struct {
	mu   sync.Mutex
	cond *sync.Cond
	text bytes.Buffer
	end  bool
}

func watch(r io.Reader) *screen {
	s := &screen{}
	s.cond = sync.NewCond(&s.mu)
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := r.Read(buf)
			s.mu.Lock()
			s.text.Write(buf[:n])
			s.end = err != nil
			s.cond.Broadcast()
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// shows waits until the terminal has shown a text.
func (s *screen) shows(t *testing.T, what string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !strings.Contains(s.text.String(), what) {
		if s.end {
			t.Fatalf("the terminal never showed %q:\n%s", what, s.text.String())
		}
		s.cond.Wait()
	}
}

func TestAStagedCommandHasTheTerminalAndThenTheQuestion(t *testing.T) {
	dir, _ := vault(t, 3)
	person, program := openTerminal(t)
	defer person.Close()
	script := `test -t 0 && test -t 1 && test -t 2 || exit 9; echo typing; read line; echo "$line" >> List.md; stty -a >/dev/null || exit 8; kill -TSTP $$; echo awake`
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), asCommand+"="+strings.Join([]string{"stage", "-vault", dir, "--", "sh", "-c", script}, "\n"))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := program.Close(); err != nil {
		t.Fatal(err)
	}
	s := watch(person)
	s.shows(t, "typing")
	if _, err := io.WriteString(person, "by hand\n"); err != nil {
		t.Fatal(err)
	}
	s.shows(t, "awake") // nothing else could have woken it
	s.shows(t, "Make these changes?")
	if _, err := io.WriteString(person, "y\n"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("want no error, got %v\n%s", err, s.text.String())
	}
	if list, err := os.ReadFile(filepath.Join(dir, "List.md")); err != nil || !strings.HasSuffix(string(list), "by hand\n") {
		t.Errorf("List.md is %q (%v)", list, err)
	}
}

func TestNamesThatDifferInCaseOrFormAndNamesThatNoSystemTakes(t *testing.T) {
	dir, _ := vault(t, 3)
	nfc, nfd := norm.NFC.String("é.md"), norm.NFD.String("é.md")
	for _, name := range []string{"note.md", nfc} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text of "+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := folder(t, dir)
	code, out := staged(t, dir, []string{"-yes"}, "sh", "-c", `mv note.md Note.md; mv "$0" "$1"; echo x > CON.md; echo x > "a:b.md"; echo x > "$(printf 'bad\377.md')"; echo x > "dot."; echo x > list.md`, nfc, nfd)
	if code != exitOK {
		t.Fatalf("status %d\n%s", code, out)
	}
	for name, there := range map[string]bool{"note.md": false, "Note.md": true, nfc: false, nfd: true, "CON.md": false, "a:b.md": false, "dot.": false, "bad\xff.md": false, "list.md": false} {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%q: there is %v, want %v", name, err == nil, there)
		}
	}
	for _, name := range []string{"CON.md", "a:b.md", "dot.", "bad", "list.md"} {
		if !strings.Contains(out, name) {
			t.Errorf("%s is not named:\n%s", name, out)
		}
	}
	var o, e bytes.Buffer
	if code := Revert(t.Context(), []string{"-vault", dir, "-yes"}, &o, &e); code != exitOK {
		t.Fatalf("revert: %d %s%s", code, o.String(), e.String())
	}
	if after := folder(t, dir); after != before {
		t.Errorf("taken back, the notes are not what they were:\n%s", diffLines(before, after))
	}
}
