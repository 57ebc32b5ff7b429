package chat

import (
	"context"

	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/usage"
)

// TestConnection finds out what the chosen endpoint can do. What it finds is
// remembered, and decides how plans are asked for from then on.
func (room *Chat) TestConnection(ctx context.Context, _ protocol.Empty) (protocol.TestResult, error) {
	out := protocol.TestResult{Findings: []protocol.Message{}, Models: []string{}}
	m, err := room.NewModel(ctx, "", func(protocol.Message) {})
	if err != nil {
		out.Problem = room.deps.Out.Problem(err)
		return out, nil
	}
	r := llm.Probe(ctx, m.dialect, m.endpoint, m.transport(room), m.name, nil)
	if r.Usage != (price.Usage{}) {
		room.deps.Usage.Add(m.host(), m.name, &r.Usage)
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, protocol.Message{Key: f.Key, Params: f.Params})
	}
	if r.Error != nil {
		out.Problem = room.deps.Out.Problem(planner.FromLLM(r.Error))
		return out, nil
	}
	out.OK = true
	room.endpoints.learn(ctx, m.key(), r.Known, room.deps.Now(), true)
	m.known = r.Known
	way := m.modes()[0]
	if m.text() {
		way = llm.PlanByText
	}
	out.Findings = append(out.Findings, protocol.Message{Key: "connection.planBy." + string(way)})
	l, err := room.fetchModels(ctx, m)
	if err != nil {
		return out, nil // not every endpoint has a list; the test itself passed
	}
	out.Models = listed(l, nil).Models
	return out, nil
}

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
	m, err := room.NewModel(ctx, p.Send.Model, func(protocol.Message) {})
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
	before := room.talkSoFar(ctx, p.Send.Conversation)
	in.History = room.historyOf(before)
	r := planner.Request(&in, in.Modes[0])
	if p.Send.Mode == protocol.ModeAgent {
		r = room.agentRequest(&in, before)
	}
	out.Prompt, out.Window = llm.EstimateRequest(r), room.window(ctx, m)
	table := room.deps.Usage.Prices()
	out.Currency, out.PricesOf = table.Currency, table.Updated
	if known, ok := table.Find(m.host(), m.name); ok {
		out.Priced = true
		out.Cost = usage.Amount(known.Cost(price.Usage{Input: int64(out.Prompt)}))
	}
	return out, nil
}

// talkSoFar gives what was said in a conversation, without making it the one
// that is worked on.
func (room *Chat) talkSoFar(ctx context.Context, id string) *talk {
	room.mu.Lock()
	t := room.talk
	room.mu.Unlock()
	if t != nil && t.ID == id {
		return t
	}
	t = &talk{Conversation: &conversation.Conversation{ID: id}}
	if id != "" {
		if c, err := room.deps.Conversations.Get(ctx, id); err == nil {
			t.Conversation = c
		}
	}
	return t
}

// agentRequest is what a conversation that acts goes on with.
func (room *Chat) agentRequest(in *planner.Input, before *talk) llm.Request {
	r := llm.Request{Model: in.Model, Messages: []llm.Message{llm.SystemMessage(AgentSystem)}}
	room.mu.Lock()
	r.Messages = append(r.Messages, recent(before.Turns)...)
	room.mu.Unlock()
	r.Messages = append(r.Messages, llm.UserMessage(planner.UserText(&in.Context), in.Images...))
	for _, name := range room.deps.Registry.Names() {
		if e, err := room.deps.Registry.Get(name, ""); err == nil && e.Lifecycle == tool.Active && room.deps.Guard.Offered(e) {
			r.Tools = append(r.Tools, llm.Tool{Name: e.Name, Description: e.Description, Parameters: e.Input})
		}
	}
	return r
}
