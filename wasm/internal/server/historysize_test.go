package server

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// What an open history costs does not depend on how many files a run has: its
// sizes are counted once, and then it is a file a run and the list of them.
func TestAnOpenedHistoryReadsOneFileOfEachRun(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	for range 10 {
		ui.revert(ui.do(editPlan).Run)
	}
	look := func() protocol.Runs { return call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{}) }
	runs := look()
	mem.ResetCounts()
	again := look()
	if n, most := mem.Counts().StoreReads, len(runs.Runs)+1; len(runs.Runs) != 20 || n > most {
		t.Errorf("%d runs: the store was read %d times, want at most %d", len(runs.Runs), n, most)
	}
	if again.Bytes != runs.Bytes {
		t.Errorf("%d bytes, before %d", again.Bytes, runs.Bytes)
	}
	mem.ResetCounts()
	ui.revert(ui.do(editPlan).Run)
	if n, most := mem.Counts().StoreReads, 60; n > most {
		t.Errorf("a run and its revert with 20 runs kept: %d reads of the store, want at most %d", n, most)
	}
}

// The sizes that the history tells are those of the files on disk.
func TestTheHistoryTellsTheSizeThatTheFilesHave(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	run := ui.do(editPlan).Run
	for _, then := range []func(){func() {}, func() { ui.revert(run) }, func() { ui.verified(run) }} {
		then()
		for _, sum := range call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{}).Runs {
			var bytes int64
			for path, data := range mem.StoreFiles() {
				if strings.HasPrefix(path, history.Dir(sum.Run)+"/") {
					bytes += int64(len(data))
				}
			}
			if sum.Bytes != bytes {
				t.Errorf("%s: %d bytes, on disk %d", sum.Kind, sum.Bytes, bytes)
			}
		}
	}
}
