package chat

import (
	"context"
	_ "embed"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/hollow"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/shorten"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/transaction"
	"embedded-agent/wasm/internal/version"
)

//go:embed agent.md
var AgentSystem string

// agentTurn is the turn of an agent: the model works on staged notes, where reads see the
// overlay and writes land in it. When it stops, what it did goes to one review
// as a plan of the calls it made (docs/design/invocation.md#the-loop). Calls that cannot be staged ask
// one by one.
//
// What earlier turns of the conversation staged and nobody has approved or
// refused is staged again first, on the notes as they are now: the model goes on
// with it, and the review shows all of it.
type agentTurn struct {
	room    *Chat
	t       *turn
	p       protocol.Send
	in      *openConversation
	m       *model
	staging staging
	do      pipeline.Func
	gates   *agent.Gates
	guard   *agent.Guard
	deeds   *transaction.Deeds // what cannot be staged
	staged  []tool.Envelope    // by earlier turns
	lost    bool               // what was staged is not there any more
	out     *guard.Outgoing
}

// runAgent works on an instruction, or goes on with a turn that was stopped.
func (room *Chat) runAgent(ctx context.Context, t *turn, p protocol.Send, c *openConversation) error {
	if last := c.Last(); p.Continue && (last == nil || !last.Shown.CanContinue) {
		return fault.New(fault.Precondition, "error.conversation.nothingToContinue", nil)
	}
	w := &agentTurn{room: room, t: t, p: p, in: c}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	input, err := w.input(ctx)
	if err != nil {
		return err
	}
	before := len(input.State.Messages)
	out, usage, err := w.run(ctx, input)
	if err != nil {
		return err
	}
	w.note(out, before, usage)
	if err = w.review(ctx, out); err == nil {
		err = w.lookups(ctx, out)
	}
	w.keepTrace()
	if err != nil {
		return err
	}
	if out.Problem != nil {
		return out.Problem
	}
	return w.words()
}

// lookups shows below the words of an answer the lists that the model looked up last: whole, counted, and with notes
// that can be opened. What a turn has staged or done is shown in its review or its run.
func (w *agentTurn) lookups(ctx context.Context, out *agent.Outcome) error {
	if out.Stop != agent.Done || len(w.t.record.turn.Staged) > 0 || w.deeds.Any() || planner.Written(out.Outputs.Response) {
		return nil
	}
	room := w.room
	pl, err := agent.AsLookups(w.goal(), out, room.deps.Registry)
	if err != nil || pl == nil {
		return err
	}
	g, problems := plan.Check(pl, room.deps.Registry, room.deps.Guard.BoundRules())
	if g == nil || plan.Failed(problems) {
		return plan.Fault(problems)
	}
	raw, err := canon.Encode(pl)
	if err != nil {
		return err
	}
	d := room.deps.Transactions.NewDraft(pl, g, raw)
	d.ID, d.Trace = w.staging.ID, w.staging.Trace
	d.Instruction, d.Turn = w.goal(), w.t
	rv, err := room.deps.Transactions.Simulate(ctx, d)
	if err != nil || rv.View.Problem != nil || rv.View.Findings == nil || !rv.View.Findings.Done {
		return err
	}
	w.t.set(func(t *protocol.Turn) { t.Run = rv.ID })
	w.t.found(rv)
	return nil
}

// words looks at the last words of a turn that has changed nothing: they may say that
// it has. A call that was written in place of words is none for a person to read.
func (w *agentTurn) words() error {
	written := false
	w.t.set(func(t *protocol.Turn) {
		if written = planner.Written(t.Reply); written {
			t.Reply = ""
		}
		if t.Outcome != protocol.TurnAnswer || len(w.t.record.turn.Staged) > 0 || w.deeds.Any() {
			written = false
			return
		}
		t.Hollow = hollow.Words(t.Reply)
	})
	if written {
		return fault.New(fault.Provider, "error.planner.wroteCall", nil)
	}
	return nil
}

