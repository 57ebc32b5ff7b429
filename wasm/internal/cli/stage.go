//go:build !js

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/server"
	"embedded-agent/wasm/internal/terminal"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/workcopy"
)

// What a working copy may take where no flag says otherwise.
const (
	limitMB    = 4096
	limitFiles = 1_000_000
)

// stageFlags are the flags of a staged command.
type stageFlags struct {
	*flags
	yes, diff, json, keep    bool
	resume, discard, confine bool
	timeout                  time.Duration
	megabytes, files         int64
}

func newStageFlags(stderr io.Writer) *stageFlags {
	f := &stageFlags{flags: newFlags("stage", "stage [flags] -- COMMAND [ARGS…]", stderr)}
	f.set.BoolVar(&f.yes, "yes", false, "make the changes without asking, if the command ends with status 0")
	f.set.BoolVar(&f.diff, "diff", true, "show the changed lines")
	f.set.BoolVar(&f.json, "json", false, "print what the command changed as JSON; without -yes nothing is changed")
	f.set.BoolVar(&f.keep, "keep", false, "keep the working copy, so that the next command starts sooner")
	f.set.BoolVar(&f.resume, "resume", false, "show the changes that an earlier command left in its working copy")
	f.set.BoolVar(&f.discard, "discard", false, "remove the working copies of these notes, with all that is in them")
	f.set.BoolVar(&f.confine, "confined", false, "do not run the command where the system cannot keep it from the notes themselves")
	f.set.DurationVar(&f.timeout, "timeout", 0, "end the command after this `time`, such as 30m")
	f.set.Int64Var(&f.megabytes, "limit", limitMB, "end the command when its working copy takes more than so many `megabytes`")
	f.set.Int64Var(&f.files, "limit-files", limitFiles, "end the command when its working copy has more than so `many` files and folders")
	return f
}

// fits says whether the flags and the command go together.
func (f *stageFlags) fits() bool {
	if f.resume || f.discard {
		return f.set.NArg() == 0 && f.resume != f.discard
	}
	return f.set.NArg() > 0
}

// staging is one staged command.
type staging struct {
	*session
	f      *stageFlags
	report stagedReport
	json   *terminal.Printer // nil for words
	copy   *workcopy.Copy
}

// stagedReport is printed by -json.
type stagedReport struct {
	Command     string                `json:"command"`
	Status      int                   `json:"status"`
	Ending      workcopy.Ending       `json:"ending"`
	Confinement workcopy.Confinement  `json:"confinement,omitempty"`
	Run         string                `json:"run,omitempty"`
	Outcome     string                `json:"outcome,omitempty"`
	Files       []protocol.FileChange `json:"files"`
	LeftOut     []protocol.LeftOut    `json:"leftOut"`
	Copy        string                `json:"copy,omitempty"` // where it is kept
}

