package server

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sight"
	"embedded-agent/wasm/internal/tool"
)

// What a model is told, what tools give and what actions are filled with comes
// from the host as this file hands it out: through package sight, or through an
// overlay with the same rule. Nothing else of this package touches the vault,
// the editor, the panes or the commands, but for what works for the person alone
// (runs, undoing, what has changed meanwhile); a test of the layout holds it to
// that.

// appSettings are the app's own settings that tools read.
var appSettings = []string{protocol.CorePluginsFile, protocol.DailyNotesFile, protocol.TemplatesFile}

// readable gives the paths of appSettings. The lock is held.
func (s *Server) readable() []string {
	if s.host.Platform.ConfigDir == "" {
		return nil
	}
	out := make([]string, len(appSettings))
	for i, name := range appSettings {
		out[i] = s.host.Platform.ConfigDir + "/" + name
	}
	return out
}

// visible is the host as it may be seen now.
func (s *Server) visible() host.Host { return s.visibleTo(s.currentPolicy()) }

func (s *Server) visibleTo(pol *policy.Policy) host.Host { return sight.Over(s.host, pol.MaySee) }

// over lays an overlay for tools over a base: they see what the policy lets them
// see, and every write is guarded.
func over(b *overlay.Base, pol *policy.Policy, opts ...overlay.Option) *overlay.Vault {
	return overlay.New(b, append([]overlay.Option{overlay.WithGuard(pol.CheckOp), overlay.WithSight(pol.MaySee)}, opts...)...)
}

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
	h := s.visibleTo(pol)
	s.mu.Lock()
	platform, loc, script := s.host.Platform, s.offset, scriptLimits(s.settings)
	s.mu.Unlock()
	return &tool.Env{
		Vault: w, Editor: editorView{w, h.Editor == nil && se.selection == nil},
		Workspace: h.Workspace, Commands: h.Commands, Platform: platform,
		Sandbox: s.host.Sandbox, Script: script, HTTP: s.fetcher(), Plugins: s.plugins,
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
	return s.visible().Editor
}

type givenEditor struct{ st host.EditorState }

func (g givenEditor) State(context.Context) (host.EditorState, error) { return g.st, nil }

// hiddenPaths says which of some paths may not be seen, for the panel to show.
func (s *Server) hiddenPaths(_ context.Context, p protocol.Paths) (protocol.Paths, error) {
	pol, out := s.currentPolicy(), protocol.Paths{Paths: []string{}}
	for _, path := range p.Paths {
		if pol.MaySee(path) != nil {
			out.Paths = append(out.Paths, path)
		}
	}
	return out, nil
}
