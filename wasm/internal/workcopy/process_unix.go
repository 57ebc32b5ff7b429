//go:build linux || darwin

package workcopy

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts a command below a helper of its own: this program once more (inside_unix.go),
// which confines itself, leads the process group, and ends it when this process dies.
func (c *Copy) start(cmd Command) (*process, Confinement, error) {
	var why error
	if how := confinement(); how != Unconfined {
		p, err := c.startAs(cmd, how, nil)
		if err == nil || !errors.Is(err, ErrUnconfined) {
			return p, how, err
		}
		why = err
	} else {
		why = ErrUnconfined
	}
	if cmd.Confine == OrFail {
		return nil, Unconfined, why
	}
	p, err := c.startAs(cmd, Unconfined, why)
	return p, Unconfined, err
}

// startAs starts the helper, has it confine itself, says so, and lets it begin.
func (c *Copy) startAs(cmd Command, how Confinement, why error) (_ *process, err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, cannotRun(cmd.Args[0], err)
	}
	task, err := json.Marshal(task{Args: c.argsFor(cmd.Args, how), How: how, Notes: c.Notes(), Vault: c.opts.Vault, Hide: c.dir})
	if err != nil {
		return nil, err
	}
	lifeRead, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	report, reportWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, lifeRead.Close(), life.Close())
	}
	defer report.Close()
	h := exec.Command(exe, insideArg, string(task))
	h.Stdin, h.Stdout, h.Stderr = cmd.In, cmd.Out, cmd.Err
	h.ExtraFiles = []*os.File{lifeRead, reportWrite}
	h.Dir = "/"
	h.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p := &process{cmd: h, life: life, restore: foreground(h.SysProcAttr, cmd.In)}
	if how == Namespace {
		namespaces(h.SysProcAttr)
	}
	err = h.Start()
	err = errors.Join(err, lifeRead.Close(), reportWrite.Close())
	if err != nil {
		p.close()
		if how != Unconfined {
			return nil, fmt.Errorf("%w: %w", ErrUnconfined, err)
		}
		return nil, cannotRun(cmd.Args[0], err)
	}
	if err := p.handshake(cmd, how, why, bufio.NewReader(report)); err != nil {
		p.killGroup()
		_ = p.wait() // the reason is known already
		p.close()
		return nil, err
	}
	return p, nil
}

// handshake hears whether the helper is confined, lets it begin, and hears whether the
// command has started.
func (p *process) handshake(cmd Command, how Confinement, why error, report *bufio.Reader) error {
	line, err := report.ReadString('\n')
	if line = strings.TrimSuffix(line, "\n"); err != nil || line != ready {
		return fmt.Errorf("%w: %s", ErrUnconfined, line)
	}
	if cmd.Said != nil {
		cmd.Said(how, why)
	}
	if _, err := p.life.Write([]byte{1}); err != nil {
		return cannotRun(cmd.Args[0], err)
	}
	if line, err = report.ReadString('\n'); err == nil {
		return cannotRun(cmd.Args[0], errors.New(strings.TrimSuffix(line, "\n")))
	}
	return nil // the report was closed: it runs
}

// foreground gives the terminal to a process that is to be started, where this one has
// it, and gives the way to take it back.
func foreground(attr *syscall.SysProcAttr, in *os.File) func() {
	fd := int(in.Fd())
	own, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	if err != nil || own != unix.Getpgrp() {
		return func() {} // no terminal, or another's
	}
	attr.Foreground, attr.Ctty = true, fd
	return func() {
		signal.Ignore(syscall.SIGTTOU) // whoever is in the background is stopped for asking
		defer signal.Reset(syscall.SIGTTOU)
		_ = unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, own) // the terminal may be gone
	}
}

// ask asks the command, and what it has started, to end.
func (p *process) ask() { p.signal(syscall.SIGTERM) }

// killGroup ends the command, and what it has started in its process group. In a
// namespace all goes with the helper.
func (p *process) killGroup() { p.signal(syscall.SIGKILL) }

func (p *process) signal(s syscall.Signal) {
	_ = syscall.Kill(-p.cmd.Process.Pid, s) // nobody is left, where it fails
}

func statusOf(st *os.ProcessState) int {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return st.ExitCode()
}

// freeOf says how much room the disk has; false where it does not tell.
func freeOf(dir string) (Limit, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return Limit{}, false
	}
	return Limit{Bytes: int64(st.Bavail) * int64(st.Bsize), Files: int64(st.Ffree)}, true
}
