// Package reuse answers calls with results that are there already: those that a
// tool lets be reused (Cache), those that an approval holds to (Frozen), and those
// of scripts (Scripts).
package reuse

import (
	"container/list"
	"sync"
	"time"

	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/tool"
)

// Cache keeps results by the tool's policy (docs/design/tool-calls.md#identity). The key is
// argsHash, name@version and the scope of the tool's secrets; for a tool that
// reads the vault also the vault's generation, so that nothing is reused once a
// note has changed. What a result was made with is noted when it is looked for,
// not when it is kept: a note that changed meanwhile is not missed.
type Cache struct {
	// scope is where the secrets of a call would come from.
	scope func(*tool.Entry, tool.Args) string
	max   int

	mu      sync.Mutex // guards what follows
	entries map[key]*list.Element
	order   *list.List     // of *kept, the most recently used first
	missed  map[string]key // by callId: what a result under way was made with
	waiting []string       // the callIds in missed, oldest first
}

// view is a Cache as it is for one state of the vault.
type view struct {
	*Cache
	// generation numbers the states of the vault: it changes with every write.
	generation func() uint64
}

var _ pipeline.Cache = view{}

type key struct {
	args, tool, scope string
	generation        uint64
}

type kept struct {
	key   key
	data  tool.Data
	until time.Time // zero: for ever
}

// maxMissed bounds what is noted for calls that then fail.
const maxMissed = 256

// NewCache makes a cache of at most max results (0: 512). Without a scope tools
// that need secrets are not cached.
func NewCache(max int, scope func(*tool.Entry, tool.Args) string) *Cache {
	if max <= 0 {
		max = 512
	}
	return &Cache{
		scope: scope, max: max,
		entries: map[key]*list.Element{}, order: list.New(), missed: map[string]key{},
	}
}

// For gives the cache to a pipeline. Generation numbers the states of the vault
// that its tools read; two pipelines must never have one number for two states.
// Nil: tools that read the vault are not cached.
func (c *Cache) For(generation func() uint64) pipeline.Cache { return view{c, generation} }

// Get gives a copy of a result that may be reused.
func (c view) Get(call *tool.Call, e *tool.Entry) (tool.Data, bool) {
	k, ok := c.keyOf(call, e)
	if !ok {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.entries[k]; ok {
		hit, _ := el.Value.(*kept)
		if hit.until.IsZero() || time.Now().Before(hit.until) {
			c.order.MoveToFront(el)
			return clone(hit.data), true
		}
		c.drop(el)
	}
	c.miss(call.CallID, k)
	return nil, false
}

// Put keeps a copy of a result.
func (c view) Put(call *tool.Call, e *tool.Entry, d tool.Data) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.missed[call.CallID]
	if !ok {
		return
	}
	delete(c.missed, call.CallID)
	item := &kept{key: k, data: clone(d)}
	if e.Cache == tool.CacheTTL {
		item.until = time.Now().Add(time.Duration(e.CacheTTLS * float64(time.Second)))
	}
	if el, ok := c.entries[k]; ok {
		c.drop(el)
	}
	c.entries[k] = c.order.PushFront(item)
	for c.order.Len() > c.max {
		c.drop(c.order.Back())
	}
}

// keyOf says whether a result may be cached at all, and under what.
func (c view) keyOf(call *tool.Call, e *tool.Entry) (key, bool) {
	if e.Cache != tool.CacheTTL && e.Cache != tool.CacheForever {
		return key{}, false
	}
	k := key{args: call.ArgsHash, tool: e.ID()}
	switch {
	case e.SideEffects != tool.None && e.SideEffects != tool.Reads:
		return k, false // what it does is the point of it
	case readsVault(e) && c.generation == nil, len(e.SecretNames(call.Args)) > 0 && c.scope == nil:
		return k, false
	}
	if readsVault(e) {
		k.generation = c.generation()
	}
	if len(e.SecretNames(call.Args)) > 0 {
		k.scope = c.scope(e, call.Args)
	}
	return k, true
}

// readsVault: a tool that reads, and is not plainly one that reads elsewhere.
func readsVault(e *tool.Entry) bool {
	return e.SideEffects == tool.Reads && (e.Flags.WorkspaceOnly || e.Category != "api")
}

func (c *Cache) miss(callID string, k key) {
	if _, again := c.missed[callID]; !again {
		c.waiting = append(c.waiting, callID)
	}
	c.missed[callID] = k
	for len(c.waiting) > maxMissed {
		delete(c.missed, c.waiting[0])
		c.waiting = c.waiting[1:]
	}
}

func (c *Cache) drop(el *list.Element) {
	item, _ := c.order.Remove(el).(*kept)
	delete(c.entries, item.key)
}

// clone copies a result: what comes after may shorten or redact it.
func clone(d tool.Data) tool.Data {
	out, _ := copyValue(map[string]any(d)).(map[string]any)
	return out
}

func copyValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = copyValue(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = copyValue(e)
		}
		return out
	case []map[string]any:
		out := make([]map[string]any, len(v))
		for i, e := range v {
			out[i], _ = copyValue(e).(map[string]any)
		}
		return out
	case []string:
		return append([]string(nil), v...)
	}
	return v
}
