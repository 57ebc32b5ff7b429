//go:build unix

package hostfs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"embedded-agent/wasm/internal/fault"
)

// configured gives the test a configuration folder of its own.
func configured(t *testing.T, dir string) (keyFile string) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	config, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(config, "embedded-agent", "device.key")
}

func TestTheKeyOfADeviceIsMadeOnceAndIsTheSameForEveryFolder(t *testing.T) {
	file := configured(t, t.TempDir())
	var keys [8][]byte
	var wg sync.WaitGroup
	for i := range keys {
		d := open(t, t.TempDir()).Device
		wg.Go(func() { keys[i], _ = d.Key(t.Context()) })
	}
	wg.Wait()
	for i, k := range keys {
		if len(k) != 32 || !bytes.Equal(k, keys[0]) {
			t.Errorf("key %d: %x, not %x", i, k, keys[0])
		}
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("want no error and Perm 0o600, got %v, %v", st, err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

func TestAKeyThatMayBeKnownToOthersIsNotUsed(t *testing.T) {
	vault := t.TempDir()
	for name, c := range map[string]struct {
		config  string // "" is one of its own
		prepare func(t *testing.T, file string)
		key     string
	}{
		"readable by all": {"", func(t *testing.T, file string) {
			write(t, file, "0123456789abcdef0123456789abcdef")
		}, "error.device.exposed"},
		"a link": {"", func(t *testing.T, file string) {
			write(t, filepath.Join(vault, "key"), "0123456789abcdef0123456789abcdef")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(vault, "key"), file); err != nil {
				t.Fatal(err)
			}
		}, "error.device.exposed"},
		"too short": {"", func(t *testing.T, file string) {
			write(t, file, "short")
			if err := os.Chmod(file, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "error.device.broken"},
		"inside the notes": {filepath.Join(vault, "home"), func(*testing.T, string) {}, "error.device.inside"},
		"a file in the way": {"", func(t *testing.T, file string) {
			write(t, filepath.Dir(file), "x")
		}, "error.device.io"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.config == "" {
				c.config = t.TempDir()
			}
			c.prepare(t, configured(t, c.config))
			key, err := open(t, vault).Device.Key(t.Context())
			if err == nil || key != nil || fault.From(err).Key != c.key {
				t.Errorf("%x, %v, want %s", key, err, c.key)
			}
		})
	}
}
