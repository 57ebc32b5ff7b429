package transaction

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/quota"
	"embedded-agent/wasm/internal/tool"
)

// Scene is the state that a plan or a conversation starts from.
type Scene struct {
	Now       time.Time
	Selection *host.EditorState // given by the person; nil for what the editor says
	Quota     *quota.Plan       // of what is made; nil where nothing is
}

// scene gives the state that a draft starts from.
func (d *Draft) scene(q *quota.Plan) Scene { return Scene{d.Now, d.Selection, q} }

// scene gives the state that a review started from.
func (rv *Review) scene() Scene { return Scene{rv.Now, rv.Selection, rv.quota} }

// BaseOf looks at the vault as of a scene's time. What lies under an overlay is
// the whole vault: names that are taken are taken, seen or not.
func (s *simulator) BaseOf(at Scene) *overlay.Base {
	return overlay.NewBase(s.deps.Host.Vault, s.editorOf(at.Selection), at.Now)
}

// Looking is an overlay for tools that only look.
func (s *simulator) Looking(now time.Time, pol *policy.Policy) *overlay.Vault {
	return Over(s.BaseOf(Scene{Now: now}), pol, overlay.WithGuard(func(op host.Op) error {
		return fault.New(fault.Conflict, "error.vault.notApproved", fault.P{"path": op.Path})
	}))
}

// Env gives a tool its surroundings.
func (s *simulator) Env(at Scene, w *overlay.View, pol *policy.Policy) *tool.Env {
	h := s.deps.Guard.VisibleTo(pol)
	platform, loc := s.deps.Guard.Surroundings()
	script := scriptLimits(s.deps.Guard.Settings())
	return &tool.Env{
		Vault: w, Editor: editorView{w, h.Editor == nil && at.Selection == nil},
		Workspace: h.Workspace, Commands: h.Commands, Platform: platform,
		Sandbox: s.deps.Host.Sandbox, Script: script, HTTP: s.deps.Guard.Fetcher(), Plugins: s.deps.Plugins,
		Now: at.Now.In(loc), Progress: func(tool.Progress) {}, Quota: at.Quota,
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

// editorOf gives the editor that a scene has: the host's, or the selection that
// the person gave for it.
func (s *simulator) editorOf(selected *host.EditorState) host.Editor {
	if selected != nil {
		return givenEditor{*selected}
	}
	return s.deps.Guard.Visible().Editor
}

type givenEditor struct{ st host.EditorState }

func (g givenEditor) State(context.Context) (host.EditorState, error) { return g.st, nil }

// Over lays an overlay for tools over a base: they see what the policy lets them
// see, and every write is guarded.
func Over(b *overlay.Base, pol *policy.Policy, opts ...overlay.Option) *overlay.Vault {
	return overlay.New(b, append([]overlay.Option{overlay.WithGuard(pol.CheckOp), overlay.WithSight(pol.MaySee)}, opts...)...)
}
