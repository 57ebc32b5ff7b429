package server

import (
	"testing"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/protocol"
)

func TestARunThatDiedBeforeItsJournalBeganIsNotOfferedToBeTakenBack(t *testing.T) {
	for n := 1; ; n++ {
		mem, run, died := interrupted(t, boxes, boxPlan, n)
		if !died {
			t.Fatal("no run died before its journal")
		}
		files := mem.StoreFiles()
		_, doc := files[history.Dir(run)+"/"+audit.RunFile]
		_, journal := files[history.Dir(run)+"/journal.jsonl"]
		if !doc || journal {
			continue
		}
		ui := begin(t, mem, free)
		for _, sum := range call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{}).Runs {
			if sum.Run == run && sum.Can.Revert {
				t.Fatalf("killed at %d: %+v", n, sum)
			}
		}
		return
	}
}
