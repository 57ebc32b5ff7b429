//go:build js && wasm

package browserstore

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/hack-pad/safejs"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/jsbridge/promise"
)

// IDB is the store in a database. A file is a row that tells its size, and pieces:
// one for each time that something was added. Each write is a transaction, so that
// a crash leaves all of it or nothing.
//
//	files   path → {path, size, pieces, mtime}
//	pieces  [path, n] → Uint8Array
type IDB struct {
	id string

	mu    sync.RWMutex // held alone by what writes; guards files
	dbMu  sync.Mutex   // held while the database is opened; guards db
	db    *safejs.Value
	files map[string]row // of the files that were added to
}

// row is a file's.
type row struct {
	size   int64
	pieces int
}

// The tables of the database.
const (
	filesTable  = "files"
	piecesTable = "pieces"
)

// NewIDB gives the store of the vault with this id. It asks the engine nothing
// yet.
func NewIDB(id string) *IDB { return &IDB{id: id, files: map[string]row{}} }

// Kind tells the kind of store.
func (s *IDB) Kind() host.StoreKind { return host.StoreIDB }

func (s *IDB) name() string { return top + "/" + s.id }

// Holds says whether records of this vault are there. An error is the engine's
// refusal.
func (s *IDB) Holds(ctx context.Context) (bool, error) {
	factory, err := browser("indexedDB")
	if err != nil {
		return false, err
	}
	if !has(factory, "databases") {
		return false, nil // then opening tells
	}
	list, err := promise.Call(factory, "databases")
	if err != nil {
		return false, err
	}
	n, err := list.Length()
	for i := 0; i < n && err == nil; i++ {
		var entry safejs.Value
		if entry, err = list.Index(i); err != nil {
			break
		}
		var name string
		if name, err = text(entry, "name"); name == s.name() {
			rows, err := s.List(ctx, "")
			return len(rows) > 0, err
		}
	}
	return false, err
}

// Try makes sure that the engine lets records be written here, by writing
// something and taking it away again.
func (s *IDB) Try(ctx context.Context) error {
	const name = "try"
	if err := s.Append(ctx, name, []byte(name)); err != nil {
		return errors.Join(err, s.Clear(ctx))
	}
	return s.Remove(ctx, name)
}

