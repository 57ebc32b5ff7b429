//go:build !js

package proxy

import (
	"container/list"
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

// stored is a response: the whole conversation up to it, and how much of that was its input.
type stored struct {
	id    string
	items []sentinel.Item
	input int
	size  int
}

func newStore(maxEntries, maxBytes int) *store {
	return &store{maxEntries: maxEntries, maxBytes: maxBytes, byID: map[string]*list.Element{}, order: list.New(), items: map[string][]*stored{}}
}

// put keeps a response. Strings of an earlier response's conversation are shared, but counted again: the bound is on the
// safe side.
func (s *store) put(id string, input, output []sentinel.Item) {
	e := &stored{id: id, items: slices.Concat(input, output), input: len(input), size: 200}
	for _, it := range e.items {
		e.size += 100 + len(it.ID) + len(it.CallID) + len(it.Name) + len(it.Arguments) + len(it.Output)
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

// conversation is everything up to and including a response.
func (s *store) conversation(id string) ([]sentinel.Item, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	el, ok := s.byID[id]
	if !ok {
		return nil, false
	}
	s.order.MoveToFront(el)
	return el.Value.(*stored).items, true
}

// item is an output item by its id. Ids of calls repeat between conversations, so of several the one that followed the same
// items is meant; of several such the latest.
func (s *store) item(id string, before []sentinel.Item) (sentinel.Item, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found sentinel.Item
	ok := false
	for _, e := range s.items[id] {
		for i, it := range e.items[e.input:] {
			if it.ID != id {
				continue
			}
			if at := e.input + i; len(s.items[id]) == 1 || at == len(before) && slices.EqualFunc(e.items[:at], before, sameItem) {
				found, ok = it, true
			}
		}
	}
	return found, ok
}

// sameItem compares what was said; ids of messages are the server's own and do not come back.
func sameItem(a, b sentinel.Item) bool {
	return a.Kind == b.Kind && a.Role == b.Role && a.CallID == b.CallID && a.Name == b.Name && a.Arguments == b.Arguments &&
		a.Output == b.Output && slices.Equal(a.Parts, b.Parts)
}
