package chat

import (
	"context"
	"strconv"

	"embedded-agent/wasm/internal/destination"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/ollama"
	"embedded-agent/wasm/internal/llm/window"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
)

// TestConnection finds out what the chosen endpoint can do. What it finds is
// remembered, and decides how plans are asked for from then on.
func (models *Models) Test(ctx context.Context, _ protocol.Empty) (protocol.TestResult, error) {
	out := protocol.TestResult{Findings: []protocol.Message{}, Models: []string{}}
	m, err := models.New(ctx, "", func(said protocol.Message) {
		if said.Key == "turn.cutByServer" {
			out.Findings = append(out.Findings, said)
		}
	})
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
	if l, err := models.fetch(ctx, m); err == nil { // not every endpoint has a list; the test itself passed
		out.Models = listed(l, nil).Models
	}
	models.testWindow(ctx, m, &out)
	return out, nil
}

// testWindow finds out how much the model takes at a time, and of a server at a place of the person's own whether it
// cuts a request that is as long as one for a plan. Where a model has a price, that is not asked: it would cost.
func (models *Models) testWindow(ctx context.Context, m *model, out *protocol.TestResult) {
	_, priced := models.deps.Usage.Prices().Find(m.host(), m.name)
	own := !priced && (m.kind == string(protocol.ProviderCustom) || m.text())
	if own {
		n := 0
		if models.listedWindow(ctx, m) == 0 {
			n = window.Ask(ctx, m.endpoint, m.transportBelow(destination.Of(m.endpoint.BaseURL).Origin), m.name, m.dialect.Name() == ollama.Name)
		}
		models.endpoints.keepWindow(ctx, m.key(), n, models.deps.Now())
	}
	told := models.toldWindow(ctx, m)
	out.Findings = append(out.Findings, windowFindings(models.window(ctx, m), m.tokens, told)...)
	if own && told == 0 { // that the settings name a window does not mean that the server has it
		long := planner.Request(&planner.Input{Registry: models.deps.Registry, Model: m.name, Whole: m.whole, Context: planner.Context{
			Instruction: "This is a test. Answer with the one word: ready",
		}}, llm.PlanByText)
		_, _ = llm.Collect(m.provider.Stream(ctx, long), nil) // a cut is told by the watch
	}
}

// windowFindings say how many tokens the model takes; where the settings say it, also that they do, and what would be
// taken without them. Each is 0 where nobody says.
func windowFindings(tokens, set, told int) []protocol.Message {
	var out []protocol.Message
	tell := func(key string, n int) {
		out = append(out, protocol.Message{Key: key, Params: map[string]string{"window": strconv.Itoa(n)}})
	}
	switch {
	case set == 0:
	case told > 0 && told != set:
		tell("connection.windowOtherwise", told)
	default:
		out = append(out, protocol.Message{Key: "connection.windowSet"})
	}
	switch {
	case small(tokens):
		tell("connection.windowSmall", tokens)
	case tokens > 0:
		tell("connection.window", tokens)
	}
	return out
}
