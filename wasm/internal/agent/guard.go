package agent

import (
	"context"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/tool"
)

// Guard judges before the model is asked and before a tool runs
// (docs/design/invocation.md#guard). It fails closed: a panic or an unexpected
// error in it denies. The zero Guard denies everything; use NewGuard.
type Guard struct {
	limits limits.Limits
	budget *limits.Budget
	prices Prices
	// also is a further judgement of a call; its error denies.
	also func(context.Context, *tool.Call) error
}

// Prices finds what a model's tokens cost; false when nobody knows.
type Prices func(model string) (price.Price, bool)

// GuardOption changes a new Guard.
type GuardOption func(*Guard)

// WithPrices sets where prices come from. Without them a cost limit denies.
func WithPrices(p Prices) GuardOption { return func(g *Guard) { g.prices = p } }

// Also adds a judgement of every call; an error or a panic in it denies.
func Also(judge func(context.Context, *tool.Call) error) GuardOption {
	return func(g *Guard) { g.also = judge }
}

// NewGuard makes a guard. The limits are those in force, an organisation's among
// them (limits.Tighten). Budget may be shared by the agents of a foreach; nil
// makes one.
func NewGuard(l limits.Limits, budget *limits.Budget, opts ...GuardOption) *Guard {
	if l.MaxIterations <= 0 {
		l.MaxIterations = limits.DefaultMaxIterations
	}
	if l.MaxToolCalls <= 0 {
		l.MaxToolCalls = limits.DefaultMaxToolCalls
	}
	if budget == nil {
		budget = limits.NewBudget()
	}
	g := &Guard{limits: l, budget: budget}
	for _, o := range opts {
		o(g)
	}
	return g
}

// Limits gives the limits as they are in force.
func (g *Guard) Limits() limits.Limits { return g.limits }

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
	return g.budget.Left(g.limits)
}

// beforeTool judges one call. Every call that the model asks for is counted, so
// that nonsense uses up the budget too. A tool that is not there (entry nil) is
// refused where only named tools are allowed.
func (g *Guard) beforeTool(ctx context.Context, c *tool.Call, e *tool.Entry) error {
	name := fault.P{"tool": c.Tool}
	if !g.budget.Call(g.limits.MaxToolCalls) {
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
	if err := g.budget.Left(g.limits); err != nil {
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
	if name == modelstep.ToolName || slices.Contains(g.limits.BlockedTools, name) || g.budget == nil {
		return false
	}
	return g.limits.EnabledTools == nil || slices.Contains(g.limits.EnabledTools, name)
}

func (g *Guard) withinCeiling(e *tool.Entry) bool {
	return limits.AtMost(e.SideEffects, g.limits.SideEffects)
}

// offers says whether the model is told of a tool.
func (g *Guard) offers(e *tool.Entry) bool {
	named := slices.Contains(g.limits.EnabledTools, e.Name)
	return g.allowed(e.Name) && g.withinCeiling(e) && (e.Lifecycle != tool.Deprecated || named)
}

func (g *Guard) price(model string) (price.Price, bool) {
	if g.prices == nil {
		return price.Price{}, false
	}
	return g.prices(model)
}
