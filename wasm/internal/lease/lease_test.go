package lease

import (
	"context"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
)

// cutting gives the first reads of a file as they are while it is written.
type cutting struct {
	host.Store
	left int
}

func (c *cutting) Read(ctx context.Context, path string) ([]byte, error) {
	b, err := c.Store.Read(ctx, path)
	if c.left > 0 && err == nil {
		c.left--
		return b[:len(b)/2], nil
	}
	return b, err
}

func TestAMarkerThatIsReadWhileItIsWrittenHasItsOwner(t *testing.T) {
	store := hosttest.New(hosttest.Options{}).Host().Store
	owner := host.Owner{Device: "desk", Window: "first"}
	if err := Write(t.Context(), store, "hot/r", Lease{Run: "r", Owner: owner, At: 1}); err != nil {
		t.Fatalf("writing a marker: want no error, got %v", err)
	}
	for cut, want := range map[int]host.Owner{0: owner, 1: owner, 2: {}} {
		got, err := Read(t.Context(), &cutting{store, cut}, "hot/r")
		if err != nil || got.Owner != want {
			t.Errorf("cut short in %d reads: want the owner %+v, got %+v, %v", cut, want, got.Owner, err)
		}
	}
}
