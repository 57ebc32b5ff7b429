package server

import (
	"maps"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// Each plan leaves something at a path that was moved away, or whose folder was.
var movedAway = map[string][]string{
	"a note that was deleted and made again": {
		`{"id":"d","tool":"vault.delete","args":{"path":"F/C.md"}}`,
		`{"id":"m","tool":"vault.rename","args":{"path":"F","newPath":"Moved"}}`,
		`{"id":"c","tool":"vault.createFile","args":{"path":"F/C.md","content":"c\n"}}`,
	},
	"the same with another text": {
		`{"id":"d","tool":"vault.delete","args":{"path":"F/C.md"}}`,
		`{"id":"m","tool":"vault.rename","args":{"path":"F","newPath":"Moved"}}`,
		`{"id":"c","tool":"vault.createFile","args":{"path":"F/C.md","content":"other\n"}}`,
	},
	"a note that was moved out, and back": {
		`{"id":"o","tool":"vault.rename","args":{"path":"F/C.md","newPath":"Out.md"}}`,
		`{"id":"m","tool":"vault.rename","args":{"path":"F","newPath":"Moved"}}`,
		`{"id":"b","tool":"vault.rename","args":{"path":"Out.md","newPath":"F/C.md"}}`,
	},
	"a note that moved along, and another of its name": {
		`{"id":"m","tool":"vault.rename","args":{"path":"F","newPath":"Moved"}}`,
		`{"id":"c","tool":"vault.createFile","args":{"path":"F/C.md","content":"c\n"}}`,
	},
	"a folder that was deleted and made again": {
		`{"id":"d","tool":"vault.delete","args":{"path":"F/G"}}`,
		`{"id":"m","tool":"vault.rename","args":{"path":"F","newPath":"Moved"}}`,
		`{"id":"c","tool":"vault.ensureFolder","args":{"path":"F/G"}}`,
	},
	"a note whose links followed a move, and were written back": {
		`{"id":"m","tool":"vault.rename","args":{"path":"F/C.md","newPath":"F/Other.md"}}`,
		`{"id":"c","tool":"vault.createFile","args":{"path":"F/C.md","content":"x"}}`,
		`{"id":"w","tool":"vault.writeFile","args":{"path":"F/D.md","content":"[[C]]\n"}}`,
	},
	"a note that takes a name that links waited for, and gives it up": {
		`{"id":"m","tool":"vault.rename","args":{"path":"F/C.md","newPath":"F/Awaited.md"}}`,
		`{"id":"n","tool":"vault.rename","args":{"path":"F/Awaited.md","newPath":"F/Other.md"}}`,
	},
	"a folder that moved along, and another of its name": {
		`{"id":"m","tool":"vault.rename","args":{"path":"F","newPath":"Moved"}}`,
		`{"id":"c","tool":"vault.ensureFolder","args":{"path":"F/G"}}`,
	},
}

func TestWhatIsThereAgainWhereSomethingMovedAwayIsShownRunReplayedAndTakenBack(t *testing.T) {
	for name, steps := range movedAway {
		t.Run(name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: map[string]string{"F/C.md": "c\n", "F/D.md": "[[C]]\n", "F/G/E.md": "[[Awaited]]\n"}})
			before := mem.Snapshot()
			ui := begin(t, mem, free)
			r := ui.open(planOf(name, steps...))
			want := maps.Clone(before)
			applyShown(want, r, ui.shown(r))
			ui.approve(r)
			if d := want.Diff(mem.Snapshot()); d != "" {
				t.Fatalf("the run differs from what was shown:\n%s\n%+v", d, r.Files)
			}
			call[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: r.Run})
			ui.revert(r.Run)
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Fatalf("taken back:\n%s", d)
			}
		})
	}
}

func TestALinkThatLedNowhereFollowsTheNoteThatTookItsNameForAWhile(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"C.md": "c\n", "E.md": "[[Awaited]]\n"}})
	ui := begin(t, mem, free)
	ui.do(planOf("twice",
		`{"id":"m","tool":"vault.rename","args":{"path":"C.md","newPath":"Awaited.md"}}`,
		`{"id":"n","tool":"vault.rename","args":{"path":"Awaited.md","newPath":"Other.md"},"dependsOn":["m"]}`))
	if got := ui.text("E.md"); got != "[[Other]]\n" {
		t.Errorf("want \"[[Other]]\\n\", got %q", got)
	}
}
