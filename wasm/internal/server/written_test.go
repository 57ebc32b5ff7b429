package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// sixNotes is a plan that changes six notes one after the other, makes one, and
// moves one.
func sixNotes() (map[string]string, string) {
	files := map[string]string{"Old.md": "old\n"}
	var steps []string
	for i := range 6 {
		path := fmt.Sprintf("N%d.md", i)
		files[path] = "text\n"
		after := ""
		if i > 0 {
			after = fmt.Sprintf(`,"dependsOn":["s%d"]`, i-1)
		}
		steps = append(steps, fmt.Sprintf(`{"id":"s%d","tool":"vault.appendFile","args":{"path":%q,"content":"more"}%s}`, i, path, after))
	}
	steps = append(steps,
		`{"id":"made","tool":"vault.createFile","args":{"path":"New/Made.md","content":"made"},"dependsOn":["s4"]}`,
		`{"id":"moved","tool":"vault.rename","args":{"from":"Old.md","to":"New/Old.md"},"dependsOn":["made"]}`)
	return files, planOf("Change six notes", strings.Join(steps, ","))
}

func TestWhatARunSaysItChangedIsWhatIsOnTheDisk(t *testing.T) {
	for stop := range 7 { // before this note; 6 is none
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			files, doc := sixNotes()
			mem := hosttest.New(hosttest.Options{Files: files})
			ui := begin(t, mem, free)
			before := mem.Snapshot()
			r := ui.open(doc)
			r2 := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: "N5.md"})
			mine := fmt.Sprintf("N%d.md", stop)
			if stop < 5 {
				mem.BeforeWriteOf(mine, func() { mem.Put(mine, "mine\n") })
			}
			ui.approve(&r2)
			var written []string
			for path, data := range mem.Snapshot() {
				if was, there := before[path]; path != mine && !strings.HasSuffix(path, "/") && (!there || string(was) != string(data)) {
					written = append(written, path)
				}
			}
			slices.Sort(written)
			d := call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: r.Run})
			var told []string
			for _, f := range d.Files {
				if f.Status != protocol.FileMkdir {
					told = append(told, f.Path)
				}
			}
			slices.Sort(told)
			if !slices.Equal(told, written) {
				t.Errorf("told %q, written %q", told, written)
			}
			approved := 0
			for _, f := range r2.Files {
				if !f.Dropped {
					approved++
				}
			}
			if len(d.Files)+d.NotWritten != approved || d.Summary.Files != len(written) {
				t.Errorf("%d of %d files are accounted for, the summary says %d, written are %q", len(d.Files)+d.NotWritten, approved, d.Summary.Files, written)
			}
			if stop < 5 {
				_, err := try[protocol.FileView](ui, "review.file", protocol.FileRef{Run: r.Run, Path: mine})
				if err == nil {
					t.Errorf("%s is shown as changed by the run, which did not write it", mine)
				}
			}
		})
	}
}

func TestARevertSaysWhatItRemovedRestoredAndMovedBack(t *testing.T) {
	files, doc := sixNotes()
	mem := hosttest.New(hosttest.Options{Files: files})
	ui := begin(t, mem, free)
	r := ui.open(doc)
	ui.approve(r)
	mem.Put("N0.md", "mine\ntext\nmore\n") // is merged
	back := ui.revert(r.Run)
	said := map[string]string{}
	for _, m := range back.Did {
		said[m.Key] = m.Params["n"]
	}
	want := map[string]string{"reverted.removed": "1", "reverted.removedFolders": "1", "reverted.restored": "5", "reverted.movedBack": "1"}
	if fmt.Sprint(said) != fmt.Sprint(want) || len(back.Merged) != 1 {
		t.Errorf("said %v and merged %q, want %v and N0.md", said, back.Merged, want)
	}
	undone := call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: back.Run})
	if undone.NotWritten != 0 || len(undone.Files) != 9 {
		t.Errorf("the revert lists %d files and %d that were not written, want all 9", len(undone.Files), undone.NotWritten)
	}
}
