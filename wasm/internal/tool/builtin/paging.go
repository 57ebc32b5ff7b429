package builtin

import (
	"math"

	"embedded-agent/wasm/internal/tool"
)

// page says which part of a long list a call gives, and counts what there is.
//
// A model that reads the output gets a page at a time, and asks for the next one
// by its offset. A step of a plan gets everything: what is to be done to all
// notes must not stop at a number that nobody has named. Where the plan names a
// limit, what is beyond it is counted, so that the review can say what was left
// out.
type page struct {
	from, limit int
	paged       bool // a model reads it: what is beyond need not be counted
	seen        int
	stopped     bool // before all was counted
}

// pageOf reads a call's part from its arguments; usual is how much a model gets
// where it names no limit.
func pageOf(env *tool.Env, args tool.Args, usual int) *page {
	p := &page{from: args.Int("offset"), limit: math.MaxInt, paged: env.Model.Paged}
	switch {
	case args.Has("limit"):
		p.limit = args.Int("limit")
	case env.Model.Paged:
		p.limit = usual
	}
	return p
}

// to is the number of elements up to the end of the part.
func (p *page) to() int {
	if p.limit > math.MaxInt-p.from {
		return math.MaxInt
	}
	return p.from + p.limit
}

// take counts one element, and says whether it is in the part.
func (p *page) take() bool {
	p.seen++
	return p.seen > p.from && p.seen <= p.to()
}

// enough says whether nothing further has to be looked at: it is known that
// there is more, and nobody asks how much.
func (p *page) enough() bool {
	p.stopped = p.paged && p.seen > p.to()
	return p.stopped
}

// bounds gives the part of a list of n elements that is known as a whole.
func (p *page) bounds(n int) (from, to int) {
	p.seen = n
	return min(p.from, n), min(p.to(), n)
}

// tell puts into an output whether there is more, how much there is as far as it
// is known, and where the next page begins.
func (p *page) tell(out tool.Data) tool.Data {
	more := p.seen > p.to()
	out["truncated"] = more
	if !p.stopped {
		out["total"] = p.seen
	}
	if more {
		out["next"] = p.to()
	}
	return out
}

// cutOf gives tool.Tool.Cut of a tool whose output has one list.
func cutOf(list string) func(tool.Data) (shown, total int) {
	return func(d tool.Data) (shown, total int) {
		if cut, _ := d["truncated"].(bool); !cut {
			return 0, 0
		}
		total, _ = d["total"].(int)
		if n, ok := d["total"].(float64); ok { // read back from JSON
			total = int(n)
		}
		items, _ := d[list].([]any)
		return len(items), total
	}
}
