package fileview

import (
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
)

func TestAChangeIsListedAnewOnlyWhereSomethingOfItIsAnother(t *testing.T) {
	c := overlay.Change{Path: "A.md", Status: overlay.Modify, Kind: host.File, Before: []byte("a\n"), After: []byte("a\nb\n")}
	first := Rows{}
	first.Of(c, nil)
	// A row that nobody computes: it is there only where it was kept.
	kept := first["A.md"]
	kept.Row.Added = 77
	first["A.md"] = kept
	again := c
	again.Before, again.After = []byte("a\n"), []byte("a\nb\n")
	if got := (Rows{}).Of(again, first); got.Added != 77 {
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
		if got, want := (Rows{}).Of(other, first), Row(other); got != want {
			t.Errorf("another %s: %+v, want %+v", name, got, want)
		}
	}
}
