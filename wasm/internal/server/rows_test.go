package server

import (
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestAnAmendmentKeepsTheRowsOfWhatItLeavesAlone(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\n", "B.md": "b\n", "C.md": "c\n"}})
	ui := begin(t, mem, free)
	r := ui.open(planOf("code",
		`{"id":"s","tool":"vault.appendFile","args":{"path":"{n}","content":"`+"```dataviewjs\\nx()\\n```\\n"+`"},"foreach":{"from":["A.md","B.md","C.md"],"itemName":"n"}}`))
	amend := func(a protocol.Amendment) map[string]protocol.FileChange {
		a.Run = r.Run
		out := map[string]protocol.FileChange{}
		for _, f := range call[protocol.Review](ui, "review.amend", a).Files {
			out[f.Path] = f
		}
		return out
	}
	files := amend(protocol.Amendment{Kind: protocol.AmendDrop, Path: "A.md"})
	if !files["A.md"].Dropped || files["A.md"].Runs != 1 || files["B.md"].Runs != 1 {
		t.Errorf("want files[\"A.md\"].Dropped true, files[\"A.md\"].Runs 1 and files[\"B.md\"].Runs 1, got %+v", files)
	}
	files = amend(protocol.Amendment{Kind: protocol.AmendEdit, Path: "B.md", Text: "b\nplain\n"})
	if files["B.md"].Runs != 0 || !files["B.md"].Edited || files["B.md"].Added != 1 || files["C.md"].Runs != 1 {
		t.Errorf("want files[\"B.md\"].Runs 0, files[\"B.md\"].Edited true, files[\"B.md\"].Added 1 and files[\"C.md\"].Runs 1, got %+v", files)
	}
	files = amend(protocol.Amendment{Kind: protocol.AmendReset, Path: "B.md"})
	if files["B.md"].Runs != 1 || files["B.md"].Edited {
		t.Errorf("want files[\"B.md\"].Runs 1 and files[\"B.md\"].Edited false, got %+v", files)
	}
	files = amend(protocol.Amendment{Kind: protocol.AmendKeep, Path: "A.md"})
	if files["A.md"].Dropped || files["A.md"].Runs != 1 {
		t.Errorf("want files[\"A.md\"].Dropped false and files[\"A.md\"].Runs 1, got %+v", files)
	}
}
