//go:build !js

package hostfs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// store is the Store port of a Folder: its own hidden folder.
type store Folder

func (s *store) f() *Folder { return (*Folder)(s) }

// open gives a file of the store, with its folders made.
func (s *store) open(ctx context.Context, path string) (string, error) {
	if err := alive(ctx); err != nil {
		return "", err
	}
	file, err := s.f().locate(StoreFolder, path, true)
	if err != nil {
		return "", err
	}
	return file, io(path, os.MkdirAll(filepath.Dir(file), 0o755))
}

func (s *store) Append(ctx context.Context, path string, data []byte) error {
	file, err := s.open(ctx, path)
	if err != nil {
		return err
	}
	defer s.f().lock(StoreFolder + "/" + path)()
	h, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return io(path, err)
	}
	_, err = h.Write(data)
	if err == nil {
		err = h.Sync()
	}
	return io(path, errors.Join(err, h.Close()))
}

func (s *store) Write(ctx context.Context, path string, data []byte) error {
	file, err := s.open(ctx, path)
	if err != nil {
		return err
	}
	defer s.f().lock(StoreFolder + "/" + path)()
	tmp, err := s.f().writeTemp(file, data, 0o600)
	if err != nil {
		return io(path, err)
	}
	return io(path, os.Rename(tmp, file))
}

func (s *store) Read(ctx context.Context, path string) ([]byte, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	return s.f().read(StoreFolder, path)
}

func (s *store) List(ctx context.Context, folder string) ([]host.Info, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	list, err := s.f().list(StoreFolder, folder, true)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return list, err
}

func (s *store) Remove(ctx context.Context, path string) error {
	if err := alive(ctx); err != nil {
		return err
	}
	if path == "" {
		return fault.New(fault.Denied, "error.path.empty", nil)
	}
	file, err := s.f().locate(StoreFolder, path, false)
	if err != nil {
		return err
	}
	return io(path, os.RemoveAll(file))
}

// Flush implements host.Flusher: files are synced as they are written, and here
// their names are, in the folders from theirs up to the store's own.
func (s *store) Flush(ctx context.Context, paths ...string) error {
	if err := alive(ctx); err != nil {
		return err
	}
	synced := map[string]bool{}
	for _, path := range paths {
		for dir := path; dir != "."; {
			dir = filepath.ToSlash(filepath.Dir(dir))
			if synced[dir] {
				break
			}
			synced[dir] = true
			if err := s.syncFolder(dir); err != nil {
				return io(path, err)
			}
		}
	}
	return nil
}

func (s *store) syncFolder(dir string) error {
	at, err := s.f().locate(StoreFolder, strings.TrimPrefix(dir, "."), false)
	if err != nil {
		return err
	}
	h, err := os.Open(at)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return errors.Join(syncNames(h), h.Close())
}
