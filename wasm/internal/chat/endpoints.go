package chat

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/timestamp"
)

// EndpointsFile holds what was found out about endpoints. It is a memory, not a
// record: a file that a crash has cut is forgotten, and found out again.
const EndpointsFile = "endpoints.json"

// Bounds of what is remembered.
const (
	maxEndpoints = 200
	maxLists     = 12
	maxListed    = 3000
)

// endpoints remembers what endpoints can do and which models they have.
type endpoints struct {
	store host.Store

	mu     sync.Mutex // guards what follows
	loaded bool
	book   endpointBook
	told   map[string]bool // hosts whose answers do not stream, told since the core began
}

type endpointBook struct {
	Can   map[string]endpointNotes `json:"can"`
	Lists map[string]modelList     `json:"lists"`
	// Windows are the tokens that models take, as their servers said when they were asked about each.
	Windows map[string]windowNote `json:"windows,omitempty"`
}

// endpointNotes has the findings about an endpoint with one model, since when (in
// RFC 3339), and whether a connection test found it or refusals taught it.
type endpointNotes struct {
	Can    map[llm.Feature]bool `json:"can"`
	At     string               `json:"at"`
	Tested bool                 `json:"tested,omitempty"`
}

// windowNote is a window in tokens, since when (in RFC 3339).
type windowNote struct {
	Tokens int    `json:"tokens"`
	At     string `json:"at"`
}

// forgetAfter is when what a refusal taught is tried again: servers are
// updated, and a refusal may have been misread.
const forgetAfter = 14 * 24 * time.Hour

// modelList is an endpoint's models as they were at a moment, in RFC 3339.
type modelList struct {
	At     string      `json:"at"`
	Models []llm.Model `json:"models"`
}

// load reads the file once. The lock is held.
func (e *endpoints) load(ctx context.Context) {
	if e.loaded {
		return
	}
	e.loaded = true
	data, err := e.store.Read(ctx, EndpointsFile)
	if err != nil || json.Unmarshal(data, &e.book) != nil {
		e.book = endpointBook{}
	}
	if e.book.Can == nil {
		e.book.Can = map[string]endpointNotes{}
	}
	if e.book.Lists == nil {
		e.book.Lists = map[string]modelList{}
	}
}

// save writes the file. One that cannot be written costs only asking again.
func (e *endpoints) save(ctx context.Context) {
	trim(e.book.Can, maxEndpoints, func(n endpointNotes) string { return n.At })
	trim(e.book.Lists, maxLists, func(l modelList) string { return l.At })
	trim(e.book.Windows, maxEndpoints, func(n windowNote) string { return n.At })
	if data, err := canon.Encode(e.book); err == nil {
		_ = e.store.Write(ctx, EndpointsFile, data)
	}
}

// trim leaves the newest.
func trim[V any](m map[string]V, most int, at func(V) string) {
	if len(m) <= most {
		return
	}
	keys := slices.Sorted(maps.Keys(m))
	sorting.StableFunc(keys, func(a, b string) int {
		switch x, y := at(m[a]), at(m[b]); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	for _, k := range keys[:len(m)-most] {
		delete(m, k)
	}
}

// known gives what is known of an endpoint with a model.
func (e *endpoints) known(ctx context.Context, key string, now time.Time) map[llm.Feature]bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.load(ctx)
	n := e.book.Can[key]
	if at, err := time.Parse(time.RFC3339, n.At); !n.Tested && (err != nil || now.Sub(at) > forgetAfter) {
		return map[llm.Feature]bool{}
	}
	return maps.Clone(n.Can)
}

// learn adds to what is known. What a test found replaces all that was.
func (e *endpoints) learn(ctx context.Context, key string, found map[llm.Feature]bool, now time.Time, tested bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.load(ctx)
	n := e.book.Can[key]
	if tested || n.Can == nil {
		n = endpointNotes{Can: map[llm.Feature]bool{}, Tested: tested}
	}
	n.Can = maps.Clone(n.Can)
	maps.Copy(n.Can, found)
	n.At = timestamp.Second(now)
	e.book.Can[key] = n
	e.save(ctx)
}

// window gives the tokens that a server said a model takes, 0 where it said nothing.
func (e *endpoints) window(ctx context.Context, key string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.load(ctx)
	return e.book.Windows[key].Tokens
}

// keepWindow keeps what a server said; 0 forgets it.
func (e *endpoints) keepWindow(ctx context.Context, key string, tokens int, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.load(ctx)
	if e.book.Windows == nil {
		e.book.Windows = map[string]windowNote{}
	}
	e.book.Windows[key] = windowNote{tokens, timestamp.Second(now)}
	if tokens == 0 {
		delete(e.book.Windows, key)
	}
	e.save(ctx)
}

// models gives the list that was fetched last.
func (e *endpoints) models(ctx context.Context, list string) modelList {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.load(ctx)
	return e.book.Lists[list]
}

// keepModels keeps a list.
func (e *endpoints) keepModels(ctx context.Context, list string, l modelList) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.load(ctx)
	l.Models = l.Models[:min(len(l.Models), maxListed)]
	e.book.Lists[list] = l
	e.save(ctx)
}

// toldBuffered says whether a host's answers turn out only now not to stream:
// the person is told once for as long as the core lives.
func (e *endpoints) toldBuffered(host string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	first := !e.told[host]
	if e.told == nil {
		e.told = map[string]bool{}
	}
	e.told[host] = true
	return first
}
