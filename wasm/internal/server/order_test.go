package server

import (
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
)

// folders gives a foreach list of folders F<from>..F<to>.
func folders(from, to int) string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprintf(`"F%d"`, i))
	}
	return strings.Join(out, ",")
}

func TestStepsThatNeedEachOthersFoldersDoNotWaitForEachOtherForEver(t *testing.T) {
	// The last notes of the first step make the folders that the second step,
	// which runs beside it, puts its first notes into.
	for _, width := range []int{1, 2, 3, 8} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{})
			before := mem.Snapshot()
			set := free
			set.MaxConcurrency = width
			ui := begin(t, mem, set)
			end := ui.do(planOf("folders",
				`{"id":"x","tool":"vault.createFile","args":{"folder":"{f}/Deep","title":"x","content":"x"},"foreach":{"from":[`+folders(0, 30)+`],"itemName":"f"}}`,
				`{"id":"y","tool":"vault.createFile","args":{"folder":"{f}/Deep","title":"y","content":"y"},"foreach":{"from":[`+folders(15, 30)+`],"itemName":"f"}}`,
				`{"id":"z","tool":"vault.ensureFolder","args":{"path":"{f}/Deep/Er"},"foreach":{"from":[`+folders(20, 35)+`],"itemName":"f"}}`))
			if end.Done != 60 {
				t.Fatalf("want Done 60, got %+v", end)
			}
			ui.revert(end.Run)
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Fatalf("reverted:\n%s", d)
			}
		})
	}
}

func TestADriftEndsTheRunAlsoWhereThePlanWouldSkipErrors(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	r := ui.open(planOf("skips",
		`{"id":"a","tool":"vault.appendFile","args":{"path":"A.md","content":"x"},"onError":"skip"}`,
		`{"id":"f","tool":"vault.createFile","args":{"path":"New/f.md","content":"f"},"dependsOn":["a"],"onError":"skip"}`,
		`{"id":"g","tool":"vault.createFile","args":{"path":"New/g.md","content":"g"},"onError":"skip"}`))
	justBefore(mem, func() { mem.Put("A.md", "mine") })
	drifted := mem.Snapshot()
	drifted["A.md"] = []byte("mine")
	end := ui.approve(r)
	if d := drifted.Diff(mem.Snapshot()); end.Outcome != "conflict" || d != "" {
		t.Fatalf("%s; written all the same:\n%s", end.Outcome, d)
	}
}

func TestAConflictThatWasShownIsNoDrift(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	r, err := ui.s.tx.OpenPlan(t.Context(), []byte(planOf("taken",
		`{"id":"a","tool":"vault.createFile","args":{"path":"A.md","content":"x","onCollision":"error"},"onError":"skip"}`,
		`{"id":"b","tool":"vault.createFile","args":{"path":"New.md","content":"new"}}`)), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Approvable || r.Problem == nil || r.Steps[0].Problem == nil {
		t.Fatalf("approvable %v, problem %+v", r.Approvable, r.Problem)
	}
	ui.approve(r)
	if ui.text("New.md") != "new" || ui.text("A.md") != twoNotes["A.md"] {
		t.Fatalf("want New.md \"new\" and A.md equal to twoNotes[\"A.md\"], got %q %q", ui.text("New.md"), ui.text("A.md"))
	}
}
