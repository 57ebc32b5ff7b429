//go:build !js

package workcopy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Command is a command that runs in a copy.
type Command struct {
	Args []string // the program, and what it is called with
	// In, Out and Err are its own: nil is the one of this process.
	In, Out, Err *os.File
	// ErrAlone sends what it prints to this process's errors, too.
	ErrAlone bool
	// Timeout ends it; 0 waits as long as it takes.
	Timeout time.Duration
	// Confine keeps it from the notes themselves: see Confinement.
	Confine Confine
	// Said is called before the command begins, with how it is kept from the notes;
	// why is the reason for which it is not.
	Said func(c Confinement, why error)
}

// Confine says whether a command is kept from the notes.
type Confine int

// The ways to confine. The zero value does it where the system can.
const (
	WhereItCan Confine = iota
	OrFail             // and does not run it where the system cannot
)

// Confinement says how a command is kept from the notes themselves.
type Confinement string

// The confinements.
const (
	// Namespace: the copy lies in the place of the notes, for the command and all
	// that it starts, and the notes have no name there (Linux).
	Namespace Confinement = "namespace"
	// Sandbox: the system refuses to open what lies in the folder with the notes
	// (macOS).
	Sandbox Confinement = "sandbox"
	// Unconfined: the command could open the notes by their path.
	Unconfined Confinement = "none"
)

// Ending says why a command ended.
type Ending string

// The endings.
const (
	Exited    Ending = "exited"    // by itself, or killed by somebody else
	TimedOut  Ending = "timeout"   // it took longer than its timeout
	Cancelled Ending = "cancelled" // the context has ended
	OverLimit Ending = "limit"     // the copy grew over its limit
)

// Ended tells how a command ended. Status is its exit status, 128 and the number of
// the signal where one ended it.
type Ended struct {
	Ending      Ending
	Status      int
	Confinement Confinement
}

// ErrUnconfined says that the system cannot keep a command from the notes.
var ErrUnconfined = errors.New("this system cannot keep a command from the notes")

// errNotStarted says that there is no such command, or that it cannot be run.
var errNotStarted = errors.New("the command could not be started")

// grace is how long a command has to end by itself once it was asked to.
const grace = 3 * time.Second

// Run runs a command in the copy, and returns when it and all that it started in its
// process group have ended. An error says that it did not run.
func (c *Copy) Run(ctx context.Context, cmd Command) (Ended, error) {
	if len(cmd.Args) == 0 {
		return Ended{}, errNotStarted
	}
	for _, f := range []struct {
		to  **os.File
		own *os.File
	}{{&cmd.In, os.Stdin}, {&cmd.Out, os.Stdout}, {&cmd.Err, os.Stderr}} {
		if *f.to == nil {
			*f.to = f.own
		}
	}
	if cmd.ErrAlone {
		cmd.Out = cmd.Err
	}
	p, how, err := c.start(cmd)
	if err != nil {
		return Ended{}, err
	}
	defer p.close()
	over := c.watch()
	defer over.stop()
	var late <-chan time.Time
	if cmd.Timeout > 0 {
		t := time.NewTimer(cmd.Timeout)
		defer t.Stop()
		late = t.C
	}
	ended := make(chan error, 1)
	go func() { ended <- p.wait() }()
	out := Ended{Ending: Exited, Confinement: how}
	select {
	case err = <-ended:
		out.Status, err = status(err)
		p.killGroup()
		if err == nil && over.is() {
			out.Ending = OverLimit
		}
		return out, err
	case <-late:
		out.Ending = TimedOut
	case <-ctx.Done():
		out.Ending = Cancelled
	case <-over.over:
		out.Ending = OverLimit
	}
	if out.Ending != OverLimit { // what floods the disk is not given time
		p.ask()
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case err = <-ended:
			out.Status, err = status(err)
			p.killGroup()
			return out, err
		case <-t.C:
		}
	}
	p.killGroup()
	out.Status, err = status(<-ended)
	return out, err
}

// status gives the exit status of a process that was waited for.
func status(err error) (int, error) {
	if err == nil {
		return 0, nil
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, err
	}
	return statusOf(exit.ProcessState), nil
}

// process is a command under way.
type process struct {
	cmd     *exec.Cmd
	life    *os.File // while this is open, the command may live
	restore func()   // gives the terminal back
}

func (p *process) wait() error { return p.cmd.Wait() }

func (p *process) close() {
	if p.life != nil {
		_ = p.life.Close() // it may be closed already
	}
	p.restore()
}

// cannotRun wraps the reason for which a command did not start.
func cannotRun(name string, err error) error {
	return fmt.Errorf("%w: %s: %w", errNotStarted, name, err)
}
