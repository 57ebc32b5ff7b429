//go:build !js

// Package cli is the native command on a plain folder: run a plan, take a run
// back, verify its records, replay it. It is the same core over another host,
// so the same review, journal and guarantees.
package cli

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hostfs"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox/child"
	"embedded-agent/wasm/internal/server"
	"embedded-agent/wasm/internal/terminal"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// session is one command at work.
type session struct {
	out, err *terminal.Printer
	in       *bufio.Reader
	ctx      context.Context // of the command, for what the core asks by itself
	s        *server.Server
	store    host.Store
	folder   io.Closer // this program's place in the folder
	ended    chan protocol.RunState
	yes      bool      // --yes: to what it asks, within the limits
	toldAt   time.Time // when it was last said how far something is; of hear alone
}

// close ends the core, and gives up this program's place in the folder.
func (c *session) close() {
	c.s.Close()
	if err := c.folder.Close(); err != nil {
		c.err.Printf("embedded-agent: %s\n", err)
	}
}

// flags are shared by the commands.
type flags struct {
	set    *flag.FlagSet
	vault  string
	config protocol.Settings
	model  llm.Provider // where there is one: the command has no network
}

func newFlags(name, usage string, stderr io.Writer) *flags {
	f := &flags{set: flag.NewFlagSet(name, flag.ContinueOnError)}
	out := terminal.To(stderr)
	f.set.SetOutput(out)
	f.set.Usage = func() {
		out.Printf("Usage: embedded-agent %s\n", usage)
		f.set.PrintDefaults()
	}
	f.set.StringVar(&f.vault, "vault", ".", "the `folder` with the notes")
	f.set.BoolVar(&f.config.AllowDeletes, "allow-deletes", false, "let plans move notes to the trash")
	f.set.BoolVar(&f.config.AllowRenames, "allow-renames", true, "let plans rename and move notes")
	f.set.Var((*listFlag)(&f.config.DenyPatterns), "deny", "exclude this `path` or pattern, such as \"Private/**\": plans neither see nor change it; can be repeated")
	f.set.Var((*listFlag)(&f.config.AllowedRoots), "only", "limit plans to this `folder` or note; can be repeated")
	f.config.Confirm = "always"
	return f
}

// start opens the folder and the core over it.
func (f *flags) start(ctx context.Context, in io.Reader, out, stderr io.Writer) (*session, error) {
	h, err := hostfs.Open(f.vault)
	if err != nil {
		return nil, err
	}
	ports := h.Host()
	ports.Sandbox = child.New() // its child ends with this program
	return f.over(ctx, ports, h, in, out, stderr)
}

// over starts the core over a host; folder is closed when the session is.
func (f *flags) over(ctx context.Context, ports host.Host, folder io.Closer, in io.Reader, out, stderr io.Writer) (*session, error) {
	c := &session{
		out: terminal.To(out), err: terminal.To(stderr), in: bufio.NewReader(in), ctx: ctx,
		store: ports.Store, folder: folder, ended: make(chan protocol.RunState, 1),
	}
	var err error
	if c.s, err = server.New(server.Deps{Host: ports, Provider: f.model, Emit: c.hear}); err != nil {
		return nil, err
	}
	w, err := ask[protocol.Welcome](ctx, c, "hello", protocol.Hello{
		Contract: protocol.Contract, Settings: f.config, Platform: platformOf(ports.Platform),
	})
	if err != nil {
		return nil, err
	}
	for _, r := range w.State.Recoveries {
		c.say("%s\n", text(r.Text))
		c.sayCommand("  ", "revert", "--vault", f.vault, "--", r.Run)
	}
	return c, nil
}

// platformOf says where the core runs: as the folder's host knows it from the app's
// own settings there, and by this machine's clock.
func platformOf(p host.Platform) protocol.Platform {
	_, east := time.Now().Zone()
	return protocol.Platform{
		Name: p.Name, Language: p.Language, ConfigDir: p.ConfigDir, LinkFormat: p.LinkFormat, MarkdownLinks: p.MarkdownLinks,
		UTCOffsetMin: east / 60,
	}
}

// tellEvery is the least time between two lines that say how far something is.
const tellEvery = 2 * time.Second

func (c *session) hear(e protocol.Event) {
	if e.Type == protocol.EventQuestionOpened {
		go c.answer(c.ctx, *e.Question) // hear must not block
	}
	if e.Exec != nil && e.Exec.Progress != nil && time.Since(c.toldAt) >= tellEvery {
		c.toldAt = time.Now()
		c.err.Printf("%s\n", text(e.Exec.Progress.Text))
	}
	if e.Type == protocol.EventRunState && e.Run.State == "finished" {
		select {
		case c.ended <- *e.Run:
		default:
		}
	}
}

func (c *session) say(format string, args ...any) { c.out.Printf(format, args...) }

// sayCommand prints a command line as it can be typed.
func (c *session) sayCommand(before string, args ...string) {
	// Without the two dashes where nothing needs them: people read it.
	if n := len(args); n > 1 && args[n-2] == "--" && !strings.HasPrefix(args[n-1], "-") {
		args = append(args[:n-2:n-2], args[n-1])
	}
	line, ok := terminal.Command(append([]string{"embedded-agent"}, args...)...)
	if !ok {
		c.say("%sembedded-agent %s (it contains a name that cannot be typed)\n", before, args[0])
		return
	}
	c.out.Plain(before + line + "\n")
}

