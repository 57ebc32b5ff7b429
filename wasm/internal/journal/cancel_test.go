package journal

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
)

// slow is a host whose writes wait in a queue before they are made.
type slow struct {
	host.Vault
	queue time.Duration
}

func (s slow) Apply(ctx context.Context, op host.Op) (host.Info, error) {
	select {
	case <-time.After(s.queue):
		return s.Vault.Apply(ctx, op)
	case <-ctx.Done():
		// Told too late: the write is made all the same, some time later.
		time.AfterFunc(s.queue, func() { _, _ = s.Vault.Apply(context.WithoutCancel(ctx), op) })
		return host.Info{}, ctx.Err()
	}
}

func TestAWriteThatTheHostHasWhenTheRunIsCancelledIsWaitedForAndTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m := hosttest.New(hosttest.Options{})
		before := m.Snapshot()
		h := m.Host()
		ops := []Planned{
			{Call: "c", Op: host.Op{Kind: host.OpCreate, Path: "A.md", Data: []byte("a")}, AfterEtag: host.Etag([]byte("a"))},
			{Call: "d", Op: host.Op{Kind: host.OpCreate, Path: "B.md", Data: []byte("b")}, AfterEtag: host.Etag([]byte("b"))},
		}
		w, err := Begin(ctx, h.Store, slow{h.Vault, time.Second}, "runs/r", Header{Run: "r", Kind: "run"}, ops)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second/2, cancel)
		if err := w.Do(ctx, 0); err != nil {
			t.Fatalf("the write that was under way: %v", err)
		}
		if err := w.Do(ctx, 1); err == nil {
			t.Fatal("a write began after the cancel")
		}
		if err := w.Close(ctx); err != nil {
			t.Fatal(err)
		}
		if err := WriteEnd(t.Context(), h.Store, "runs/r", End{Outcome: "cancelled"}); err != nil {
			t.Fatal(err)
		}
		if got := w.Outcomes(); got[0] != Done || got[1] == Done {
			t.Fatalf("outcomes %v", got)
		}
		if b, ok := m.File("A.md"); !ok || string(b) != "a" {
			t.Fatalf("want it to be found and \"a\", got A.md is %q", b)
		}
		time.Sleep(time.Minute) // nothing comes later
		revertAll(t, m)
		if d := before.Diff(m.Snapshot()); d != "" {
			t.Fatalf("after the revert:\n%s", d)
		}
	})
}
