//go:build !js

package proxy

import (
	"container/list"
	"encoding/json"
	"slices"
	"sync"

	"embedded-agent/wasm/internal/llm/sentinel"
)

// store keeps the conversations of stored responses for previous_response_id and item_reference. It is bounded in number and
// bytes: the one that was not used for the longest time makes room. It lives in memory only.
type store struct {
	maxEntries int
	maxBytes   int

	mu    sync.Mutex // guards what follows
	byID  map[string]*list.Element
	order *list.List // of *stored, the latest used in front
	items map[string][]*stored
	bytes int
}

// stored is a response: the object as it was sent, the whole conversation up to it in the form of the backends and in that
// of the API, and how much of that was its input.
type stored struct {
	id    string
	body  []byte
	items []sentinel.Item
	wire  []json.RawMessage // one for each of items
	input int
	size  int
}

func newStore(maxEntries, maxBytes int) *store {
	return &store{maxEntries: maxEntries, maxBytes: maxBytes, byID: map[string]*list.Element{}, order: list.New(), items: map[string][]*stored{}}
}

// put keeps a response. Strings of an earlier response's conversation are shared, but counted again: the bound is on the
// safe side.
func (s *store) put(r *request, res *response, output []sentinel.Item) {
	id := res.ID
	e := &stored{
		id: id, body: mustJSON(res), items: slices.Concat(r.items, output), wire: slices.Concat(r.wireItems, res.Output), input: len(r.items),
	}
	e.size = 200 + len(e.body)
	for i, it := range e.items {
		e.size += 100 + len(it.ID) + len(it.CallID) + len(it.Name) + len(it.Arguments) + len(it.Output) + len(e.wire[i])
		for _, p := range it.Parts {
			e.size += 50 + len(p.Text) + len(p.ImageURL)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.size > s.maxBytes || s.maxEntries == 0 {
		return // the next request that names it is told so
	}
	s.byID[id] = s.order.PushFront(e)
	s.bytes += e.size
	for _, it := range output {
		s.items[it.ID] = append(s.items[it.ID], e)
	}
	for s.bytes > s.maxBytes || s.order.Len() > s.maxEntries {
		s.drop(s.order.Back())
	}
}

// find gives a response, and makes it the one used last.
func (s *store) find(id string) (*stored, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	el, ok := s.byID[id]
	if !ok {
		return nil, false
	}
	s.order.MoveToFront(el)
	return el.Value.(*stored), true
}

// remove forgets a response; false where it is not known.
func (s *store) remove(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	el, ok := s.byID[id]
	if ok {
		s.drop(el)
	}
	return ok
}

func (s *store) drop(el *list.Element) {
	e := s.order.Remove(el).(*stored)
	delete(s.byID, e.id)
	s.bytes -= e.size
	for _, it := range e.items[e.input:] {
		rest := slices.DeleteFunc(s.items[it.ID], func(o *stored) bool { return o == e })
		if s.items[it.ID] = rest; len(rest) == 0 {
			delete(s.items, it.ID)
		}
	}
}

// item is an output item by its id. Ids of calls repeat between conversations, so of several the one is meant that followed
// the same items; else one of a conversation that the item before belongs to; else the latest.
func (s *store) item(id string, before []sentinel.Item) (it sentinel.Item, wire json.RawMessage, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	best := 0
	for _, e := range s.items[id] {
		for i := e.input; i < len(e.items); i++ {
			if e.items[i].ID != id {
				continue
			}
			if fit := e.follows(i, before); fit >= best {
				it, wire, ok, best = e.items[i], e.wire[i], true, fit
			}
		}
	}
	return it, wire, ok
}

// follows says how well an item of a conversation fits behind others: 2 where it followed the very same, 1 where it followed
// the last of them.
func (e *stored) follows(at int, before []sentinel.Item) int {
	switch {
	case at == len(before) && slices.EqualFunc(e.items[:at], before, sameItem):
		return 2
	case at > 0 && len(before) > 0 && sameItem(e.items[at-1], before[len(before)-1]):
		return 1
	}
	return 0
}

// sameItem compares what was said; ids of messages are the server's own and do not come back.
func sameItem(a, b sentinel.Item) bool {
	return a.Kind == b.Kind && a.Role == b.Role && a.CallID == b.CallID && a.Name == b.Name && a.Arguments == b.Arguments &&
		a.Output == b.Output && slices.Equal(a.Parts, b.Parts)
}
