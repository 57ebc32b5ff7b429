package agent

import (
	"context"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/tool"
)

// The limits of a Guard whose settings say nothing else (docs/design/invocation.md#guard).
const (
	DefaultMaxIterations = 10
	DefaultMaxToolCalls  = 25
)

// Limits are what a loop may do and use. They come from settings and an
// organisation's policy, never from a conversation.
type Limits struct {
	// EnabledTools is the allow-list by name; nil allows what the policy allows.
	EnabledTools []string
	// BlockedTools are refused whatever else is said.
	BlockedTools []string
	// MaxIterations bounds the questions to the model since the person last said
	// something; 0 is DefaultMaxIterations.
	MaxIterations int
	// MaxToolCalls bounds the calls over a whole Budget; 0 is
	// DefaultMaxToolCalls.
	MaxToolCalls int
	// MaxTokens and MaxCost bound tokens and money over a whole Budget; 0 is no
	// limit of their own.
	MaxTokens int64
	MaxCost   llm.Nano
	// SideEffects is the most that a tool may do; "" is no ceiling.
	SideEffects tool.SideEffects
	// Rates bound single tools, by name; "*" is for each one that is not named.
	Rates map[string]Rate
}

// Guard judges before the model is asked and before a tool runs
// (docs/design/invocation.md#guard). It fails closed: a panic or an unexpected
// error in it denies. The zero Guard denies everything; use NewGuard.
type Guard struct {
	limits Limits
	budget *Budget
	prices Prices
	// also is a further judgement of a call; its error denies.
	also func(context.Context, *tool.Call) error
}

// Prices finds what a model's tokens cost; false when nobody knows.
type Prices func(model string) (llm.Price, bool)

// GuardOption changes a new Guard.
type GuardOption func(*Guard)

// WithPrices sets where prices come from. Without them a cost limit denies.
func WithPrices(p Prices) GuardOption { return func(g *Guard) { g.prices = p } }

// Also adds a judgement of every call; an error or a panic in it denies.
func Also(judge func(context.Context, *tool.Call) error) GuardOption {
	return func(g *Guard) { g.also = judge }
}

// NewGuard makes a guard. Budget may be shared by the agents of a foreach; nil
// makes one. Organisation is the organisation's policy file, which can only
// tighten the limits; nil when there is none. One that cannot be read is an
// error: without it nothing may run.
func NewGuard(limits Limits, budget *Budget, organisation []byte, opts ...GuardOption) (*Guard, error) {
	if organisation != nil {
		var err error
		if limits, err = Tighten(limits, organisation); err != nil {
			return nil, err
		}
	}
	if limits.MaxIterations <= 0 {
		limits.MaxIterations = DefaultMaxIterations
	}
	if limits.MaxToolCalls <= 0 {
		limits.MaxToolCalls = DefaultMaxToolCalls
	}
	if budget == nil {
		budget = NewBudget()
	}
	g := &Guard{limits: limits, budget: budget}
	for _, o := range opts {
		o(g)
	}
	return g, nil
}

// Limits gives the limits as they are in force.
func (g *Guard) Limits() Limits { return g.limits }

// judge runs a judgement and makes every failure of it a denial.
func judge(subject string, of func() error) (denied *fault.Error) {
	defer func() {
		if recover() != nil {
			denied = guardFailed(subject)
		}
	}()
	err := of()
	if err == nil {
		return nil
	}
	if f := fault.From(err); f.Code == fault.Denied || f.Code == fault.RateLimit {
		return f
	}
	return guardFailed(subject).With(err)
}

func guardFailed(subject string) *fault.Error {
	return fault.New(fault.Denied, "policy.guardFailed", fault.P{"tool": subject})
}

func deny(key string, p fault.P) error { return fault.New(fault.Denied, key, p) }

// beforeModel judges whether the model may be asked once more.
func (g *Guard) beforeModel(iteration int, model string) error {
	if iteration > g.limits.MaxIterations {
		return deny("agent.limit.iterations", fault.P{"max": strconv.Itoa(g.limits.MaxIterations)})
	}
	if g.limits.MaxCost > 0 {
		if _, ok := g.price(model); !ok {
			return deny("agent.limit.noPrice", fault.P{"model": model})
		}
	}
	return g.budget.check(g.limits)
}

// beforeTool judges one call. Every call that the model asks for is counted, so
// that nonsense uses up the budget too. A tool that is not there (entry nil) is
// refused where only named tools are allowed.
func (g *Guard) beforeTool(ctx context.Context, c *tool.Call, e *tool.Entry) error {
	name := fault.P{"tool": c.Tool}
	if !g.budget.call(g.limits.MaxToolCalls) {
		return deny("agent.limit.calls", fault.P{"max": strconv.Itoa(g.limits.MaxToolCalls)})
	}
	if !g.allowed(c.Tool) {
		return deny("agent.tool.notAllowed", name)
	}
	if e == nil {
		return nil // the pipeline says that there is no such tool, and which is nearest
	}
	if !g.withinCeiling(e) {
		return deny("policy.ceiling", name)
	}
	if err := g.budget.check(g.limits); err != nil {
		return err
	}
	if g.also == nil {
		return nil
	}
	if err := g.also(ctx, c); err != nil {
		return fault.New(fault.Denied, "policy.guardFailed", name).With(err)
	}
	return nil
}

// allowed: an agent never starts agents, whatever is enabled. Its limits would
// be those of each of them.
func (g *Guard) allowed(name string) bool {
	if name == StepToolName || slices.Contains(g.limits.BlockedTools, name) || g.budget == nil {
		return false
	}
	return g.limits.EnabledTools == nil || slices.Contains(g.limits.EnabledTools, name)
}

func (g *Guard) withinCeiling(e *tool.Entry) bool {
	return g.limits.SideEffects == "" || rank(e.SideEffects) <= rank(g.limits.SideEffects)
}

// rank orders side effects; unknown ones count as the worst.
func rank(s tool.SideEffects) int {
	i := slices.Index([]tool.SideEffects{tool.None, tool.Reads, tool.Writes, tool.Commands}, s)
	if i < 0 {
		return 3
	}
	return i
}

// offers says whether the model is told of a tool.
func (g *Guard) offers(e *tool.Entry) bool {
	named := slices.Contains(g.limits.EnabledTools, e.Name)
	return g.allowed(e.Name) && g.withinCeiling(e) && (e.Lifecycle != tool.Deprecated || named)
}

func (g *Guard) price(model string) (llm.Price, bool) {
	if g.prices == nil {
		return llm.Price{}, false
	}
	return g.prices(model)
}
