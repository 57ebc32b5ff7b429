package overlay

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
)

// asked counts what a base asks of its vault, several at once in a Prefetch.
type asked struct {
	host.Vault
	stats, reads, lists atomic.Int32
}

func (a *asked) Stat(ctx context.Context, path string) (host.Info, error) {
	a.stats.Add(1)
	return a.Vault.Stat(ctx, path)
}

func (a *asked) Read(ctx context.Context, path string) ([]byte, error) {
	a.reads.Add(1)
	return a.Vault.Read(ctx, path)
}

func (a *asked) List(ctx context.Context, folder string) ([]host.Info, error) {
	a.lists.Add(1)
	return a.Vault.List(ctx, folder)
}

func counted(files map[string]string) (*asked, *Base) {
	a := &asked{Vault: hosttest.New(hosttest.Options{Files: files}).Host().Vault}
	return a, NewBase(a, nil, time.UnixMilli(0))
}

func TestWhatIsBelowAMissingFolderIsNotLookedFor(t *testing.T) {
	a, b := counted(map[string]string{"There.md": "x"})
	for i := range 100 {
		path := fmt.Sprintf("New/Deep/%d.md", i)
		if at, err := b.foldedAt(t.Context(), path); at != "" || err != nil {
			t.Fatalf("want nothing and no error, got %q %v", at, err)
		}
		if _, err := b.Stat(t.Context(), path); !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
	}
	if lists, stats := a.lists.Load(), a.stats.Load(); lists > 1 || stats > 0 {
		t.Errorf("%d listings and %d looks for a folder that is not there", lists, stats)
	}
}

func TestPrefetchReadsWhatIsThereAndNothingElse(t *testing.T) {
	a, b := counted(map[string]string{"Notes/1.md": "one", "Notes/3.md": "three"})
	var paths []string
	for i := range 20 {
		paths = append(paths, fmt.Sprintf("Notes/%d.md", i), fmt.Sprintf("Gone/%d.md", i))
	}
	if err := b.Prefetch(t.Context(), paths, 4); err != nil {
		t.Fatal(err)
	}
	if reads, lists := a.reads.Swap(0), a.lists.Load(); reads != 2 || lists != 2 {
		t.Errorf("%d reads, %d listings; want 2 of each", reads, lists)
	}
	if d, err := b.Read(t.Context(), "Notes/3.md"); string(d) != "three" || err != nil || a.reads.Load() != 0 {
		t.Errorf("%q %v after %d reads", d, err, a.reads.Load())
	}
}
