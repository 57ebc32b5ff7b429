package transaction

import (
	"sync"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// minCodeMB is the sandbox's own need of memory, in megabytes, with some room for a script.
const minCodeMB = 64

// scriptLimits are the bounds of one script.
func scriptLimits(c protocol.Settings) host.ScriptLimits {
	return host.ScriptLimits{Time: time.Duration(c.CodeMaxMs) * time.Millisecond, MB: max(c.CodeMaxMB, minCodeMB)}
}

// memo keeps what scripts gave within one review, so that simulating a plan
// again after an amendment does not compute it again. It fits pipeline.Cache.
// What it gives is shared: outputs are not changed once they are made.
type memo struct {
	mu   sync.Mutex // guards kept; nothing is called under it
	kept map[memoKey]tool.Data
}

type memoKey struct{ tool, args string }

var _ pipeline.Cache = (*memo)(nil)

// maxMemo bounds what is kept; what is beyond it is computed again.
const maxMemo = 20_000

// remembers says whether a tool's results are kept: those of scripts. The other
// pure tools are quicker than looking. (What came from the web is frozen.)
func remembers(e *tool.Entry) bool { return e.Facts.RunsScript }

// Get implements pipeline.Cache.
func (m *memo) Get(c *tool.Call, e *tool.Entry) (tool.Data, bool) {
	if !remembers(e) {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.kept[memoKey{e.ID(), c.ArgsHash}]
	return d, ok
}

// Put implements pipeline.Cache.
func (m *memo) Put(c *tool.Call, e *tool.Entry, d tool.Data) {
	if !remembers(e) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kept) < maxMemo {
		m.kept[memoKey{e.ID(), c.ArgsHash}] = d
	}
}

// memoOver looks in the memo for what it remembers, and behind for the rest.
type memoOver struct {
	*memo
	behind pipeline.Cache
}

// Get implements pipeline.Cache.
func (m memoOver) Get(c *tool.Call, e *tool.Entry) (tool.Data, bool) {
	if remembers(e) {
		return m.memo.Get(c, e)
	}
	return m.behind.Get(c, e)
}

// Put implements pipeline.Cache.
func (m memoOver) Put(c *tool.Call, e *tool.Entry, d tool.Data) {
	if remembers(e) {
		m.memo.Put(c, e, d)
		return
	}
	m.behind.Put(c, e, d)
}
