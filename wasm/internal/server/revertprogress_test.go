package server

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestALongRevertSaysHowFarItIs(t *testing.T) {
	const notes = 40
	steps := ""
	for n := range notes {
		if n > 0 {
			steps += ","
		}
		steps += fmt.Sprintf(`{"id":"s%d","tool":"vault.createFile","args":{"path":"Note %d.md","content":"x\n"}}`, n, n)
	}
	began, tick := time.Now(), atomic.Int64{}
	ui := newRig(t, hosttest.New(hosttest.Options{}), free, func(d *Deps) {
		d.Now = func() time.Time { return began.Add(time.Duration(tick.Add(1)) * 300 * time.Millisecond) }
	})
	end := ui.do(`{"goal":"Many","assumptions":[],"riskLevel":"writes","steps":[` + steps + `]}`)
	out := ui.revert(end.Run)
	told, last := 0, 0
	for _, e := range ui.heard() {
		if e.Exec == nil || e.Exec.RunID != out.Run || e.Exec.Progress == nil {
			continue
		}
		told++
		p := e.Exec.Progress
		if p.Total != notes || p.Done <= last || p.Done >= notes {
			t.Errorf("want a count that grows up to %d, got %d of %d after %d", notes, p.Done, p.Total, last)
		}
		last = p.Done
		if e.Type != protocol.EventExec {
			t.Errorf("want it told as an event of a run, got %s", e.Type)
		}
	}
	if told == 0 {
		t.Error("want a revert that takes seconds to say how far it is, got nothing")
	}
}
