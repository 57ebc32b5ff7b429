package server

import (
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func crowd(n int) *hosttest.Memory {
	files := make(map[string]string, n)
	for i := range n {
		files[fmt.Sprintf("N%04d.md", i)] = "x\n"
	}
	return hosttest.New(hosttest.Options{Files: files})
}

const markAll = `{"goal":"Mark all","assumptions":[],"riskLevel":"writes","steps":[
{"id":"find","tool":"vault.query","args":{%s},"preview":"Notes"},
{"id":"mark","tool":"metadata.set","args":{"path":"{note.path}","property":"seen","value":true},"foreach":{"from":"$steps.find.notes","itemName":"note"}}]}`

func TestAPlanWithoutALimitReachesEveryNoteAndOneWithALimitSaysWhatItCuts(t *testing.T) {
	const n = 3000
	ui := begin(t, crowd(n), free)
	whole := ui.open(fmt.Sprintf(markAll, ""))
	if len(whole.Files) != n || whole.Steps[0].Cut != nil {
		t.Fatalf("%d files, cut %+v", len(whole.Files), whole.Steps[0].Cut)
	}
	r := ui.open(fmt.Sprintf(markAll, `"limit":1000`))
	if cut := r.Steps[0].Cut; len(r.Files) != 1000 || cut == nil || cut.Shown != 1000 || cut.Total != n || !cut.All {
		t.Fatalf("%d files, cut %+v", len(r.Files), cut)
	}
	// What the person left out stays left out when the rest is taken in.
	r2 := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: "N0003.md"})
	all := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r2.Run, Kind: protocol.AmendAll, Step: "find"})
	if all.Steps[0].Cut != nil || len(all.Files) != n || !all.Approvable || strings.Contains(all.Plan, "limit") {
		t.Fatalf("%d files, cut %+v: %+v", len(all.Files), all.Steps[0].Cut, all.Problem)
	}
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: all.Run, Approval: all.Approval})
	if end := ui.finished(); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
	}
	for i := range n {
		got, _ := ui.mem.File(fmt.Sprintf("N%04d.md", i))
		if want := i != 3; strings.Contains(string(got), "seen: true") != want {
			t.Fatalf("note %d: %q", i, got)
		}
	}
}

func TestALimitUnderAnotherNameIsALimit(t *testing.T) {
	ui := begin(t, crowd(20), free)
	r := ui.open(planOf("search", `{"id":"find","tool":"vault.searchText","args":{"pattern":"x","max_results":5}}`))
	if cut := r.Steps[0].Cut; cut == nil || cut.Shown != 5 || cut.Total != 20 || !cut.All {
		t.Fatalf("want cut set, Shown 5, Total 20 and All true, got %+v", cut)
	}
	all := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendAll, Step: "find"})
	if all.Steps[0].Cut != nil {
		t.Errorf("want no Steps[0].Cut, got %+v", all.Steps[0].Cut)
	}
	if _, err := try[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendAll, Step: "find"}); err == nil {
		t.Error("a limit that is not there was taken out")
	}
}

func TestTheBundledActionsReachEveryNoteOfALargeVault(t *testing.T) {
	const n = 1200
	ui := beginOn(t, crowd(n), friday, free, "en")
	call[protocol.Accepted](ui, "actions.run", protocol.ActionRun{ID: "bundled.addProperty", Values: map[string]string{"property": "seen", "value": "yes"}})
	if r := ui.review(); len(r.Files) != n {
		t.Errorf("%d of %d notes", len(r.Files), n)
	}
}
