package conversation

import (
	"context"
	"encoding/json"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/record"
)

// chainName begins the chain of every file: a file and the one
// beside it hold the same bytes.
const chainName = "conversation"

// file is one file of a conversation as it was last read. One that ends in a torn
// line is made anew before anything is added.
type file struct {
	info    host.Info
	entries []*entry
	chain   *record.Chain
	size    int
	torn    bool
}

const (
	fileEnd  = ".jsonl"
	spareEnd = ".new.jsonl"
)

// pathOf gives the file of a conversation to which a device adds.
func pathOf(id, device string) string { return folder + "/" + id + "." + device + fileEnd }

// spareOf gives the file in which another one is made anew.
func spareOf(path string) string { return strings.TrimSuffix(path, fileEnd) + spareEnd }

// idOf gives the conversation that a file is of, whatever follows its id: the
// device that wrote it, or what a sync has added. "" is none.
func idOf(path string) string {
	name := strings.TrimPrefix(path, folder+"/")
	end := strings.IndexFunc(name, func(r rune) bool { return !inID(r) })
	if end <= 0 || !strings.HasSuffix(name, fileEnd) || CheckID(name[:end]) != nil {
		return ""
	}
	return name[:end]
}

// look finds the files of all conversations.
func (l *Library) look(ctx context.Context) (map[string][]host.Info, error) {
	list, err := l.store.List(ctx, folder)
	if err != nil {
		return nil, ioError(err)
	}
	out := map[string][]host.Info{}
	for _, info := range list {
		if id := idOf(info.Path); id != "" && info.Kind == host.File {
			out[id] = append(out[id], info)
		}
	}
	return out, nil
}

// files are those of one conversation.
type files struct {
	of           map[string]*file // by path
	own          string           // the path to which this device adds
	conversation *Conversation
}

// read reads the files of a conversation. Those that are as they were in what is
// known already are not read again.
func (l *Library) read(ctx context.Context, id string, infos []host.Info) (*files, error) {
	device, err := l.device(ctx)
	if err != nil {
		return nil, err
	}
	out := &files{of: map[string]*file{}, own: pathOf(id, device)}
	known := l.open[id]
	if known != nil && known.own != out.own {
		known = nil // this window has taken over: another file is its own now
	}
	fresh := known == nil
	for _, info := range infos {
		if f := known.file(info, out.own); f != nil {
			f.info = info
			out.of[info.Path] = f
			continue
		}
		data, err := l.store.Read(ctx, info.Path)
		if fault.Is(err, fault.NotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		fresh = true
		out.of[info.Path] = parse(data)
		out.of[info.Path].info = info
	}
	if out.of[out.own] == nil {
		fresh = fresh || known.of[out.own].size > 0
		out.of[out.own] = &file{chain: record.New(chainName)}
	}
	if !fresh && len(known.of) == len(out.of) {
		return known, nil
	}
	l.reads[id]++
	if spare := out.of[spareOf(out.own)]; spare != nil {
		out.of[out.own].torn = true
	}
	out.conversation = out.merged(id)
	return out, nil
}

// file gives a file that need not be read again; nil where it must be. What this
// device has added itself is known by its length.
func (f *files) file(info host.Info, own string) *file {
	if f == nil {
		return nil
	}
	known := f.of[info.Path]
	switch {
	case known == nil:
		return nil
	case info.Path == own && known.size == int(info.Size) && !known.torn:
		return known
	case known.info == info:
		return known
	}
	return nil
}

// parse reads a file's records. One that was being made anew when the app ended
// lacks the end.
func parse(data []byte) *file {
	recs, chain, good, err := record.Read(chainName, data)
	f := &file{chain: chain, size: good, torn: err != nil || good != len(data)}
	head := 0
	for _, rec := range recs {
		var e entry
		if json.Unmarshal(rec, &e) != nil {
			f.torn = true
			break
		}
		head = max(head, e.Head)
		f.entries = append(f.entries, &e)
	}
	f.torn = f.torn || len(recs) <= head && len(data) > 0
	return f
}

// rewrite makes this device's file anew, with as many of its newest turns as fit
// in half of the limit; first beside it, so that a crash leaves one of the two
// whole.
func (l *Library) rewrite(ctx context.Context, f *files) error {
	keep := f.kept(l.limit / 2)
	chain := record.New(chainName)
	var data []byte
	for _, e := range append([]*entry{{Head: len(keep)}}, keep...) {
		rec, err := llm.Marshal(e)
		if err != nil {
			return fault.From(err)
		}
		data = chain.Append(data, rec)
	}
	for _, path := range []string{spareOf(f.own), f.own} {
		if err := l.store.Write(ctx, path, data); err != nil {
			return ioError(err)
		}
	}
	if err := l.store.Remove(ctx, spareOf(f.own)); err != nil {
		return ioError(err)
	}
	delete(f.of, spareOf(f.own))
	f.of[f.own] = &file{entries: keep, chain: chain, size: len(data)}
	f.conversation = f.merged(f.conversation.ID)
	return nil
}
