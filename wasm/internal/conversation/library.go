package conversation

import (
	"context"
	"slices"
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
	device func(context.Context) (string, error)
	limit  int // maxFile; tests have less to write

	mu    sync.Mutex // guards what follows
	open  map[string]*files
	reads map[string]int    // how often a conversation was not as it was known
	list  map[string]listed // nil until it is read
}

type listed struct {
	protocol.Conversation
	bytes int64
	files []host.Info
}

// NewLibrary opens the conversations of a store. Redact is applied to every
// text; now gives the time of a record, in RFC 3339; device names the device in
// the names of the files that it writes.
func NewLibrary(store host.Store, redact func(string) string, now func() string, device func(context.Context) (string, error)) *Library {
	return &Library{store: store, redact: redact, now: now, device: device, open: map[string]*files{}, reads: map[string]int{}, limit: maxFile}
}

// CheckID says whether a conversation of this id can be kept.
func CheckID(id string) error {
	ok := id != "" && len(id) <= 64
	for _, c := range id {
		ok = ok && inID(c)
	}
	if !ok {
		return fault.New(fault.Validation, "error.conversation.id", nil)
	}
	return nil
}

func inID(c rune) bool {
	return c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func missing() error { return fault.New(fault.NotFound, "error.conversation.missing", nil) }

// Get reads a conversation: NOT_FOUND. What it gives is the caller's.
func (l *Library) Get(ctx context.Context, id string) (*Conversation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, _, err := l.files(ctx, id)
	if err != nil {
		return nil, err
	}
	if !f.there() {
		return nil, missing()
	}
	out := *f.conversation
	out.Revision = l.reads[id]
	out.Turns = make([]*Turn, len(f.conversation.Turns))
	for i, t := range f.conversation.Turns {
		if out.Turns[i], err = clone(t); err != nil {
			return nil, fault.From(err)
		}
	}
	return &out, nil
}

// Revision changes whenever a conversation is found other than this library has
// left it: another device or window has added to it.
func (l *Library) Revision(ctx context.Context, id string) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _, err := l.files(ctx, id)
	return l.reads[id], err
}

// files gives the files of a conversation as they are now, and the list of the
// files of all conversations.
func (l *Library) files(ctx context.Context, id string) (*files, map[string][]host.Info, error) {
	if err := CheckID(id); err != nil {
		return nil, nil, err
	}
	found, err := l.look(ctx)
	if err != nil {
		return nil, nil, err
	}
	f, err := l.read(ctx, id, found[id])
	if err != nil {
		return nil, nil, err
	}
	l.open[id] = f
	return f, found, nil
}

// there says whether anything is kept of a conversation.
func (f *files) there() bool {
	for _, file := range f.of {
		if len(file.entries) > 0 {
			return true
		}
	}
	return false
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
	found, err := l.look(ctx)
	if err != nil {
		return err
	}
	for _, info := range found[id] {
		if err := l.store.Remove(ctx, info.Path); err != nil {
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
	f, found, err := l.files(ctx, id)
	if err != nil {
		return err
	}
	if !f.there() && !make {
		return missing()
	}
	f.stamp(e, l.now())
	rec, err := llm.Marshal(e)
	if err != nil {
		return fault.From(err)
	}
	own := f.of[f.own]
	own.entries = append(own.entries, e)
	f.conversation.apply(e)
	if own.torn || own.size+len(rec) > l.limit {
		err = l.rewrite(ctx, f)
	} else {
		line := own.chain.Append(nil, rec)
		own.size += len(line)
		if err = l.store.Append(ctx, f.own, line); err != nil {
			err = ioError(err)
		}
	}
	if err != nil {
		delete(l.open, id) // what is in the store now has to be read
		return err
	}
	for other := range l.open { // one is gone on with at a time
		if other != id {
			delete(l.open, other)
		}
	}
	if err := l.index(ctx, found); err != nil {
		return err
	}
	l.list[id] = listed{Conversation: f.conversation.Summary(), bytes: f.bytes()}
	return l.prune(ctx, id)
}

// bytes is how long the files are.
func (f *files) bytes() int64 {
	n := 0
	for _, file := range f.of {
		n += file.size
	}
	return int64(n)
}

// List gives the conversations in which a text occurs ("" for all), the newest
// first, at most limit (0: all).
func (l *Library) List(ctx context.Context, text string, limit int) ([]protocol.Conversation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, err := l.look(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.index(ctx, found); err != nil {
		return nil, err
	}
	out := []protocol.Conversation{}
	lower := strings.ToLower(strings.TrimSpace(text))
	for _, id := range l.newest() {
		if limit > 0 && len(out) == limit {
			break
		}
		if lower != "" {
			f, err := l.read(ctx, id, found[id])
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

// index reads what is new in the list, or has changed since. A conversation that
// cannot be read is left out, and stays where it is.
func (l *Library) index(ctx context.Context, found map[string][]host.Info) error {
	list := make(map[string]listed, len(found))
	for id, infos := range found {
		if known := l.list[id]; len(infos) > 0 && slices.Equal(known.files, infos) {
			list[id] = known
			continue
		}
		f, err := l.read(ctx, id, infos)
		if err != nil {
			return err
		}
		if len(f.conversation.Turns) > 0 {
			list[id] = listed{f.conversation.Summary(), f.bytes(), infos}
		}
	}
	l.list = list
	return nil
}

// prune removes the oldest conversations beyond the bounds; the one that was
// just added to stays.
func (l *Library) prune(ctx context.Context, keep string) error {
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
