package server

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/tool"
)

// baseOf looks at the vault for a session, as of its time. What lies under an
// overlay is the whole vault: names that are taken are taken, seen or not.
func (s *Server) baseOf(se *session) *overlay.Base {
	return overlay.NewBase(s.host.Vault, s.editorOf(se), se.now)
}

// looking is an overlay for tools that only look.
func (s *Server) looking(now time.Time, pol *policy.Policy) *overlay.Vault {
	return over(s.baseOf(&session{now: now}), pol, overlay.WithGuard(func(op host.Op) error {
		return fault.New(fault.Conflict, "error.vault.notApproved", fault.P{"path": op.Path})
	}))
}

// env is what a tool can reach.
func (s *Server) env(se *session, w *overlay.View, pol *policy.Policy) *tool.Env {
	h := s.guard.VisibleTo(pol)
	platform, loc := s.guard.Surroundings()
	script := scriptLimits(s.guard.Settings())
	return &tool.Env{
		Vault: w, Editor: editorView{w, h.Editor == nil && se.selection == nil},
		Workspace: h.Workspace, Commands: h.Commands, Platform: platform,
		Sandbox: s.host.Sandbox, Script: script, HTTP: s.guard.Fetcher(), Plugins: s.plugins,
		Now: se.now.In(loc), Progress: func(tool.Progress) {}, Quota: se.quota,
	}
}

// editorView gives the overlay's editor; where there is none, none.
type editorView struct {
	*overlay.View
	none bool
}

func (e editorView) State(ctx context.Context) (host.EditorState, error) {
	if e.none {
		return host.EditorState{}, nil
	}
	return e.View.State(ctx)
}

// editorOf gives the editor a session starts from: the host's, or the selection
// that the person gave for it.
func (s *Server) editorOf(se *session) host.Editor {
	if se.selection != nil {
		return givenEditor{*se.selection}
	}
	return s.guard.Visible().Editor
}

type givenEditor struct{ st host.EditorState }

func (g givenEditor) State(context.Context) (host.EditorState, error) { return g.st, nil }

// over lays an overlay for tools over a base: they see what the policy lets them
// see, and every write is guarded.
func over(b *overlay.Base, pol *policy.Policy, opts ...overlay.Option) *overlay.Vault {
	return overlay.New(b, append([]overlay.Option{overlay.WithGuard(pol.CheckOp), overlay.WithSight(pol.MaySee)}, opts...)...)
}
