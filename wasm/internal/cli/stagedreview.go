//go:build !js

package cli

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"

	"embedded-agent/wasm/internal/fault"
)

// given lists the flags of the notes as they were given, so that another command can
// be told with them.
func (f *flags) given() []string {
	out := []string{"--vault", f.vault}
	f.set.Visit(func(x *flag.Flag) {
		switch x.Name {
		case "deny", "only":
			list := f.config.DenyPatterns
			if x.Name == "only" {
				list = f.config.AllowedRoots
			}
			for _, p := range list {
				out = append(out, "--"+x.Name, p)
			}
		case "allow-deletes", "allow-renames":
			out = append(out, "--"+x.Name+"="+x.Value.String())
		}
	})
	return out
}

// Review shows what agents have staged, asks the person at the terminal, and makes the
// changes. There is no flag that answers for them.
func Review(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	st, err := os.Stdin.Stat()
	if err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return reviewStaged(ctx, args, nil, stdout, stderr)
	}
	return reviewStaged(ctx, args, os.Stdin, stdout, stderr)
}

// reviewStaged is Review with who answers; nil for nobody.
func reviewStaged(ctx context.Context, args []string, person io.Reader, stdout, stderr io.Writer) int {
	f := newFlags("review", "review [flags]", stderr)
	diff := f.set.Bool("diff", true, "show the changed lines")
	discard := f.set.Bool("discard", false, "remove what is staged, without making the changes")
	if f.set.Parse(args) != nil || f.set.NArg() > 0 {
		f.set.Usage()
		return exitUsage
	}
	in := person
	if in == nil {
		in = eof{}
	}
	c, err := f.start(ctx, in, stdout, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	defer c.close()
	calls, err := c.waiting()
	if err != nil {
		return fail(stderr, err)
	}
	r, err := calls.Open(ctx)
	if fault.Is(err, fault.Precondition) && fault.From(err).Key == "staged.nothing" {
		c.say("%s\n", err)
		return exitOK
	}
	if err != nil {
		return fail(stderr, err)
	}
	if err := c.show(ctx, r, *diff); err != nil {
		return fail(stderr, err)
	}
	switch {
	case person == nil:
		return fail(stderr, errors.New("the answer has to come from a terminal. Nothing was changed"))
	case *discard && !c.confirm(ctx, "Remove all of it? [y/N] "):
		c.say("It stays staged.\n")
		return exitFailed
	case *discard:
		n, err := calls.Discard(ctx)
		if err != nil {
			return fail(stderr, err)
		}
		c.say("Removed what %d calls had staged.\n", n)
		return exitOK
	case !r.Approvable:
		c.say("There is nothing to approve.\n")
		return exitFailed
	case !c.confirm(ctx, "Make these changes? [y/N] "):
		c.say("Nothing was changed. It stays staged.\n")
		c.sayCommand("  To remove it: ", append([]string{"review"}, append(f.given(), "-discard")...)...)
		return exitFailed
	}
	return c.approve(ctx, r, false)
}

// eof is an input at its end.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }
