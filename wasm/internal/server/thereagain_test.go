package server

import (
	"maps"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
)

// Each plan leaves something at a path whose folder has moved away.
var thereAgain = map[string][]string{
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
	"a folder that moved along, and another of its name": {
		`{"id":"m","tool":"vault.rename","args":{"path":"F","newPath":"Moved"}}`,
		`{"id":"c","tool":"vault.ensureFolder","args":{"path":"F/G"}}`,
	},
}

func TestWhatIsThereAgainWhereAFolderMovedAwayIsInTheReview(t *testing.T) {
	for name, steps := range thereAgain {
		t.Run(name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: map[string]string{"F/C.md": "c\n", "F/D.md": "d\n", "F/G/E.md": "e\n"}})
			before := mem.Snapshot()
			sh := begin(t, mem, free)
			r := sh.open(planOf(name, steps...))
			want := maps.Clone(before)
			applyShown(want, r, sh.shown(r))
			sh.approve(r)
			if d := want.Diff(mem.Snapshot()); d != "" {
				t.Fatalf("the run differs from what was shown:\n%s\n%+v", d, r.Files)
			}
			sh.revert(r.Run)
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Fatalf("taken back:\n%s", d)
			}
		})
	}
}
