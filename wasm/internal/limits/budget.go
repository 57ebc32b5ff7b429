package limits

import (
	"strconv"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/price"
)

// Budget counts the calls, tokens and money that were used. It may be shared by
// several loops, such as the agents of a foreach, which then share its limits.
type Budget struct {
	mu     sync.Mutex // guards what follows
	calls  int
	tokens int64
	cost   price.Nano
}

// NewBudget makes a budget with nothing used.
func NewBudget() *Budget { return &Budget{} }

// Used says what has been used so far; what is under way is estimated.
func (b *Budget) Used() (calls int, tokens int64, cost price.Nano) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls, b.tokens, b.cost
}

// Call counts a call; false when it is one too many.
func (b *Budget) Call(max int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls >= max {
		return false
	}
	b.calls++
	return true
}

// Left says whether there is anything left for another question or call:
// POLICY_DENIED where there is not.
func (b *Budget) Left(l Limits) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case l.MaxTokens > 0 && b.tokens >= l.MaxTokens:
		return overTokens(l)
	case l.MaxCost > 0 && b.cost >= l.MaxCost:
		return overCost(l)
	}
	return nil
}

// Add puts tokens and money into the budget, or takes them out again.
func (b *Budget) Add(tokens int64, cost price.Nano) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens += tokens
	b.cost += cost
}

// Overdrawn says whether more was used than there is: POLICY_DENIED. Nil where it
// was not.
func (b *Budget) Overdrawn(l Limits) *fault.Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case l.MaxTokens > 0 && b.tokens > l.MaxTokens:
		return overTokens(l)
	case l.MaxCost > 0 && b.cost > l.MaxCost:
		return overCost(l)
	}
	return nil
}

func overTokens(l Limits) *fault.Error {
	return fault.New(fault.Denied, "agent.limit.tokens", fault.P{"max": strconv.FormatInt(l.MaxTokens, 10)})
}

func overCost(l Limits) *fault.Error {
	return fault.New(fault.Denied, "agent.limit.cost", fault.P{"max": l.MaxCost.String()})
}
