package conversation

import (
	"context"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sorting"
)

// The bounds of what is kept. A file that grows over maxFile is made anew with
// its newest turns, half as long.
const (
	folder      = "conversations"
	maxFile     = 4 << 20
	maxKept     = 200
	maxAllBytes = 64 << 20
)

// Library is the conversations in a store. Its methods may be called from
// several goroutines.
type Library struct {
	store  host.Store
	redact func(string) string
	now    func() string

	mu    sync.Mutex
	open  map[string]*file
	list  map[string]listed // nil until it is read
	limit int               // maxFile; tests have less to write
}

type listed struct {
	protocol.Conversation
	bytes int64
}

// NewLibrary opens the conversations of a store. Redact is applied to every
// text; now gives the time of a record, in RFC 3339.
func NewLibrary(store host.Store, redact func(string) string, now func() string) *Library {
	return &Library{store: store, redact: redact, now: now, open: map[string]*file{}, limit: maxFile}
}

// CheckID says whether a conversation of this id can be kept.
func CheckID(id string) error {
	ok := id != "" && len(id) <= 64
	for _, c := range id {
		ok = ok && (c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	}
	if !ok {
		return fault.New(fault.Validation, "error.conversation.id", nil)
	}
	return nil
}

func missing() error { return fault.New(fault.NotFound, "error.conversation.missing", nil) }

// Get reads a conversation: NOT_FOUND. What it gives is the caller's.
func (l *Library) Get(ctx context.Context, id string) (*Conversation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := l.file(ctx, id)
	if err != nil {
		return nil, err
	}
	if f.chain.Len() == 0 {
		return nil, missing()
	}
	out := *f.conversation
	out.Turns = make([]*Turn, len(f.conversation.Turns))
	for i, t := range f.conversation.Turns {
		if out.Turns[i], err = clone(t); err != nil {
			return nil, fault.From(err)
		}
	}
	return &out, nil
}

// Add keeps a turn that has ended; its conversation is made with its first one.
func (l *Library) Add(ctx context.Context, id string, t *Turn) error {
	kept, err := l.kept(t)
	if err != nil {
		return fault.From(err)
	}
	return l.put(ctx, id, &entry{Turn: kept}, true)
}

// Drop takes a turn out.
func (l *Library) Drop(ctx context.Context, id, turn string) error {
	return l.put(ctx, id, &entry{Drop: turn}, false)
}

// Rename gives a conversation another title.
func (l *Library) Rename(ctx context.Context, id, title string) error {
	if title = titleOf(title); title == "" {
		return fault.New(fault.Validation, "error.conversation.title", nil)
	}
	return l.put(ctx, id, &entry{Title: l.redact(title)}, false)
}

// Settle notes what became of what a conversation staged.
func (l *Library) Settle(ctx context.Context, id string, s Settled) error {
	return l.put(ctx, id, &entry{Settled: &s}, false)
}

// Remove forgets a conversation.
func (l *Library) Remove(ctx context.Context, id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.remove(ctx, id)
}

func (l *Library) remove(ctx context.Context, id string) error {
	for _, path := range []string{spareOf(id), pathOf(id)} {
		if err := l.store.Remove(ctx, path); err != nil {
			return ioError(err)
		}
	}
	delete(l.open, id)
	delete(l.list, id)
	return nil
}

func ioError(err error) error {
	return fault.New(fault.Internal, "error.conversation.store", nil).With(err)
}

// put appends a record. Make says that the conversation may be new.
func (l *Library) put(ctx context.Context, id string, e *entry, make bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := l.file(ctx, id)
	if err != nil {
		return err
	}
	if f.chain.Len() == 0 && !make {
		return missing()
	}
	e.At = l.now()
	rec, err := llm.Marshal(e)
	if err != nil {
		return fault.From(err)
	}
	f.conversation.apply(e)
	if f.torn || f.size+len(rec) > l.limit {
		err = l.rewrite(ctx, f)
	} else {
		line := f.chain.Append(nil, rec)
		f.size += len(line)
		if err = l.store.Append(ctx, pathOf(id), line); err != nil {
			err = ioError(err)
		}
	}
	if err != nil {
		delete(l.open, id) // what is in the store now has to be read
		return err
	}
	l.noted(f)
	return l.prune(ctx, id)
}

// noted brings the list up to date with a file.
func (l *Library) noted(f *file) {
	if l.list != nil {
		l.list[f.conversation.ID] = listed{f.conversation.Summary(), int64(f.size)}
	}
	for id := range l.open { // one is gone on with at a time
		if id != f.conversation.ID {
			delete(l.open, id)
		}
	}
}

// List gives the conversations in which a text occurs ("" for all), the newest
// first, at most limit (0: all).
func (l *Library) List(ctx context.Context, text string, limit int) ([]protocol.Conversation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.index(ctx); err != nil {
		return nil, err
	}
	out := []protocol.Conversation{}
	lower := strings.ToLower(strings.TrimSpace(text))
	for _, id := range l.newest() {
		if limit > 0 && len(out) == limit {
			break
		}
		if lower != "" {
			f, err := l.read(ctx, id)
			if err != nil {
				return nil, err
			}
			if !f.conversation.holds(lower) {
				continue
			}
		}
		out = append(out, l.list[id].Conversation)
	}
	return out, nil
}

// newest gives the ids of the list, the newest first.
func (l *Library) newest() []string {
	ids := make([]string, 0, len(l.list))
	for id := range l.list {
		ids = append(ids, id)
	}
	sorting.Func(ids, func(a, b string) int {
		if c := strings.Compare(l.list[b].UpdatedAt, l.list[a].UpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(b, a)
	})
	return ids
}

// index reads the list at first use. A conversation that cannot be read is left
// out, and stays where it is.
func (l *Library) index(ctx context.Context) error {
	if l.list != nil {
		return nil
	}
	entries, err := l.store.List(ctx, folder)
	if err != nil {
		return ioError(err)
	}
	list := map[string]listed{}
	for _, e := range entries {
		name := strings.TrimPrefix(e.Path, folder+"/")
		id := strings.TrimSuffix(strings.TrimSuffix(name, ".jsonl"), ".new")
		if id == name || CheckID(id) != nil || list[id].ID != "" {
			continue
		}
		f, err := l.read(ctx, id)
		if err != nil {
			return err
		}
		if len(f.conversation.Turns) > 0 {
			list[id] = listed{f.conversation.Summary(), e.Size}
		}
	}
	l.list = list
	return nil
}

// prune removes the oldest conversations beyond the bounds; the one that was
// just added to stays.
func (l *Library) prune(ctx context.Context, keep string) error {
	if err := l.index(ctx); err != nil {
		return err
	}
	var bytes int64
	for i, id := range l.newest() {
		bytes += l.list[id].bytes
		if id != keep && (i >= maxKept || bytes > maxAllBytes) {
			bytes -= l.list[id].bytes
			if err := l.remove(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}
