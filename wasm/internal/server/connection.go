package server

import (
	"context"

	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/usage"
)

// testConnection finds out what the chosen endpoint can do. What it finds is
// remembered, and decides how plans are asked for from then on.
func (s *Server) testConnection(ctx context.Context, _ protocol.Empty) (protocol.TestResult, error) {
	out := protocol.TestResult{Findings: []protocol.Message{}, Models: []string{}}
	m, err := s.newModel(ctx, "", func(protocol.Message) {})
	if err != nil {
		out.Problem = s.out.Problem(err)
		return out, nil
	}
	r := llm.Probe(ctx, m.dialect, m.endpoint, m.transport(s), m.name, nil)
	if r.Usage != (llm.Usage{}) {
		s.usage.Add(m.host(), m.name, &r.Usage)
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, protocol.Message{Key: f.Key, Params: f.Params})
	}
	if r.Error != nil {
		out.Problem = s.out.Problem(planner.FromLLM(r.Error))
		return out, nil
	}
	out.OK = true
	s.endpoints.learn(ctx, m.key(), r.Known, s.now(), true)
	m.known = r.Known
	way := m.modes()[0]
	if m.text() {
		way = llm.PlanByText
	}
	out.Findings = append(out.Findings, protocol.Message{Key: "connection.planBy." + string(way)})
	l, err := s.fetchModels(ctx, m)
	if err != nil {
		return out, nil // not every endpoint has a list; the test itself passed
	}
	out.Models = listed(l, nil).Models
	return out, nil
}

// maxSnippet bounds the selection shown beside the message, in bytes.
const maxSnippet = 120

// estimate tells how large a text is and, with Send, what sending that would
// take: all of the input, which is what the first request of a turn costs at
// least.
func (s *Server) estimate(ctx context.Context, p protocol.EstimateText) (protocol.Estimated, error) {
	out := protocol.Estimated{Snippet: history.Shorten(p.Text, maxSnippet), Tokens: llm.EstimateTokens(p.Text)}
	if p.Send == nil {
		return out, nil
	}
	m, err := s.newModel(ctx, p.Send.Model, func(protocol.Message) {})
	if err != nil {
		return out, err
	}
	in, err := s.planInput(ctx, m, *p.Send)
	if err != nil {
		return out, err
	}
	for _, a := range p.Send.Attached {
		if a.Kind == "image" && m.sees() && len(in.Images) < maxImages {
			in.Images = append(in.Images, llm.Image(a.Type, "")) // as large as another, to the estimate
		}
	}
	before := s.talkSoFar(ctx, p.Send.Conversation)
	in.History = s.historyOf(before)
	r := planner.Request(&in, in.Modes[0])
	if p.Send.Mode == protocol.ModeAgent {
		r = s.agentRequest(&in, before)
	}
	out.Prompt, out.Window = llm.EstimateRequest(r), s.window(ctx, m)
	table := s.usage.Prices()
	out.Currency, out.PricesOf = table.Currency, table.Updated
	if price, ok := table.Find(m.host(), m.name); ok {
		out.Priced = true
		out.Cost = usage.Amount(price.Cost(llm.Usage{Input: int64(out.Prompt)}))
	}
	return out, nil
}

// talkSoFar gives what was said in a conversation, without making it the one
// that is worked on.
func (s *Server) talkSoFar(ctx context.Context, id string) *talk {
	s.mu.Lock()
	t := s.talk
	s.mu.Unlock()
	if t != nil && t.ID == id {
		return t
	}
	t = &talk{Conversation: &conversation.Conversation{ID: id}}
	if id != "" {
		if c, err := s.conversations.Get(ctx, id); err == nil {
			t.Conversation = c
		}
	}
	return t
}

// agentRequest is what a conversation that acts goes on with.
func (s *Server) agentRequest(in *planner.Input, before *talk) llm.Request {
	r := llm.Request{Model: in.Model, Messages: []llm.Message{llm.SystemMessage(agentSystem)}}
	s.mu.Lock()
	r.Messages = append(r.Messages, recent(before.Turns)...)
	s.mu.Unlock()
	r.Messages = append(r.Messages, llm.UserMessage(planner.UserText(&in.Context), in.Images...))
	for _, name := range s.registry.Names() {
		if e, err := s.registry.Get(name, ""); err == nil && e.Lifecycle == tool.Active && s.guard.Offered(e) {
			r.Tools = append(r.Tools, llm.Tool{Name: e.Name, Description: e.Description, Parameters: e.Input})
		}
	}
	return r
}