// Append implements host.Store.
func (s *IDB) Append(ctx context.Context, path string, data []byte) error {
	if err := allowed(ctx, path); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, known := s.files[path]
	if !known {
		var err error
		if r, err = s.row(path); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return s.put(path, row{r.size + int64(len(data)), r.pieces + 1}, data, false)
}

// Write implements host.Store.
func (s *IDB) Write(ctx context.Context, path string, data []byte) error {
	if err := allowed(ctx, path); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(path, row{int64(len(data)), 1}, data, true)
}

// put adds the last piece of a file, in place of all others where it is anew.
func (s *IDB) put(path string, r row, data []byte, anew bool) error {
	bytes, err := array(data)
	if err != nil {
		return failed(path, err)
	}
	now, err := safejs.Global().Get("Date")
	if err == nil {
		now, err = now.Call("now")
	}
	if err != nil {
		return failed(path, err)
	}
	err = s.transact("readwrite", "relaxed", func(files, pieces safejs.Value) error {
		if anew {
			if err := removePieces(pieces, path); err != nil {
				return err
			}
		}
		if _, err := pieces.Call("put", bytes, []any{path, r.pieces}); err != nil {
			return err
		}
		_, err := files.Call("put", map[string]any{
			"path": path, "size": float64(r.size), "pieces": r.pieces, "mtime": now,
		})
		return err
	})
	if err != nil {
		delete(s.files, path)
		return failed(path, err)
	}
	s.files[path] = r
	return nil
}

func removePieces(pieces safejs.Value, path string) error {
	all, err := between([]any{path, 0}, []any{path, math.Inf(1)}, false)
	if err == nil {
		_, err = pieces.Call("delete", all)
	}
	return err
}

// between gives a range of keys, without its end where it is open.
func between(from, to any, open bool) (safejs.Value, error) {
	records, err := safejs.Global().Get("records")
	if err != nil {
		return records, err
	}
	keys, err := records.Get("range")
	if err != nil {
		return keys, err
	}
	return keys.Call("bound", from, to, false, open)
}

// inside gives the range of the paths in a folder; "0" is what comes after "/".
func inside(folder string) (safejs.Value, error) {
	if folder == "" {
		return between("", []any{}, true) // every text is less than a list
	}
	return between(folder+"/", folder+"0", true)
}

// row reads a file's row.
func (s *IDB) row(path string) (row, error) {
	var got safejs.Value
	err := s.transact("readonly", "", func(files, _ safejs.Value) (err error) {
		got, err = files.Call("get", path)
		return err
	})
	if err == nil {
		got, err = got.Get("result")
	}
	if err != nil {
		return row{}, failed(path, err)
	}
	if got.IsUndefined() {
		return row{}, host.NotFound(path)
	}
	size, err := number(got, "size")
	pieces, err2 := number(got, "pieces")
	return row{size, int(pieces)}, failed(path, errors.Join(err, err2))
}

// Flush implements host.Flusher. The engine keeps one log for the whole database:
// a transaction that is strict brings all before it to the disk.
func (s *IDB) Flush(ctx context.Context, paths ...string) error {
	for _, path := range paths {
		if err := allowed(ctx, path); err != nil {
			return err
		}
	}
	if len(paths) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.transact("readwrite", "strict", func(_, pieces safejs.Value) error {
		_, err := pieces.Call("put", 0, []any{""}) // beside all paths
		return err
	})
	return failed(paths[0], err)
}

// Read implements host.Store.
func (s *IDB) Read(ctx context.Context, path string) ([]byte, error) {
	if err := allowed(ctx, path); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, err := s.row(path)
	if err != nil {
		return nil, err
	}
	data, err := s.join(path, r)
	return data, failed(path, err)
}

// join reads the pieces of a file.
func (s *IDB) join(path string, r row) ([]byte, error) {
	all, err := between([]any{path, 0}, []any{path, r.pieces}, false)
	if err != nil {
		return nil, err
	}
	var got safejs.Value
	err = s.transact("readonly", "", func(_, pieces safejs.Value) (err error) {
		got, err = pieces.Call("getAll", all)
		return err
	})
	if err == nil {
		got, err = got.Get("result")
	}
	if err != nil {
		return nil, err
	}
	n, err := got.Length()
	data := make([]byte, 0, r.size)
	for i := 0; i < n && err == nil; i++ {
		var piece safejs.Value
		var bytes []byte
		if piece, err = got.Index(i); err == nil {
			bytes, err = bytesOf(piece)
		}
		data = append(data, bytes...)
	}
	return data, err
}

// List implements host.Store.
func (s *IDB) List(ctx context.Context, folder string) ([]host.Info, error) {
	if err := allowed(ctx, cmp.Or(folder, "all")); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var got safejs.Value
	all, err := inside(folder)
	if err == nil {
		err = s.transact("readonly", "", func(files, _ safejs.Value) (err error) {
			got, err = files.Call("getAll", all)
			return err
		})
	}
	if err == nil {
		got, err = got.Get("result")
	}
	if err != nil {
		return nil, failed(folder, err)
	}
	list, err := entriesIn(folder, got)
	return list, failed(folder, err)
}

// entriesIn gives what is directly in a folder, from the rows of all that is below
// it, which come in the order of their paths.
func entriesIn(folder string, rows safejs.Value) ([]host.Info, error) {
	n, err := rows.Length()
	prefix := folder + "/"
	if folder == "" {
		prefix = ""
	}
	var list []host.Info
	for i := 0; i < n && err == nil; i++ {
		var r safejs.Value
		if r, err = rows.Index(i); err != nil {
			break
		}
		var path string
		if path, err = text(r, "path"); err != nil {
			break
		}
		name, _, deeper := strings.Cut(path[len(prefix):], "/")
		info := host.Info{Path: prefix + name, Kind: host.Folder}
		if deeper {
			if len(list) == 0 || list[len(list)-1].Path != info.Path {
				list = append(list, info)
			}
			continue
		}
		info.Kind = host.File
		if info.Size, err = number(r, "size"); err == nil {
			info.MTime, err = number(r, "mtime")
		}
		list = append(list, info)
	}
	slices.SortFunc(list, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
	return list, err
}

// Remove implements host.Store.
func (s *IDB) Remove(ctx context.Context, path string) error {
	if err := allowed(ctx, path); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.files {
		if below(p, path) {
			delete(s.files, p)
		}
	}
	return failed(path, s.transact("readwrite", "relaxed", func(files, pieces safejs.Value) error {
		if err := removePieces(pieces, path); err != nil {
			return err
		}
		if _, err := files.Call("delete", path); err != nil {
			return err
		}
		names, err := inside(path)
		if err == nil {
			_, err = files.Call("delete", names)
		}
		if err != nil {
			return err
		}
		parts, err := between([]any{path + "/"}, []any{path + "0"}, true)
		if err == nil {
			_, err = pieces.Call("delete", parts)
		}
		return err
	}))
}

// Clear removes all that there is of this vault.
func (s *IDB) Clear(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.files)
	return failed("", s.transact("readwrite", "relaxed", func(files, pieces safejs.Value) error {
		_, first := files.Call("clear")
		_, second := pieces.Call("clear")
		return errors.Join(first, second)
	}))
}
