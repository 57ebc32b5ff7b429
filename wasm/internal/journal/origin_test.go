package journal_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/record"
	"embedded-agent/wasm/internal/seal"
)

// sealedStore gives a store that knows the key of its device.
func sealedStore(t *testing.T, m *hosttest.Memory) host.Store {
	t.Helper()
	h := m.Host()
	s := seal.Over(h.Store, h.Device)
	if err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// ran makes one write as the run named, and ends it.
func ran(t *testing.T, m *hosttest.Memory, store host.Store, id, path string) {
	t.Helper()
	data := []byte("new\n")
	w, err := journal.Begin(t.Context(), store, m.Host().Vault, "runs/"+id, journal.Header{Run: id, Kind: "run"}, []journal.Planned{{
		Call: "c", Op: host.Op{Kind: host.OpCreate, Path: path, Data: data}, AfterEtag: host.Etag(data),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Do(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	head, n := w.Head()
	if err := journal.WriteEnd(t.Context(), store, "runs/"+id, journal.End{
		Outcome: "ok", Done: 1, Heads: map[string]string{journal.File: head}, Counts: map[string]int{journal.File: n},
	}); err != nil {
		t.Fatal(err)
	}
}

// change is something that somebody does to the files of the run r1.
type change func(t *testing.T, m *hosttest.Memory)

func edit(file string, how func([]byte) []byte) change {
	return func(t *testing.T, m *hosttest.Memory) {
		t.Helper()
		store, path := m.Host().Store, "runs/r1/"+file
		data, err := store.Read(t.Context(), path)
		if err != nil && !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		now := how(data)
		if now == nil {
			err = store.Remove(t.Context(), path)
		} else {
			err = store.Write(t.Context(), path, now)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func lines(data []byte) [][]byte { return bytes.SplitAfter(data, []byte("\n")) }

// plain writes records as anybody can.
func plain(file string, recs ...string) change {
	return edit(file, func([]byte) []byte {
		c := record.New(file)
		var out []byte
		for _, r := range recs {
			out = c.Append(out, []byte(r))
		}
		return out
	})
}

func TestWhoWroteAJournalIsTold(t *testing.T) {
	nothing := func(*testing.T, *hosttest.Memory) {}
	from := func(file string) change {
		return func(t *testing.T, m *hosttest.Memory) {
			data, err := m.Host().Store.Read(t.Context(), "runs/r2/"+file)
			if err != nil {
				t.Fatal(err)
			}
			edit(file, func([]byte) []byte { return data })(t, m)
		}
	}
	gone := func(file string) change { return edit(file, func([]byte) []byte { return nil }) }
	all := func(cs ...change) change {
		return func(t *testing.T, m *hosttest.Memory) {
			for _, c := range cs {
				c(t, m)
			}
		}
	}
	for name, c := range map[string]struct {
		change change
		want   journal.Origin
	}{
		"as it was written":          {nothing, journal.Sealed},
		"hot":                        {gone(journal.EndFile), journal.Sealed},
		"hot and torn":               {all(gone(journal.EndFile), edit(journal.File, func(b []byte) []byte { return b[:len(b)-4] })), journal.Sealed},
		"on another device":          {func(_ *testing.T, m *hosttest.Memory) { m.MoveTo("other") }, journal.Foreign},
		"without a key":              {plain(journal.File, `{"t":"begin","run":"r1"}`), journal.Unsealed},
		"the journal of another run": {from(journal.File), journal.Foreign},
		"the end of another run":     {from(journal.EndFile), journal.Changed},
		"all of another run":         {all(from(journal.File), from(journal.EndFile)), journal.Foreign},
		"cut after the end":          {edit(journal.File, func(b []byte) []byte { return bytes.Join(lines(b)[:2], nil) }), journal.Changed},
		"torn after the end":         {edit(journal.File, func(b []byte) []byte { return b[:len(b)-4] }), journal.Changed},
		"a record twice":             {edit(journal.File, func(b []byte) []byte { return append(b, lines(b)[1]...) }), journal.Changed},
		"a byte of a record":         {edit(journal.File, func(b []byte) []byte { return bytes.Replace(b, []byte("a.md"), []byte("b.md"), 1) }), journal.Changed},
		"a byte of the first":        {edit(journal.File, func(b []byte) []byte { return bytes.Replace(b, []byte(`"kind":"run"`), []byte(`"kind":"ran"`), 1) }), journal.Changed},
		"the first left out":         {edit(journal.File, func(b []byte) []byte { return bytes.Join(lines(b)[1:], nil) }), journal.Foreign},
		"a plain record behind":      {edit(journal.File, func(b []byte) []byte { return record.New(journal.File).Append(b, []byte(`{"t":"later"}`)) }), journal.Changed},
		"findings by nobody":         {plain(journal.SettledFile, `{"t":"failed","i":0}`), journal.Changed},
		"findings, and hot":          {all(gone(journal.EndFile), plain(journal.SettledFile, `{"t":"failed","i":0}`)), journal.Changed},
		"the end of an old version":  {edit(journal.EndFile, func(b []byte) []byte { return bytes.Replace(b, []byte(`"outcome":"ok"`), []byte(`"outcome":"no"`), 1) }), journal.Changed},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			m := hosttest.New(hosttest.Options{})
			store := sealedStore(t, m)
			ran(t, m, store, "r1", "a.md")
			ran(t, m, store, "r2", "b.md")
			c.change(t, m)
			l, err := journal.Load(t.Context(), sealedStore(t, m), "runs/r1")
			if err != nil {
				t.Logf("refused: %v", err)
				if c.want == journal.Sealed || c.want == journal.Unsealed {
					t.Fatal(err)
				}
				return
			}
			if l.Origin != c.want || l.Ours() != (c.want == journal.Sealed) {
				t.Errorf("origin %d, want %d", l.Origin, c.want)
			}
		})
	}
}

func TestWithoutAKeyNothingIsThisDevices(t *testing.T) {
	m := hosttest.New(hosttest.Options{NoKey: true})
	store := seal.Over(m.Host().Store, m.Host().Device)
	if err := store.Open(context.Background()); err == nil {
		t.Fatal("a key")
	}
	ran(t, m, store, "r1", "a.md")
	l, err := journal.Load(t.Context(), store, "runs/r1")
	if err != nil || l.Origin != journal.Unsealed || l.Ours() || l.End.Ours() {
		t.Errorf("want no error and Origin journal.Unsealed, got %+v, %v", l, err)
	}
}
