package chat

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// talk is the conversation that was last worked on: what is kept of it, as it
// was said, and the way in for what the person says meanwhile.
type talk struct {
	*conversation.Conversation
	inbox *agent.Inbox
	// working: an agent reads the inbox. The server's lock guards it.
	working bool
	// calls are the receipts of the last turns, the latest last.
	calls []turnCalls
	// discarded: what was staged was refused since the last turn.
	discarded bool
	// unkept: the store has not taken a turn, so that only this knows of it.
	unkept bool
}

// turnCalls are the receipts of one turn, by call_id.
type turnCalls struct {
	turn, trace string
	by          map[string]tool.Envelope
}

// maxTurnCalls is how many turns' receipts are at hand: as many as the panel
// remembers timelines of.
const maxTurnCalls = 8

// remember keeps the receipts of a turn at hand. The server's lock is held.
func (t *talk) remember(c turnCalls) {
	t.calls = append(t.calls, c)
	if n := len(t.calls) - maxTurnCalls; n > 0 {
		t.calls = append([]turnCalls(nil), t.calls[n:]...)
	}
}

// talkOf gives the conversation of an id, read at first use. One without an id
// is not kept, and lasts until another begins.
func (room *Chat) talkOf(ctx context.Context, id string) (*talk, error) {
	room.mu.Lock()
	t := room.talk
	room.mu.Unlock()
	if t != nil && t.ID == id {
		return t, room.catchUp(ctx, t)
	}
	t = &talk{Conversation: &conversation.Conversation{ID: id}}
	if err := room.catchUp(ctx, t); err != nil {
		return nil, err
	}
	room.mu.Lock()
	defer room.mu.Unlock()
	room.talk = t
	return t, nil
}

// catchUp reads a conversation where another device or window has added to it, or
// nothing is known of it yet.
func (room *Chat) catchUp(ctx context.Context, t *talk) error {
	room.mu.Lock()
	unkept := t.unkept
	room.mu.Unlock()
	if t.ID == "" || unkept {
		return nil
	}
	rev, err := room.deps.Conversations.Revision(ctx, t.ID)
	if err != nil || rev == t.Revision {
		return err
	}
	c, err := room.deps.Conversations.Get(ctx, t.ID)
	if fault.Is(err, fault.NotFound) {
		c = t.Conversation // what was removed elsewhere is still shown here
		c.Revision = rev
	} else if err != nil {
		return err
	}
	room.mu.Lock()
	defer room.mu.Unlock()
	t.Conversation = c
	return nil
}

// said is what a turn leaves in its conversation.
type said struct {
	talk *talk
	turn conversation.Turn
}

// keepSaid keeps a turn that has ended, before its end is told.
func (room *Chat) keepSaid(t *turn, view protocol.Turn) {
	if t.said == nil {
		return
	}
	kept := &t.said.turn
	kept.Shown = view
	room.mu.Lock()
	t.said.talk.Turns = append(t.said.talk.Turns, kept)
	room.mu.Unlock()
	if t.said.talk.ID == "" {
		return
	}
	if err := room.deps.Conversations.Add(room.deps.Life, t.said.talk.ID, kept); err != nil {
		room.mu.Lock()
		t.said.talk.unkept = true
		room.mu.Unlock()
		room.deps.Out.Notice("warn", "notice.conversationNotKept", nil, "")
		return
	}
	room.tellTalks(room.deps.Life)
}

// beginSaid makes a turn part of its conversation. With Replace the last turn is
// taken out first.
func (room *Chat) beginSaid(ctx context.Context, t *turn, p protocol.Send) (*talk, error) {
	c, err := room.talkOf(ctx, p.Conversation)
	if err != nil {
		return nil, err
	}
	if last := c.Last(); p.Replace && last != nil {
		if c.ID != "" {
			err := room.deps.Conversations.Drop(ctx, c.ID, last.Shown.ID)
			if err != nil && !fault.Is(err, fault.NotFound) {
				return nil, err
			}
		}
		room.mu.Lock()
		c.Turns = c.Turns[:len(c.Turns)-1]
		room.mu.Unlock()
	}
	mode := p.Mode
	if mode == "" {
		mode = protocol.ModePlan
	}
	view := t.set(func(t *protocol.Turn) {
		t.Mode, t.Attached = mode, withoutData(p.Attached)
	})
	t.said = &said{talk: c}
	room.changed(&view)
	return c, nil
}

// historyOf gives the words of a conversation for the next plan. Plans are not
// in it: the next is made anew from the vault as it is then.
func (room *Chat) historyOf(c *talk) []llm.Message {
	room.mu.Lock()
	defer room.mu.Unlock()
	var out []llm.Message
	for _, t := range c.Turns {
		if len(t.Messages) == 0 {
			continue // nothing came of it
		}
		reply := t.Shown.Reply
		if reply == "" {
			reply = "(a plan)"
		}
		text := strings.Join(append([]string{t.Shown.Text}, t.Shown.Steered...), "\n")
		if strings.TrimSpace(text) == "" {
			text = "(go on)"
		}
		out = append(out, llm.UserMessage(text), llm.AssistantMessage(llm.Text(reply)))
	}
	if n := len(out); n > maxHistory {
		out = out[n-maxHistory:]
	}
	return out
}

// remember keeps the words of a plan's turn for the conversation.
func (room *Chat) remember(t *turn, text, reply string) {
	if t.said == nil {
		return
	}
	if reply == "" {
		reply = "(a plan)"
	}
	t.said.turn.Messages = []llm.Message{llm.UserMessage(text), llm.AssistantMessage(llm.Text(reply))}
	last := t.said.talk.Last()
	if last != nil {
		t.said.turn.Seq, t.said.turn.Asked = last.Seq, last.Asked
	}
}

