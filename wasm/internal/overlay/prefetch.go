package overlay

import (
	"context"
	"slices"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// readTogether is how many files are asked for in one message.
const readTogether = 64

// Prefetch reads files beforehand, several at once: one by one, the way to the
// host and back would be most of the time. What is not there is left out.
func (b *Base) Prefetch(ctx context.Context, paths []string, width int) error {
	b.Look(ctx, paths)
	wanted := slices.DeleteFunc(slices.Clone(paths), b.known)
	if many, ok := b.host.(host.Reads); ok {
		return inParallel(slices.Collect(slices.Chunk(wanted, readTogether)), width, func(chunk []string) error {
			return b.prefetchMany(ctx, many, chunk)
		})
	}
	return inParallel(wanted, width, func(path string) error { return b.prefetchOne(ctx, path) })
}

// inParallel does something to each of a list, so many at once, and stops at
// the first failure.
func inParallel[T any](list []T, width int, do func(T) error) error {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		next  int
		first error
	)
	take := func() (T, bool) {
		mu.Lock()
		defer mu.Unlock()
		var none T
		if next >= len(list) || first != nil {
			return none, false
		}
		next++
		return list[next-1], true
	}
	for range min(width, len(list)) {
		wg.Go(func() {
			for x, ok := take(); ok; x, ok = take() {
				if err := do(x); err != nil {
					mu.Lock()
					first = err
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return first
}

// known says whether a path was read, or is known not to be there.
func (b *Base) known(path string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, read := b.reads[path]
	return read || b.absentLocked(path)
}

// prefetchMany reads files in one message. One that cannot be read is left to
// who needs it: reading it alone says why.
func (b *Base) prefetchMany(ctx context.Context, v host.Reads, paths []string) error {
	told := make([]*host.Info, len(paths))
	b.mu.Lock()
	for i, path := range paths {
		told[i] = b.told(path)
	}
	b.mu.Unlock()
	files, err := v.ReadMany(ctx, paths)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, f := range files {
		if !f.Missing {
			b.prefetched(paths[i], nonNil(f.Data), told[i])
		}
	}
	return nil
}

// prefetchOne reads a file and notes that it is there, or that it is not.
func (b *Base) prefetchOne(ctx context.Context, path string) error {
	b.mu.Lock()
	told := b.told(path)
	b.mu.Unlock()
	d, err := b.host.Read(ctx, path)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil:
		b.prefetched(path, nonNil(d), told)
	case fault.Is(err, fault.NotFound):
		b.missing[path] = true
	default:
		return err
	}
	return nil
}

// prefetched is keep of a file that nothing was known of but that it can be
// read. The lock is held.
func (b *Base) prefetched(path string, data []byte, told *host.Info) {
	b.keep(path, data, told)
	if _, known := b.stats[path]; !known {
		b.stats[path] = host.Info{Path: path, Kind: host.File, Size: int64(len(data)), CTime: b.now, MTime: b.now}
	}
}