// prepare makes everything but the messages.
func (w *agentTurn) prepare(ctx context.Context) error {
	room := w.room
	m, err := room.Models.New(ctx, w.p.Model, w.t.Note)
	if err != nil {
		return err
	}
	w.m = m
	if w.guard, err = m.guard(room, limits.NewBudget(), nil, 0); err != nil {
		return err
	}
	if err := room.Models.ConfirmKey(ctx); err != nil {
		return err
	}
	w.staging = staging{ID: ids.New(), Scene: transaction.Scene{Now: room.deps.Now()}}
	w.out = room.deps.Guard.NewOutgoing(w.said, nil)
	w.staging.Trace = room.deps.History.Trace(w.staging.ID, w.in.ID)
	w.t.set(func(t *protocol.Turn) { t.TracesURL = history.TracesURL(w.staging.ID) })
	if err := w.stageAgain(ctx); err != nil {
		return err
	}
	w.gates = agent.NewGates()
	w.deeds = room.deps.Transactions.NewDeeds(w.staging.ID, w.goal())
	d := w.deps()
	d.Guards.Ask, d.Records.Audit, d.Records.Prepare = w.ask, w.deeds, w.deeds.Begins
	w.do = pipeline.New(w.gates.Fit(d))
	return nil
}

// ask asks about what only reads the web for itself, and about what is done at
// once as a deed, which is recorded.
func (w *agentTurn) ask(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	if e, err := w.room.deps.Registry.Get(c.Tool, c.Version); err == nil && e.Simulable {
		return w.out.Ask(ctx, c, v)
	}
	return w.deeds.Ask(ctx, c, v)
}

// stageAgain stages what earlier turns staged. Where that does not come out any
// more nothing of it is kept, and the model is told.
func (w *agentTurn) stageAgain(ctx context.Context) error {
	w.staging.Base = w.room.deps.Transactions.BaseOf(w.staging.Scene)
	w.fresh()
	w.staged = w.in.Staged()
	for _, t := range w.in.Turns {
		w.lost = w.lost || t.Lost
	}
	do := pipeline.New(w.deps())
	for i, e := range w.staged {
		if !w.room.stages(e) {
			w.lost = true // no call that could be staged: a record that was changed
			break
		}
		args, _ := e.Input.(map[string]any)
		r := do(ctx, pipeline.Request{Call: &tool.Call{
			RunID: w.staging.ID, StepID: history.AgentStep, Tool: e.Name, Version: e.Version, Args: tool.Args(args), Attempt: 1, Seq: i + 1,
			ExecutorVersion: version.Core, Policy: w.room.deps.Guard.Policy().Snapshot(),
		}})
		if err := ctx.Err(); err != nil {
			return fault.From(err)
		}
		if !r.OK {
			w.lost = true
		}
	}
	if w.lost {
		w.staged = nil
		w.fresh()
	}
	return nil
}

// stages says whether a receipt is of a tool whose writes land in the overlay.
// No other call is made again.
func (room *Chat) stages(e tool.Envelope) bool {
	t, err := room.deps.Registry.Get(e.Name, e.Version)
	return err == nil && t.Simulable && t.EffectsOf(e.Args()).Risk() == tool.RiskWrites
}

// fresh lays an empty overlay over the vault.
func (w *agentTurn) fresh() {
	w.staging.Quota = w.room.deps.Transactions.NewQuota()
	w.staging.Vault = transaction.Over(w.staging.Base, w.room.deps.Guard.Policy(), overlay.WithQuota(w.staging.Quota.Write))
}

