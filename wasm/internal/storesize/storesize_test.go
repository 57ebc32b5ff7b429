package storesize_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/storesize"
)

// counted counts the lists that a store is asked for.
type counted struct {
	host.Store
	lists int
}

func (c *counted) List(ctx context.Context, folder string) ([]host.Info, error) {
	c.lists++
	return c.Store.List(ctx, folder)
}

func TestASizeIsCountedOnceAndAgainAfterAWrite(t *testing.T) {
	ctx := context.Background()
	inner := &counted{Store: hosttest.New(hosttest.Options{}).Host().Store}
	s := storesize.Over(inner)
	must(t, s.Write(ctx, "runs/a/run.json", make([]byte, 10)))
	must(t, s.Write(ctx, "runs/a/blobs/0.pack", make([]byte, 100)))
	must(t, s.Write(ctx, "runs/b/run.json", make([]byte, 1000)))
	want(t, s, "runs/a", 110)
	asked := inner.lists
	want(t, s, "runs/a", 110)
	if inner.lists != asked {
		t.Errorf("the second time the store was asked for %d lists, want none", inner.lists-asked)
	}
	must(t, s.Append(ctx, "runs/a/blobs/0.pack", make([]byte, 5)))
	want(t, s, "runs/a", 115)
	must(t, s.Remove(ctx, "runs"))
	want(t, s, "runs/a", 0)
}

// Whatever is written, a size is that of the files that are there.
func TestASizeIsAlwaysThatOfTheFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		inner := hosttest.New(hosttest.Options{}).Host().Store
		s := storesize.Over(inner)
		path := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("runs/%d/%s", rapid.IntRange(0, 2).Draw(t, "run"), rapid.SampledFrom([]string{"a", "blobs/b", "blobs/c"}).Draw(t, "file"))
		})
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			p, data := path.Draw(t, "path"), make([]byte, rapid.IntRange(0, 50).Draw(t, "length"))
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				must(t, s.Write(ctx, p, data))
			case 1:
				must(t, s.Append(ctx, p, data))
			case 2:
				must(t, s.Remove(ctx, p[:len("runs/0")]))
			}
			for run := range 3 {
				folder := fmt.Sprintf("runs/%d", run)
				fresh, err := storesize.Over(inner).Size(ctx, folder)
				must(t, err)
				want(t, s, folder, fresh)
			}
		}
	})
}

type fatal interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func want(t fatal, s *storesize.Store, folder string, bytes int64) {
	t.Helper()
	got, err := s.Size(context.Background(), folder)
	must(t, err)
	if got != bytes {
		t.Fatalf("%s has %d bytes, want %d", folder, got, bytes)
	}
}

func must(t fatal, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A size that an earlier start has counted stands for a folder until it is counted
// or written to here.
func TestALearntSizeHoldsUntilTheFolderIsWrittenToOrCounted(t *testing.T) {
	ctx := context.Background()
	inner := &counted{Store: hosttest.New(hosttest.Options{}).Host().Store}
	must(t, inner.Write(ctx, "runs/a/run.json", make([]byte, 10)))
	s := storesize.Over(inner)
	s.Learn("runs/a", 7)
	want(t, s, "runs/a", 7)
	if inner.lists != 0 {
		t.Errorf("the store was asked for %d lists, want none", inner.lists)
	}
	if n, err := s.Recount(ctx, "runs/a"); err != nil || n != 10 {
		t.Errorf("counted again it has %d bytes (%v), want 10", n, err)
	}
	s.Learn("runs/a", 7)
	want(t, s, "runs/a", 10)
	must(t, s.Append(ctx, "runs/a/run.json", make([]byte, 5)))
	want(t, s, "runs/a", 15)
}

// Runs are removed by what they take on the disk, not by what an earlier start had
// found.
func TestWhatIsRemovedByIsCountedByThisStart(t *testing.T) {
	ctx := context.Background()
	inner := &counted{Store: hosttest.New(hosttest.Options{}).Host().Store}
	must(t, inner.Write(ctx, "runs/a/run.json", make([]byte, 10)))
	s := storesize.Over(inner)
	s.Learn("runs/a", 7)
	for range 2 {
		if n, err := s.Counted(ctx, "runs/a"); err != nil || n != 10 {
			t.Errorf("counted by this start, it has %d bytes (%v), want 10", n, err)
		}
	}
	if inner.lists != 1 {
		t.Errorf("the store was asked for %d lists, want one", inner.lists)
	}
	want(t, s, "runs/a", 10)
}
