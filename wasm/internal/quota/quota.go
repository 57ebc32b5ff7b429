// Package quota counts the bytes that one plan makes while it is simulated, so
// that a plan that would fill the memory is refused before it does: what it
// writes, and what it builds of values on the way from step to step. Each may be
// as much as the settings say. What is asked for is counted before it is made.
package quota

import (
	"strconv"
	"sync"

	"embedded-agent/wasm/internal/fault"
)

// The limit of the settings, in megabytes.
const (
	DefaultMB = 200
	MaxMB     = 1_000 // beyond, a page's memory ends first
)

const megabyte = 1_000_000

// Plan is the account of one plan. A nil Plan has no limit.
type Plan struct {
	most int64

	mu             sync.Mutex // guards what follows
	written, built int64
	over           bool
}

// New opens an account of so many megabytes; 0 or less is the default.
func New(mb int) *Plan {
	if mb <= 0 {
		mb = DefaultMB
	}
	return &Plan{most: int64(min(mb, MaxMB)) * megabyte}
}

// Copy gives an account that goes on from this one, and leaves it as it is.
func (p *Plan) Copy() *Plan {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &Plan{most: p.most, written: p.written, built: p.built, over: p.over}
}

// Write counts bytes that are going to be written. Beyond the limit it is
// POLICY_DENIED, and so is all that comes after, however little.
func (p *Plan) Write(n int) error {
	if p == nil {
		return nil
	}
	return p.take(&p.written, n)
}

// Build counts bytes of values that are going to be made; errors as of Write.
func (p *Plan) Build(n int) error {
	if p == nil {
		return nil
	}
	return p.take(&p.built, n)
}

// Fits says whether so many bytes may still be made, and counts nothing: for
// whoever makes a text that is counted as a whole later.
func (p *Plan) Fits(n int) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || int64(n) > p.most-max(p.written, p.built) {
		return p.refusal()
	}
	return nil
}

func (p *Plan) take(account *int64, n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *account += int64(n); *account > p.most {
		p.over = true
	}
	if p.over {
		return p.refusal()
	}
	return nil
}

func (p *Plan) refusal() error {
	return fault.New(fault.Denied, "error.plan.tooMuch", fault.P{"max": strconv.FormatInt(p.most/megabyte, 10)})
}

// Size gives about how many bytes a JSON value takes: its texts, and what a
// place in a list or a mapping costs.
func Size(v any) int {
	const place = 16
	switch v := v.(type) {
	case string:
		return place + len(v)
	case []any:
		n := place
		for _, e := range v {
			n += Size(e)
		}
		return n
	case []string:
		n := place
		for _, e := range v {
			n += place + len(e)
		}
		return n
	case map[string]any:
		n := place
		for k, e := range v {
			n += place + len(k) + Size(e)
		}
		return n
	}
	return place
}

// Shape is Size without the texts: what a copy of a value costs, which shares
// them.
func Shape(v any) int {
	const place = 16
	switch v := v.(type) {
	case []any:
		n := place
		for _, e := range v {
			n += Shape(e)
		}
		return n
	case map[string]any:
		n := place
		for _, e := range v {
			n += place + Shape(e)
		}
		return n
	}
	return place
}
