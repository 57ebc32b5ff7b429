package transaction

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/quota"
	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/version"
)

// simulator simulates drafts, and gives tools what they find around them. It
// knows nothing of what is open or under way.
type simulator struct {
	deps *Deps
	// results are those that tools let be reused; overlays numbers the overlays.
	// Both have locks of their own.
	results  *reuse.Cache
	overlays atomic.Uint64
}

// Simulate executes a draft on the overlay and makes the review of it. A failure of
// a step is in the review, not an error: what the plan would do up to there is worth
// seeing. The draft is not to be used any more.
func (s *simulator) Simulate(ctx context.Context, d *Draft) (*Review, error) {
	if d.Undo != nil {
		return d.Undo.Simulate(ctx, d)
	}
	if d.base == nil {
		d.base = s.BaseOf(d.scene(nil))
	}
	if d.out == nil {
		d.out = s.outgoingOf(d)
	}
	pol := s.policyOf(d.Link)
	sim := s.begin(d, pol)
	call := pipeline.New(pipeline.Deps{
		Registry: s.deps.Registry, Simulating: true,
		Events: pipeline.Events{Ended: func(c *tool.Call, _ *tool.Result) { sim.called[c.LogicalID] = c }}, // one call after the other
		Guards: pipeline.Guards{Policy: pol, Lifted: d.liftedFor, Judge: sim.judge, Ask: sim.ask, Limit: s.deps.Guard.Rate},
		Env:    sim.env, Cache: d.Frozen.Over(d.memo.Over(sim.Cache)), Secrets: s.deps.Guard.ResolveSecrets,
		MaxOutput: maxPlanOutput, Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
	})
	rc := s.runConfig(d.ID, d.program, d.Now, call, pol, "")
	if d.before != nil { // what it changes is known, more or less
		rc.Base.Policy.ConfirmationsRequired = s.asks(d.MustAsk, d.graph.Risk, d.before.Found, d.before.View)
	}
	rc.Ahead, rc.Make = sim.ahead, sim.quota.Build
	rc.Events.Pausing = tellPause(d.Turn)
	rep := runner.Run(ctx, rc)
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err)
	}
	changes, err := sim.vault.Changes(ctx)
	if err != nil {
		return nil, err
	}
	return d.finish(ctx, Found{
		Base: d.base, Vault: sim.vault, Report: rep, Called: sim.called, Changes: changes,
		commands: s.commandsOf(ctx, d.graph), quota: sim.quota,
	}, s.showPlan)
}

// snapshot is the policy as the calls of a plan carry it, with the limit of outputs
// that holds in plans.
func snapshot(pol *policy.Policy) tool.PolicySnapshot {
	snap := pol.Snapshot()
	snap.Limits.MaxOutputBytes = maxPlanOutput
	return snap
}

// snapshotOf is the same for a plan whose changes are known: it says whether they
// have to be confirmed.
func (s *simulator) snapshotOf(rv *Review, pol *policy.Policy) tool.PolicySnapshot {
	snap := snapshot(pol)
	snap.ConfirmationsRequired = s.MustAsk(rv)
	return snap
}

// MustAsk says whether a person has to approve a review.
func (s *simulator) MustAsk(rv *Review) bool {
	return s.asks(rv.MustAsk, rv.graph.Risk, rv.Found, rv.View)
}

// asks says whether a person has to approve what was found.
func (s *simulator) asks(must bool, risk tool.Risk, found Found, view *protocol.Review) bool {
	far := slices.ContainsFunc(found.Changes, func(c overlay.Change) bool {
		return c.Status == overlay.Trash || c.Status == overlay.Rmdir || c.Status == overlay.Rename
	})
	// What may run by itself later is seen by somebody first, whatever the settings.
	far = far || slices.ContainsFunc(view.Files, func(f protocol.FileChange) bool { return !f.Dropped && f.Runs+f.Loads > 0 })
	return must || s.deps.Guard.Policy().Asks(risk, far)
}

// maxPlanOutput bounds the output of one call of a plan, in bytes as JSON. It is
// refused, not cut: what is cut would be written as if it were whole.
const maxPlanOutput = 64 << 20

// policyOf is the policy in force for a plan that a link started, or did not.
func (s *simulator) policyOf(link bool) *policy.Policy {
	p := s.deps.Guard.Policy()
	if !link {
		return p
	}
	linked := *p
	linked.Origin = policy.FromLink
	return &linked
}

// runConfig gives the settings that a simulation and its run have in common.
func (s *simulator) runConfig(id string, p program, now time.Time, call pipeline.Func, pol *policy.Policy, confirmation string) runner.Config {
	return runner.Config{
		RunID: id, Graph: p.graph, Call: call, Limits: pol.Limits,
		Base: tool.Call{
			ExecutorVersion: version.Core, ToolRegistryVersion: s.deps.Registry.Version(), PlannerVersion: version.Core,
			Policy: snapshot(pol), ConfirmationID: confirmation,
		},
		Part:       runner.Part{From: p.from, Prior: p.prior},
		Simulating: confirmation == "",
		Now:        func() time.Time { return now },
		Day:        now,
		Seed:       seedOf(id),
	}
}

func seedOf(id string) uint64 {
	sum := digest.Sum256([]byte(id))
	var n uint64
	for _, b := range sum[:8] {
		n = n<<8 | uint64(b)
	}
	return n
}

// NewQuota opens the account of what one plan makes while it is simulated.
func (s *simulator) NewQuota() *quota.Plan {
	return quota.New(s.deps.Guard.Settings().MaxPlanMB)
}

// simulatedWorkspace moves nothing: what would be opened has to be there.
type simulatedWorkspace struct {
	host.Workspace
	vault host.Vault
}

func (w simulatedWorkspace) Context(ctx context.Context) (host.WorkspaceState, error) {
	if w.Workspace == nil {
		return host.WorkspaceState{}, nil
	}
	return w.Workspace.Context(ctx)
}

func (w simulatedWorkspace) Open(ctx context.Context, path string, _ bool) error {
	_, err := w.vault.Stat(ctx, path)
	return err
}

func (w simulatedWorkspace) Focus(context.Context, string) error { return nil }

// tellPause gives what tells the person why a simulation waits.
func tellPause(turn Turn) func(*tool.Call, time.Duration) {
	return func(c *tool.Call, wait time.Duration) {
		if turn != nil && !turn.Over() {
			turn.Note(protocol.Message{Key: "turn.stepAgain", Params: map[string]string{
				"tool": c.Tool, "seconds": strconv.Itoa(int((wait + time.Second - 1) / time.Second)),
			}})
		}
	}
}