// deps is the pipeline of the conversation: the tools work on the overlay.
func (w *agentTurn) deps() pipeline.Deps {
	room, pol, v := w.room, w.room.deps.Guard.Policy(), w.staging.Vault
	return pipeline.Deps{
		Registry: room.deps.Registry,
		Guards: pipeline.Guards{
			Policy: pol, InForce: room.deps.Guard.InForce, Judge: w.out.Judge, Limit: room.deps.Guard.Rate, Check: room.deps.Guard.KeepHidden,
		},
		Env: func(c *tool.Call) (*tool.Env, *overlay.View) {
			view := v.For(c.LogicalID)
			env := room.deps.Transactions.Env(w.staging.Scene, view, pol)
			env.Model.Paged, env.Model.Kept = true, room.deps.History.KeptOf(w.staging.ID)
			if w.m.sees() {
				env.Model.Image = room.attachments.fit
			}
			return env, view
		},
		Cache: room.deps.Transactions.ResultsFor(v), Secrets: room.deps.Guard.ResolveSecrets,
		Records: pipeline.Records{Cap: shorten.Cap(w.staging.Trace.Attach, pol.Limits.MaxOutputBytes), Redact: room.deps.Guard.RedactResult},
		Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
	}
}

// run lets the agent work. A message that came in the moment of its end is
// worked on too.
func (w *agentTurn) run(ctx context.Context, in agent.Input) (*agent.Outcome, price.Usage, error) {
	room, pol := w.room, w.room.deps.Guard.Policy()
	w.open()
	var used price.Usage
	for {
		out, err := agent.Run(ctx, agent.Config{
			Identity: agent.Identity{RunID: w.staging.ID, StepID: history.AgentStep, Conversation: w.in.ID},
			Model:    w.m.asked(AgentSystem),
			Registry: room.deps.Registry, Do: w.do, Gates: w.gates, Guard: w.guard, Inbox: w.in.inbox,
			Results:  agent.Results{Images: room.deps.Model.Images, ImageLimits: room.attachments.limits(), Store: w.staging.Trace.Attach},
			Watchers: watchers(w.staging.ID, w.staging.Trace, room.watchAgent(w.t)), Origin: origin(pol),
		}, in)
		if err != nil {
			w.close(false)
			return nil, used, err
		}
		used = used.Add(out.Usage)
		keepBundle(w.staging.Trace, out.Bundle, room.deps.Registry)
		left := w.close(out.Problem == nil)
		if len(left) == 0 {
			return out, used, nil
		}
		in = agent.Input{State: out.State, Messages: left}
	}
}

// open lets messages of the person in. What was queued when the last turn was
// stopped is queued again.
func (w *agentTurn) open() {
	w.in.inbox = agent.NewInbox()
	var waiting []string
	if last := w.in.Last(); last != nil && w.p.Continue {
		waiting = last.Waiting
	}
	for _, text := range waiting {
		w.in.inbox.Queue(llm.UserMessage(spoken(text)))
	}
	w.t.set(func(t *protocol.Turn) { t.Queued = append(t.Queued, waiting...) })
	w.room.Conversations.mu.Lock()
	defer w.room.Conversations.mu.Unlock()
	w.in.working, w.in.discarded = true, false
}

// close ends the time in which messages are let in, unless some came that are to
// be worked on. Those that are not wait for the turn to go on.
func (w *agentTurn) close(goOn bool) []llm.Message {
	w.room.Conversations.mu.Lock()
	defer w.room.Conversations.mu.Unlock()
	left := w.in.inbox.Left()
	if goOn && len(left) > 0 {
		return left
	}
	w.in.working = false
	for _, m := range left {
		w.t.record.turn.Waiting = append(w.t.record.turn.Waiting, WordsOf(m))
	}
	return nil
}

