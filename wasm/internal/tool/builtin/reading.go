package builtin

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/breath"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/pace"
	"embedded-agent/wasm/internal/text"
	"embedded-agent/wasm/internal/tool"
)

// Selector is a Vault that knows something of its files without reading them
// (package index). Tools use it where the Vault they are handed has it, and
// list and read where it has not.
type Selector interface {
	Select(ctx context.Context, f index.Filter) ([]index.Found, error)
}

// settler is a Vault that may keep what it has learned from bulk reads.
type settler interface{ Settle(ctx context.Context) }

// selectFiles gives the files that may be wanted, sorted by path.
func selectFiles(ctx context.Context, env *tool.Env, f index.Filter) ([]index.Found, error) {
	f.Progress = func(done, total int) { env.Progress(tool.Progress{Done: done, Total: total}) }
	if s, ok := env.Vault.(Selector); ok {
		return s.Select(ctx, f)
	}
	all, err := env.Vault.Walk(ctx, f.Folder)
	if err != nil {
		return nil, err
	}
	var out []index.Found
	for i := range all {
		if f.Passes(&all[i]) && (f.Keep == nil || f.Keep(&all[i], index.Row{})) {
			out = append(out, index.Found{Info: &all[i]})
		}
	}
	return out, nil
}

// Reads go in lots of at most so many files and bytes: one message each. A slow
// disk is asked for fewer, since a call that is silent for too long is ended.
const (
	lotFiles = 64
	lotBytes = 1 << 20
)

// lot is files that are read together.
type lot struct {
	infos []host.Info
	read  []host.FileBytes
	err   error
	took  time.Duration
}

// readAll reads files and hands each to use in the order of infos; the next
// ones are read while use is at work. A file that is gone meanwhile, too large
// or no text is passed over.
func readAll(ctx context.Context, env *tool.Env, infos []host.Info, use func(host.Info, []byte) error) error {
	return searchAll(ctx, env, infos, func() int { return 0 }, use)
}

// searchAll is readAll of who looks for something, and tells how much was found.
func searchAll(ctx context.Context, env *tool.Env, infos []host.Info, found func() int, use func(host.Info, []byte) error) error {
	r := reading{found: found, passed: func(host.Info, error) error { return nil }}
	return r.all(ctx, env, infos, use)
}

// reading is how many files are read: found says how much was found so far, passed
// is told of a file that is passed over, with the reason, and may end the reading.
type reading struct {
	found  func() int
	passed func(host.Info, error) error
}

// all reads files and hands each to use in their order.
func (r *reading) all(ctx context.Context, env *tool.Env, infos []host.Info, use func(host.Info, []byte) error) error {
	ahead, stop := context.WithCancel(ctx)
	lots := make(chan lot)
	go readLots(ahead, env, infos, lots)
	defer func() {
		stop()
		for range lots { // ends with the reader
		}
		if s, ok := env.Vault.(settler); ok {
			s.Settle(ctx)
		}
	}()
	done := 0
	for l := range lots {
		if l.err != nil {
			return l.err
		}
		for i, file := range l.read {
			if err := unreadable(l.infos[i], file); err != nil {
				if err := r.passed(l.infos[i], err); err != nil {
					return err
				}
				continue
			}
			if err := breath.Take(ctx); err != nil {
				return fault.From(err)
			}
			if err := use(l.infos[i], file.Data); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return fault.From(err)
		}
		done += len(l.infos)
		env.Progress(tool.Progress{Done: done, Total: len(infos), Found: r.found()})
	}
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	return nil
}

// unreadable says why a file is not read as text; nil for one that is.
func unreadable(info host.Info, f host.FileBytes) error {
	switch {
	case info.Size > maxText || len(f.Data) > maxText:
		return tooLarge(info.Path)
	case f.Missing:
		return fault.New(fault.NotFound, "tools.note.missing", fault.P{"path": info.Path})
	case !text.Is(f.Data):
		return notText(info.Path)
	}
	return nil
}

func tooLarge(path string) error {
	return fault.New(fault.Precondition, "tools.note.tooLarge", fault.P{"path": path, "max": "10 MB"})
}

func notText(path string) error {
	return fault.New(fault.Precondition, "tools.note.binary", fault.P{"path": path})
}

// readAhead is how many lots are read while one is looked at: under wasm an
// answer is taken only when that is done, and the host would wait meanwhile.
const readAhead = 2

// readLots reads until all is read, something fails, or ctx ends.
func readLots(ctx context.Context, env *tool.Env, infos []host.Info, lots chan<- lot) {
	defer close(lots)
	var waiting []chan lot
	pace := pace.New(lotFiles)
	for len(infos) > 0 || len(waiting) > 0 {
		for len(infos) > 0 && (len(waiting) == 0 || len(waiting) <= readAhead && pace.Quick()) {
			l, answer := nextLot(infos, pace.Next()), make(chan lot, 1)
			infos, waiting = infos[len(l.infos):], append(waiting, answer)
			go func() {
				began := time.Now()
				l.read, l.err = readLot(ctx, env, l.infos)
				l.took = time.Since(began)
				answer <- l
			}()
		}
		l := <-waiting[0]
		pace.Took(l.took)
		waiting = waiting[1:]
		select {
		case lots <- l:
		case <-ctx.Done():
			infos = nil
		}
		if l.err != nil {
			infos = nil
		}
	}
}

func nextLot(infos []host.Info, most int) lot {
	n, size := 0, int64(0)
	for n < min(len(infos), most) {
		if size += infos[n].Size; size > lotBytes && n > 0 {
			break
		}
		n++
	}
	return lot{infos: infos[:n]}
}

// readLot reads the files of a lot. What could not be read in bulk is read
// alone, so that its error is known: a file that is gone is none.
func readLot(ctx context.Context, env *tool.Env, infos []host.Info) ([]host.FileBytes, error) {
	out := make([]host.FileBytes, len(infos))
	var paths []string
	var places []int
	for i, info := range infos {
		if out[i].Missing = info.Size > maxText; !out[i].Missing {
			paths, places = append(paths, info.Path), append(places, i)
		}
	}
	read, err := readMany(ctx, env, paths)
	if err != nil {
		return nil, err
	}
	for n, i := range places {
		out[i] = read[n]
		if !read[n].Missing {
			continue
		}
		data, err := env.Vault.Read(ctx, infos[i].Path)
		switch {
		case err == nil:
			out[i] = host.FileBytes{Data: data}
		case !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Precondition):
			return nil, err
		}
	}
	return out, nil
}

func readMany(ctx context.Context, env *tool.Env, paths []string) ([]host.FileBytes, error) {
	if many, ok := env.Vault.(host.Reads); ok {
		return many.ReadMany(ctx, paths)
	}
	return index.ReadEach(ctx, env.Vault, paths)
}

// isText says whether tools read bytes as text.
func isText(data []byte) bool {
	return len(data) <= maxText && text.Is(data)
}
