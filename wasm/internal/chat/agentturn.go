package chat

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/transaction"
	"embedded-agent/wasm/internal/version"
)

//go:embed agent.md
var AgentSystem string

// work is an agent's turn: the model works on staged notes, where reads see the
// overlay and writes land in it. When it stops, what it did goes to one review
// as a plan of the calls it made (docs/design/invocation.md#the-loop). Calls that cannot be staged ask
// one by one.
//
// What earlier turns of the conversation staged and nobody has approved or
// refused is staged again first, on the notes as they are now: the model goes on
// with it, and the review shows all of it.
type work struct {
	room   *Chat
	t      *turn
	p      protocol.Send
	talk   *talk
	m      *model
	se     staging
	do     pipeline.Func
	gates  *agent.Gates
	guard  *agent.Guard
	deeds  *transaction.Deeds // what cannot be staged
	staged []tool.Envelope    // by earlier turns
	lost   bool               // what was staged is not there any more
	out    *guard.Outgoing
}

// agentTurn works on an instruction, or goes on with a turn that was stopped.
func (room *Chat) agentTurn(ctx context.Context, t *turn, p protocol.Send, c *talk) error {
	if last := c.Last(); p.Continue && (last == nil || !last.Shown.CanContinue) {
		return fault.New(fault.Precondition, "error.conversation.nothingToContinue", nil)
	}
	w := &work{room: room, t: t, p: p, talk: c}
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
	err = w.review(ctx, out)
	w.keepTrace()
	if err != nil {
		return err
	}
	if out.Problem != nil {
		return out.Problem
	}
	return nil
}

// prepare makes everything but the messages.
func (w *work) prepare(ctx context.Context) error {
	room := w.room
	m, err := room.NewModel(ctx, w.p.Model, w.t.Note)
	if err != nil {
		return err
	}
	w.m = m
	if w.guard, err = room.deps.Guard.Agent(m.host(), agent.NewBudget(), nil); err != nil {
		return err
	}
	if err := room.ConfirmKey(ctx); err != nil {
		return err
	}
	w.se = staging{ID: ids.New(), Scene: transaction.Scene{Now: room.deps.Now()}}
	w.out = room.deps.Guard.NewOutgoing(w.said, nil)
	w.se.Trace = room.deps.History.Trace(w.se.ID, w.talk.ID)
	w.t.set(func(t *protocol.Turn) { t.TracesURL = history.TracesURL(w.se.ID) })
	if err := w.stageAgain(ctx); err != nil {
		return err
	}
	w.gates = agent.NewGates()
	w.deeds = room.deps.Transactions.NewDeeds(w.se.ID, w.goal())
	d := w.deps()
	d.Ask, d.Audit, d.Prepare = w.ask, w.deeds, w.deeds.Begins
	w.do = pipeline.New(w.gates.Fit(d))
	return nil
}

// ask asks about what only reads the web for itself, and about what is done at
// once as a deed, which is recorded.
func (w *work) ask(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	if e, err := w.room.deps.Registry.Get(c.Tool, c.Version); err == nil && e.Simulable {
		return w.out.Ask(ctx, c, v)
	}
	return w.deeds.Ask(ctx, c, v)
}