// note writes down what the agent came to.
func (w *agentTurn) note(out *agent.Outcome, before int, used price.Usage) {
	kept := &w.t.record.turn
	kept.Messages = out.State.Messages[before:]
	kept.Seq, kept.Asked, kept.Trace = out.State.Seq, out.State.Turn, w.staging.ID
	kept.Staged = append(w.staged[:len(w.staged):len(w.staged)], w.room.writing(out.Outputs)...)
	w.room.Conversations.mu.Lock()
	var shown []string             // the reviews that showed them
	for _, t := range w.in.Turns { // from now on they are this turn's
		if len(t.Staged) > 0 && t.Run != "" {
			shown = append(shown, t.Run)
		}
		t.Staged, t.Lost = nil, false
	}
	w.in.keepCalls(turnCalls{w.t.View().ID, w.staging.ID, out.Outputs.ToolsByID})
	w.room.Conversations.mu.Unlock()
	for _, run := range shown {
		w.room.deps.Transactions.Supersede(run)
	}
	usage := w.room.deps.Usage.View(w.m.host(), w.m.name, used)
	w.t.set(func(t *protocol.Turn) {
		t.Reply, t.Usage, t.Outcome = w.room.deps.Out.Redact(out.Outputs.Response), usage, protocol.TurnAnswer
		switch out.Stop {
		case agent.Stopped, agent.Denied, agent.Failed, agent.Length:
			t.CanContinue = true
		}
	})
}

// review opens the review of what is staged, if anything. Of a turn that was
// stopped nothing is shown: it may go on.
func (w *agentTurn) review(ctx context.Context, out *agent.Outcome) error {
	staged := w.t.record.turn.Staged
	if len(staged) == 0 || out.Stop == agent.Stopped {
		return nil
	}
	room := w.room
	all := modelstep.Outputs{ToolsByID: map[string]tool.Envelope{}}
	for _, e := range staged {
		all.ToolOrder = append(all.ToolOrder, e.CallID)
		all.ToolsByID[e.CallID] = e
	}
	goal := w.goal()
	pl, err := agent.AsPlan(goal, all, room.deps.Registry)
	if err != nil || pl == nil {
		return err
	}
	room.phase(w.t, protocol.PhaseSimulating)
	g, problems := plan.Check(pl, room.deps.Registry, room.deps.Guard.BoundRules())
	if g == nil || plan.Failed(problems) {
		return plan.Fault(problems)
	}
	raw, err := canon.Encode(pl)
	if err != nil {
		return err
	}
	d := room.deps.Transactions.NewDraft(pl, g, raw)
	if !w.deeds.Any() { // else the turn is a run already, which has them
		d.ID, d.Trace = w.staging.ID, w.staging.Trace
	}
	d.Instruction, d.DryRun, d.MustAsk, d.Turn = goal, w.p.DryRun, true, w.t
	w.t.record.turn.Run = d.ID
	w.t.set(func(t *protocol.Turn) { t.Outcome, t.Run = protocol.TurnPlan, d.ID })
	return room.deps.Transactions.OpenReview(ctx, d)
}

// keepTrace writes the turn's trace: a run that follows takes it over.
func (w *agentTurn) keepTrace() {
	ctx, cancel := context.WithTimeout(w.room.deps.Life, time.Minute)
	defer cancel()
	if w.deeds.Any() {
		w.staging.Trace.Root.End()
		if err := w.deeds.End(ctx, w.staging.Trace); err != nil {
			w.room.deps.Out.Notice("warn", "notice.historyNotKept", nil, w.staging.ID)
			w.room.deps.Transactions.LookAgain(ctx)
		}
		return
	}
	if w.t.record.turn.Run == "" {
		w.staging.Trace.Root.End()
	}
	if err := w.room.deps.History.KeepTrace(ctx, w.staging.Trace); err != nil {
		w.room.deps.Out.Notice("warn", "notice.historyNotKept", nil, w.staging.ID)
	}
}

// writing gives the receipts of calls that wrote to the overlay, in order.
func (room *Chat) writing(out modelstep.Outputs) []tool.Envelope {
	var list []tool.Envelope
	for _, id := range out.ToolOrder {
		e := out.ToolsByID[id]
		entry, err := room.deps.Registry.Get(e.Name, e.Version)
		if err == nil && e.Error == nil && e.Output != nil && entry.EffectsOf(e.Args()) == tool.Writes && entry.Simulable {
			list = append(list, e)
		}
	}
	return list
}
