package chat

import (
	"context"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/shorten"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/transaction"
)

// AllowStep asks the person before a call of a model step, where the plan sends more
// than one short message does. One question is about the whole loop of the call, and
// about the steps of the plan that ask once.
func (room *Chat) AllowStep(ctx context.Context, sim *transaction.Simulation, c *tool.Call) (bool, error) {
	leave, id := sim.Draft.Leave, strconv.Itoa(c.Seq)+" "+c.ArgsHash
	if leave.Has(c.StepID, id) {
		return true, nil
	}
	m, err := room.Models.New(ctx, "", func(protocol.Message) {})
	if err != nil {
		return true, nil // the step says so itself, and sends nothing
	}
	l, err := room.deps.Guard.AgentLimits()
	if err != nil {
		return false, err
	}
	cost, single := room.costOf(sim, c, m, l)
	if cost.Asks() {
		yes, err := room.deps.Guard.AskLeave(ctx, room.question(cost, m, l))
		if err != nil || !yes {
			return false, err
		}
		leave.GiveTokens(modelstep.Bound(cost.Tokens))
	}
	leave.Give(c.StepID, cost.Calls-len(single))
	for _, step := range single {
		leave.Give(step, 1)
	}
	return leave.Has(c.StepID, id), nil
}

// costOf estimates what a call, the rest of its loop, and the steps of the plan that
// ask once are going to send. Single are those steps. What came before is not sent
// again.
func (room *Chat) costOf(sim *transaction.Simulation, c *tool.Call, m *model, l limits.Limits) (cost modelstep.Cost, single []string) {
	e := estimate{paths: map[string]bool{}, limits: l, system: llm.EstimateTokens(StepSystem)}
	frozen := frozenOf(sim, c)
	sim.Loop.From(c, func(next modelstep.Coming) (in, more bool) {
		if next.Index == c.Iteration.Index || !frozen(next) {
			e.add(next.Args, shorten.JSON(next.Raw))
		}
		return false, true
	})
	if e.Calls == 0 { // it is no loop
		e.add(argsOf(c.Args), shorten.JSON(c.Args))
	}
	looped := e.Calls
	after := false
	for _, n := range sim.Draft.Steps() {
		if after && n.Tool.Facts.AsksModel && n.Step.Foreach == nil {
			single = append(single, n.Step.ID)
			e.add(argsOf(n.Step.Args), shorten.JSON(n.Step.Args))
		}
		after = after || n.Step.ID == c.StepID
	}
	if e.Notes = len(e.paths); e.Notes == 0 && c.Iteration != nil {
		e.Notes = looped
	}
	e.close()
	p, known := room.deps.Usage.Prices().Find(m.host(), m.name)
	e.Tokens, e.Priced = int64(e.in+e.out), known
	e.Money = p.Cost(price.Usage{Input: int64(e.in), Output: int64(e.out)})
	return e.Cost, single
}

// argsOf reads what is known of the arguments of a step.
func argsOf(raw tool.Args) modelstep.Args {
	var a modelstep.Args
	a.Prompt = raw.String("prompt")
	a.Context, a.Schema = raw["context"], raw["schema"]
	if n, ok := raw["maxChars"].(float64); ok {
		a.MaxChars = int(n)
	}
	if n, ok := raw["maxIterations"].(float64); ok {
		a.MaxIterations = int(n)
	}
	if list, ok := raw["tools"].([]any); ok {
		for _, t := range list {
			name, _ := t.(string)
			a.Tools = append(a.Tools, name)
		}
	}
	return a
}

// estimate adds up what calls are going to send.
type estimate struct {
	modelstep.Cost
	limits  limits.Limits
	system  int
	in, out int
	paths   map[string]bool
	// together are the calls of the request that is filled, and their bytes.
	together, bytes int
}

// What is assumed where a plan says nothing, in tokens: of an answer, of the
// description of a tool, and of what a tool gives.
const (
	answerTokens = 400
	toolTokens   = 300
	resultTokens = 2000
	valueTokens  = 60
)

