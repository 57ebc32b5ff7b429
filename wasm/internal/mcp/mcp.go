//go:build !js

// Package mcp offers a folder of notes to other programs by the Model Context Protocol:
// the built-in tools, notes as resources, and saved actions as prompts. It translates,
// and decides nothing: what a call does, Notes does. What a call writes is staged, and
// a person approves it. Only the native command links this package
// (docs/design/staging.md#calls).
package mcp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/version"
)

// Notes is the folder of notes that is offered. By names the program that asks, as it
// names itself.
type Notes interface {
	Tools() []*tool.Entry
	// Call makes a call over what is staged, and stages what it writes.
	Call(ctx context.Context, by, name string, args tool.Args) (*tool.Result, error)
	// Submit stages what a plan writes, and gives what is to be told of it.
	Submit(ctx context.Context, by string, plan []byte, values map[string]any) (any, error)
	// Review opens the review of all that is staged, Revert that of what would undo a run.
	Review(ctx context.Context) (*Review, error)
	Revert(ctx context.Context, run string) (*Review, error)
	// Approve makes the changes of a review; the text says what came of it, and ok
	// whether all was made. It is called for a person's yes alone.
	Approve(ctx context.Context, r *Review) (text string, ok bool, err error)
	// Close closes a review without a yes. What is staged stays.
	Close(ctx context.Context, r *Review) error
	Runs(ctx context.Context) ([]protocol.RunSummary, error)
	// Read gives a file, and List the files, as they would be.
	Read(ctx context.Context, path string) ([]byte, error)
	List(ctx context.Context) ([]host.Info, error)
	Actions(ctx context.Context) ([]protocol.Action, error)
	Action(ctx context.Context, id string) (protocol.ActionDetail, error)
}

// Review is a review as it is shown.
type Review struct {
	Run, Approval string
	Text          string
	Approvable    bool
	// Terminal is the command by which a person answers it on a terminal.
	Terminal string
}

// instructions are told to every client.
const instructions = `These tools work on a person's folder of notes. What they write is staged: later calls see it, and the notes themselves are unchanged until the person approves. When you are done, call review_approve: it shows the person every change and asks. Where your program cannot ask, tell the person the command that the answer names. You cannot approve by yourself.`

// Server offers notes to one client after the other.
type Server struct {
	notes Notes
	sdk   *sdk.Server
	mu    sync.Mutex // held while a review is open: there is one at a time

	listing sync.Mutex  // guards what follows
	list    []host.Info // of the files, for the pages after the first; nil once all were given
}

// New gives a server. What goes wrong in the talk with the client is written to problems.
func New(n Notes, problems io.Writer) *Server {
	s := &Server{notes: n}
	log := slog.New(slog.NewTextHandler(problems, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "embedded-agent", Title: "Embedded Agent", Version: version.Core}, &sdk.ServerOptions{
		Instructions: instructions, Logger: log, PageSize: pageSize, SupportedProtocolVersions: versions(),
		Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{},
		},
	})
	s.addTools()
	s.addReviewTools()
	s.addResources()
	s.sdk.AddReceivingMiddleware(s.listed)
	return s
}

// pageSize bounds the entries of one answer of a list.
const pageSize = 500

// lastWithSessions is the last version of the protocol in which the server may ask the
// person in the middle of a call.
const lastWithSessions = "2025-11-25"

func versions() []string {
	return slices.DeleteFunc(sdk.SupportedProtocolVersions(), func(v string) bool { return v > lastWithSessions })
}

// Serve talks to one client on the standard input and output, until it hangs up or ctx
// ends.
func (s *Server) Serve(ctx context.Context) error {
	err := s.sdk.Run(ctx, &sdk.StdioTransport{})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Connect talks to a client over any transport.
func (s *Server) Connect(ctx context.Context, t sdk.Transport) (*sdk.ServerSession, error) {
	return s.sdk.Connect(ctx, t, nil)
}

// by names the program on the other side.
func by(ss *sdk.ServerSession) string {
	p := ss.InitializeParams()
	if p == nil || p.ClientInfo == nil || p.ClientInfo.Name == "" {
		return "an MCP client"
	}
	if p.ClientInfo.Version == "" {
		return p.ClientInfo.Name
	}
	return p.ClientInfo.Name + " " + p.ClientInfo.Version
}
