package server

import (
	"runtime"
	"testing"
	"time"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// A run of ten thousand notes takes much memory. When it has ended, nothing may
// hold on to it: not the core, and nothing that waits to be told.
func TestARunThatHasEndedIsLetGoOf(t *testing.T) {
	files, raw := thousand(700) // more events than are gathered at once
	ui := newPanel(t, hosttest.New(hosttest.Options{Files: files}), protocol.Settings{Provider: "openai", MaxCalls: 10_000})
	r, err := ui.s.tx.OpenPlan(t.Context(), []byte(raw), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	let := make(chan string, 2)
	func() {
		rv, err := ui.s.tx.Open(r.Run)
		if err != nil {
			t.Fatal(err)
		}
		if err := ui.s.tx.Begin(rv, false); err != nil {
			t.Fatal(err)
		}
		runtime.AddCleanup(rv, func(what string) { let <- what }, "the review")
		run, err := ui.s.tx.Running(r.Run)
		if err != nil {
			t.Fatal(err)
		}
		runtime.AddCleanup(run, func(what string) { let <- what }, "the run")
	}()
	if end := ui.finished(); end.Outcome != "ok" {
		t.Fatal("want Outcome \"ok\", got:", end.Outcome)
	}
	for given, late := 0, time.After(time.Minute); given < 2; {
		runtime.GC()
		select {
		case <-let:
			given++
		case <-late:
			t.Fatalf("%d of 2 were given back", given)
		default:
			runtime.Gosched()
		}
	}
}
