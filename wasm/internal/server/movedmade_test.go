package server

import (
	"fmt"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// madeAndMoved makes notes in a new folder, moves that, and changes them again.
var madeAndMoved = planOf("made and moved",
	`{"id":"make","tool":"vault.createFile","args":{"folder":"Made/Deep","title":"{index}","content":"RUN {n}\n"},"foreach":{"from":["x","y"],"itemName":"n"}}`,
	`{"id":"move","tool":"vault.rename","args":{"path":"Made","newPath":"Moved"},"dependsOn":["make"]}`,
	`{"id":"again","tool":"vault.appendFile","args":{"path":"Moved/Deep/{index}.md","content":"RUN again\n"},"foreach":{"from":["x","y"],"itemName":"n"},"dependsOn":["move"]}`,
	`{"id":"gone","tool":"vault.delete","args":{"path":"{n}"},"foreach":{"from":["Last.md","Box/a.md"],"itemName":"n"},"dependsOn":["again"]}`)

func TestARunThatMovedWhatItMadeIsTakenBackAfterThreeCrashes(t *testing.T) {
	before := hosttest.New(hosttest.Options{Files: boxes}).Snapshot()
	for n := 1; ; n += stride(3, 7) {
		if _, _, died := interrupted(t, boxes, madeAndMoved, n); !died {
			return
		}
		for m := 1; ; m += stride(2, 5) {
			mem, run, _ := interrupted(t, boxes, madeAndMoved, n)
			ui, w, err := start(t, mem, free)
			if err != nil {
				t.Fatal(err)
			}
			if len(w.State.Recoveries) == 0 {
				break
			}
			mem.ResetCounts()
			mem.KillAt(m, uint64(m)*0x9E3779B97F4A7C15, false)
			// It dies, or it was quick enough: what it says is not the point.
			_, _ = try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: protocol.RecoverRevert})
			ui.s.Close()
			died := false
			select {
			case <-mem.Dead():
				died = true
			default:
			}
			mem = mem.CrashClone()
			if ui, w, err = start(t, mem, free); err != nil {
				t.Fatal(err)
			}
			if died && len(w.State.Recoveries) > 0 { // and a third time
				mem.ResetCounts()
				mem.KillAt((n*7+m*5)%13+1, uint64(m), false)
				_, _ = try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: protocol.RecoverRevert})
				ui.s.Close()
				mem = mem.CrashClone()
				if ui, w, err = start(t, mem, free); err != nil {
					t.Fatal(err)
				}
			}
			where := fmt.Sprintf("killed at %d, and its taking back at %d", n, m)
			for _, c := range w.State.Recoveries {
				back := call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: c.Run, Choice: protocol.RecoverRevert})
				where += fmt.Sprintf(" (%s) %+v", c.Stands, back)
			}
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Fatalf("want the vault as it was before; it differs: %s:\n%s", where, d)
			}
			if !died {
				break
			}
		}
	}
}
