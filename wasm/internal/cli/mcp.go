//go:build !js

package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hostfs"
	"embedded-agent/wasm/internal/mcp"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/server"
	"embedded-agent/wasm/internal/terminal"
	"embedded-agent/wasm/internal/tool"
)

// callsLock is the name of the lock that programs take in turn to use the staged calls.
const callsLock = "staged-calls"

// waiting gives the staged calls of the notes.
func (c *session) waiting() (*server.StagedCalls, error) {
	folder, ok := c.folder.(*hostfs.Folder)
	if !ok {
		return nil, errors.New("staged calls need a folder on a disk")
	}
	alone := func(ctx context.Context) (func() error, error) { return folder.Alone(ctx, callsLock) }
	return c.s.StagedCalls(alone, folder.Mark), nil
}

// MCP serves the notes to one client of the Model Context Protocol, on the standard
// input and output, until it hangs up.
func MCP(ctx context.Context, args []string, _, stderr io.Writer) int {
	f := newFlags("mcp", "mcp [flags]", stderr)
	if f.set.Parse(args) != nil || f.set.NArg() > 0 {
		f.set.Usage()
		return exitUsage
	}
	c, notes, err := f.offered(ctx, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	defer c.close()
	if err := mcp.New(notes, terminal.To(stderr)).Serve(ctx); err != nil {
		return fail(stderr, err)
	}
	return exitOK
}

// offered opens the folder for a client. Nothing is read from the standard input, and
// nothing written to the output: both are the protocol's.
func (f *flags) offered(ctx context.Context, stderr io.Writer) (*session, *offeredNotes, error) {
	c, err := f.start(ctx, strings.NewReader(""), stderr, stderr)
	if err != nil {
		return nil, nil, err
	}
	calls, err := c.waiting()
	if err != nil {
		c.close()
		return nil, nil, err
	}
	return c, &offeredNotes{c, calls, f}, nil
}

// offeredNotes is the folder as package mcp offers it.
type offeredNotes struct {
	c     *session
	calls *server.StagedCalls
	f     *flags
}

// Tools implements mcp.Notes.
func (n *offeredNotes) Tools() []*tool.Entry { return n.c.s.StageableTools() }

// Call implements mcp.Notes.
func (n *offeredNotes) Call(ctx context.Context, by, name string, args tool.Args) (*tool.Result, error) {
	return n.calls.Call(ctx, by, name, args)
}

// Submit implements mcp.Notes.
func (n *offeredNotes) Submit(ctx context.Context, by string, plan []byte, values map[string]any) (any, error) {
	return n.calls.Submit(ctx, by, plan, values)
}

// Review implements mcp.Notes.
func (n *offeredNotes) Review(ctx context.Context) (*mcp.Review, error) {
	r, err := n.calls.Open(ctx)
	if err != nil {
		return nil, err
	}
	return n.shown(ctx, r, append([]string{"review"}, n.f.given()...)...)
}

// Revert implements mcp.Notes.
func (n *offeredNotes) Revert(ctx context.Context, run string) (*mcp.Review, error) {
	out, err := ask[protocol.Reverted](ctx, n.c, "run.revert", protocol.Revert{Run: run, Review: true})
	if err != nil {
		return nil, err
	}
	r, err := ask[protocol.Review](ctx, n.c, "review.get", protocol.RunRef{Run: out.Review})
	if err != nil {
		return nil, err
	}
	return n.shown(ctx, &r, append(append([]string{"revert"}, n.f.given()...), "--", run)...)
}

// shown prints a review, with the command that asks about it on a terminal.
func (n *offeredNotes) shown(ctx context.Context, r *protocol.Review, command ...string) (*mcp.Review, error) {
	var text bytes.Buffer
	to := *n.c
	to.out = terminal.To(&text)
	if err := to.show(ctx, r, true); err != nil {
		return nil, err
	}
	return &mcp.Review{
		Run: r.Run, Approval: r.Approval, Text: text.String(), Approvable: r.Approvable,
		Terminal: commandLine(append([]string{"embedded-agent"}, command...)),
	}, nil
}

// Approve implements mcp.Notes.
func (n *offeredNotes) Approve(ctx context.Context, r *mcp.Review) (text string, ok bool, err error) {
	var out bytes.Buffer
	to := *n.c
	to.out, to.err = terminal.To(&out), terminal.To(&out)
	code := to.approve(ctx, &protocol.Review{Run: r.Run, Approval: r.Approval}, false)
	return out.String(), code == exitOK, nil
}

// Close implements mcp.Notes.
func (n *offeredNotes) Close(ctx context.Context, r *mcp.Review) error {
	_, err := ask[protocol.Empty](ctx, n.c, "review.close", protocol.RunRef{Run: r.Run})
	return err
}

// maxRunsListed bounds the runs that are listed.
const maxRunsListed = 50

// Runs implements mcp.Notes.
func (n *offeredNotes) Runs(ctx context.Context) ([]protocol.RunSummary, error) {
	list, err := ask[protocol.Runs](ctx, n.c, "runs.list", protocol.RunsQuery{Limit: maxRunsListed})
	return list.Runs, err
}

// Read implements mcp.Notes.
func (n *offeredNotes) Read(ctx context.Context, path string) (data []byte, err error) {
	err = n.calls.Look(ctx, func(v host.Vault) (err error) {
		data, err = v.Read(ctx, path)
		return err
	})
	return data, err
}

// List implements mcp.Notes.
func (n *offeredNotes) List(ctx context.Context) (list []host.Info, err error) {
	err = n.calls.Look(ctx, func(v host.Vault) (err error) {
		list, err = v.Walk(ctx, "")
		return err
	})
	return list, err
}

// Actions implements mcp.Notes.
func (n *offeredNotes) Actions(ctx context.Context) ([]protocol.Action, error) {
	list, err := ask[protocol.ActionList](ctx, n.c, "actions.list", protocol.Empty{})
	return list.Actions, err
}

// Action implements mcp.Notes.
func (n *offeredNotes) Action(ctx context.Context, id string) (protocol.ActionDetail, error) {
	return ask[protocol.ActionDetail](ctx, n.c, "action.get", protocol.ActionRef{ID: id})
}