func text(m protocol.Message) string { return i18n.English(m.Key, m.Params) }

func problemText(p *protocol.Problem) string {
	t := i18n.English(p.Key, p.Params)
	if p.Step != "" {
		t = fmt.Sprintf("step %q (%s): %s", p.Step, p.Tool, t)
	}
	if p.Detail != "" {
		t += " (" + p.Detail + ")"
	}
	return t
}

func fail(stderr io.Writer, err error) int {
	terminal.To(stderr).Printf("embedded-agent: %s\n", err)
	return exitFailed
}

// Run executes a plan: it shows what would change, asks, and does it.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := newFlags("run", "run [flags] PLAN.json", stderr)
	yes := f.set.Bool("yes", false, "approve without asking")
	dry := f.set.Bool("dry-run", false, "only show what would change")
	diff := f.set.Bool("diff", true, "show the changed lines")
	whole := f.set.Bool("json", false, "print what the plan finds as JSON; the plan may only read")
	params := paramFlag{}
	f.set.Var(params, "param", "set a parameter of the plan, `name=value`; can be repeated")
	if f.set.Parse(args) != nil || f.set.NArg() != 1 {
		f.set.Usage()
		return exitUsage
	}
	raw, err := readInput(f.set.Arg(0), maxPlan)
	if err != nil {
		return fail(stderr, err)
	}
	said := stdout
	if *whole { // what is said beside the JSON is no part of it
		said = stderr
	}
	c, err := f.start(ctx, os.Stdin, said, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	defer c.close()
	c.yes = *yes
	return c.run(ctx, raw, params, wishes{yes: *yes, dry: *dry, diff: *diff, json: jsonTo(stdout, *whole)})
}

// wishes are the flags of a run.
type wishes struct {
	yes, dry, diff bool
	json           *terminal.Printer // takes the findings as JSON; nil for words
}

// run simulates a plan, shows it, asks, and makes it.
func (c *session) run(ctx context.Context, raw []byte, params map[string]any, w wishes) int {
	r, err := c.s.OpenPlan(ctx, raw, params, w.dry)
	if err != nil {
		return fail(c.err, err)
	}
	if w.json != nil {
		return c.printFindings(w.json, r)
	}
	if err := c.show(ctx, r, w.diff); err != nil {
		return fail(c.err, err)
	}
	switch {
	case r.Problem != nil && r.Stopped:
		return fail(c.err, errors.New(problemText(r.Problem)))
	case w.dry, r.Findings != nil && r.Findings.Done: // nothing is left to do
		return exitOK
	case !w.yes && !c.confirm(ctx, "Make these changes? [y/N] "):
		c.say("Nothing was changed.\n")
		return exitFailed
	}
	return c.approve(ctx, r, w.yes)
}

// listFlag is a flag that may be given again, each time with one more text.
type listFlag []string

func (l *listFlag) String() string { return strings.Join(*l, " ") }

func (l *listFlag) Set(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("it is empty")
	}
	*l = append(*l, s)
	return nil
}

type paramFlag map[string]any

func (p paramFlag) String() string { return "" }

func (p paramFlag) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("%q is not name=value", s)
	}
	p[name] = value
	return nil
}

// maxPlan bounds the plan that is read.
const maxPlan = 8 << 20

// readInput reads a file, or the input for "-", and refuses more than so many
// bytes.
func readInput(path string, most int64) ([]byte, error) {
	in := io.Reader(os.Stdin)
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	b, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s is larger than %d MB", path, most>>20)
	}
	return b, err
}

// confirm asks a question; whoever interrupts it says no.
func (c *session) confirm(ctx context.Context, prompt string) bool {
	c.say("%s", prompt)
	said := make(chan string, 1)
	go func() { // a read of a terminal cannot be cancelled; the program ends beside it
		line, err := c.in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			line = ""
		}
		said <- line
	}()
	select {
	case line := <-said:
		answer := strings.ToLower(strings.TrimSpace(line))
		return answer == "y" || answer == "yes"
	case <-ctx.Done():
		c.say("\n")
		return false
	}
}

// approve makes the changes and waits for the end; an interrupt cancels the
// run, and what was done is journaled.
func (c *session) approve(ctx context.Context, r *protocol.Review, automatic bool) int {
	if _, err := ask[protocol.RunRef](ctx, c, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval, Automatic: automatic}); err != nil {
		return fail(c.err, err)
	}
	var end protocol.RunState
	select {
	case end = <-c.ended:
	case <-ctx.Done():
		if _, err := ask[protocol.Empty](context.WithoutCancel(ctx), c, "stop", protocol.Stop{}); err != nil {
			return fail(c.err, err)
		}
		end = <-c.ended
	}
	c.say("%s\n", text(end.Text))
	for _, l := range end.Summary {
		c.say("  %s\n", text(l.Text))
	}
	for _, l := range end.LeftOut { // by name in the review above
		c.say("  ! %s\n", leftOutText(l))
	}
	if end.Can.Revert {
		c.sayCommand("To undo it: ", "revert", "--", end.Run)
	}
	if end.Problem != nil {
		return fail(c.err, errors.New(problemText(end.Problem)))
	}
	if end.Outcome != "ok" {
		return exitFailed
	}
	return exitOK
}