func (e *estimate) add(a modelstep.Args, raw string) {
	e.Calls++
	pathsIn(a.Context, e.paths)
	in, out := llm.EstimateTokens(raw), answerTokens
	switch {
	case a.Schema != nil:
		out = valueTokens
	case a.MaxChars > 0:
		out = min(out, a.MaxChars/3+1)
	}
	e.out += out
	if a.Small() {
		if e.together == 0 || e.together == mostTogether || e.bytes+len(raw) > bytesTogether {
			e.close()
			e.Requests++
			e.in += e.system
		}
		e.together, e.bytes = e.together+1, e.bytes+len(raw)
		e.in += in
		return
	}
	in += e.system
	if len(a.Tools) == 0 {
		e.Requests++
		e.in += in
		return
	}
	// Each time it goes on, it sends again what it has.
	rounds := a.Tighten(e.limits).MaxIterations
	if rounds <= 0 {
		rounds = limits.DefaultMaxIterations
	}
	e.UpTo = true
	e.Requests += rounds
	e.in += rounds*(in+len(a.Tools)*toolTokens) + rounds*(rounds-1)/2*resultTokens
}

// close ends the request that is filled.
func (e *estimate) close() { e.together, e.bytes = 0, 0 }

// pathsIn gathers the paths that stand in data.
func pathsIn(v any, paths map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		if p, ok := v["path"].(string); ok {
			paths[p] = true
		}
		for _, e := range v {
			pathsIn(e, paths)
		}
	case []any:
		for _, e := range v {
			pathsIn(e, paths)
		}
	}
}

// question says what a yes would send, where to, and where it stops.
func (room *Chat) question(cost modelstep.Cost, m *model, l limits.Limits) protocol.Question {
	line := func(key string, params map[string]string) protocol.Message {
		return protocol.Message{Key: key, Params: params}
	}
	number := func(n int64) map[string]string { return map[string]string{"n": strconv.FormatInt(n, 10)} }
	requests := "question.model.requests"
	if cost.UpTo {
		requests = "question.model.upTo"
	}
	q := protocol.Question{
		Kind:   protocol.AskCost,
		Text:   line("question.model", map[string]string{"model": m.name, "host": m.host()}),
		Reason: line("policy.modelStep", nil),
	}
	q.Options = append(q.Options, line(requests, number(int64(cost.Requests))))
	if cost.Notes > 0 {
		q.Options = append(q.Options, line("question.model.notes", number(int64(cost.Notes))))
	}
	q.Options = append(q.Options, line("question.model.tokens", number(cost.Tokens)))
	if cost.Priced {
		currency := room.deps.Usage.Prices().Currency
		q.Options = append(q.Options, line("question.model.cost", map[string]string{"cost": cents(cost.Money), "currency": currency}))
	} else {
		q.Options = append(q.Options, line("question.model.noPrice", map[string]string{"model": m.name}))
	}
	most := modelstep.Bound(cost.Tokens)
	if l.MaxTokens > 0 {
		most = l.MaxTokens
	}
	q.Options = append(q.Options, line("question.model.stops", number(most)))
	if l.MaxCost > 0 {
		q.Options = append(q.Options, line("question.model.stopsAt", map[string]string{"cost": l.MaxCost.String()}))
	}
	return q
}

// cents writes an amount to the next higher cent: it is an estimate.
func cents(n price.Nano) string {
	const cent = 10_000_000
	return ((n + cent - 1) / cent * cent).String()
}

// ownTokens is the most that a step is given where nobody knows how much its model
// takes, in tokens.
const ownTokens = 100_000

// fits refuses a step whose texts are more than its model takes: VALIDATION_ERROR. It
// would be refused there, or cut without a word.
func (room *Chat) fits(m *model, a *modelstep.Args) error {
	most := ownTokens
	if p, ok := room.deps.Usage.Prices().Find(m.host(), m.name); ok && p.Window > 0 {
		most = p.Window * 3 / 4
	}
	n := llm.EstimateTokens(a.Prompt) + llm.EstimateTokens(shorten.JSON(a.Context))
	if n <= most {
		return nil
	}
	return fault.New(fault.Validation, "agent.step.tooLong", fault.P{"n": strconv.Itoa(n), "max": strconv.Itoa(most)})
}