// stageAgain stages what earlier turns staged. Where that does not come out any
// more nothing of it is kept, and the model is told.
func (w *work) stageAgain(ctx context.Context) error {
	w.se.Base = w.room.deps.Transactions.BaseOf(w.se.Scene)
	w.fresh()
	w.staged = w.talk.Staged()
	for _, t := range w.talk.Turns {
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
			RunID: w.se.ID, StepID: history.AgentStep, Tool: e.Name, Version: e.Version, Args: tool.Args(args), Attempt: 1, Seq: i + 1,
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
	return err == nil && t.Simulable && t.SideEffects.Risk() == tool.RiskWrites
}

// fresh lays an empty overlay over the vault.
func (w *work) fresh() {
	w.se.Quota = w.room.deps.Transactions.NewQuota()
	w.se.Vault = transaction.Over(w.se.Base, w.room.deps.Guard.Policy(), overlay.WithQuota(w.se.Quota.Write))
}

// deps is the pipeline of the conversation: the tools work on the overlay.
func (w *work) deps() pipeline.Deps {
	room, pol, v := w.room, w.room.deps.Guard.Policy(), w.se.Vault
	return pipeline.Deps{
		Registry: room.deps.Registry, Policy: pol, InForce: room.deps.Guard.InForce, Judge: w.out.Judge,
		Env: func(c *tool.Call) (*tool.Env, *overlay.View) {
			view := v.For(c.LogicalID)
			env := room.deps.Transactions.Env(w.se.Scene, view, pol)
			env.Paged, env.Kept = true, room.deps.History.KeptOf(w.se.ID)
			if w.m.sees() {
				env.Image = room.fitImage
			}
			return env, view
		},
		Cache: room.deps.Transactions.ResultsFor(v), Limit: room.deps.Guard.Rate, Secrets: room.deps.Guard.ResolveSecrets, Cap: agent.Cap(w.se.Trace.Attach, pol.Limits.MaxOutputBytes),
		Redact: room.deps.Guard.RedactResult, Check: room.deps.Guard.KeepHidden,
		Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
	}
}

// input is the conversation so far and what the person says now.
func (w *work) input(ctx context.Context) (agent.Input, error) {
	seq, asked := w.talk.Numbers()
	in := agent.Input{State: agent.State{Messages: recent(w.talk.Turns), Seq: seq, Turn: asked}}
	var notes []string
	if w.talk.discarded {
		notes = append(notes, i18n.English("agent.discarded", nil))
	}
	if w.lost {
		notes = append(notes, i18n.English("agent.lost", nil))
	}
	if w.p.Continue {
		if len(notes) > 0 {
			in.Messages = []llm.Message{llm.UserMessage(strings.Join(append(notes, i18n.English("agent.continue", nil)), "\n"))}
		}
		return in, nil
	}
	m, err := w.message(ctx, w.p)
	if err != nil {
		return in, err
	}
	if len(notes) > 0 {
		m.Content = append([]llm.Block{llm.Text(strings.Join(notes, "\n"))}, m.Content...)
	}
	in.Messages = []llm.Message{m}
	return in, nil
}

// message is the person's words with what surrounds them.
func (w *work) message(ctx context.Context, p protocol.Send) (llm.Message, error) {
	c, err := w.room.context(ctx, p, w.m.Note)
	if err != nil {
		return llm.Message{}, err
	}
	images, err := w.room.images(ctx, w.m, p)
	return llm.UserMessage(planner.UserText(&c), images...), err
}

// maxTalkBytes bounds how much of a conversation goes along with a request. What
// is older is left out a turn at a time.
const maxTalkBytes = 400 << 10

func recent(turns []*conversation.Turn) []llm.Message {
	from, size := len(turns), 0
	for from > 0 {
		for _, m := range turns[from-1].Messages {
			for _, b := range m.Content {
				size += len(b.Text) + len(b.Thinking)
				if b.ToolCall != nil {
					size += len(b.Arguments)
				}
			}
		}
		if size > maxTalkBytes && from < len(turns) {
			break
		}
		from--
	}
	var out []llm.Message
	for _, t := range turns[from:] {
		out = append(out, t.Messages...)
	}
	return out
}

// run lets the agent work. A message that came in the moment of its end is
// worked on too.
func (w *work) run(ctx context.Context, in agent.Input) (*agent.Outcome, llm.Usage, error) {
	room, pol := w.room, w.room.deps.Guard.Policy()
	w.open()
	var used llm.Usage
	for {
		out, err := agent.Run(ctx, agent.Config{
			RunID: w.se.ID, StepID: history.AgentStep, Conversation: w.talk.ID, Provider: w.m.acting(room), ProviderName: w.m.kind,
			Request: llm.Request{Model: w.m.name, MaxTokens: w.m.max, Temperature: w.m.temp, Whole: w.m.whole},
			System:  AgentSystem, Registry: room.deps.Registry, Gates: w.gates, Guard: w.guard, Inbox: w.talk.inbox, Do: w.do,
			Images: room.deps.Images, ImageLimits: room.imageLimits(), Store: w.se.Trace.Attach,
			On: room.watchAgent(w.t), Trace: w.se.Trace.Rec, Parent: w.se.Trace.Root, TracesURL: history.TracesURL(w.se.ID),
			Policy: pol.Snapshot(), ExecutorVersion: version.Core, PlannerVersion: version.Core,
		}, in)
		if err != nil {
			w.close(false)
			return nil, used, err
		}
		used = used.Add(out.Usage)
		w.se.Trace.Keep(out.Bundle)
		left := w.close(out.Problem == nil)
		if len(left) == 0 {
			return out, used, nil
		}
		in = agent.Input{State: out.State, Messages: left}
	}
}

// open lets messages of the person in. What was queued when the last turn was
// stopped is queued again.
func (w *work) open() {
	w.talk.inbox = agent.NewInbox()
	var waiting []string
	if last := w.talk.Last(); last != nil && w.p.Continue {
		waiting = last.Waiting
	}
	for _, text := range waiting {
		w.talk.inbox.Queue(llm.UserMessage(spoken(text)))
	}
	w.t.set(func(t *protocol.Turn) { t.Queued = append(t.Queued, waiting...) })
	w.room.mu.Lock()
	defer w.room.mu.Unlock()
	w.talk.working, w.talk.discarded = true, false
}

// close ends the time in which messages are let in, unless some came that are to
// be worked on. Those that are not wait for the turn to go on.
func (w *work) close(goOn bool) []llm.Message {
	w.room.mu.Lock()
	defer w.room.mu.Unlock()
	left := w.talk.inbox.Left()
	if goOn && len(left) > 0 {
		return left
	}
	w.talk.working = false
	for _, m := range left {
		w.t.said.turn.Waiting = append(w.t.said.turn.Waiting, WordsOf(m))
	}
	return nil
}

// note writes down what the agent came to.
func (w *work) note(out *agent.Outcome, before int, used llm.Usage) {
	said := &w.t.said.turn
	said.Messages = out.State.Messages[before:]
	said.Seq, said.Asked, said.Trace = out.State.Seq, out.State.Turn, w.se.ID
	said.Staged = append(w.staged[:len(w.staged):len(w.staged)], w.room.writing(out.Outputs)...)
	w.room.mu.Lock()
	for _, t := range w.talk.Turns { // from now on they are this turn's
		t.Staged, t.Lost = nil, false
	}
	w.talk.remember(turnCalls{w.t.View().ID, w.se.ID, out.Outputs.ToolsByID})
	w.room.mu.Unlock()
	usage := w.room.deps.Usage.View(w.m.host(), w.m.name, used)
	w.t.set(func(t *protocol.Turn) {
		t.Reply, t.Usage, t.Outcome = w.room.deps.Out.Redact(out.Outputs.Response), usage, OutcomeAnswer
		switch out.Stop {
		case agent.Stopped, agent.Denied, agent.Failed, agent.Length:
			t.CanContinue = true
		}
	})
}

// review opens the review of what is staged, if anything. Of a turn that was
// stopped nothing is shown: it may go on.
func (w *work) review(ctx context.Context, out *agent.Outcome) error {
	staged := w.t.said.turn.Staged
	if len(staged) == 0 || out.Stop == agent.Stopped {
		return nil
	}
	room := w.room
	all := agent.Outputs{ToolsByID: map[string]tool.Envelope{}}
	for _, e := range staged {
		all.ToolOrder = append(all.ToolOrder, e.CallID)
		all.ToolsByID[e.CallID] = e
	}
	goal := w.goal()
	pl, err := agent.AsPlan(goal, all, room.deps.Registry)
	if err != nil || pl == nil {
		return err
	}
	room.phase(w.t, phaseSimulating)
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
		d.ID, d.Trace = w.se.ID, w.se.Trace
	}
	d.Instruction, d.DryRun, d.MustAsk, d.Turn = goal, w.p.DryRun, true, w.t
	w.t.said.turn.Run = d.ID
	w.t.set(func(t *protocol.Turn) { t.Outcome, t.Run = OutcomePlan, d.ID })
	return room.deps.Transactions.OpenReview(ctx, d)
}

