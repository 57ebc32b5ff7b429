package agent

import (
	"maps"
	"sync"

	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/tool"
)

// Frozen keeps what the model steps of a plan gave, so that every simulation
// after the first, and the run, get the same (DESIGN §2, §5). It is the cache of
// the pipelines of one review and its run; other results go to the cache behind
// it, which may be nil.
//
// The results belong to the approval: Results gives them, NewFrozen takes them
// back. A step is known by its call_id: another prompt, other arguments or
// another place in the plan is another step, and asks the model anew while the
// plan is still being simulated.
type Frozen struct {
	behind pipeline.Cache

	mu      sync.Mutex
	results map[string]tool.Data
}

var _ pipeline.Cache = (*Frozen)(nil)

// NewFrozen starts with results that were approved, or with none.
func NewFrozen(results map[string]tool.Data, behind pipeline.Cache) *Frozen {
	f := &Frozen{behind: behind, results: map[string]tool.Data{}}
	maps.Copy(f.results, results)
	return f
}

// Results gives the frozen results by call_id.
func (f *Frozen) Results() map[string]tool.Data {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.results)
}

// Get gives a frozen result of a model step.
func (f *Frozen) Get(c *tool.Call, e *tool.Entry) (tool.Data, bool) {
	if e.Name != StepToolName {
		if f.behind == nil {
			return nil, false
		}
		return f.behind.Get(c, e)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	d, ok := f.results[c.LogicalID]
	if !ok {
		return nil, false
	}
	return clone(d), true
}

// Put freezes the result of a model step.
func (f *Frozen) Put(c *tool.Call, e *tool.Entry, d tool.Data) {
	if e.Name != StepToolName {
		if f.behind != nil {
			f.behind.Put(c, e, d)
		}
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.results[c.LogicalID] = clone(d)
}
