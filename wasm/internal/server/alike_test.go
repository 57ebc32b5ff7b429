package server

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/journal/journaltest"
	"embedded-agent/wasm/internal/protocol"
)

// alikeIn gives what a review says of look-alike names: those marked, with which,
// and how many are told in words.
func alikeIn(r *protocol.Review) (map[string]string, int) {
	marked, told := map[string]string{}, 0
	for _, f := range r.Files {
		if f.Alike != "" {
			marked[f.Path] = f.Alike
		}
	}
	for _, w := range r.Warnings {
		if w.Key == "review.alike" {
			told++
		}
	}
	return marked, told
}

func creating(paths ...string) string {
	var steps []string
	for i, p := range paths {
		steps = append(steps, stepOf("s"+strconv.Itoa(i), "vault.createFile", map[string]any{"path": p, "content": "x"}))
	}
	return planWith(steps...)
}

func TestANameThatLooksLikeAnotherIsMarkedAndSaysWhich(t *testing.T) {
	files := map[string]string{"Work/cop.md": "x", "Арр/x.md": "x", "AI.md": "x", "Note 1.md": "x", "Café.md": "x", "мир.md": "x"}
	for name, c := range map[string]struct {
		plan string
		want map[string]string
	}{
		"a note in one script":       {creating("сор.md"), map[string]string{"сор.md": "Work/cop.md"}},
		"a folder":                   {creating("App/new.md"), map[string]string{"App": "Арр"}},
		"letters of Latin":           {creating("Al.md"), map[string]string{"Al.md": "AI.md"}},
		"another name":               {planWith(stepOf("s", "vault.rename", map[string]any{"path": "Note 1.md", "newPath": "мир/АI.md"})), map[string]string{"мир/АI.md": "AI.md"}},
		"two of one plan":            {creating("pay.md", "рау.md"), map[string]string{"pay.md": "рау.md", "рау.md": "pay.md"}},
		"the name that goes":         {planWith(stepOf("s", "vault.rename", map[string]any{"path": "AI.md", "newPath": "Al.md"})), nil},
		"the same name elsewhere":    {creating("Other/cop.md"), nil},
		"what is not alike":          {creating("Note l.md", "Cafe.md", "cop.canvas", "Cop.md", "mup.md"), nil},
		"a change of what was there": {planWith(stepOf("s", "vault.writeFile", map[string]any{"path": "AI.md", "content": "y"})), nil},
	} {
		t.Run(name, func(t *testing.T) {
			ui := begin(t, hosttest.New(hosttest.Options{Files: files}), free)
			r := ui.open(c.plan)
			marked, told := alikeIn(r)
			if !maps.Equal(marked, c.want) || told != len(c.want) {
				t.Errorf("marked %v, %d told: %+v", marked, told, r.Warnings)
			}
		})
	}
}

func TestALookAlikeNameIsToldByItsLetters(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{Files: map[string]string{"Work/cop.md": "x"}}), free)
	r := ui.open(creating("сор.md"))
	if len(r.Warnings) != 1 || r.Warnings[0].Params["other"] != "Work/cop.md" || r.Warnings[0].Params["letters"] != "с (U+0441), о (U+043E), р (U+0440)" {
		t.Errorf("want 1 Warnings, Warnings[0].Params[\"other\"] \"Work/cop.md\" and Warnings[0].Params[\"letters\"] \"с (U+0441), о (U+043E), р (U+0440)\", got %+v", r.Warnings)
	}
	left := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: "сор.md"})
	if _, told := alikeIn(&left); told != 0 {
		t.Errorf("told of what is left out: %+v", left.Warnings)
	}
}

func TestOfManyLookAlikeNamesAFewAreToldAndAllMarked(t *testing.T) {
	files, paths := map[string]string{}, []string{}
	for i := range 40 {
		files[strings.Repeat("a", i+1)+".md"] = "x"
		paths = append(paths, strings.Repeat("а", i+1)+".md") // Cyrillic
	}
	ui := begin(t, hosttest.New(hosttest.Options{Files: files}), free)
	if marked, told := alikeIn(ui.open(creating(paths...))); len(marked) != 40 || told != 5 {
		t.Errorf("%d marked, %d told", len(marked), told)
	}
}

func TestAnUndoThatBringsBackALookAlikeNameSaysSo(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"cop.md": "x"}})
	journaltest.Forge(t, mem.Host().Store, journaltest.Run{ID: forgedRun, Goal: "Undo", Ops: []host.Op{{Kind: host.OpTrash, Path: "сор.md", Before: []byte("evil")}}})
	ui := begin(t, mem, free)
	back := call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: forgedRun})
	r := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: back.Review})
	if marked, told := alikeIn(&r); marked["сор.md"] != "cop.md" || told != 1 || !slices.ContainsFunc(r.Warnings, func(m protocol.Message) bool { return m.Key == "review.origin.unsealed" }) {
		t.Errorf("want marked[\"сор.md\"] \"cop.md\" and told 1, got %v %+v", marked, r.Warnings)
	}
}