// said is what the person said in the conversation, without what came along.
func (w *work) said() string {
	words := []string{w.p.Text}
	for _, t := range w.talk.Turns {
		words = append(words, t.Shown.Text)
	}
	view := w.t.View()
	return strings.Join(append(append(words, view.Steered...), view.Queued...), "\n")
}

// goal is what the person asked for: of a turn that goes on, when it began.
func (w *work) goal() string {
	if text := strings.TrimSpace(w.p.Text); text != "" {
		return w.p.Text
	}
	for i := len(w.talk.Turns) - 1; i >= 0; i-- {
		if text := w.talk.Turns[i].Shown.Text; strings.TrimSpace(text) != "" {
			return text
		}
	}
	return w.talk.Title
}

// keepTrace writes the turn's trace: a run that follows takes it over.
func (w *work) keepTrace() {
	ctx, cancel := context.WithTimeout(w.room.deps.Life, time.Minute)
	defer cancel()
	if w.deeds.Any() {
		w.se.Trace.Root.End()
		if err := w.deeds.End(ctx, w.se.Trace); err != nil {
			w.room.deps.Out.Notice("warn", "notice.historyNotKept", nil, w.se.ID)
			w.room.deps.Transactions.LookAgain(ctx)
		}
		return
	}
	if w.t.said.turn.Run == "" {
		w.se.Trace.Root.End()
	}
	if err := w.room.deps.History.KeepTrace(ctx, w.se.Trace); err != nil {
		w.room.deps.Out.Notice("warn", "notice.historyNotKept", nil, w.se.ID)
	}
}
