package server

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// turn is one exchange on its way.
type turn struct {
	mu     sync.Mutex
	t      protocol.Turn
	cancel context.CancelFunc
	// asksFor is the saved action whose prompt is asked; mustAsk says that what
	// comes of it has to be approved, whatever the settings say.
	asksFor string
	mustAsk bool
	link    bool  // a link started it
	said    *said // what it leaves in its conversation; nil outside of one
	// ended is closed when its end was told.
	ended chan struct{}
	// What streams in grows here; the turn's texts share their bytes.
	reply, reasoning strings.Builder
}

// grow puts a piece behind a text that streams in. A text that was set otherwise
// meanwhile is gone on with.
func grow(b *strings.Builder, text *string, piece string) {
	if b.Len() != len(*text) {
		b.Reset()
		b.WriteString(*text)
	}
	b.WriteString(piece)
	*text = b.String()
}

// says takes a piece of the answer.
func (t *turn) says(piece string) {
	t.set(func(p *protocol.Turn) { grow(&t.reply, &p.Reply, piece) })
}

// reasons takes a piece of what the model thinks.
func (t *turn) reasons(piece string) {
	t.set(func(p *protocol.Turn) { grow(&t.reasoning, &p.Reasoning, piece) })
}

// The phases and outcomes of a turn.
const (
	phaseAsking     = protocol.PhaseAsking
	phaseStreaming  = protocol.PhaseStreaming
	phaseRepairing  = protocol.PhaseRepairing
	phaseSimulating = protocol.PhaseSimulating
	phaseDone       = protocol.PhaseDone

	outcomePlan      = "plan"
	outcomeAnswer    = "answer"
	outcomeQuestion  = "question"
	outcomeFailed    = "failed"
	outcomeCancelled = "cancelled"
)

func (t *turn) view() protocol.Turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.t
}

func (t *turn) set(f func(t *protocol.Turn)) protocol.Turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.t)
	return t.t
}

func (t *turn) over() bool { return t.view().Phase == phaseDone }

// send takes an instruction. It answers at once; events tell the rest.
func (s *Server) send(ctx context.Context, p protocol.Send) (protocol.Accepted, error) {
	if strings.TrimSpace(p.Text) == "" && !p.Continue {
		return protocol.Accepted{}, fault.New(fault.Validation, "error.send.empty", nil)
	}
	if p.Continue {
		p.Mode = protocol.ModeAgent
	}
	if p.Conversation != "" {
		if err := conversation.CheckID(p.Conversation); err != nil {
			return protocol.Accepted{}, err
		}
	}
	if a, joined := s.steer(ctx, p); joined {
		return a, nil
	}
	return s.startTurn(p.Text, p.Conversation, func(ctx context.Context, t *turn) error {
		c, err := s.beginSaid(ctx, t, p)
		switch {
		case err != nil:
			return err
		case p.Mode == protocol.ModeAgent:
			return s.agentTurn(ctx, t, p, c)
		}
		return s.planTurn(ctx, t, p)
	})
}

// startTurn begins a turn: one at a time, and not while a run is under way.
func (s *Server) startTurn(text, conversation string, work func(context.Context, *turn) error) (protocol.Accepted, error) {
	ctx, cancel := context.WithCancel(s.life)
	t := &turn{cancel: cancel, ended: make(chan struct{}), t: protocol.Turn{ID: newID(), Conversation: conversation, Text: text, Phase: phaseAsking, StartedAt: pipeline.Stamp(s.now())}}
	s.mu.Lock()
	if (s.turn != nil && !s.turn.over()) || (s.run != nil && !s.run.over()) {
		s.mu.Unlock()
		cancel()
		return protocol.Accepted{}, fault.New(fault.Precondition, "error.busy", nil)
	}
	s.turn = t
	closed := s.review
	s.review = nil
	s.mu.Unlock()
	if closed != nil {
		s.out.tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: closed.id})
	}
	view := t.view()
	s.out.tell(protocol.Event{Type: protocol.EventTurnStarted, Turn: &view})
	go func() {
		defer cancel()
		if err := s.readOrganisation(ctx); err != nil {
			s.endTurn(t, err)
			return
		}
		s.endTurn(t, work(ctx, t))
	}()
	return protocol.Accepted{Turn: view.ID}, nil
}

// endTurn tells how a turn ended: exactly once, whatever happened.
func (s *Server) endTurn(t *turn, err error) {
	defer close(t.ended)
	view := t.set(func(t *protocol.Turn) {
		t.Phase = phaseDone
		if err == nil {
			return
		}
		// What the person stopped is no problem to be told.
		if fault.Is(err, fault.Cancelled) || errors.Is(err, context.Canceled) {
			t.Outcome = outcomeCancelled
			return
		}
		t.Problem, t.Outcome = s.problem(err), outcomeFailed
	})
	s.keepSaid(t, view)
	s.out.tell(protocol.Event{Type: protocol.EventTurnEnded, Turn: &view})
}

// changed tells a turn that is under way as it is now.
func (s *Server) changed(view *protocol.Turn) {
	s.out.tell(protocol.Event{Type: protocol.EventTurnChanged, Turn: view})
}

// noting gives what tells the person something about a turn under way.
func (s *Server) noting(t *turn) func(protocol.Message) {
	return func(note protocol.Message) {
		view := t.set(func(t *protocol.Turn) { t.Notes = append(slices.Clone(t.Notes), note) })
		s.changed(&view)
	}
}

