//go:build !js

package hostfs

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"embedded-agent/wasm/internal/fault"
)

// keySize is the length of a device's key in bytes.
const keySize = 32

// keyHolder is the Device port of a Folder: a file in the person's own
// configuration, outside of the folder with the notes.
type keyHolder Folder

// Key reads the key of this account on this machine, and makes it where there
// is none. A file that others can read or that a link leads to, and a place
// inside the notes, are refused: whoever gave the notes may know that key.
func (d *keyHolder) Key(ctx context.Context) ([]byte, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return nil, fault.New(fault.Internal, "error.device.none", nil).With(err)
	}
	file := filepath.Join(config, "embedded-agent", "device.key")
	fail := func(key string, err error) error {
		f := fault.New(fault.Internal, key, fault.P{"file": file})
		if err != nil {
			f = f.With(err)
		}
		return f
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fail("error.device.io", err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return nil, fail("error.device.io", err)
	}
	if (*Folder)(d).inside(dir) {
		return nil, fail("error.device.inside", nil)
	}
	key, err := readKey(file)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(dir, file); err != nil {
			return nil, fail("error.device.io", err)
		}
		key, err = readKey(file)
	}
	switch {
	case errors.Is(err, errExposed):
		return nil, fail("error.device.exposed", nil)
	case err != nil:
		return nil, fail("error.device.io", err)
	case len(key) != keySize:
		return nil, fail("error.device.broken", nil)
	}
	return key, nil
}

var errExposed = errors.New("it is not a file of this account alone")

func readKey(file string) ([]byte, error) {
	st, err := os.Lstat(file)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular(), runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0:
		return nil, errExposed
	}
	return os.ReadFile(file)
}

// makeKey writes a key whole beside its place and links it there: of two
// programs that begin at once, one takes the other's.
func makeKey(dir, file string) error {
	key := make([]byte, keySize)
	_, _ = rand.Read(key)                           // never fails (crypto/rand)
	tmp, err := os.CreateTemp(dir, ".device-*.tmp") // 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(key)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		if err = os.Link(tmp.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
			return os.Rename(tmp.Name(), file) // a file system without hard links
		}
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return errors.Join(err, os.Remove(tmp.Name()))
}
