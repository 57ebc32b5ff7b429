package server

import (
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestManyFilesAreLeftOutAndTakenInByOneAmendment(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\n", "B.md": "b\n", "C.md": "c\n"}})
	ui := begin(t, mem, free)
	r := ui.open(planOf("many",
		`{"id":"s","tool":"vault.appendFile","args":{"path":"{n}","content":"more\n"},"foreach":{"from":["A.md","B.md","C.md"],"itemName":"n"}}`))
	dropped := func(r protocol.Review) int {
		n := 0
		for _, f := range r.Files {
			if f.Dropped {
				n++
			}
		}
		return n
	}
	all := []string{"A.md", "B.md", "C.md"}
	out := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Paths: all})
	if dropped(out) != 3 {
		t.Errorf("want 3 files left out, got %d", dropped(out))
	}
	in := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendKeep, Paths: all[1:]})
	if dropped(in) != 1 || !in.Approvable {
		t.Errorf("want 1 file left out and the rest to approve, got %d and approvable %v", dropped(in), in.Approvable)
	}
	for name, a := range map[string]protocol.Amendment{
		"a path that is not there": {Kind: protocol.AmendDrop, Paths: []string{"B.md", "Nowhere.md"}},
		"an edit of many":          {Kind: protocol.AmendEdit, Paths: all},
	} {
		a.Run = r.Run
		if _, err := try[protocol.Review](ui, "review.amend", a); err == nil {
			t.Errorf("%s: want it refused, got it taken", name)
		}
	}
	if now := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: r.Run}); dropped(now) != 1 {
		t.Errorf("want a refused amendment to change nothing, got %d files left out", dropped(now))
	}
}
