package reuse

import (
	"sync"

	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/tool"
)

// Scripts keeps what scripts gave within one review, so that simulating a plan
// again after an amendment does not compute it again. It fits pipeline.Cache.
// What it gives is shared: outputs are not changed once they are made.
type Scripts struct {
	mu   sync.Mutex // guards kept; nothing is called under it
	kept map[scriptCall]tool.Data
}

type scriptCall struct{ tool, args string }

var _ pipeline.Cache = (*Scripts)(nil)

// NewScripts gives a store without results.
func NewScripts() *Scripts { return &Scripts{kept: map[scriptCall]tool.Data{}} }

// maxScripts bounds what is kept; what is beyond it is computed again.
const maxScripts = 20_000

// remembers says whether a tool's results are kept: those of scripts. The other
// pure tools are quicker than looking. (What came from the web is frozen.)
func remembers(e *tool.Entry) bool { return e.Facts.RunsScript }

// Get implements pipeline.Cache.
func (m *Scripts) Get(c *tool.Call, e *tool.Entry) (tool.Data, bool) {
	if !remembers(e) {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.kept[scriptCall{e.ID(), c.ArgsHash}]
	return d, ok
}

// Put implements pipeline.Cache.
func (m *Scripts) Put(c *tool.Call, e *tool.Entry, d tool.Data) {
	if !remembers(e) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kept) < maxScripts {
		m.kept[scriptCall{e.ID(), c.ArgsHash}] = d
	}
}

// Over looks in the store for results of scripts, and behind for the rest.
func (m *Scripts) Over(behind pipeline.Cache) pipeline.Cache { return scriptsOver{m, behind} }

type scriptsOver struct {
	*Scripts
	behind pipeline.Cache
}

// Get implements pipeline.Cache.
func (m scriptsOver) Get(c *tool.Call, e *tool.Entry) (tool.Data, bool) {
	if remembers(e) {
		return m.Scripts.Get(c, e)
	}
	return m.behind.Get(c, e)
}

// Put implements pipeline.Cache.
func (m scriptsOver) Put(c *tool.Call, e *tool.Entry, d tool.Data) {
	if remembers(e) {
		m.Scripts.Put(c, e, d)
		return
	}
	m.behind.Put(c, e, d)
}
