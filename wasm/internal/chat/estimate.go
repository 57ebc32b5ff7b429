package chat

import (
	"context"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/usage"
)

// maxSnippet bounds the selection shown beside the message, in bytes.
const maxSnippet = 120

// Estimate tells how large a text is and, with Send, what sending that would
// take: all of the input, which is what the first request of a turn costs at
// least.
func (room *Chat) Estimate(ctx context.Context, p protocol.EstimateText) (protocol.Estimated, error) {
	out := protocol.Estimated{Snippet: history.Shorten(p.Text, maxSnippet), Tokens: llm.EstimateTokens(p.Text)}
	if p.Send == nil {
		return out, nil
	}
	m, err := room.Models.New(ctx, p.Send.Model, func(protocol.Message) {})
	if err != nil {
		return out, err
	}
	in, err := room.planInput(ctx, m, *p.Send)
	if err != nil {
		return out, err
	}
	for _, a := range p.Send.Attached {
		if a.Kind == "image" && m.sees() && len(in.Images) < maxImages {
			in.Images = append(in.Images, llm.Image(a.Type, "")) // as large as another, to the estimate
		}
	}
	before := room.Conversations.soFar(ctx, p.Send.Conversation)
	in.History = room.Conversations.words(before)
	r := planner.Request(&in, in.Modes[0])
	if p.Send.Mode == protocol.ModeAgent {
		r = room.agentRequest(&in, before)
	}
	out.Prompt, out.Window = llm.EstimateRequest(r), room.Models.window(ctx, m)
	table := room.deps.Usage.Prices()
	out.Currency, out.PricesOf = table.Currency, table.Updated
	if known, ok := table.Find(m.host(), m.name); ok {
		out.Priced = true
		out.Cost = usage.Amount(known.Cost(price.Usage{Input: int64(out.Prompt)}))
	}
	return out, nil
}

// agentRequest makes the request that a conversation which acts goes on with.
func (room *Chat) agentRequest(in *planner.Input, before *openConversation) llm.Request {
	r := llm.Request{Model: in.Model, Messages: []llm.Message{llm.SystemMessage(AgentSystem)}}
	room.Conversations.mu.Lock()
	r.Messages = append(r.Messages, recent(before.Turns)...)
	room.Conversations.mu.Unlock()
	r.Messages = append(r.Messages, llm.UserMessage(planner.UserText(&in.Context), in.Images...))
	for _, name := range room.deps.Registry.Names() {
		if e, err := room.deps.Registry.Get(name, ""); err == nil && e.Lifecycle == tool.Active && room.deps.Guard.Offered(e) {
			r.Tools = append(r.Tools, llm.Tool{Name: e.Name, Description: e.Description, Parameters: e.Input})
		}
	}
	return folding().Request(r)
}
