package server

import (
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// TestARandomChoiceIsFixedByTheReviewThatTellsItsSeed simulates a plan twice and runs
// it; then makes another one, and one with the seed of the first.
func TestARandomChoiceIsFixedByTheReviewThatTellsItsSeed(t *testing.T) {
	plan := func(seed string) string {
		return planOf("Pick",
			`{"id":"p","tool":"util.random","args":{"items":["a","b","c","d","e","f","g","h","i","j"],"count":10`+seed+`}}`,
			`{"id":"ids","tool":"util.random","args":{"count":2},"foreach":{"from":["x","y"],"itemName":"n"}}`,
			`{"id":"t","tool":"util.joinLines","args":{"items":"$steps.p.items"}}`,
			`{"id":"u","tool":"util.joinLines","args":{"items":"$steps.ids.items[*].items"}}`,
			`{"id":"w","tool":"vault.createFile","args":{"path":"Picked.md","content":"$steps.t.text","onCollision":"unique"}}`,
			`{"id":"v","tool":"vault.createFile","args":{"path":"Ids.md","content":"$steps.u.text","onCollision":"unique"}}`,
			`{"id":"x","tool":"vault.createFile","args":{"path":"Left out.md","content":"x"}}`)
	}
	ui := begin(t, hosttest.New(hosttest.Options{}), free)
	seedOf := func(r *protocol.Review) string {
		t.Helper()
		for _, n := range r.Steps[0].Notes {
			if n.Key == "review.seed" {
				return n.Params["seed"]
			}
		}
		t.Fatal("the review does not tell the seed")
		return ""
	}
	text := func(r *protocol.Review, path string) string {
		return call[protocol.FileView](ui, "review.file", protocol.FileRef{Run: r.Run, Path: path}).After
	}
	r := ui.open(plan(""))
	seed, picked, ids := seedOf(r), text(r, "Picked.md"), text(r, "Ids.md")
	if four := strings.Fields(ids); len(four) != 4 || len(slices.Compact(slices.Sorted(slices.Values(four)))) != 4 {
		t.Errorf("four different UUIDs were wanted: %q", ids)
	}
	again := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: "Left out.md"})
	if seedOf(&again) != seed || text(&again, "Picked.md") != picked || text(&again, "Ids.md") != ids {
		t.Errorf("simulated again it chose otherwise")
	}
	if end := ui.approve(&again); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end)
	}
	if got, _ := ui.mem.File("Picked.md"); string(got) != picked {
		t.Errorf("the review showed %q, and the run wrote %q", picked, got)
	}
	other := ui.open(plan(""))
	if seedOf(other) == seed {
		t.Error("another plan has the same seed")
	}
	call[protocol.Empty](ui, "review.close", protocol.RunRef{Run: other.Run})
	same := ui.open(plan(`,"seed":"` + seed + `"`))
	if seedOf(same) != seed || text(same, "Picked (2).md") != picked {
		t.Error("the same seed chose otherwise")
	}
}
