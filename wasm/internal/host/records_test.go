package host_test

import (
	"context"
	"slices"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/seal"
	"embedded-agent/wasm/internal/storesize"
)

type flushed struct {
	host.Store
	paths []string
}

func (f *flushed) Flush(_ context.Context, paths ...string) error {
	f.paths = append(f.paths, paths...)
	return nil
}

func TestAFlushReachesTheStoreBelowItsLayers(t *testing.T) {
	h := hosttest.New(hosttest.Options{}).Host()
	below := &flushed{Store: h.Store}
	layered := seal.Over(storesize.Over(below), h.Device)
	if err := host.Flush(t.Context(), layered, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(below.paths, []string{"a", "b"}) {
		t.Errorf("the store below was told to flush %v", below.paths)
	}
	if _, ok := host.PlacedOf(layered); ok {
		t.Error("a store that knows no place was taken for one that does")
	}
}
