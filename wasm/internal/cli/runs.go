//go:build !js

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/protocol"
)

// ask calls a method of the core.
func ask[R any](ctx context.Context, c *session, method string, params any) (R, error) {
	var r R
	b, err := json.Marshal(params)
	if err != nil {
		return r, err
	}
	out, err := c.s.Handle(ctx, method, b)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

// past opens a folder for a command on one past run: the one named, or the
// last.
func past(ctx context.Context, name string, f *flags, args []string, stdout, stderr io.Writer) (*session, string, int) {
	if f.set.Parse(args) != nil || f.set.NArg() > 1 {
		f.set.Usage()
		return nil, "", exitUsage
	}
	return named(ctx, name, f, stdout, stderr)
}

// named opens a folder for a command on the run that its flags name, or the last.
func named(ctx context.Context, name string, f *flags, stdout, stderr io.Writer) (*session, string, int) {
	c, err := f.start(ctx, os.Stdin, stdout, stderr)
	if err != nil {
		return nil, "", fail(stderr, err)
	}
	if id := f.set.Arg(0); id != "" {
		return c, id, exitOK
	}
	runs, err := ask[protocol.Runs](ctx, c, "runs.list", protocol.RunsQuery{Limit: 50})
	if err != nil {
		c.close()
		return nil, "", fail(stderr, err)
	}
	// A run that was put there by somebody else is not the last one of this
	// device; where there is no other it is shown.
	for _, ours := range []bool{true, false} {
		for _, r := range runs.Runs {
			if (r.Kind == protocol.KindRun || r.Kind == protocol.KindStaged) && r.RevertedBy == "" && (r.Origin == "") == ours {
				return c, r.Run, exitOK
			}
		}
	}
	c.close()
	return nil, "", fail(stderr, fmt.Errorf("there is no run to %s in this folder", name))
}

// Revert takes a run back: the one named, or the last. It shows what would be
// restored, asks, and does it. What this device has not sealed is never done
// without the question.
func Revert(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := newFlags("revert", "revert [flags] [RUN]", stderr)
	path := f.set.String("path", "", "undo only this `note`")
	restore := f.set.Bool("restore", false, "restore the old text of a note that was edited after the run and cannot be merged; the edited text is kept beside it")
	yes := f.set.Bool("yes", false, "undo without asking; only for runs that this device has sealed")
	diff := f.set.Bool("diff", true, "show the changed lines")
	c, id, code := past(ctx, "revert", f, args, stdout, stderr)
	if c == nil {
		return code
	}
	defer c.close()
	p := protocol.Revert{Run: id, Path: *path, Review: true}
	out, err := ask[protocol.Reverted](ctx, c, "run.revert", p)
	if err == nil && *restore && len(out.Conflicts) > 0 {
		for _, x := range out.Conflicts {
			p.Choices = append(p.Choices, protocol.ConflictChoice{Path: x.Path, Now: x.NowEtag, Choice: protocol.ChooseRestore})
		}
		out, err = ask[protocol.Reverted](ctx, c, "run.revert", p)
	}
	if err != nil {
		return fail(stderr, err)
	}
	r, err := ask[protocol.Review](ctx, c, "review.get", protocol.RunRef{Run: out.Review})
	if err != nil {
		return fail(stderr, err)
	}
	if err := c.show(ctx, &r, *diff); err != nil {
		return fail(stderr, err)
	}
	left := slices.ContainsFunc(r.Warnings, func(m protocol.Message) bool { return m.Key == "undo.refused" })
	switch {
	case !r.Approvable && left:
		c.say("Nothing was changed.\n")
		return exitFailed
	case !r.Approvable && len(out.Conflicts) == 0:
		c.say("There is nothing to undo.\n")
		return exitOK
	case !r.Approvable:
	case *yes && r.Origin != "":
		return fail(stderr, errors.New("--yes works only for runs that this device has sealed; without it, this command asks"))
	case !*yes && !c.confirm(ctx, "Make these changes? [y/N] "):
		c.say("Nothing was changed.\n")
		return exitFailed
	default:
		code = c.approve(ctx, &r, *yes)
	}
	if n := len(out.Conflicts); n > 0 {
		return fail(stderr, errors.New(leftAsTheyAre(n)))
	}
	return code
}

// leftAsTheyAre says how many notes an undo leaves alone, and what would restore them.
func leftAsTheyAre(n int) string {
	if n == 1 {
		return "1 note was edited after the run and was left as it is; use --restore to restore its old text"
	}
	return fmt.Sprintf("%d notes were edited after the run and were left as they are; use --restore to restore their old text", n)
}

// Verify checks that a run's records are whole and unchanged.
func Verify(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, id, code := past(ctx, "verify", newFlags("verify", "verify [flags] [RUN]", stderr), args, stdout, stderr)
	if c == nil {
		return code
	}
	defer c.close()
	v, err := ask[protocol.Verified](ctx, c, "run.verify", protocol.RunRef{Run: id})
	if err != nil {
		return fail(stderr, err)
	}
	for _, p := range v.Problems {
		c.say("  %s\n", text(p))
	}
	switch {
	case v.Origin == protocol.OriginForeign:
		return fail(stderr, errors.New("the records of this run were not sealed by this device"))
	case !v.OK:
		return fail(stderr, errors.New("the records of this run are damaged or were changed"))
	case v.Origin != "":
		c.say("%d records, complete and unchanged.\n", v.Records)
		return exitFailed
	}
	c.say("%d records, complete and unchanged, and sealed by this device.\n", v.Records)
	return exitOK
}

// Replay goes through a past run again in memory and compares; or through a
// bundle that was exported, and shows what its plan would do in this folder. No
// model is asked, and nothing is written.
func Replay(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := newFlags("replay", "replay [flags] [RUN]", stderr)
	bundle := f.set.String("bundle", "", "show what the plan of an exported run would do in this folder; the `file` is the export or its bundle.json")
	diff := f.set.Bool("diff", true, "show the changed lines of a bundle")
	if f.set.Parse(args) != nil || f.set.NArg() > 1 || *bundle != "" && f.set.NArg() > 0 {
		f.set.Usage()
		return exitUsage
	}
	if *bundle != "" {
		return replayBundle(ctx, f, *bundle, *diff, stdout, stderr)
	}
	c, id, code := named(ctx, "replay", f, stdout, stderr)
	if c == nil {
		return code
	}
	defer c.close()
	if _, err := ask[protocol.RunRef](ctx, c, "run.replay", protocol.Replay{Run: id}); err != nil {
		return fail(stderr, err)
	}
	c.say("The replay made the same calls, with the same ids and the same effects.\n")
	return exitOK
}

// maxBundle bounds the bundle that is read: conversations with all that tools
// gave.
const maxBundle = 256 << 20

func replayBundle(ctx context.Context, f *flags, path string, diff bool, stdout, stderr io.Writer) int {
	raw, err := readInput(path, maxBundle)
	if err != nil {
		return fail(stderr, err)
	}
	c, err := f.start(ctx, os.Stdin, stdout, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	defer c.close()
	r, err := c.s.OpenBundle(ctx, raw)
	if err != nil {
		return fail(stderr, err)
	}
	if err := c.show(ctx, r, diff); err != nil {
		return fail(stderr, err)
	}
	if r.Problem != nil && r.Stopped {
		return fail(stderr, errors.New(problemText(r.Problem)))
	}
	c.say("Replayed without a model. Nothing was changed.\n")
	return exitOK
}

// Events writes what the calls of a run told, one JSON object a line, in the form
// of docs/design/invocation.md#events.
func Events(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, id, code := past(ctx, "show", newFlags("events", "events [flags] [RUN]", stderr), args, stdout, stderr)
	if c == nil {
		return code
	}
	defer c.close()
	if _, err := ask[protocol.RunDetail](ctx, c, "run.get", protocol.RunRef{Run: id}); err != nil {
		return fail(stderr, err) // the id is checked there
	}
	events, err := audit.ToolEvents(ctx, c.store, "runs/"+id)
	if err != nil {
		return fail(stderr, err)
	}
	for _, e := range events {
		if err := c.out.JSON(e); err != nil {
			return fail(stderr, err)
		}
	}
	return exitOK
}