// Settle notes what became of a review that a conversation staged.
func (room *Chat) Settle(run string, approved bool) {
	room.mu.Lock()
	c := room.talk
	found := c != nil && slices.ContainsFunc(c.Turns, func(t *conversation.Turn) bool { return t.Run == run && len(t.Staged) > 0 })
	if found {
		c.Settle(conversation.Settled{Run: run, Approved: approved})
		c.discarded = c.discarded || !approved
	}
	room.mu.Unlock()
	if !found || c.ID == "" {
		return
	}
	err := room.deps.Conversations.Settle(room.deps.Life, c.ID, conversation.Settled{Run: run, Approved: approved})
	if err != nil && !fault.Is(err, fault.NotFound) {
		room.deps.Out.Notice("warn", "notice.conversationNotKept", nil, run)
	}
}

// tellTalks tells the panel which conversations there are.
func (room *Chat) tellTalks(ctx context.Context) {
	list, err := room.deps.Conversations.List(ctx, "", maxTalks)
	if err == nil {
		room.deps.Out.Tell(protocol.Event{Type: protocol.EventTalksChanged, Talks: list})
	}
}

// maxTalks is how many conversations are listed where nothing else is asked for.
const maxTalks = 100

func (room *Chat) List(ctx context.Context, q protocol.ConversationsQuery) (protocol.Conversations, error) {
	if q.Limit <= 0 || q.Limit > 500 {
		q.Limit = maxTalks
	}
	list, err := room.deps.Conversations.List(ctx, q.Text, q.Limit)
	return protocol.Conversations{Conversations: list}, err
}

func (room *Chat) Get(ctx context.Context, p protocol.ConversationRef) (protocol.ConversationDetail, error) {
	c, err := room.deps.Conversations.Get(ctx, p.ID)
	if err != nil {
		return protocol.ConversationDetail{}, err
	}
	out := protocol.ConversationDetail{Conversation: c.Summary(), Turns: []protocol.Turn{}}
	for i, t := range c.Turns {
		t.Shown.CanContinue = t.Shown.CanContinue && i == len(c.Turns)-1
		out.Turns = append(out.Turns, t.Shown)
	}
	return out, nil
}

func (room *Chat) Rename(ctx context.Context, p protocol.ConversationRename) (protocol.Conversations, error) {
	if err := room.deps.Conversations.Rename(ctx, p.ID, p.Title); err != nil {
		return protocol.Conversations{}, err
	}
	return room.toldTalks(ctx)
}

func (room *Chat) Remove(ctx context.Context, p protocol.ConversationRef) (protocol.Conversations, error) {
	room.mu.Lock()
	busy := room.turn != nil && !room.turn.Over() && room.turn.said != nil && room.turn.said.talk.ID == p.ID
	if !busy && room.talk != nil && room.talk.ID == p.ID {
		room.talk = nil
	}
	room.mu.Unlock()
	if busy {
		return protocol.Conversations{}, fault.New(fault.Precondition, "error.busy", nil)
	}
	if err := room.deps.Conversations.Remove(ctx, p.ID); err != nil {
		return protocol.Conversations{}, err
	}
	return room.toldTalks(ctx)
}

// toldTalks tells the list and gives it.
func (room *Chat) toldTalks(ctx context.Context) (protocol.Conversations, error) {
	room.tellTalks(ctx)
	return room.List(ctx, protocol.ConversationsQuery{})
}

// exportPlan makes a note; the words of the conversation are parameters, so that
// nothing in them is read as a reference.
const exportPlan = `{"goal":"${goal}","assumptions":[],"steps":[{"id":"note","tool":"` + builtin.CreateFile + `","args":{"path":"${path}","content":"${content}"}}]}`

// Export opens the review of a note with a conversation in it.
func (room *Chat) Export(ctx context.Context, p protocol.ConversationExport) (protocol.RunRef, error) {
	if err := room.deps.Transactions.Idle(); err != nil {
		return protocol.RunRef{}, err
	}
	c, err := room.deps.Conversations.Get(ctx, p.ID)
	if err != nil {
		return protocol.RunRef{}, err
	}
	r, err := room.deps.Transactions.OpenPlan(ctx, []byte(exportPlan), map[string]any{"goal": c.Title, "path": p.Path, "content": asNote(c)}, false)
	if err != nil {
		return protocol.RunRef{}, err
	}
	return protocol.RunRef{Run: r.Run}, nil
}

// asNote writes a conversation as Markdown: what the person said as quotations,
// the answers between them.
func asNote(c *conversation.Conversation) string {
	var b strings.Builder
	b.WriteString("# " + c.Title + "\n")
	for _, t := range c.Turns {
		for _, text := range append([]string{t.Shown.Text}, t.Shown.Steered...) {
			if strings.TrimSpace(text) != "" {
				b.WriteString("\n> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ") + "\n")
			}
		}
		if reply := strings.TrimSpace(t.Shown.Reply); reply != "" {
			b.WriteString("\n" + reply + "\n")
		}
	}
	return b.String()
}

// writing gives the receipts of calls that wrote to the overlay, in order.
func (room *Chat) writing(out modelstep.Outputs) []tool.Envelope {
	var list []tool.Envelope
	for _, id := range out.ToolOrder {
		e := out.ToolsByID[id]
		entry, err := room.deps.Registry.Get(e.Name, e.Version)
		if err == nil && e.Error == nil && e.Output != nil && entry.SideEffects == tool.Writes && entry.Simulable {
			list = append(list, e)
		}
	}
	return list
}
