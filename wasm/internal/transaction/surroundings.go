package transaction

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/tool"
)

// BaseOf looks at the vault for a session, as of its time. What lies under an
// overlay is the whole vault: names that are taken are taken, seen or not.
func (t *Transactions) BaseOf(se *Review) *overlay.Base {
	return overlay.NewBase(t.deps.Host.Vault, t.editorOf(se), se.Now)
}

// Looking is an overlay for tools that only look.
func (t *Transactions) Looking(now time.Time, pol *policy.Policy) *overlay.Vault {
	return Over(t.BaseOf(&Review{Now: now}), pol, overlay.WithGuard(func(op host.Op) error {
		return fault.New(fault.Conflict, "error.vault.notApproved", fault.P{"path": op.Path})
	}))
}

// Env is what a tool can reach.
func (t *Transactions) Env(se *Review, w *overlay.View, pol *policy.Policy) *tool.Env {
	h := t.deps.Guard.VisibleTo(pol)
	platform, loc := t.deps.Guard.Surroundings()
	script := scriptLimits(t.deps.Guard.Settings())
	return &tool.Env{
		Vault: w, Editor: editorView{w, h.Editor == nil && se.Selection == nil},
		Workspace: h.Workspace, Commands: h.Commands, Platform: platform,
		Sandbox: t.deps.Host.Sandbox, Script: script, HTTP: t.deps.Guard.Fetcher(), Plugins: t.deps.Plugins,
		Now: se.Now.In(loc), Progress: func(tool.Progress) {}, Quota: se.Quota,
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
func (t *Transactions) editorOf(se *Review) host.Editor {
	if se.Selection != nil {
		return givenEditor{*se.Selection}
	}
	return t.deps.Guard.Visible().Editor
}

type givenEditor struct{ st host.EditorState }

func (g givenEditor) State(context.Context) (host.EditorState, error) { return g.st, nil }

// Over lays an overlay for tools over a base: they see what the policy lets them
// see, and every write is guarded.
func Over(b *overlay.Base, pol *policy.Policy, opts ...overlay.Option) *overlay.Vault {
	return overlay.New(b, append([]overlay.Option{overlay.WithGuard(pol.CheckOp), overlay.WithSight(pol.MaySee)}, opts...)...)
}
