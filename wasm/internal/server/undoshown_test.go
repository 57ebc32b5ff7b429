package server

import (
	"reflect"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/journal/journaltest"
	"embedded-agent/wasm/internal/protocol"
)

const (
	runsCode = "text\n```dataviewjs\nx\n```\n"
	loads    = "text\n![](https://far.example/p.png)\n"
	noText   = "\x89PNG\r\n\x1a\n\xff\xff"
)

// changeOf is one kind of change of one path, said in three ways: by a step of a
// plan, by the write of a run that did the opposite, and by the write of a run
// that was about to make it.
type changeOf struct {
	files map[string]string
	step  string
	undid host.Op
	left  host.Op
}

func creates(path, text string) changeOf {
	return changeOf{
		map[string]string{"F/Old.md": "old"},
		stepOf("s", "vault.createFile", map[string]any{"path": path, "content": text}),
		host.Op{Kind: host.OpTrash, Path: path, Before: []byte(text)},
		host.Op{Kind: host.OpCreate, Path: path, Data: []byte(text)},
	}
}

func modifies(path, before, after string) changeOf {
	return changeOf{
		map[string]string{path: before},
		stepOf("s", "vault.writeFile", map[string]any{"path": path, "content": after}),
		host.Op{Kind: host.OpModify, Path: path, Before: []byte(after), Data: []byte(before)},
		host.Op{Kind: host.OpModify, Path: path, Before: []byte(before), Data: []byte(after)},
	}
}

func renames(from, to, text string) changeOf {
	return changeOf{
		map[string]string{from: text},
		stepOf("s", "vault.rename", map[string]any{"path": from, "newPath": to}),
		host.Op{Kind: host.OpRename, Path: to, To: from},
		host.Op{Kind: host.OpRename, Path: from, To: to},
	}
}

func deletes(path, text string) changeOf {
	return changeOf{
		map[string]string{path: text},
		stepOf("s", "vault.delete", map[string]any{"path": path}),
		host.Op{Kind: host.OpCreate, Path: path, Data: []byte(text)},
		host.Op{Kind: host.OpTrash, Path: path, Before: []byte(text)},
	}
}

var kindsOfChange = map[string]changeOf{
	"a new note":                    creates("N.md", "text\n"),
	"a new note with code":          creates("N.md", runsCode),
	"a new note that loads":         creates("N.md", loads),
	"a new program":                 creates("go.bat", "calc\n"),
	"a new note in a folder":        creates("F/N.md", runsCode),
	"a change":                      modifies("A.md", "a\n", "b\nc\n"),
	"a change that adds code":       modifies("A.md", "text\n", runsCode),
	"a change that loads":           modifies("A.md", "text\n", loads),
	"another name":                  renames("A.md", "B.md", runsCode),
	"another kind of name":          renames("A.txt", "A.md", runsCode),
	"another kind of name, loading": renames("A.txt", "A.md", loads),
	"another name of a picture":     renames("A.png", "B.jpg", noText),
	"a note less":                   deletes("A.md", runsCode),
	"a picture less":                deletes("A.png", noText),
	"a new folder": {
		map[string]string{},
		stepOf("s", "vault.ensureFolder", map[string]any{"path": "G"}),
		host.Op{Kind: host.OpRmdir, Path: "G"},
		host.Op{Kind: host.OpMkdir, Path: "G"},
	},
}

// factsOf gives a review's facts about its changes, and about each file of them when
// it is opened; with the files left out, too.
func (ui *panel) factsOf(r *protocol.Review) []any {
	ui.t.Helper()
	out := []any{r.Files, r.Summary, ui.shown(r)}
	for _, f := range r.Files {
		left := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: f.Path})
		out = append(out, left.Files, left.Summary)
		call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendKeep, Path: f.Path})
	}
	return out
}

func TestTheReviewOfAnUndoShowsWhatAReviewShows(t *testing.T) {
	for name, c := range kindsOfChange {
		t.Run(name, func(t *testing.T) {
			ui := begin(t, hosttest.New(hosttest.Options{Files: c.files}), free)
			want := ui.factsOf(ui.open(planWith(c.step)))
			for kind, r := range map[protocol.RunKind]journaltest.Run{
				protocol.KindRevert: {ID: forgedRun, Goal: "Undo", Ops: []host.Op{c.undid}},
				protocol.KindFinish: {ID: forgedRun, Goal: "Undo", Device: ourName, Ops: []host.Op{c.left}, Hot: true, Open: true},
			} {
				mem := hosttest.New(hosttest.Options{Files: c.files})
				journaltest.Forge(t, mem.Host().Store, r)
				ui := begin(t, mem, free)
				var back protocol.Reverted
				if kind == protocol.KindRevert {
					back = call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: forgedRun})
				} else {
					back = call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: forgedRun, Choice: protocol.RecoverFinish})
				}
				review := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: back.Review})
				for i, got := range ui.factsOf(&review) {
					if i >= len(want) || !reflect.DeepEqual(got, want[i]) {
						t.Errorf("%s shows\n%+v\nnot\n%+v", kind, got, want[min(i, len(want)-1)])
					}
				}
			}
		})
	}
}

func TestAForgedRunCannotSayThatAChangeOnlyFollowsARename(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\n"}})
	journaltest.Forge(t, mem.Host().Store, journaltest.Run{
		ID: forgedRun, Goal: "Undo", Device: ourName, Hot: true, Open: true,
		Ops: []host.Op{{Kind: host.OpModify, Path: "A.md", Before: []byte("a\n"), Data: []byte("evil\n"), Follows: true}},
	})
	ui := begin(t, mem, free)
	back := call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: forgedRun, Choice: protocol.RecoverFinish})
	r := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: back.Review})
	if len(r.Files) != 1 || r.Files[0].LinksOnly || len(r.Summary) != 1 || r.Summary[0].Text.Key != "review.modify" {
		t.Errorf("want 1 Files, Files[0].LinksOnly false, 1 Summary and Summary[0].Text.Key \"review.modify\", got %+v, %+v", r.Files, r.Summary)
	}
}
