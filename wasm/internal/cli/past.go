//go:build !js

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

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
	c, err := f.start(ctx, os.Stdin, stdout, stderr)
	if err != nil {
		return nil, "", fail(stderr, err)
	}
	if id := f.set.Arg(0); id != "" {
		return c, id, exitOK
	}
	runs, err := ask[protocol.Runs](ctx, c, "runs.list", protocol.RunsQuery{Limit: 50})
	if err != nil {
		c.s.Close()
		return nil, "", fail(stderr, err)
	}
	for _, r := range runs.Runs {
		if r.Kind == "run" && r.RevertedBy == "" {
			return c, r.Run, exitOK
		}
	}
	c.s.Close()
	return nil, "", fail(stderr, fmt.Errorf("there is no run to %s in this folder", name))
}

// Revert takes a run back: the one named, or the last.
func Revert(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := newFlags("revert", "revert [flags] [RUN]", stderr)
	path := f.set.String("path", "", "take back only this `note`")
	restore := f.set.Bool("restore", false, "where a note was edited since and cannot be merged, put the old text back; the edit is kept beside it")
	c, id, code := past(ctx, "revert", f, args, stdout, stderr)
	if c == nil {
		return code
	}
	defer c.s.Close()
	p := protocol.Revert{Run: id, Path: *path}
	out, err := c.revert(ctx, p)
	if err == nil && *restore && len(out.Conflicts) > 0 {
		for _, x := range out.Conflicts {
			p.Choices = append(p.Choices, protocol.ConflictChoice{Path: x.Path, Now: x.NowEtag, Choice: protocol.ChooseRestore})
		}
		out, err = c.revert(ctx, p)
	}
	switch {
	case err != nil:
		return fail(stderr, err)
	case out.Problem != nil:
		return fail(stderr, errors.New(problemText(out.Problem)))
	case len(out.Conflicts) > 0:
		return fail(stderr, fmt.Errorf("%d notes were edited since and were left as they are; use --restore to put the old text back", len(out.Conflicts)))
	}
	return exitOK
}

// revert takes a run back. One that a crash has left is settled as well.
func (c *session) revert(ctx context.Context, p protocol.Revert) (protocol.Reverted, error) {
	st, err := ask[protocol.State](ctx, c, "state", protocol.Empty{})
	if err != nil {
		return protocol.Reverted{}, err
	}
	method, params := "run.revert", any(p)
	for _, r := range st.Recoveries {
		if r.Run == p.Run && p.Path == "" && p.Choices == nil {
			method, params = "recovery.resolve", protocol.Recovery{Run: p.Run, Choice: protocol.RecoverRevert}
		}
	}
	out, err := ask[protocol.Reverted](ctx, c, method, params)
	if err != nil {
		return out, err
	}
	for _, l := range []struct {
		word  string
		paths []string
	}{{"restored", out.Restored}, {"merged", out.Merged}, {"kept", out.Kept}} {
		for _, path := range l.paths {
			c.say("  %s  %s\n", l.word, path)
		}
	}
	for _, x := range out.Conflicts {
		c.say("  conflict  %s\n", x.Path)
	}
	for _, m := range out.NotUndone {
		c.say("  ! %s\n", text(m))
	}
	return out, nil
}

// Verify checks that a run's records are whole and unchanged.
func Verify(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, id, code := past(ctx, "verify", newFlags("verify", "verify [flags] [RUN]", stderr), args, stdout, stderr)
	if c == nil {
		return code
	}
	defer c.s.Close()
	v, err := ask[protocol.Verified](ctx, c, "run.verify", protocol.RunRef{Run: id})
	if err != nil {
		return fail(stderr, err)
	}
	for _, p := range v.Problems {
		c.say("  %s\n", text(p))
	}
	if !v.OK {
		return fail(stderr, errors.New("the records of this run are not as they were written"))
	}
	c.say("%d records, all as they were written.\n", v.Records)
	return exitOK
}

// Replay executes a past run's plan again in memory and compares.
func Replay(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, id, code := past(ctx, "replay", newFlags("replay", "replay [flags] [RUN]", stderr), args, stdout, stderr)
	if c == nil {
		return code
	}
	defer c.s.Close()
	if _, err := ask[protocol.RunRef](ctx, c, "run.replay", protocol.RunRef{Run: id}); err != nil {
		return fail(stderr, err)
	}
	c.say("The same calls, with the same ids and the same effects.\n")
	return exitOK
}

// Events writes what the calls of a run told, one JSON object a line, as the
// invocation protocol has it.
func Events(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, id, code := past(ctx, "show", newFlags("events", "events [flags] [RUN]", stderr), args, stdout, stderr)
	if c == nil {
		return code
	}
	defer c.s.Close()
	if _, err := ask[protocol.RunDetail](ctx, c, "run.get", protocol.RunRef{Run: id}); err != nil {
		return fail(stderr, err) // the id is checked there
	}
	events, err := audit.ToolEvents(ctx, c.store, "runs/"+id)
	if err != nil {
		return fail(stderr, err)
	}
	enc := json.NewEncoder(stdout)
	enc.SetEscapeHTML(false)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			return fail(stderr, err)
		}
	}
	return exitOK
}
