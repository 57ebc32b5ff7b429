//go:build !js

package hostfs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"embedded-agent/wasm/internal/fault"
)

// lookAgain is how often a lock that another program holds is tried.
const lookAgain = 5 * time.Millisecond

// Alone waits until no other program has the lock of that name on these notes, and
// takes it until it is told to free it. The system frees it when the program dies.
func (f *Folder) Alone(ctx context.Context, name string) (free func() error, err error) {
	path := filepath.Join(f.root, StoreFolder, name+".lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, io(name, err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, io(name, err)
	}
	for {
		mine, err := takeLock(file)
		if err != nil {
			return nil, io(name, errors.Join(err, file.Close()))
		}
		if mine {
			return file.Close, nil // the lock goes with the file
		}
		select {
		case <-ctx.Done():
			return nil, fault.From(errors.Join(ctx.Err(), file.Close()))
		case <-time.After(lookAgain):
		}
	}
}
