package chat

import (
	"context"
	"slices"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/debrief"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/saved"
	"embedded-agent/wasm/internal/tool"
)

// Conversations keeps the conversation that was last worked on at hand, and has
// the methods of the boundary about those that are kept.
type Conversations struct {
	deps *Deps

	// mu guards which conversation is open, and the openConversation itself. What
	// only the turn that goes on in it changes, that turn reads without the lock.
	// It is locked after Chat.mu and before the lock of a turn; the store is never
	// asked under it.
	mu struct {
		sync.Mutex
		open *openConversation
	}
}

// openConversation is the conversation that was last worked on: what is kept of
// it, as it was said, and the way in for what the person says meanwhile.
type openConversation struct {
	*conversation.Conversation
	// turn is the one that goes on in it, or did last; nil before the first.
	turn  *turn
	inbox *agent.Inbox
	// working: an agent reads the inbox.
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

// keepCalls keeps the receipts of a turn at hand. The lock of conversations is
// held.
func (c *openConversation) keepCalls(calls turnCalls) {
	c.calls = append(c.calls, calls)
	if n := len(c.calls) - maxTurnCalls; n > 0 {
		c.calls = append([]turnCalls(nil), c.calls[n:]...)
	}
}

// busy says whether a turn goes on in it. The lock of conversations is held.
func (c *openConversation) busy() bool { return c.turn != nil && !c.turn.Over() }

// opened gives the conversation of an id, if it is the one that is open.
func (cs *Conversations) opened(id string) *openConversation {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c := cs.mu.open; c != nil && c.ID == id {
		return c
	}
	return nil
}

// open gives the conversation of an id, read at first use. One without an id
// is not kept, and lasts until another begins.
func (cs *Conversations) open(ctx context.Context, id string) (*openConversation, error) {
	if c := cs.opened(id); c != nil {
		return c, cs.catchUp(ctx, c)
	}
	c := &openConversation{Conversation: &conversation.Conversation{ID: id}}
	if err := cs.catchUp(ctx, c); err != nil {
		return nil, err
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.mu.open = c
	return c, nil
}

// catchUp reads a conversation where another device or window has added to it, or
// nothing is known of it yet.
func (cs *Conversations) catchUp(ctx context.Context, c *openConversation) error {
	cs.mu.Lock()
	unkept := c.unkept
	cs.mu.Unlock()
	if c.ID == "" || unkept {
		return nil
	}
	rev, err := cs.deps.Conversations.Revision(ctx, c.ID)
	if err != nil || rev == c.Revision {
		return err
	}
	kept, err := cs.deps.Conversations.Get(ctx, c.ID)
	if fault.Is(err, fault.NotFound) {
		kept = c.Conversation // what was removed elsewhere is still shown here
		kept.Revision = rev
	} else if err != nil {
		return err
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.Conversation = kept
	return nil
}

// soFar gives what was said in a conversation, without opening it.
func (cs *Conversations) soFar(ctx context.Context, id string) *openConversation {
	if c := cs.opened(id); c != nil {
		return c
	}
	c := &openConversation{Conversation: &conversation.Conversation{ID: id}}
	if id != "" {
		if kept, err := cs.deps.Conversations.Get(ctx, id); err == nil {
			c.Conversation = kept
		}
	}
	return c
}

// turnRecord collects what a turn adds to its conversation. Only the turn's own
// goroutine touches it until the turn has ended.
type turnRecord struct {
	in   *openConversation
	turn conversation.Turn
}

// begin makes a turn part of its conversation. With Replace the last turn is
// taken out first.
func (cs *Conversations) begin(ctx context.Context, t *turn, p protocol.Send) (*openConversation, error) {
	c, err := cs.open(ctx, p.Conversation)
	if err != nil {
		return nil, err
	}
	if last := c.Last(); p.Replace && last != nil {
		if c.ID != "" {
			err := cs.deps.Conversations.Drop(ctx, c.ID, last.Shown.ID)
			if err != nil && !fault.Is(err, fault.NotFound) {
				return nil, err
			}
		}
		cs.mu.Lock()
		c.Turns = c.Turns[:len(c.Turns)-1]
		cs.mu.Unlock()
	}
	mode := p.Mode
	if mode == "" {
		mode = protocol.ModePlan
	}
	t.set(func(t *protocol.Turn) {
		t.Mode, t.Attached = mode, withoutData(p.Attached)
	})
	t.record = &turnRecord{in: c}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.turn = t
	return c, nil
}

// keep keeps a turn that has ended, before its end is told.
func (cs *Conversations) keep(t *turn, view protocol.Turn) {
	if t.record == nil {
		return
	}
	kept, c := &t.record.turn, t.record.in
	kept.Shown = view
	cs.mu.Lock()
	c.Turns = append(c.Turns, kept)
	cs.mu.Unlock()
	if c.ID == "" {
		return
	}
	if err := cs.deps.Conversations.Add(cs.deps.Life, c.ID, kept); err != nil {
		cs.mu.Lock()
		c.unkept = true
		cs.mu.Unlock()
		cs.deps.Out.Notice("warn", "notice.conversationNotKept", nil, "")
		return
	}
	cs.tell(cs.deps.Life)
}

// words gives the words of a conversation for the next plan, and what came of the
// plan before it.
func (cs *Conversations) words(c *openConversation) []llm.Message {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var out []llm.Message
	for i, t := range c.Turns {
		if len(t.Messages) == 0 {
			continue // nothing came of it
		}
		reply := t.Shown.Reply
		if reply == "" {
			reply = "(a plan)"
		}
		if t.Findings != "" && i == len(c.Turns)-1 {
			reply += "\n\n" + t.Findings
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

// keepWords keeps the words of a plan's turn for the conversation.
func (t *turn) keepWords(text, reply string) {
	if t.record == nil {
		return
	}
	if reply == "" {
		reply = "(a plan)"
	}
	kept := &t.record.turn
	kept.Messages = []llm.Message{llm.UserMessage(text), llm.AssistantMessage(llm.Text(reply))}
	if last := t.record.in.Last(); last != nil {
		kept.Seq, kept.Asked = last.Seq, last.Asked
	}
}

// keepFindings keeps what came of a plan, for the message after it.
func (t *turn) keepFindings(rv *protocol.Review) {
	if t.record == nil {
		return
	}
	text, fromNotes := debrief.Findings(rv)
	kept := &t.record.turn
	kept.Findings = t.room.deps.Out.Redact(text)
	kept.Plain = kept.Plain && !fromNotes
}

// Settle notes what became of a review that a conversation staged.
func (cs *Conversations) Settle(run string, approved bool) {
	cs.mu.Lock()
	c := cs.mu.open
	found := c != nil && slices.ContainsFunc(c.Turns, func(t *conversation.Turn) bool { return t.Run == run && len(t.Staged) > 0 })
	id := ""
	if found {
		c.Settle(conversation.Settled{Run: run, Approved: approved})
		c.discarded, id = c.discarded || !approved, c.ID
	}
	cs.mu.Unlock()
	if id == "" {
		return
	}
	err := cs.deps.Conversations.Settle(cs.deps.Life, id, conversation.Settled{Run: run, Approved: approved})
	if err != nil && !fault.Is(err, fault.NotFound) {
		cs.deps.Out.Notice("warn", "notice.conversationNotKept", nil, run)
	}
}

// callsOf gives the calls of a turn of the conversation that is open, by the
// turn's id or by that of the run it led to, or was itself.
func (cs *Conversations) callsOf(run string) []saved.Call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	open := cs.mu.open
	if open == nil {
		return nil
	}
	var out []saved.Call
	for _, c := range open.calls {
		same := c.turn == run || c.trace == run
		for _, t := range open.Turns {
			same = same || t.Shown.ID == c.turn && t.Run == run && run != ""
		}
		if !same {
			continue
		}
		for _, e := range c.by {
			out = append(out, saved.CallByModel(e, c.trace))
		}
	}
	return out
}

// steer hands what the person says to the agent at work in the conversation, as
// text. Nil where none is at work, or the message asks for a turn of its own;
// otherwise the turn as it is then.
func (cs *Conversations) steer(p protocol.Send, text string) *protocol.Turn {
	if p.Mode != protocol.ModeAgent || p.Continue || p.Replace {
		return nil
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.mu.open
	if c == nil || c.ID != p.Conversation || !c.working || !c.busy() {
		return nil
	}
	view := c.turn.set(func(t *protocol.Turn) {
		if p.Queue {
			t.Queued = append(slices.Clone(t.Queued), p.Text)
		} else {
			t.Steered = append(slices.Clone(t.Steered), p.Text)
		}
	})
	if p.Queue {
		c.inbox.Queue(llm.UserMessage(text))
	} else {
		c.inbox.Steer(llm.UserMessage(text))
	}
	return &view
}
