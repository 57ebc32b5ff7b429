package server

import (
	"context"
	_ "embed"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

//go:embed agent.md
var agentSystem string

// conversation is an agent at work, and what it goes on with afterwards.
type conversation struct {
	id    string
	inbox *agent.Inbox
	state agent.State
}

// agentTurn lets the model work on staged notes: reads see the overlay, writes
// land in it, and when it stops, what it did goes to one review as a plan of
// the calls it made (DESIGN §2). Calls that cannot be staged ask one by one.
func (s *Server) agentTurn(ctx context.Context, t *turn, p protocol.Send) error {
	m, err := s.newModel(ctx, p.Model, s.noting(t))
	if err != nil {
		return err
	}
	c, err := s.context(ctx, p, m.note)
	if err != nil {
		return err
	}
	images, err := s.images(ctx, m, p)
	if err != nil {
		return err
	}
	guard, err := agent.NewGuard(agent.Limits{}, agent.NewBudget(), nil)
	if err != nil {
		return err
	}
	se := &session{id: t.view().ID, now: s.now()}
	se.base = overlay.NewBase(s.host.Vault, s.host.Editor, se.now)
	gates := agent.NewGates()
	pol := s.currentPolicy()
	conv := s.converse(p.Conversation)
	out, err := agent.Run(ctx, agent.Config{
		RunID: se.id, Conversation: conv.id, Provider: m.acting(s), Registry: s.registry,
		Request: llm.Request{Model: m.name, MaxTokens: m.max, Temperature: m.temp, Whole: m.whole},
		System:  agentSystem, Gates: gates, Guard: guard, Inbox: conv.inbox,
		Do:     pipeline.New(gates.Fit(s.agentDeps(se))),
		On:     s.watchAgent(t),
		Images: s.deps.Images, ImageLimits: s.imageLimits(),
		Policy: pol.Snapshot(), ExecutorVersion: Version, PlannerVersion: Version,
	}, agent.Input{State: conv.state, Messages: []llm.Message{llm.UserMessage(planner.UserText(&c), images...)}})
	if err != nil {
		return err
	}
	s.mu.Lock()
	conv.state = out.State.Next()
	s.mu.Unlock()
	usage := s.usageOf(m, out.Usage)
	t.set(func(t *protocol.Turn) {
		t.Reply = out.Outputs.Response
		t.Usage = usage
		t.Outcome = outcomeAnswer
	})
	if err := s.reviewStaged(ctx, t, p, out.Outputs); err != nil {
		return err
	}
	if out.Problem != nil {
		return out.Problem
	}
	return nil
}

// agentDeps is the pipeline of a conversation: the tools work on the overlay.
func (s *Server) agentDeps(se *session) pipeline.Deps {
	pol := s.currentPolicy()
	v := overlay.New(se.base, overlay.WithGuard(pol.CheckOp), overlay.WithSight(s.sight(pol)))
	return pipeline.Deps{
		Registry: s.registry, Policy: pol, Ask: s.askAllow,
		Env: func(c *tool.Call) (*tool.Env, *overlay.View) {
			w := v.For(c.LogicalID)
			return s.env(se, w, s.host.Workspace), w
		},
		Started: func(c *tool.Call) { s.tellCall(c, nil) },
		Ended:   s.tellCall,
		Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
	}
}

// tellCall shows a call of a conversation in the run log.
func (s *Server) tellCall(c *tool.Call, r *tool.Result) {
	kind, level := "step.started", "info"
	if r != nil {
		kind = "step.finished"
		if !r.OK {
			kind, level = "step.failed", "error"
		}
	}
	at := pipeline.Stamp(s.now())
	s.out.gatherExec(c.CallID, func() *protocol.ExecutionEvent {
		return &protocol.ExecutionEvent{
			Type: kind, RunID: c.RunID, Timestamp: at, Level: level, Message: c.Tool,
			CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Call: s.callView(c, r),
		}
	})
}

// watchAgent turns what the loop tells into events of the turn.
func (s *Server) watchAgent(t *turn) func(agent.Event) {
	id := t.view().ID
	return func(e agent.Event) {
		if e.Type != agent.MessageUpdate || e.LLM == nil {
			return
		}
		switch e.LLM.Type {
		case llm.EventTextDelta:
			if t.view().Phase != phaseStreaming {
				s.phase(t, phaseStreaming)
			}
			t.set(func(t *protocol.Turn) { t.Reply += e.LLM.Delta })
			s.out.tell(protocol.Event{Type: protocol.EventTurnText, Delta: &protocol.Delta{Turn: id, Text: e.LLM.Delta}})
		case llm.EventThinkingDelta:
			t.set(func(t *protocol.Turn) { t.Reasoning += e.LLM.Delta })
			s.out.tell(protocol.Event{Type: protocol.EventTurnReasoning, Delta: &protocol.Delta{Turn: id, Text: e.LLM.Delta}})
		}
	}
}

// converse gives the conversation of an id, made at first use. Only one is kept:
// another id begins anew.
func (s *Server) converse(id string) *conversation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.talk == nil || s.talk.id != id {
		s.talk = &conversation{id: id}
	}
	s.talk.inbox = agent.NewInbox()
	return s.talk
}

// steer hands a message to an agent at work; false when none is.
func (s *Server) steer(p protocol.Send) (protocol.Accepted, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.Mode != protocol.ModeAgent || s.turn == nil || s.turn.over() || s.talk == nil || s.talk.id != p.Conversation {
		return protocol.Accepted{}, false
	}
	if p.Queue {
		s.talk.inbox.Queue(llm.UserMessage(p.Text))
	} else {
		s.talk.inbox.Steer(llm.UserMessage(p.Text))
	}
	return protocol.Accepted{Turn: s.turn.view().ID}, true
}

// reviewStaged opens the review of what a conversation has staged, if anything.
func (s *Server) reviewStaged(ctx context.Context, t *turn, p protocol.Send, out agent.Outputs) error {
	pl, err := agent.AsPlan(p.Text, out, s.registry)
	if err != nil || pl == nil {
		return err
	}
	s.phase(t, phaseSimulating)
	g, problems := plan.Check(pl, s.registry, s.boundRules())
	if g == nil || plan.Failed(problems) {
		return plan.Fault(problems)
	}
	raw, err := jsonOf(pl)
	if err != nil {
		return err
	}
	se := s.newSession(pl, g, raw)
	se.instruction, se.dryRun, se.mustAsk = p.Text, p.DryRun, true
	t.set(func(t *protocol.Turn) { t.Outcome, t.Run = outcomePlan, se.id })
	return s.openReview(ctx, se)
}
