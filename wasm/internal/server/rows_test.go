package server

import (
	"testing"

	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
)

func TestAChangeIsListedAnewOnlyWhereSomethingOfItIsAnother(t *testing.T) {
	c := overlay.Change{Path: "A.md", Status: overlay.Modify, Kind: host.File, Before: []byte("a\n"), After: []byte("a\nb\n")}
	first := rows{}
	first.of(c, nil)
	// A row that nobody computes: it is there only where it was kept.
	kept := first["A.md"]
	kept.row.Added = 77
	first["A.md"] = kept
	again := c
	again.Before, again.After = []byte("a\n"), []byte("a\nb\n")
	if got := (rows{}).of(again, first); got.Added != 77 {
		t.Errorf("listed anew: %+v", got)
	}
	for name, change := range map[string]func(c *overlay.Change){
		"path":        func(c *overlay.Change) { c.Path = "B.md" },
		"from":        func(c *overlay.Change) { c.From = "B.md" },
		"status":      func(c *overlay.Change) { c.Status = overlay.Rename },
		"kind":        func(c *overlay.Change) { c.Kind = host.Folder },
		"follows":     func(c *overlay.Change) { c.Follows = true },
		"before":      func(c *overlay.Change) { c.Before = []byte("b\n") },
		"no before":   func(c *overlay.Change) { c.Before = nil },
		"after":       func(c *overlay.Change) { c.After = []byte("```dataviewjs\nx\n```\n") },
		"empty after": func(c *overlay.Change) { c.After = nil },
	} {
		other := again
		change(&other)
		if got, want := (rows{}).of(other, first), fileview.Row(other); got != want {
			t.Errorf("another %s: %+v, want %+v", name, got, want)
		}
	}
}

func TestAnAmendmentKeepsTheRowsOfWhatItLeavesAlone(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\n", "B.md": "b\n", "C.md": "c\n"}})
	sh := begin(t, mem, free)
	r := sh.open(planOf("code",
		`{"id":"s","tool":"vault.appendFile","args":{"path":"{n}","content":"`+"```dataviewjs\\nx()\\n```\\n"+`"},"foreach":{"from":["A.md","B.md","C.md"],"itemName":"n"}}`))
	amend := func(a protocol.Amendment) map[string]protocol.FileChange {
		a.Run = r.Run
		out := map[string]protocol.FileChange{}
		for _, f := range call[protocol.Review](sh, "review.amend", a).Files {
			out[f.Path] = f
		}
		return out
	}
	files := amend(protocol.Amendment{Kind: protocol.AmendDrop, Path: "A.md"})
	if !files["A.md"].Dropped || files["A.md"].Runs != 1 || files["B.md"].Runs != 1 {
		t.Errorf("%+v", files)
	}
	if len(sh.s.review.listed) != 3 {
		t.Errorf("%d rows are remembered", len(sh.s.review.listed))
	}
	files = amend(protocol.Amendment{Kind: protocol.AmendEdit, Path: "B.md", Text: "b\nplain\n"})
	if files["B.md"].Runs != 0 || !files["B.md"].Edited || files["B.md"].Added != 1 || files["C.md"].Runs != 1 {
		t.Errorf("%+v", files)
	}
	files = amend(protocol.Amendment{Kind: protocol.AmendReset, Path: "B.md"})
	if files["B.md"].Runs != 1 || files["B.md"].Edited {
		t.Errorf("%+v", files)
	}
	files = amend(protocol.Amendment{Kind: protocol.AmendKeep, Path: "A.md"})
	if files["A.md"].Dropped || files["A.md"].Runs != 1 {
		t.Errorf("%+v", files)
	}
}
