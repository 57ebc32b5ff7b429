package chat

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// turn is one message of the person on its way, and all that follows from it.
type turn struct {
	room   *Chat
	cancel context.CancelFunc
	// asksFor is the saved action whose prompt is asked; mustAsk says that what
	// comes of it has to be approved, whatever the settings say.
	asksFor string
	mustAsk bool
	link    bool        // a link started it
	record  *turnRecord // what it leaves in its conversation; nil outside of one
	// ended is closed when its end was told.
	ended chan struct{}

	mu sync.Mutex // guards what follows
	t  protocol.Turn
	// hurry ends the wait that Waiting tells of; nil for none.
	hurry func()
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

func (t *turn) View() protocol.Turn {
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

// TurnView gives the turn that is under way, or was last; nil for none.
func (room *Chat) TurnView() *protocol.Turn {
	room.mu.Lock()
	t := room.mu.turn
	room.mu.Unlock()
	if t == nil {
		return nil
	}
	view := t.View()
	return &view
}

// Over implements transaction.Turn.
func (t *turn) Over() bool { return t.View().Phase == protocol.PhaseDone }

// Ended implements Turn.
func (t *turn) Ended() <-chan struct{} { return t.ended }

// Note implements Turn.
func (t *turn) Note(note protocol.Message) {
	view := t.set(func(t *protocol.Turn) { t.Notes = append(slices.Clone(t.Notes), note) })
	t.room.changed(&view)
}

// Send takes an instruction. It answers at once; events tell the rest.
func (room *Chat) Send(ctx context.Context, p protocol.Send) (protocol.Accepted, error) {
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
	if a, joined := room.steer(ctx, p); joined {
		return a, nil
	}
	if err := room.wantsSelection(ctx, p); err != nil {
		return protocol.Accepted{}, err
	}
	return room.startTurn(p.Text, p.Conversation, func(ctx context.Context, t *turn) error {
		c, err := room.Conversations.begin(ctx, t, p)
		if err != nil {
			return err
		}
		view := t.View()
		room.changed(&view)
		if p.Mode == protocol.ModeAgent {
			return room.runAgent(ctx, t, p, c)
		}
		return room.planTurn(ctx, t, p)
	})
}

// wantsSelection is PRECONDITION_FAILED for a message about the selection while
// nothing is selected: a model would guess, or ask, and be paid for it. What the
// person leaves out, attaches or sends all the same is not asked for.
func (room *Chat) wantsSelection(ctx context.Context, p protocol.Send) error {
	editor := room.deps.Guard.Visible().Editor
	if editor == nil || p.Continue || p.NoSelection || !p.UseSelection || len(p.Attached) > 0 || !planner.NamesSelection(p.Text) {
		return nil
	}
	st, err := editor.State(ctx)
	if err != nil || st.Text != "" || st.Hidden {
		return err
	}
	return fault.New(fault.Precondition, "error.send.noSelection", nil)
}

// startTurn begins a turn: one at a time, and not while a run is under way.
func (room *Chat) startTurn(text, conversation string, do func(context.Context, *turn) error) (protocol.Accepted, error) {
	ctx, cancel := context.WithCancel(room.deps.Life)
	t := &turn{room: room, cancel: cancel, ended: make(chan struct{}), t: protocol.Turn{ID: ids.New(), Conversation: conversation, Text: text, Phase: protocol.PhaseAsking, StartedAt: timestamp.Milli(room.deps.Now())}}
	room.mu.Lock()
	if err := room.deps.Transactions.BeginTurn(t); err != nil {
		room.mu.Unlock()
		cancel()
		return protocol.Accepted{}, err
	}
	room.mu.turn = t
	room.mu.Unlock()
	view := t.View()
	room.deps.Out.Tell(protocol.Event{Type: protocol.EventTurnStarted, Turn: &view})
	go func() {
		defer cancel()
		if err := room.deps.Guard.ReadOrganisation(ctx); err != nil {
			room.endTurn(t, err)
			return
		}
		room.endTurn(t, do(ctx, t))
	}()
	return protocol.Accepted{Turn: view.ID}, nil
}

// endTurn tells how a turn ended: exactly once, whatever happened.
func (room *Chat) endTurn(t *turn, err error) {
	defer close(t.ended)
	view := t.set(func(t *protocol.Turn) {
		t.Phase = protocol.PhaseDone
		if err == nil {
			return
		}
		// What the person stopped is no problem to be told.
		if fault.Is(err, fault.Cancelled) || errors.Is(err, context.Canceled) {
			t.Outcome = protocol.TurnCancelled
			return
		}
		t.Problem, t.Outcome = room.deps.Out.Problem(err), protocol.TurnFailed
	})
	room.Conversations.keep(t, view)
	room.deps.Out.Tell(protocol.Event{Type: protocol.EventTurnEnded, Turn: &view})
}

// changed tells a turn that is under way as it is now.
func (room *Chat) changed(view *protocol.Turn) {
	room.deps.Out.Tell(protocol.Event{Type: protocol.EventTurnChanged, Turn: view})
}

// planInput gathers what is asked of the model for a plan, but for images.
func (room *Chat) planInput(ctx context.Context, m *model, p protocol.Send) (planner.Input, error) {
	in := planner.Input{
		Registry: room.deps.Registry, Offer: room.planned, Rules: room.deps.Guard.Rules(), Modes: m.modes(),
		Model: m.name, MaxTokens: m.max, Temperature: m.temp, Whole: m.whole, Small: small(room.Models.window(ctx, m)),
		Check: func(g *plan.Graph) []plan.Problem { return room.deps.Transactions.UnknownCommands(ctx, g) },
	}
	var err error
	if in.Context, err = room.attachments.context(ctx, p, m.Note); err != nil {
		return in, err
	}
	return in, nil
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
func (room *Chat) toldNothing(t *turn, in *planner.Input) bool {
	if in.Context.Selection != "" || len(in.Context.Attached) > 0 || len(in.Images) > 0 {
		return false
	}
	if t.record == nil {
		return len(in.History) == 0
	}
	room.Conversations.mu.Lock()
	defer room.Conversations.mu.Unlock()
	for _, before := range t.record.in.Turns {
		if len(before.Messages) > 0 && !before.Plain {
			return false
		}
	}
	t.record.turn.Plain = true
	return true
}

// watch turns what the planner tells into events.
func (room *Chat) watch(t *turn) planner.Watch {
	id := t.View().ID
	begun := false
	return planner.Watch{
		Text: func(d string) {
			if !begun {
				begun = true
				room.phase(t, protocol.PhaseStreaming)
			}
			t.says(d)
			room.deps.Out.GatherText(protocol.EventTurnText, id, d)
		},
		Reasoning: func(d string) {
			t.reasons(d)
			room.deps.Out.GatherText(protocol.EventTurnReasoning, id, d)
		},
		Repairing: func(int, []plan.Problem) {
			begun = false
			t.set(func(t *protocol.Turn) { t.Reply = "" })
			room.phase(t, protocol.PhaseRepairing)
		},
	}
}

func (room *Chat) phase(t *turn, phase protocol.TurnPhase) {
	view := t.set(func(t *protocol.Turn) { t.Phase = phase })
	room.changed(&view)
}

// account notes the reply and what it cost.
func (room *Chat) account(t *turn, m *model, out *planner.Outcome) {
	usage := room.deps.Usage.View(m.host(), m.name, out.Usage)
	t.set(func(t *protocol.Turn) { t.Reply, t.Usage = room.deps.Out.Redact(out.Reply), usage })
}

// maxHistory bounds the conversation that goes along with a request, in
// messages.
const maxHistory = 12

// planned says which tools a model hears of that makes a plan: a plan has nothing
// to read on in.
func (room *Chat) planned(e *tool.Entry) bool {
	return !e.Facts.ReadsOn && room.deps.Guard.Offered(e)
}

// Stop ends what is under way: the model's stream, a simulation, or the run.
func (room *Chat) Stop(_ context.Context, p protocol.Stop) (protocol.Empty, error) {
	room.mu.Lock()
	t := room.mu.turn
	room.mu.Unlock()
	if t != nil && (p.ID == "" || p.ID == t.View().ID) {
		t.cancel()
	}
	room.deps.Transactions.Stop(p.ID)
	return protocol.Empty{}, nil
}