// planInput gathers what is asked of the model for a plan, but for images.
func (s *Server) planInput(ctx context.Context, m *model, p protocol.Send) (planner.Input, error) {
	in := planner.Input{
		Registry: s.registry, Offer: s.planned, Rules: s.rules(), Modes: m.modes(),
		Model: m.name, MaxTokens: m.max, Temperature: m.temp, Whole: m.whole,
		Check: func(g *plan.Graph) []plan.Problem { return s.unknownCommands(ctx, g) },
	}
	var err error
	if in.Context, err = s.context(ctx, p, m.note); err != nil {
		return in, err
	}
	return in, nil
}

// planTurn asks the model for a plan and opens its review.
func (s *Server) planTurn(ctx context.Context, t *turn, p protocol.Send) error {
	m, err := s.newModel(ctx, p.Model, s.noting(t))
	if err != nil {
		return err
	}
	if err := s.confirmKey(ctx); err != nil {
		return err
	}
	in, err := s.planInput(ctx, m, p)
	if err != nil {
		return err
	}
	if in.Images, err = s.images(ctx, m, p); err != nil {
		return err
	}
	id := newID()
	tr := s.newTracing(id, p.Conversation)
	m.provider = tr.provider(m.provider, m.kind)
	if t.said != nil {
		in.History, t.said.turn.Trace = s.historyOf(t.said.talk), id
	}
	plain := s.toldNothing(t, &in)
	w := s.watch(t)
	w.Lowered = func(from, _ llm.PlanMode, _ *llm.Error) {
		s.refused(m, map[llm.PlanMode]llm.Feature{llm.PlanByCall: llm.FeatureTools, llm.PlanBySchema: llm.FeatureSchema}[from])
	}
	out, err := planner.Plan(ctx, m.provider, in, w)
	if out != nil {
		s.account(t, m, out)
	}
	if err != nil {
		return err
	}
	if out.Cut {
		m.note(protocol.Message{Key: "turn.cutOff"})
	}
	if out.Plan == nil {
		t.set(func(t *protocol.Turn) {
			t.Outcome = outcomeAnswer
			if out.Question {
				t.Outcome = outcomeQuestion
			}
		})
		s.remember(t, p.Text, out.Reply)
		return nil
	}
	s.remember(t, p.Text, out.Reply)
	se := s.newSession(out.Plan, out.Graph, out.Raw)
	se.id, se.trace = id, tr
	se.instruction, se.dryRun, se.warnings = p.Text, p.DryRun, warningsOf(out.Warnings)
	se.action, se.mustAsk, se.turn, se.link = t.asksFor, t.mustAsk, t, t.link
	se.said, se.ownWords = saidBy(t, p), plain
	t.set(func(t *protocol.Turn) { t.Outcome, t.Run, t.TracesURL = outcomePlan, se.id, tracesURL(id) })
	s.phase(t, phaseSimulating) // told with the run's id: a model step's calls come under it
	return s.openReview(ctx, se)
}

// saidBy gives the person's words of a turn; those of an action that fills its
// prompt with what is selected are not theirs.
func saidBy(t *turn, p protocol.Send) string {
	if t.asksFor != "" {
		return ""
	}
	return p.Text
}

// toldNothing says whether a model is asked for a plan without any text of notes:
// no selection, nothing attached, and no turn before in which it was told some or
// has read some. The names of notes it is always told.
func (s *Server) toldNothing(t *turn, in *planner.Input) bool {
	if in.Context.Selection != "" || len(in.Context.Attached) > 0 || len(in.Images) > 0 {
		return false
	}
	if t.said == nil {
		return len(in.History) == 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, before := range t.said.talk.Turns {
		if len(before.Messages) > 0 && !before.Plain {
			return false
		}
	}
	t.said.turn.Plain = true
	return true
}

// watch turns what the planner tells into events.
func (s *Server) watch(t *turn) planner.Watch {
	id := t.view().ID
	begun := false
	return planner.Watch{
		Text: func(d string) {
			if !begun {
				begun = true
				s.phase(t, phaseStreaming)
			}
			t.says(d)
			s.out.gatherText(protocol.EventTurnText, id, d)
		},
		Reasoning: func(d string) {
			t.reasons(d)
			s.out.gatherText(protocol.EventTurnReasoning, id, d)
		},
		Repairing: func(int, []plan.Problem) {
			begun = false
			t.set(func(t *protocol.Turn) { t.Reply = "" })
			s.phase(t, phaseRepairing)
		},
	}
}

func (s *Server) phase(t *turn, phase protocol.TurnPhase) {
	view := t.set(func(t *protocol.Turn) { t.Phase = phase })
	s.changed(&view)
}

// account notes the reply and what it cost.
func (s *Server) account(t *turn, m *model, out *planner.Outcome) {
	usage := s.usageOf(m, out.Usage)
	t.set(func(t *protocol.Turn) { t.Reply, t.Usage = s.redact(out.Reply), usage })
}

// maxHistory bounds the conversation that goes along with a request, in
// messages.
const maxHistory = 12

// offered says which tools a model hears of: those that the policy would not
// refuse anyway.
func (s *Server) offered(e *tool.Entry) bool {
	return s.currentPolicy().Offers(e) && (s.host.Sandbox != nil || !e.Facts.RunsScript)
}

// planned says which tools a model hears of that makes a plan: a plan has nothing
// to read on in.
func (s *Server) planned(e *tool.Entry) bool { return !e.Facts.ReadsOn && s.offered(e) }

// stop ends what is under way: the model's stream, a simulation, or the run.
func (s *Server) stop(_ context.Context, p protocol.Stop) (protocol.Empty, error) {
	s.mu.Lock()
	t, run := s.turn, s.run
	s.mu.Unlock()
	if t != nil && (p.ID == "" || p.ID == t.view().ID) {
		t.cancel()
	}
	if run != nil && !run.over() && (p.ID == "" || p.ID == run.se.id) {
		run.stop()
	}
	return protocol.Empty{}, nil
}
