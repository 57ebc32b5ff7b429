//go:build !js

package hostfs

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// ownersFolder has a file for each process that works on the folder. The process
// holds a lock on it, which the system takes away with the process.
const ownersFolder = "owners"

// owners is the Owners port: a device is a machine by its name, a window is a
// process.
type owners Folder

func (o *owners) Self(ctx context.Context) (host.Owner, error) {
	if err := ctx.Err(); err != nil {
		return host.Owner{}, fault.From(err)
	}
	device, err := os.Hostname()
	if err != nil {
		return host.Owner{}, io(ownersFolder, err)
	}
	f := (*Folder)(o)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left {
		return host.Owner{}, fault.From(context.Canceled)
	}
	if f.self == nil {
		dir := filepath.Join(f.root, StoreFolder, ownersFolder)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return host.Owner{}, io(ownersFolder, err)
		}
		file, err := os.OpenFile(filepath.Join(dir, rand.Text()), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
		if err != nil {
			return host.Owner{}, io(ownersFolder, err)
		}
		if _, err := lockFile(file); err != nil {
			return host.Owner{}, io(ownersFolder, err)
		}
		f.self = file
	}
	return host.Owner{Device: device, Window: filepath.Base(f.self.Name())}, nil
}

// Gone says whether a process has ended: its lock is free. Where the system has no
// such locks, nobody knows.
func (o *owners) Gone(_ context.Context, window string) (bool, error) {
	if window == "" || filepath.Base(window) != window {
		return true, nil // no window of ours
	}
	path := filepath.Join(o.root, StoreFolder, ownersFolder, window)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if os.IsNotExist(err) {
		return true, nil
	} else if err != nil {
		return false, io(ownersFolder, err)
	}
	defer file.Close()
	free, err := lockFile(file)
	if err != nil || !free {
		return false, nil // held, or not to be known
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return true, io(ownersFolder, err)
	}
	return true, nil
}

// Quiet has nothing to wait for: a process that was killed has no writes under
// way.
func (o *owners) Quiet(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	return nil
}

// Close gives up this process's place. What the core still does in the background
// takes no other: nobody would give that up.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = true
	if f.self == nil {
		return nil
	}
	path := f.self.Name()
	err := f.self.Close()
	f.self = nil
	if gone := os.Remove(path); err == nil && !os.IsNotExist(gone) {
		err = gone
	}
	return err
}
