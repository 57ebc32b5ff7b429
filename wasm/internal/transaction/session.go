package transaction

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pins"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/quota"
	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/version"
)

// Review is one plan on its way from review to the end of its run. What is
// here is what was shown: approving names its hash.
type Review struct {
	ID          string
	Instruction string
	plan        *plan.Plan
	graph       *plan.Graph
	raw         json.RawMessage
	Quota       *quota.Plan // of the simulation under way, or the last one
	Warnings    []protocol.Message
	DryRun      bool
	title       *protocol.Message // stands for the goal; nil for the goal itself
	MustAsk     bool              // imported or changed: confirmation cannot be switched off
	Action      string
	Now         time.Time
	prior       map[int]*tool.Result
	from        int    // the place in the graph where execution goes on
	continues   string // the run whose rest this is
	Undo        Undo   // instead of a plan: what is taken back, or finished
	Selection   *host.EditorState
	memo        *memo     // of all its simulations
	Turn        Turn      // the turn that it came from; nil for none
	Link        bool      // a link started it, not the person
	Shown       time.Time // when it was last shown as it is

	// OwnWords says that the plan was made without any text of notes, or by the
	// person: its constants may go to the web. said are the person's own words.
	OwnWords bool
	Said     string
	// commands are the names of the palette's commands by id, where the plan runs
	// any.
	commands map[string]string
	out      *guard.Outgoing // what it lets out, of all its simulations

	Frozen *reuse.Frozen // what its model steps gave
	Sealed bool          // no model is asked: what is not frozen fails
	Trace  *history.Tracing
	Pins   *pins.Set

	Base    *overlay.Base
	amend   *overlay.Amendments
	Vault   *overlay.Vault
	Report  *runner.Report
	Called  map[string]*tool.Call // call_id -> the call as it was simulated
	Changes []overlay.Change
	Listed  rows                      // the changes as they are listed
	dropped map[string]overlay.Change // as they were before they were left out
	View    *protocol.Review
}

// NewReview begins a review of a checked plan.
func (t *Transactions) NewReview(p *plan.Plan, g *plan.Graph, raw json.RawMessage) *Review {
	id := ids.New()
	return &Review{
		ID: id, plan: p, graph: g, raw: raw, Now: t.deps.Now(),
		Frozen: reuse.NewFrozen(nil), Pins: &pins.Set{}, Trace: t.deps.History.Trace(id, ""),
		amend:   &overlay.Amendments{Dropped: map[string]bool{}, Edits: map[string]overlay.Edit{}},
		dropped: map[string]overlay.Change{},
	}
}

// past is what is kept of a session whose run has ended.
func (se *Review) past() *Review {
	if se.Undo != nil {
		return &Review{ID: se.ID, Undo: se.Undo.Past(), Now: se.Now, amend: se.amend, Frozen: se.Frozen}
	}
	return &Review{ID: se.ID, plan: se.plan, Now: se.Now, Selection: se.editorSeen(), amend: se.amend, Frozen: se.Frozen}
}

// editorSeen gives what was selected when the plan was simulated, or nil.
func (se *Review) editorSeen() *host.EditorState {
	if se.Base == nil {
		return se.Selection
	}
	return se.Base.EditorSeen()
}

// Simulate executes the plan on the overlay and makes the review of it. A
// failure of a step is in the review, not an error: what the plan would do up
// to there is worth seeing.
func (t *Transactions) Simulate(ctx context.Context, se *Review) error {
	if se.Undo != nil {
		return se.Undo.Simulate(ctx, se)
	}
	if se.Base == nil {
		se.Base = t.BaseOf(se)
	}
	if se.memo == nil {
		se.memo = &memo{kept: map[memoKey]tool.Data{}}
	}
	if se.out == nil {
		se.out = t.outgoingOf(se)
	}
	pol := t.policyOf(se)
	se.Quota = t.NewQuota()
	v := Over(se.Base, pol, overlay.WithAmendments(se.amend), overlay.WithQuota(se.Quota.Write))
	called := map[string]*tool.Call{}
	sim := t.simulation(se, v, pol)
	call := pipeline.New(pipeline.Deps{
		Registry: t.deps.Registry, Simulating: true,
		Events: pipeline.Events{Ended: func(c *tool.Call, _ *tool.Result) { called[c.LogicalID] = c }}, // one call after the other
		Guards: pipeline.Guards{Policy: pol, Judge: sim.judge, Ask: se.out.Ask, Limit: t.deps.Guard.Rate},
		Env:    sim.env, Cache: se.Frozen.Over(memoOver{se.memo, sim.Cache}), Secrets: t.deps.Guard.ResolveSecrets,
		MaxOutput: MaxPlanOutput, Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
	})
	rc := t.runConfig(se, call, pol, "")
	rc.Ahead, rc.Make = sim.ahead, se.Quota.Build
	rc.Events.Pausing = t.tellPause(se)
	rep := runner.Run(ctx, rc)
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	changes, err := v.Changes(ctx)
	if err != nil {
		return err
	}
	se.Vault, se.Report, se.Changes, se.Called = v, rep, changes, called
	t.readCommands(ctx, se)
	se.View, err = t.reviewOf(ctx, se, pol)
	se.Shown = t.deps.Now()
	return err
}

