package agent

import (
	"strconv"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
)

// Budget is what has been used: calls, tokens and money. It may be shared by
// several loops, such as the agents of a foreach, which then share its limits.
type Budget struct {
	mu     sync.Mutex
	calls  int
	tokens int64
	cost   llm.Nano
}

// NewBudget makes a budget of which nothing is used.
func NewBudget() *Budget { return &Budget{} }

// Used says what has been used so far; what is under way is estimated.
func (b *Budget) Used() (calls int, tokens int64, cost llm.Nano) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls, b.tokens, b.cost
}

// call counts a call; false when it is one too many.
func (b *Budget) call(max int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls >= max {
		return false
	}
	b.calls++
	return true
}

// check says whether there is anything left.
func (b *Budget) check(l Limits) error {
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

func overTokens(l Limits) *fault.Error {
	return fault.New(fault.Denied, "agent.limit.tokens", fault.P{"max": strconv.FormatInt(l.MaxTokens, 10)})
}

func overCost(l Limits) *fault.Error {
	return fault.New(fault.Denied, "agent.limit.cost", fault.P{"max": l.MaxCost.String()})
}

// charge is one question to the model, accrued while it is answered.
type charge struct {
	g     *Guard
	price llm.Price
	usage llm.Usage // what is in the budget for it
	text  []byte    // output that has not been estimated yet
}

// estimateEvery is how many bytes of output are gathered for an estimate: one
// of each delta would round every one up.
const estimateEvery = 48

// begin puts the estimated input of a question into the budget, and refuses a
// question whose input alone is more than what is left.
func (g *Guard) begin(model string, input int) (*charge, *fault.Error) {
	c := &charge{g: g}
	c.price, _ = g.price(model)
	over := c.set(llm.Usage{Input: int64(input)})
	if over != nil { // it is not asked, so nothing of it is used
		c.put(llm.Usage{})
	}
	return c, over
}

// put corrects what the budget holds for this question.
func (c *charge) put(u llm.Usage) {
	b := c.g.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens += u.Total() - c.usage.Total()
	b.cost += c.price.Cost(u) - c.price.Cost(c.usage)
	c.usage = u
}

// set is put, and says whether the budget is overdrawn.
func (c *charge) set(u llm.Usage) *fault.Error {
	c.put(u)
	b, l := c.g.budget, c.g.limits
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

// see accrues what an event of the answer adds. The provider's own count
// replaces the estimate where it is higher.
func (c *charge) see(e llm.Event) *fault.Error {
	u := c.usage
	if e.Usage != nil {
		u.Input, u.Output = max(u.Input, e.Usage.Input), max(u.Output, e.Usage.Output)
	}
	c.text = append(c.text, e.Delta...)
	if len(c.text) >= estimateEvery {
		u.Output += c.estimate()
	}
	if u == c.usage {
		return nil
	}
	return c.set(u)
}

func (c *charge) estimate() int64 {
	n := llm.EstimateTokens(string(c.text))
	c.text = c.text[:0]
	return int64(n)
}

// settle replaces the estimate by what the provider counted, where it did. What
// is overdrawn then, the check before the next question sees.
func (c *charge) settle(u *llm.Usage) llm.Usage {
	if u != nil && u.Total() > 0 {
		c.put(*u)
	} else {
		rest := c.usage
		rest.Output += c.estimate()
		c.put(rest)
	}
	return c.usage
}
