package chat

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/finding"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool/builtin"
)

// The number of conversations that are listed: where nothing else is asked for,
// and at most.
const (
	defaultConversations = 100
	maxConversations     = 500
)

// List gives the conversations that are kept, the latest first: those that hold
// the words of q.Text, or all.
func (cs *Conversations) List(ctx context.Context, q protocol.ConversationsQuery) (protocol.Conversations, error) {
	if q.Limit <= 0 || q.Limit > maxConversations {
		q.Limit = defaultConversations
	}
	list, err := cs.deps.Conversations.List(ctx, q.Text, q.Limit)
	return protocol.Conversations{Conversations: list}, err
}

// Get gives a conversation with all its turns. Only the last of them can go on.
func (cs *Conversations) Get(ctx context.Context, p protocol.ConversationRef) (protocol.ConversationDetail, error) {
	c, err := cs.deps.Conversations.Get(ctx, p.ID)
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

// Rename gives a conversation another title, tells the list and gives it.
func (cs *Conversations) Rename(ctx context.Context, p protocol.ConversationRename) (protocol.Conversations, error) {
	if err := cs.deps.Conversations.Rename(ctx, p.ID, p.Title); err != nil {
		return protocol.Conversations{}, err
	}
	return cs.told(ctx)
}

// Remove deletes a conversation with its plans that have not run, tells the list and
// gives it. One in which a turn goes on is not deleted: PRECONDITION_FAILED.
func (cs *Conversations) Remove(ctx context.Context, p protocol.ConversationRef) (protocol.Conversations, error) {
	if !cs.close(p.ID) {
		return protocol.Conversations{}, fault.New(fault.Precondition, "error.busy", nil)
	}
	// The plans go first: where the conversation cannot be deleted, it is still there
	// to be deleted once more.
	switch kept, err := cs.deps.Conversations.Get(ctx, p.ID); {
	case err == nil:
		if err := cs.deps.Transactions.ForgetPlans(ctx, kept.Runs()); err != nil {
			return protocol.Conversations{}, err
		}
	case !fault.Is(err, fault.NotFound):
		return protocol.Conversations{}, err
	}
	if err := cs.deps.Conversations.Remove(ctx, p.ID); err != nil {
		return protocol.Conversations{}, err
	}
	return cs.told(ctx)
}

// close forgets a conversation where it is the open one; false while a turn goes
// on in it.
func (cs *Conversations) close(id string) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.mu.open
	switch {
	case c == nil || c.ID != id:
		return true
	case c.busy():
		return false
	}
	cs.mu.open = nil
	return true
}

// tell tells the panel which conversations there are.
func (cs *Conversations) tell(ctx context.Context) {
	list, err := cs.deps.Conversations.List(ctx, "", defaultConversations)
	if err == nil {
		cs.deps.Out.Tell(protocol.Event{Type: protocol.EventConversationsChanged, Talks: list})
	}
}

// told tells the list and gives it.
func (cs *Conversations) told(ctx context.Context) (protocol.Conversations, error) {
	cs.tell(ctx)
	return cs.List(ctx, protocol.ConversationsQuery{})
}

// exportPlan makes a note; the words of the conversation are parameters, so that
// nothing in them is read as a reference.
const exportPlan = `{"goal":"${goal}","assumptions":[],"steps":[{"id":"note","tool":"` + builtin.CreateFile + `","args":{"path":"${path}","content":"${content}"}}]}`

// Export opens the review of a note with a conversation in it.
func (cs *Conversations) Export(ctx context.Context, p protocol.ConversationExport) (protocol.RunRef, error) {
	if err := cs.deps.Transactions.Idle(); err != nil {
		return protocol.RunRef{}, err
	}
	c, err := cs.deps.Conversations.Get(ctx, p.ID)
	if err != nil {
		return protocol.RunRef{}, err
	}
	r, err := cs.deps.Transactions.OpenPlan(ctx, []byte(exportPlan), map[string]any{"goal": c.Title, "path": p.Path, "content": asNote(c)}, false)
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
		if t.Shown.Findings != nil {
			b.WriteString("\n" + finding.Note(finding.InEnglish(t.Shown.Findings)))
		}
	}
	return b.String()
}
