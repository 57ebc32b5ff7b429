package server

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// aHaystack is a vault of so many notes, in some of which there is a rare word.
func aHaystack(n, every int) *hosttest.Memory {
	files := make(map[string]string, n)
	for i := range n {
		text := fmt.Sprintf("note %d says nothing of note\n", i)
		if i%every == every/2 {
			text += "a needle\n"
		}
		files[fmt.Sprintf("F%02d/note %d.md", i*100/n, i)] = text
	}
	mem := hosttest.New(hosttest.Options{Files: files})
	for path := range files {
		mem.SetTimes(path, 1_000_000, 1_000_000) // long ago also by the clock of synctest
	}
	return mem
}

var forNeedles = planOf("find", `{"id":"find","tool":"vault.searchText","args":{"query":"needle"}}`)

// toldOf gathers how far a panel was told that calls are.
type toldOf struct {
	mu   sync.Mutex
	told []protocol.StepProgress
}

func (o *toldOf) hear(e protocol.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if e.Exec != nil && e.Exec.Progress != nil {
		o.told = append(o.told, *e.Exec.Progress)
	}
}

func (o *toldOf) all() []protocol.StepProgress {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.told)
}

// watched is begin, with what is told of how far calls are.
func watched(t *testing.T, mem *hosttest.Memory) (*panel, *toldOf) {
	t.Helper()
	ui, told := &panel{t: t, mem: mem}, &toldOf{}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: mem.Host(), Emit: func(e protocol.Event) { told.hear(e); ui.hear(e) }})
	if err != nil {
		t.Fatal(err)
	}
	ui.s = s
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: free, Platform: protocol.Platform{Name: "linux", Language: "en"}})
	return ui, told
}

// sized is the number of notes: less where everything takes several times as long.
func sized(n int) int {
	if slow {
		return n / 4
	}
	return n
}

func TestASearchOfAHundredThousandNotesOnASlowDiskGoesOnToItsEnd(t *testing.T) {
	n := sized(100_000)
	mem := aHaystack(n, n/10)
	synctest.Test(t, func(t *testing.T) {
		mem.SlowReads(6 * time.Millisecond)
		ui, told := watched(t, mem)
		defer ui.s.Close()
		began := time.Now()
		r := ui.open(forNeedles)
		took := time.Since(began)
		if took < 2*time.Minute {
			t.Fatalf("it took %v, which no limit forbids", took)
		}
		if got := len(ui.hits(r)); got != 10 {
			t.Errorf("%d hits", got)
		}
		heard := told.all()
		last := protocol.StepProgress{}
		found := map[int]bool{}
		for _, p := range heard {
			if p.Total != n || p.Done <= last.Done || p.Found < last.Found {
				t.Fatalf("after %+v: %+v", last, p)
			}
			found[p.Found] = true
			last = p
		}
		// Told about twice a second, and never longer silent than a person waits.
		if each := took / time.Duration(max(1, len(heard))); each > 2*time.Second || len(found) < 9 {
			t.Errorf("told %d times in %v, of %v", len(heard), took, found)
		}
		if last.Text.Key != "progress.found" || last.Text.Params["n"] != "9" && last.Text.Params["n"] != "10" {
			t.Errorf("want Text.Key \"progress.found\" and Text.Params[\"n\"] \"9\" (or Text.Params[\"n\"] \"10\"), got %+v", last.Text)
		}
		mem.ResetCounts()
		began = time.Now()
		if got := len(ui.hits(ui.open(forNeedles))); got != 10 || mem.Counts().Reads > n/100 || time.Since(began) > 10*time.Second {
			t.Errorf("the second search: %d hits, %d reads, %v", got, mem.Counts().Reads, time.Since(began))
		}
	})
}

func TestWhatASearchHadReadWhenItWasCancelledIsNotReadAgain(t *testing.T) {
	n := sized(40_000)
	mem := aHaystack(n, n/10)
	synctest.Test(t, func(t *testing.T) {
		mem.SlowReads(6 * time.Millisecond)
		ui, _ := watched(t, mem)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n)*6*time.Millisecond/2)
		defer cancel()
		if _, err := ui.s.tx.OpenPlan(ctx, []byte(forNeedles), nil, false); err == nil {
			t.Fatal("it was not cancelled")
		}
		ui.s.Close()
		read := mem.Counts().Reads
		if read < n/3 || read > 2*n/3 {
			t.Fatalf("%d of %d were read", read, n)
		}
		again := mem.CrashClone()
		again.ResetCounts()
		ui, _ = watched(t, again)
		defer ui.s.Close()
		if got := len(ui.hits(ui.open(forNeedles))); got != 10 {
			t.Errorf("%d hits", got)
		}
		// Half was known but for the notes that may hold the word, and a few seconds' worth.
		if more := again.Counts().Reads; more > n-read+n/20 {
			t.Errorf("%d were read, and then %d of %d", read, more, n)
		}
	})
}

// hits gives what a review's only step found.
func (ui *panel) hits(r *protocol.Review) []any {
	ui.t.Helper()
	for _, st := range ui.reviewed().Report.Steps {
		for _, res := range st.Results {
			list, _ := res.Data["hits"].([]any)
			return list
		}
	}
	return nil
}

func TestADiskThatTakesSecondsForEachNoteIsWaitedForToo(t *testing.T) {
	const n = 120
	mem := aHaystack(n, n/10)
	synctest.Test(t, func(t *testing.T) {
		mem.SlowReads(3 * time.Second) // one note after the other: 64 of them take longer than a call may be silent
		ui, told := watched(t, mem)
		defer ui.s.Close()
		began := time.Now()
		r := ui.open(forNeedles)
		if got := len(ui.hits(r)); got != 10 {
			t.Errorf("%d hits after %v", got, time.Since(began))
		}
		if heard := told.all(); len(heard) < 10 {
			t.Errorf("told %d times in %v", len(heard), time.Since(began))
		}
	})
}

func TestTheRowsOfNotesAreMadeOnADiskThatTakesSecondsForEach(t *testing.T) {
	const n = 120
	mem := aHaystack(n, n/10)
	synctest.Test(t, func(t *testing.T) {
		mem.SlowReads(3 * time.Second)
		ui, _ := watched(t, mem)
		defer ui.s.Close()
		ui.open(planOf("find", `{"id":"find","tool":"vault.query","args":{"tags":["x"]}}`))
	})
}
