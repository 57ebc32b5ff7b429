package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// forty is a folder of notes, and a plan that adds a line to each and makes one
// more beside it.
func forty() (map[string]string, string) {
	files, names := map[string]string{}, []string{}
	for i := range 40 {
		name := fmt.Sprintf("N/%02d", i)
		files[name+".md"] = "one\ntwo\nthree\n"
		names = append(names, quote(name))
	}
	from := `"foreach":{"from":[` + strings.Join(names, ",") + `],"itemName":"n"}`
	return files, planOf("many",
		`{"id":"a","tool":"vault.appendFile","args":{"path":"{n}.md","content":"more"},`+from+`}`,
		`{"id":"b","tool":"vault.createFile","args":{"path":"{n} new.md","content":"new\n"},`+from+`}`)
}

func TestARevertReadsNothingThatTheHostTellsIsAsTheRunLeftIt(t *testing.T) {
	files, plan := forty()
	mem := hosttest.New(hosttest.Options{Files: files})
	before := mem.Snapshot()
	ui := begin(t, mem, free)
	run := ui.do(plan).Run
	mem.ResetCounts()
	back := ui.revert(run)
	if d := before.Diff(mem.Snapshot()); d != "" || len(back.Restored) != 80 {
		t.Fatalf("want no difference and 80 Restored: %s\n%+v", d, back)
	}
	if n := mem.Counts().Reads; n > 10 {
		t.Errorf("%d reads to take back 80 unchanged notes of one folder", n)
	}
	// Nor does taking that back.
	mem.ResetCounts()
	ui.revert(back.Run)
	if n := mem.Counts().Reads; n > 90 { // what is made must not be there: one look each
		t.Errorf("%d reads to make 80 notes again", n)
	}
}

// What a file's size and time do not show, the host's own comparison does:
// nothing of it is overwritten, and all else is taken back.
func TestAnEditThatLeavesSizeAndTimeIsNotLostByARevert(t *testing.T) {
	files, plan := forty()
	mem := hosttest.New(hosttest.Options{Files: files})
	ui := begin(t, mem, free)
	run := ui.do(plan).Run
	dated := func(path, text string) {
		var at int64
		infos, err := mem.Host().Vault.List(t.Context(), "N")
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range infos {
			if i.Path == path {
				at = i.MTime
			}
		}
		mem.Put(path, text)
		mem.SetTimes(path, at, at)
	}
	dated("N/05.md", "ONE\ntwo\nthree\nmore\n") // another line than the run's
	dated("N/09 new.md", "NEW\n")
	want := hosttest.New(hosttest.Options{Files: files}).Snapshot().With(map[string]string{
		"N/05.md": "ONE\ntwo\nthree\n", "N/09 new.md": "NEW\n",
	}, nil)
	back := ui.revert(run)
	if d := want.Diff(mem.Snapshot()); d != "" {
		t.Fatal("want the vault as expected; it differs:", d)
	}
	if len(back.Conflicts) != 1 || back.Conflicts[0].Path != "N/09 new.md" || !slices.Equal(back.Merged, []string{"N/05.md"}) || len(back.Restored) != 78 || len(back.Kept) != 0 {
		t.Fatalf("%d restored, %q merged, %q kept, %+v", len(back.Restored), back.Merged, back.Kept, back.Conflicts)
	}
}

func TestAnOpenNotesTextIsReadByARevert(t *testing.T) {
	files, plan := forty()
	mem := hosttest.New(hosttest.Options{Files: files, Active: "N/03.md"})
	ui := begin(t, mem, free)
	run := ui.do(plan).Run
	mem.Type("N/03.md", "zero\none\ntwo\nthree\nmore\n") // not in the file yet
	back := call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: run})
	if !slices.Equal(back.Merged, []string{"N/03.md"}) || ui.text("N/03.md") != "zero\none\ntwo\nthree\n" {
		t.Fatalf("want Merged {\"N/03.md\"} and N/03.md \"zero\\none\\ntwo\\nthree\\n\", got %+v\n%s", back, ui.text("N/03.md"))
	}
}
