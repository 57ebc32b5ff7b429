package agent

import (
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/price"
)

// charge is one question to the model, accrued while it is answered.
type charge struct {
	g     *Guard
	price price.Price
	usage price.Usage // what is in the budget for it
	text  []byte      // output that has not been estimated yet
}

// estimateEvery is how many bytes of output are gathered for an estimate: one
// of each delta would round every one up.
const estimateEvery = 48

// begin puts the estimated input of a question into the budget, and refuses a
// question whose input alone is more than what is left.
func (g *Guard) begin(model string, input int) (*charge, *fault.Error) {
	c := &charge{g: g}
	c.price, _ = g.price(model)
	over := c.set(price.Usage{Input: int64(input)})
	if over != nil { // it is not asked, so nothing of it is used
		c.put(price.Usage{})
	}
	return c, over
}

// put corrects what the budget holds for this question.
func (c *charge) put(u price.Usage) {
	c.g.budget.Add(u.Total()-c.usage.Total(), c.price.Cost(u)-c.price.Cost(c.usage))
	c.usage = u
}

// set is put, and says whether the budget is overdrawn.
func (c *charge) set(u price.Usage) *fault.Error {
	c.put(u)
	return c.g.budget.Overdrawn(c.g.limits)
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

// settle replaces the estimate by what the provider counted, where it did; a
// question that it refused, or that never reached it, costs nothing. What is
// overdrawn then, the check before the next question sees.
func (c *charge) settle(answer llm.Message, failed *llm.Error) price.Usage {
	switch u := answer.Usage; {
	case u != nil && u.Total() > 0:
		c.put(*u)
	case failed != nil && !begun(answer, failed):
		c.put(price.Usage{})
	default:
		rest := c.usage
		rest.Output += c.estimate()
		c.put(rest)
	}
	return c.usage
}

// begun says whether the model may have worked for an answer that failed. One
// that was waited for too long, or stopped, may have cost its input.
func begun(answer llm.Message, failed *llm.Error) bool {
	return len(answer.Content) > 0 || answer.ResponseID != "" ||
		failed.Code == llm.CodeTimeout || failed.Code == llm.CodeCancelled
}
