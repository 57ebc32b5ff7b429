package conversation

import (
	"context"
	"encoding/json"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/record"
)

// chainName is what the chain of every file begins with: a file and the one
// beside it hold the same bytes.
const chainName = "conversation"

// file is a conversation's file as far as it is known: what is in it, and where
// its chain goes on. A file that ends in a torn line is made anew.
type file struct {
	conversation *Conversation
	chain        *record.Chain
	size         int
	torn         bool
}

func pathOf(id string) string  { return folder + "/" + id + ".jsonl" }
func spareOf(id string) string { return folder + "/" + id + ".new.jsonl" }

// file gives a conversation's file, read at first use.
func (l *Library) file(ctx context.Context, id string) (*file, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	if f := l.open[id]; f != nil {
		return f, nil
	}
	f, err := l.read(ctx, id)
	if err != nil {
		return nil, err
	}
	l.open[id] = f
	return f, nil
}

// read reads a conversation; the spare file where the other was being made anew
// when the app ended.
func (l *Library) read(ctx context.Context, id string) (*file, error) {
	var best *file
	for _, path := range []string{pathOf(id), spareOf(id)} {
		data, err := l.store.Read(ctx, path)
		if fault.Is(err, fault.NotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		f, whole := parse(id, data)
		if whole {
			return f, nil
		}
		if best == nil || len(f.conversation.Turns) > len(best.conversation.Turns) {
			best = f
		}
	}
	if best == nil {
		best = &file{conversation: &Conversation{ID: id}, chain: record.New(chainName)}
	}
	return best, nil
}

// parse reads a file's records. It is not whole when it was being made anew and
// the end is missing; then, and when its last line is torn, it is made anew
// before anything is added.
func parse(id string, data []byte) (f *file, whole bool) {
	recs, chain, good, err := record.Read(chainName, data)
	f = &file{conversation: &Conversation{ID: id}, chain: chain, size: good, torn: err != nil || good != len(data)}
	head := 0
	for _, rec := range recs {
		var e entry
		if json.Unmarshal(rec, &e) != nil {
			f.torn = true
			break
		}
		head = max(head, e.Head)
		f.conversation.apply(&e)
	}
	whole = len(recs) > head && (err == nil || len(recs) > 0)
	if !whole {
		f.torn = true
	}
	return f, whole
}

// rewrite makes a file anew, with as many of the newest turns as fit in half of
// the limit; first beside it, so that a crash leaves one of the two whole.
func (l *Library) rewrite(ctx context.Context, f *file) error {
	c := f.conversation
	from, bytes := len(c.Turns), 0
	for from > 0 {
		n := size(c.Turns[from-1])
		if bytes+n > l.limit/2 && from < len(c.Turns) {
			break
		}
		bytes += n
		from--
	}
	c.Turns = slices.Clone(c.Turns[from:])
	chain := record.New(chainName)
	rec, err := llm.Marshal(entry{Head: len(c.Turns) + 1})
	if err != nil {
		return fault.From(err)
	}
	data := chain.Append(nil, rec)
	for _, e := range append([]*entry{{At: c.Updated, Title: c.Title}}, turnEntries(c)...) {
		if rec, err = llm.Marshal(e); err != nil {
			return fault.From(err)
		}
		data = chain.Append(data, rec)
	}
	for _, path := range []string{spareOf(c.ID), pathOf(c.ID)} {
		if err := l.store.Write(ctx, path, data); err != nil {
			return ioError(err)
		}
	}
	f.chain, f.size, f.torn = chain, len(data), false
	if err := l.store.Remove(ctx, spareOf(c.ID)); err != nil {
		return ioError(err)
	}
	return nil
}

func turnEntries(c *Conversation) []*entry {
	out := make([]*entry, len(c.Turns))
	for i, t := range c.Turns {
		out[i] = &entry{At: c.Updated, Turn: t}
	}
	return out
}
