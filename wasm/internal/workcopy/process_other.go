//go:build !js && !linux && !darwin

package workcopy

import (
	"errors"
	"os"
	"os/exec"
)

// Main does nothing here: a command runs without a helper.
func Main() {}

// start starts a command in the copy. This system keeps no command from the notes, and
// what the command has started may outlive it.
func (c *Copy) start(cmd Command) (*process, Confinement, error) {
	if cmd.Confine == OrFail {
		return nil, Unconfined, ErrUnconfined
	}
	if cmd.Said != nil {
		cmd.Said(Unconfined, ErrUnconfined)
	}
	p := &process{cmd: exec.Command(cmd.Args[0], cmd.Args[1:]...), restore: func() {}}
	p.cmd.Dir = c.Notes()
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = cmd.In, cmd.Out, cmd.Err
	if err := p.cmd.Start(); err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, Unconfined, cannotRun(cmd.Args[0], err)
	}
	return p, Unconfined, nil
}

func (p *process) ask() { p.killGroup() }

func (p *process) killGroup() {
	_ = p.cmd.Process.Kill() // it has ended, where it fails
}

func statusOf(st *os.ProcessState) int { return st.ExitCode() }

func freeOf(string) (Limit, bool) { return Limit{}, false }
