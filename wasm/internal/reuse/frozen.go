package reuse

import (
	"maps"
	"sync"

	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/tool"
)

// Frozen keeps what the model steps of a plan gave, and what it read from the
// web, so that every simulation after the first, and the run, get the same
// (docs/design/invocation.md#model-steps). It is the cache of the pipelines of
// one review and its run; Over puts it over the cache of other results.
//
// The results belong to the approval: Results gives them, NewFrozen takes them
// back. A step is known by its call_id: another prompt, other arguments or
// another place in the plan is another step, and asks the model anew while the
// plan is still being simulated.
type Frozen struct {
	mu      sync.Mutex // guards results
	results map[string]tool.Data
}

var _ pipeline.Cache = over{}

// NewFrozen starts with results that were approved, or with none.
func NewFrozen(results map[string]tool.Data) *Frozen {
	f := &Frozen{results: map[string]tool.Data{}}
	maps.Copy(f.results, results)
	return f
}

// Results gives the frozen results by call_id.
func (f *Frozen) Results() map[string]tool.Data {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.results)
}

// Over gives the cache of a pipeline: the frozen results, and for all other
// tools the cache behind, which may be nil.
func (f *Frozen) Over(behind pipeline.Cache) pipeline.Cache { return over{f, behind} }

type over struct {
	*Frozen
	behind pipeline.Cache
}

// freezes says whether a tool's results are frozen: they come from outside of
// the vault, and would be others the next time.
func freezes(e *tool.Entry) bool {
	return e.Facts.AsksModel || e.Facts.Requests != "" && e.Simulable
}

// Get gives a frozen result, or what the cache behind has.
func (o over) Get(c *tool.Call, e *tool.Entry) (tool.Data, bool) {
	if !freezes(e) {
		if o.behind == nil {
			return nil, false
		}
		return o.behind.Get(c, e)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	d, ok := o.results[c.LogicalID]
	if !ok {
		return nil, false
	}
	return clone(d), true
}

// Put freezes a result.
func (o over) Put(c *tool.Call, e *tool.Entry, d tool.Data) {
	if !freezes(e) {
		if o.behind != nil {
			o.behind.Put(c, e, d)
		}
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.results[c.LogicalID] = clone(d)
}
