package server

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/quota"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// session is one plan on its way from review to the end of its run. What is
// here is what was shown: approving names its hash.
type session struct {
	id          string
	instruction string
	plan        *plan.Plan
	graph       *plan.Graph
	raw         json.RawMessage
	quota       *quota.Plan // of the simulation under way, or the last one
	warnings    []protocol.Message
	dryRun      bool
	title       *protocol.Message // stands for the goal; nil for the goal itself
	mustAsk     bool              // imported or changed: confirmation cannot be switched off
	action      string
	now         time.Time
	prior       map[int]*tool.Result
	from        int       // the place in the graph where execution goes on
	continues   string    // the run whose rest this is
	undo        *pastUndo // instead of a plan: what is taken back, or finished
	selection   *host.EditorState
	memo        *memo     // of all its simulations
	turn        *turn     // the turn that it came from; nil for none
	link        bool      // a link started it, not the person
	shown       time.Time // when it was last shown as it is

	// ownWords says that the plan was made without any text of notes, or by the
	// person: its constants may go to the web. said are the person's own words.
	ownWords bool
	said     string
	// commands are the names of the palette's commands by id, where the plan runs
	// any.
	commands map[string]string
	out      *outgoing // what it lets out, of all its simulations

	frozen *agent.Frozen // what its model steps gave
	sealed bool          // no model is asked: what is not frozen fails
	trace  *tracing
	pins   *pins

	base    *overlay.Base
	amend   *overlay.Amendments
	vault   *overlay.Vault
	report  *runner.Report
	called  map[string]*tool.Call // call_id -> the call as it was simulated
	changes []overlay.Change
	listed  rows                      // the changes as they are listed
	dropped map[string]overlay.Change // as they were before they were left out
	view    *protocol.Review
}

// newSession begins a review of a checked plan.
func (s *Server) newSession(p *plan.Plan, g *plan.Graph, raw json.RawMessage) *session {
	id := newID()
	return &session{
		id: id, plan: p, graph: g, raw: raw, now: s.now(),
		frozen: agent.NewFrozen(nil), pins: &pins{}, trace: s.newTracing(id, ""),
		amend:   &overlay.Amendments{Dropped: map[string]bool{}, Edits: map[string]overlay.Edit{}},
		dropped: map[string]overlay.Change{},
	}
}

// past is what is kept of a session whose run has ended.
func (se *session) past() *session {
	if se.undo != nil {
		return &session{id: se.id, undo: se.undo.past(), now: se.now, amend: se.amend, frozen: se.frozen}
	}
	return &session{id: se.id, plan: se.plan, now: se.now, selection: se.editorSeen(), amend: se.amend, frozen: se.frozen}
}

// editorSeen gives what was selected when the plan was simulated, or nil.
func (se *session) editorSeen() *host.EditorState {
	if se.base == nil {
		return se.selection
	}
	return se.base.EditorSeen()
}

// simulate executes the plan on the overlay and makes the review of it. A
// failure of a step is in the review, not an error: what the plan would do up
// to there is worth seeing.
func (s *Server) simulate(ctx context.Context, se *session) error {
	if se.undo != nil {
		return s.simulateUndo(ctx, se)
	}
	if se.base == nil {
		se.base = s.baseOf(se)
	}
	if se.memo == nil {
		se.memo = &memo{kept: map[memoKey]tool.Data{}}
	}
	if se.out == nil {
		se.out = s.outgoingOf(se)
	}
	pol := s.policyOf(se)
	se.quota = s.newQuota()
	v := over(se.base, pol, overlay.WithAmendments(se.amend), overlay.WithQuota(se.quota.Write))
	called := map[string]*tool.Call{}
	sim := s.simulation(se, v, pol)
	call := pipeline.New(pipeline.Deps{
		Registry: s.registry, Policy: pol, Simulating: true,
		Ended: func(c *tool.Call, _ *tool.Result) { called[c.LogicalID] = c }, // one call after the other
		Judge: sim.judge, Ask: se.out.ask,
		Env: sim.env, Cache: se.frozen.Over(memoOver{se.memo, sim.cache}), Limit: s.rate, Secrets: s.resolveSecrets,
		MaxOutput: maxPlanOutput, Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
	})
	rc := s.runConfig(se, call, pol, "")
	rc.Ahead, rc.Make = sim.ahead, se.quota.Build
	rc.Pausing = s.tellPause(se)
	rep := runner.Run(ctx, rc)
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	changes, err := v.Changes(ctx)
	if err != nil {
		return err
	}
	se.vault, se.report, se.changes, se.called = v, rep, changes, called
	s.readCommands(ctx, se)
	se.view, err = s.reviewOf(ctx, se, pol)
	se.shown = s.now()
	return err
}

func (s *Server) currentPolicy() *policy.Policy {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.policy
}

// snapshot is the policy as the calls of a plan carry it: whether this plan has
// to be confirmed, and the limit of outputs that holds in plans.
func (s *Server) snapshot(se *session, pol *policy.Policy) tool.PolicySnapshot {
	snap := pol.Snapshot()
	if se.view != nil { // it is known what it changes
		snap.ConfirmationsRequired = s.mustAsk(se)
	}
	snap.Limits.MaxOutputBytes = maxPlanOutput
	return snap
}

// maxPlanOutput bounds the output of one call of a plan, in bytes as JSON. It is
// refused, not cut: what is cut would be written as if it were whole.
const maxPlanOutput = 64 << 20

// policyOf is the policy in force for a session.
func (s *Server) policyOf(se *session) *policy.Policy {
	p := s.currentPolicy()
	if !se.link {
		return p
	}
	linked := *p
	linked.Origin = policy.FromLink
	return &linked
}

// runConfig is what a simulation and its run have in common.
func (s *Server) runConfig(se *session, call pipeline.Func, pol *policy.Policy, confirmation string) runner.Config {
	return runner.Config{
		RunID: se.id, Graph: se.graph, Call: call, Limits: pol.Limits,
		Base: tool.Call{
			ExecutorVersion: Version, ToolRegistryVersion: s.registry.Version(), PlannerVersion: Version,
			Policy: s.snapshot(se, pol), ConfirmationID: confirmation,
		},
		From: se.from, Prior: se.prior,
		Simulating: confirmation == "",
		Now:        func() time.Time { return se.now },
		Seed:       seedOf(se.id),
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

// newQuota opens the account of what one plan makes while it is simulated.
func (s *Server) newQuota() *quota.Plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	return quota.New(s.settings.MaxPlanMB)
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

// approvalOf hashes what a yes is a yes to: the plan, the amendments, every
// write in order with its bytes before and after, and what model steps gave.
func approvalOf(se *session) string {
	h := digest.New()
	h.Write(se.raw)
	amend, err := json.Marshal(se.amend)
	if err == nil {
		h.Write(amend)
	}
	var b []byte
	for _, w := range se.vault.Log() {
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
func confirmationOf(se *session) string {
	ns, err := uuid.Parse(se.id)
	if err != nil {
		ns = uuid.NameSpaceOID
	}
	return uuid.NewSHA1(ns, []byte(se.view.Approval)).String()
}

// tellPause gives what tells the person why a simulation waits.
func (s *Server) tellPause(se *session) func(*tool.Call, time.Duration) {
	return func(c *tool.Call, wait time.Duration) {
		if t := se.turn; t != nil && !t.over() {
			s.noting(t)(protocol.Message{Key: "turn.stepAgain", Params: map[string]string{
				"tool": c.Tool, "seconds": itoa(int((wait + time.Second - 1) / time.Second)),
			}})
		}
	}
}