// Stage runs a command in a working copy, shows what it changed, asks, and makes the
// changes.
func Stage(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := newStageFlags(stderr)
	if f.set.Parse(args) != nil || !f.fits() {
		f.set.Usage()
		return exitUsage
	}
	said := stdout
	if f.json { // what is said beside the JSON is no part of it
		said = stderr
	}
	c, err := f.start(ctx, os.Stdin, said, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	defer c.close()
	s := &staging{session: c, f: f, json: jsonTo(stdout, f.json)}
	s.report.Command = commandLine(f.set.Args())
	code, err := s.do(ctx)
	if s.copy != nil { // nothing has ended it: it stays for -resume
		err = errors.Join(err, s.copy.Keep())
	}
	if err != nil {
		return fail(stderr, err)
	}
	return code
}

// commandLine writes a command as it can be typed.
func commandLine(args []string) string {
	if line, ok := terminal.Command(args...); ok {
		return line
	}
	return strings.Join(args, " ")
}

func (s *staging) do(ctx context.Context) (int, error) {
	root, err := workcopy.Root(s.f.vault)
	if err != nil {
		return exitFailed, err
	}
	may, err := s.s.Sight(ctx)
	if err != nil {
		return exitFailed, err
	}
	o := workcopy.Options{
		Vault: root, MaySee: may, Command: s.report.Command,
		Limit: workcopy.Limit{Bytes: s.f.megabytes << 20, Files: s.f.files},
	}
	left, err := s.found(root)
	switch {
	case err != nil:
		return exitFailed, err
	case s.f.discard:
		return s.discard(left)
	case s.f.resume:
		return s.resume(ctx, left, o)
	}
	if s.copy, err = s.prepare(left, o); err != nil {
		return exitFailed, tooLarge(err, s.f)
	}
	return s.runStaged(ctx)
}

// found lists the copies that nobody works with. Those that were not made to their end
// hold nothing, and are removed.
func (s *staging) found(root string) ([]workcopy.Left, error) {
	all, err := workcopy.FindLeft("", root)
	if err != nil {
		return nil, err
	}
	var left []workcopy.Left
	for _, l := range all {
		if l.Whole {
			left = append(left, l)
		} else if err := l.Remove(); err != nil {
			return nil, err
		}
	}
	return left, nil
}

func (s *staging) discard(left []workcopy.Left) (int, error) {
	for _, l := range left {
		if err := l.Remove(); err != nil {
			return exitFailed, err
		}
		s.say("Removed the working copy of %s.\n", l.Command)
	}
	if len(left) == 0 {
		s.say("These notes have no working copy.\n")
	}
	return exitOK, nil
}

// resume shows the changes of the newest copy that nobody has decided about, else of the
// newest there is.
func (s *staging) resume(ctx context.Context, left []workcopy.Left, o workcopy.Options) (int, error) {
	if len(left) == 0 {
		return exitFailed, errors.New("these notes have no working copy; run a command first")
	}
	of := left[len(left)-1]
	for _, l := range left {
		if !l.Done {
			of = l
		}
	}
	var err error
	o.Command = of.Command
	if s.copy, err = of.Open(o); err != nil {
		return exitFailed, err
	}
	s.report.Command = of.Command
	return s.review(ctx, true)
}

// prepare gives the copy that the command is to run in: one that was kept, brought up
// to date, or a new one.
func (s *staging) prepare(left []workcopy.Left, o workcopy.Options) (*workcopy.Copy, error) {
	for _, l := range left {
		if !l.Done {
			s.say("“%s” left a working copy at %s that nobody has decided about.\n", l.Command, timestamp.Milli(l.Began))
			s.sayCommand("  To see its changes: ", "stage", "--vault", s.f.vault, "-resume")
			s.sayCommand("  To remove it: ", "stage", "--vault", s.f.vault, "-discard")
			continue
		}
		c, err := l.Open(o)
		if err == nil {
			if _, err = c.Refresh(); err == nil {
				return c, nil
			}
			err = c.Keep()
		}
		if err = errors.Join(err, l.Remove()); err != nil { // it cannot be used
			return nil, err
		}
	}
	return workcopy.Make(o)
}

// runStaged runs the command, tells how it ended, and shows what it changed.
func (s *staging) runStaged(ctx context.Context) (int, error) {
	cmd := workcopy.Command{Args: s.f.set.Args(), Timeout: s.f.timeout, Said: s.tellConfinement, ErrAlone: s.f.json}
	if s.f.confine {
		cmd.Confine = workcopy.OrFail
	}
	ended, err := s.copy.Run(ctx, cmd)
	if err != nil {
		return exitFailed, errors.Join(err, s.end(false))
	}
	s.report.Status, s.report.Ending, s.report.Confinement = ended.Status, ended.Ending, ended.Confinement
	switch ended.Ending {
	case workcopy.OverLimit:
		return exitFailed, errors.Join(tooLarge(workcopy.ErrTooLarge, s.f), s.end(false))
	case workcopy.Cancelled:
		s.say("The command was interrupted. Nothing was changed.\n")
		s.tellKept()
		return exitFailed, nil
	case workcopy.TimedOut:
		s.err.Printf("The command took longer than %s, and was ended.\n", s.f.timeout)
	case workcopy.Exited:
		if ended.Status != 0 {
			s.err.Printf("The command ended with exit status %d.\n", ended.Status)
		}
	}
	return s.review(ctx, ended.Ending == workcopy.Exited && ended.Status == 0)
}

func (s *staging) tellConfinement(how workcopy.Confinement, why error) {
	if how == workcopy.Unconfined {
		s.err.Printf("The command works in a copy, but this system does not keep it from opening the notes themselves: %s\n", why)
	}
}

// review shows what is in the copy, asks, and makes the changes. A command that did not
// end well is never approved without the question.
func (s *staging) review(ctx context.Context, well bool) (int, error) {
	out, err := s.copy.Compare()
	if err != nil {
		return exitFailed, tooLarge(err, s.f)
	}
	code := exitOK
	if !well {
		code = exitFailed
	}
	if len(out.Changes)+len(out.Odd)+len(out.Hidden)+len(out.Kept) == 0 {
		s.say("The command changed nothing.\n")
		return code, errors.Join(s.print(), s.end(s.f.keep))
	}
	r, err := s.s.OpenStaged(ctx, server.StagedWork{Command: s.report.Command, Changes: out.Changes, Odd: out.Odd, Hidden: out.Hidden, Kept: out.Kept})
	if err != nil {
		return exitFailed, err
	}
	s.report.Files = r.Files
	for _, st := range r.Steps {
		if st.LeftOut != nil {
			s.report.LeftOut = append(s.report.LeftOut, *st.LeftOut)
		}
	}
	if s.json == nil {
		if err := s.show(ctx, r, s.f.diff); err != nil {
			return exitFailed, err
		}
	}
	switch {
	case !r.Approvable:
		s.say("There is nothing to approve.\n")
		return code, errors.Join(s.decline(), s.print())
	case s.f.yes && !well:
		s.say("The command did not end well, so -yes makes no changes.\n")
		s.tellKept()
		return exitFailed, s.print()
	case s.f.json && !s.f.yes, !s.f.yes && !s.confirm(ctx, "Make these changes? [y/N] "):
		s.say("Nothing was changed.\n")
		return exitFailed, errors.Join(s.decline(), s.print())
	}
	return s.make(ctx, r, code)
}

// make makes the changes that were approved, and ends the copy.
func (s *staging) make(ctx context.Context, r *protocol.Review, code int) (int, error) {
	s.report.Run = r.Run
	if made := s.approve(ctx, r, s.f.yes); made != exitOK {
		s.report.Outcome = string(protocol.OutcomeFailed)
		s.tellKept()
		return made, s.print()
	}
	s.report.Outcome = string(protocol.OutcomeOK)
	if len(s.report.LeftOut) > 0 { // it has more than the notes have now
		return code, errors.Join(s.decline(), s.print())
	}
	return code, errors.Join(s.end(s.f.keep), s.print())
}

// decline keeps the copy for -resume, until another command starts from it.
func (s *staging) decline() error {
	err := s.copy.Done()
	s.say("The working copy stays as it is until the next command starts from it.\n")
	s.tellKept()
	return err
}

func (s *staging) tellKept() {
	s.report.Copy = s.copy.Notes()
	s.sayCommand("  To see its changes again: ", "stage", "--vault", s.f.vault, "-resume")
	s.sayCommand("  To remove it: ", "stage", "--vault", s.f.vault, "-discard")
}

// end ends the copy: keep leaves it for the next command.
func (s *staging) end(keep bool) error {
	c := s.copy
	s.copy = nil
	if keep {
		return errors.Join(c.Done(), c.Keep())
	}
	return c.Remove()
}

func (s *staging) print() error {
	if s.json == nil {
		return nil
	}
	if s.report.Files == nil {
		s.report.Files = []protocol.FileChange{}
	}
	if s.report.LeftOut == nil {
		s.report.LeftOut = []protocol.LeftOut{}
	}
	return s.json.JSON(s.report)
}

// tooLarge says which flag lets a copy grow.
func tooLarge(err error, f *stageFlags) error {
	switch {
	case errors.Is(err, workcopy.ErrTooLarge):
		return fmt.Errorf("the working copy takes more than %d MB or %d files and folders; -limit and -limit-files allow more. Nothing was changed", f.megabytes, f.files)
	case errors.Is(err, workcopy.ErrTooMuch):
		return fmt.Errorf("the command changed more than %d MB, which is more than one run can hold. Nothing was changed; the working copy is kept", workcopy.MaxChanged>>20)
	}
	return err
}