// snapshot is the policy as the calls of a plan carry it: whether this plan has
// to be confirmed, and the limit of outputs that holds in plans.
func (t *Transactions) snapshot(se *Review, pol *policy.Policy) tool.PolicySnapshot {
	snap := pol.Snapshot()
	if se.View != nil { // it is known what it changes
		snap.ConfirmationsRequired = t.MustAsk(se)
	}
	snap.Limits.MaxOutputBytes = MaxPlanOutput
	return snap
}

// MaxPlanOutput bounds the output of one call of a plan, in bytes as JSON. It is
// refused, not cut: what is cut would be written as if it were whole.
const MaxPlanOutput = 64 << 20

// policyOf is the policy in force for a session.
func (t *Transactions) policyOf(se *Review) *policy.Policy {
	p := t.deps.Guard.Policy()
	if !se.Link {
		return p
	}
	linked := *p
	linked.Origin = policy.FromLink
	return &linked
}

// runConfig is what a simulation and its run have in common.
func (t *Transactions) runConfig(se *Review, call pipeline.Func, pol *policy.Policy, confirmation string) runner.Config {
	return runner.Config{
		RunID: se.ID, Graph: se.graph, Call: call, Limits: pol.Limits,
		Base: tool.Call{
			ExecutorVersion: version.Core, ToolRegistryVersion: t.deps.Registry.Version(), PlannerVersion: version.Core,
			Policy: t.snapshot(se, pol), ConfirmationID: confirmation,
		},
		Part:       runner.Part{From: se.from, Prior: se.prior},
		Simulating: confirmation == "",
		Now:        func() time.Time { return se.Now },
		Seed:       seedOf(se.ID),
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
func (t *Transactions) NewQuota() *quota.Plan {
	return quota.New(t.deps.Guard.Settings().MaxPlanMB)
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

// ApprovalOf hashes what a yes is a yes to: the plan, the amendments, every
// write in order with its bytes before and after, and what model steps gave.
func ApprovalOf(se *Review) string {
	h := digest.New()
	h.Write(se.raw)
	amend, err := json.Marshal(se.amend)
	if err == nil {
		h.Write(amend)
	}
	var b []byte
	for _, w := range se.Vault.Log() {
		b = append(b[:0], '\n')
		for _, f := range []string{w.Call, string(w.Op.Kind), w.Op.Path, w.Op.To, w.BeforeEtag, w.AfterEtag} {
			b = canon.AppendString(b, f)
		}
		h.Write(b)
	}
	for i, n := range se.graph.Nodes {
		if n.Tool.Simulable {
			continue
		}
		h.Write([]byte("\ncannot be simulated: " + n.Step.ID))
		for _, c := range se.callsAt(i) {
			h.Write([]byte("\n" + c.ArgsHash))
		}
	}
	frozen := se.frozenUsed()
	for _, id := range slices.Sorted(maps.Keys(frozen)) {
		if doc, err := canon.Append([]byte("\nmodel step: "+id+" "), map[string]any(frozen[id])); err == nil {
			h.Write(doc)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// confirmationOf names an approval: it is on every call that follows.
func confirmationOf(se *Review) string {
	ns, err := uuid.Parse(se.ID)
	if err != nil {
		ns = uuid.NameSpaceOID
	}
	return uuid.NewSHA1(ns, []byte(se.View.Approval)).String()
}

// tellPause gives what tells the person why a simulation waits.
func (t *Transactions) tellPause(se *Review) func(*tool.Call, time.Duration) {
	return func(c *tool.Call, wait time.Duration) {
		if t := se.Turn; t != nil && !t.Over() {
			t.Note(protocol.Message{Key: "turn.stepAgain", Params: map[string]string{
				"tool": c.Tool, "seconds": strconv.Itoa(int((wait + time.Second - 1) / time.Second)),
			}})
		}
	}
}
