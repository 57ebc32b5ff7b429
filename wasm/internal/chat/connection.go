package chat

import (
	"context"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
)

// TestConnection finds out what the chosen endpoint can do. What it finds is
// remembered, and decides how plans are asked for from then on.
func (models *Models) Test(ctx context.Context, _ protocol.Empty) (protocol.TestResult, error) {
	out := protocol.TestResult{Findings: []protocol.Message{}, Models: []string{}}
	m, err := models.New(ctx, "", func(protocol.Message) {})
	if err != nil {
		out.Problem = models.deps.Out.Problem(err)
		return out, nil
	}
	r := llm.Probe(ctx, m.dialect, m.endpoint, m.transport(), m.name, nil)
	if r.Usage != (price.Usage{}) {
		models.deps.Usage.Add(m.host(), m.name, &r.Usage)
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, protocol.Message{Key: f.Key, Params: f.Params})
	}
	if r.Error != nil {
		out.Problem = models.deps.Out.Problem(planner.FromLLM(r.Error))
		return out, nil
	}
	out.OK = true
	models.endpoints.learn(ctx, m.key(), r.Known, models.deps.Now(), true)
	m.known = r.Known
	way := m.modes()[0]
	if m.text() {
		way = llm.PlanByText
	}
	out.Findings = append(out.Findings, protocol.Message{Key: "connection.planBy." + string(way)})
	l, err := models.fetch(ctx, m)
	if err != nil {
		return out, nil // not every endpoint has a list; the test itself passed
	}
	out.Models = listed(l, nil).Models
	return out, nil
}
