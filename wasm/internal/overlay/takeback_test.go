package overlay_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
)

// names tells which files the overlay knows under each last part.
func names(t *rapid.T, w *overlay.View) string {
	out := ""
	for _, n := range []string{"a.md", "b.md", "c.md", "x.md", "y.md", "z.md", "new.md"} {
		found, err := w.Named(t.Context(), n)
		out += fmt.Sprintln(n, found, err)
	}
	return out
}

func TestWhatACallHasWrittenCanBeTakenBackAsIfItHadNeverBeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		below, kept := memory(), memory()
		v := over(below)
		stays := kept.Host().Vault
		for i := range rapid.IntRange(1, 8).Draw(t, "calls") {
			w := v.For(fmt.Sprint("call ", i))
			fails := rapid.Bool().Draw(t, "fails")
			before, named, log := look(t, v.For("")), names(t, v.For("")), len(v.Log())
			for range rapid.IntRange(0, 5).Draw(t, "ops") {
				op := anyOp(t, v.For(""))
				if i, err := v.For("").Stat(t.Context(), op.Path); op.Kind == host.OpRmdir && (err != nil || i.Kind != host.Folder) {
					continue // an empty folder is removed, and nothing else
				}
				if _, err := w.Apply(t.Context(), op); err == nil && !fails {
					if _, err := stays.Apply(t.Context(), op); err != nil {
						t.Fatalf("%s %s %s: want no error, got %v", op.Kind, op.Path, op.To, err)
					}
				}
			}
			if !fails {
				continue
			}
			wrote := len(w.Observed()) > 0
			w.TakeBack()
			if after := look(t, v.For("")); after != before {
				t.Fatalf("before the call\n%s\nafter it was taken back\n%s", before, after)
			}
			if after := names(t, v.For("")); after != named {
				t.Fatalf("names before the call\n%s\nafter it was taken back\n%s", named, after)
			}
			if len(w.Observed()) > 0 {
				t.Fatalf("a call that was taken back has effects: %v", w.Observed())
			}
			if wrote && len(v.Log()) <= log {
				t.Fatal("another state of the vault has the number of an earlier one")
			}
		}
		again := memory()
		for _, w := range v.Log() {
			if w.Refused != nil || w.Op.Kind == "" {
				continue
			}
			if _, err := again.Host().Vault.Apply(t.Context(), w.Op); err != nil {
				t.Fatalf("the log cannot be made: %s %s: %v", w.Op.Kind, w.Op.Path, err)
			}
		}
		if d := kept.Snapshot().Diff(again.Snapshot()); d != "" {
			t.Fatalf("the log makes another vault:\n%s", d)
		}
	})
}

func TestTheEditorIsAsItWasOnceACallIsTakenBack(t *testing.T) {
	m := memory()
	m.OpenNote("A.md")
	v := overlay.New(overlay.NewBase(m.Host().Vault, m.Host().Editor, time.UnixMilli(1)))
	before, err := v.For("").State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := v.For("c")
	caret := host.Range{From: host.Position{Ch: 1}, To: host.Position{Ch: 3}}
	for _, op := range []host.Op{
		{Kind: host.OpModify, Path: "A.md", Before: []byte("a\n"), Data: []byte("abc\n"), Caret: &caret},
		{Kind: host.OpRename, Path: "A.md", To: "Z.md"},
	} {
		if _, err := w.Apply(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	w.TakeBack()
	if after, err := v.For("").State(t.Context()); err != nil || after != before {
		t.Errorf("%+v (%v), before it was %+v", after, err, before)
	}
}
