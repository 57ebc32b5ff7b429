package server

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"sync"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
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

// staged is what a conversation has done to the overlay, call by call.
type staged struct {
	mu    sync.Mutex
	calls []*tool.Call
}

// note keeps a call that changed something, or that a run must do again. Calls
// that only read leave nothing to approve.
func (st *staged) note(c *tool.Call, r *tool.Result) {
	acts := c.Risk == tool.RiskWrites || c.Category == "workspace"
	if !r.OK || !acts {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.calls = append(st.calls, c)
}

// agentTurn lets the model work on staged notes: reads see the overlay, writes
// land in it, and when it stops, what it did goes to one review as a plan of
// the calls it made (DESIGN §2). Calls that cannot be staged ask one by one.
func (s *Server) agentTurn(ctx context.Context, t *turn, p protocol.Send) error {
	m, err := s.newModel(func(note protocol.Message) {
		view := t.set(func(t *protocol.Turn) { t.Notes = append(t.Notes, note) })
		s.out.tell(protocol.Event{Type: protocol.EventTurnStarted, Turn: &view})
	})
	if err != nil {
		return err
	}
	c, err := s.context(ctx, p)
	if err != nil {
		return err
	}
	guard, err := agent.NewGuard(agent.Limits{}, agent.NewBudget(), nil)
	if err != nil {
		return err
	}
	se := &session{id: t.view().ID, now: s.now()}
	se.base = overlay.NewBase(s.host.Vault, s.host.Editor, se.now)
	st := &staged{}
	gates := agent.NewGates()
	pol := s.currentPolicy()
	conv := s.converse(p.Conversation)
	out, err := agent.Run(ctx, agent.Config{
		RunID: se.id, Conversation: conv.id, Provider: m.provider, Registry: s.registry,
		Request: llm.Request{Model: m.name, MaxTokens: m.max, Temperature: m.temp, Whole: m.whole},
		System:  agentSystem, Gates: gates, Guard: guard, Inbox: conv.inbox,
		Do:     pipeline.New(gates.Fit(s.agentDeps(se, st, t))),
		On:     s.watchAgent(t),
		Policy: pol.Snapshot(), ExecutorVersion: Version, PlannerVersion: Version,
	}, agent.Input{State: conv.state, Messages: []llm.Message{llm.UserMessage(planner.UserText(&c))}})
	if err != nil {
		return err
	}
	s.mu.Lock()
	conv.state = out.State.Next()
	s.mu.Unlock()
	t.set(func(t *protocol.Turn) {
		t.Reply = out.Outputs.Response
		t.Usage = &protocol.Usage{Input: int(out.Usage.Input), Output: int(out.Usage.Output), Cached: int(out.Usage.CacheRead)}
		t.Outcome = outcomeAnswer
	})
	if len(st.calls) > 0 && out.Stop != agent.Failed {
		if err := s.reviewStaged(ctx, t, p, st); err != nil {
			return err
		}
	}
	if out.Problem != nil {
		return out.Problem
	}
	return nil
}

// agentDeps is the pipeline of a conversation: the tools work on the overlay.
func (s *Server) agentDeps(se *session, st *staged, t *turn) pipeline.Deps {
	pol := s.currentPolicy()
	v := overlay.New(se.base, overlay.WithGuard(pol.CheckOp))
	return pipeline.Deps{
		Registry: s.registry, Policy: pol, Ask: s.askAllow,
		Env: func(c *tool.Call) (*tool.Env, *overlay.View) {
			w := v.For(c.LogicalID)
			return s.env(se, w, simulatedWorkspace{s.host.Workspace, w}), w
		},
		Started: func(c *tool.Call) { s.tellCall(c, nil) },
		Ended: func(c *tool.Call, r *tool.Result) {
			st.note(c, r)
			s.tellCall(c, r)
		},
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

// reviewStaged opens the review of what a conversation has staged.
func (s *Server) reviewStaged(ctx context.Context, t *turn, p protocol.Send, st *staged) error {
	s.phase(t, phaseSimulating)
	pl, err := planOfCalls(p.Text, st.calls)
	if err != nil {
		return err
	}
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

// planOfCalls makes a plan of calls that were made, in their order, with their
// arguments as they were. The arguments go in as parameters, so that nothing in
// them is ever read as a reference.
func planOfCalls(goal string, calls []*tool.Call) (*plan.Plan, error) {
	slices.SortFunc(calls, func(a, b *tool.Call) int { return cmp.Compare(a.Seq, b.Seq) })
	template := &plan.Plan{Goal: goal, Assumptions: []string{}}
	values := map[string]any{}
	for i, c := range calls {
		step := plan.Step{ID: fmt.Sprintf("call%d", i+1), Tool: c.Tool, Version: c.Version, Args: map[string]any{}}
		if i > 0 {
			step.DependsOn = []string{fmt.Sprintf("call%d", i)}
		}
		for name, v := range c.Args {
			param := fmt.Sprintf("v%d_%s", i+1, name)
			step.Args[name] = "${" + param + "}"
			values[param] = v
		}
		template.Steps = append(template.Steps, step)
	}
	values["goal"] = goal
	template.Goal = "${goal}"
	bound, err := plan.BindParameters(template, values)
	if err != nil {
		return nil, fault.From(err)
	}
	return bound, nil
}
