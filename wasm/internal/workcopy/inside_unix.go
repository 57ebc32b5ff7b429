//go:build linux || darwin

package workcopy

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
)

// insideArg starts this program as the helper that a command runs below.
const insideArg = "stage-inside"

// ready is the line that the helper reports when it is as confined as it was asked to be.
const ready = "ready"

// task tells the helper what to start, and how.
type task struct {
	Args  []string
	How   Confinement
	Notes string // the copy
	Vault string
	Hide  string // the folder of the copy, which the command need not see
}

// The exit statuses of the helper where the command has none, as a shell has them.
const (
	notFound = 127
	helperOf = 125
)

// Main is the helper, where this process was started as one, and does not return then.
// A program that calls Run calls this first.
func Main() {
	if len(os.Args) != 3 || os.Args[1] != insideArg {
		return
	}
	os.Exit(beInside(os.Args[2], os.NewFile(3, "life"), os.NewFile(4, "report")))
}

func beInside(told string, life, report *os.File) int {
	syscall.CloseOnExec(int(life.Fd()))
	syscall.CloseOnExec(int(report.Fd()))
	// What the terminal tells the group is for the command. Ignoring it would be handed on.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTSTP)
	runtime.LockOSThread()                                                // rights belong to a thread, and are handed on by it
	say := func(line string) { _, _ = io.WriteString(report, line+"\n") } // nobody listens, where it fails
	var t task
	if err := json.Unmarshal([]byte(told), &t); err != nil {
		say(err.Error())
		return helperOf
	}
	dir := t.Notes
	if t.How == Namespace {
		if err := confine(t); err != nil {
			say(err.Error())
			return helperOf
		}
		dir = t.Vault
	}
	say(ready)
	if _, err := life.Read(make([]byte, 1)); err != nil {
		return helperOf
	}
	pid, err := launch(t, dir)
	if err != nil {
		say(err.Error())
		return notFound
	}
	_ = report.Close() // which says that it runs
	go func() {
		_, _ = life.Read(make([]byte, 1)) // it ends with the process that holds the other end
		_ = syscall.Kill(0, syscall.SIGKILL)
		os.Exit(helperOf)
	}()
	return reap(pid)
}

// launch starts the command in its folder.
func launch(t task, dir string) (int, error) {
	if err := os.Chdir(dir); err != nil {
		return 0, err
	}
	if err := os.Setenv("PWD", dir); err != nil {
		return 0, err
	}
	path, err := exec.LookPath(t.Args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return 0, err
	}
	if t.How == Namespace {
		if err := giveUpRights(); err != nil {
			return 0, err
		}
	}
	return syscall.ForkExec(path, t.Args, &syscall.ProcAttr{Dir: dir, Env: os.Environ(), Files: []uintptr{0, 1, 2}})
}

// reap waits for the command, and for whatever was left to this process. A command that
// was stopped by the terminal goes on: nobody else could wake it.
func reap(pid int) int {
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(-1, &ws, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return helperOf
		case ws.Stopped():
			_ = syscall.Kill(got, syscall.SIGCONT)
		case got != pid:
		case ws.Signaled():
			return 128 + int(ws.Signal())
		default:
			return ws.ExitStatus()
		}
	}
}
