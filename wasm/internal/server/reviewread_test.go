//go:build !js

package server

import (
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/transaction"
)

// readWhole reads all of a review that others can see.
func readWhole(t *testing.T, rv *transaction.Review) string {
	view, err := json.Marshal(rv.View)
	if err != nil {
		t.Error(err)
	}
	changes, err := json.Marshal(rv.Changes)
	if err != nil {
		t.Error(err)
	}
	amended, err := json.Marshal([]any{rv.Asked.MustAsk, rv.Warnings, rv.Now, rv.Frozen.Results()})
	if err != nil {
		t.Error(err)
	}
	calls := 0
	for _, st := range rv.Report.Steps {
		for _, r := range st.Results {
			if rv.Called[r.LogicalID] != nil {
				calls++
			}
		}
	}
	if calls == 0 || len(rv.Vault.Log()) == 0 {
		t.Error("the review that is held has lost its calls")
	}
	return string(view) + string(changes) + string(amended)
}

// The race detector finds what is written to a review that somebody reads. There
// is none as wasm, where readers that never rest let nothing else run.
func TestAReviewIsReadWithoutALockWhileItIsSimulatedAnew(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\nb\nc\n", "B.md": "b\n", "C.md": "c\n"}}), free)
	plan := planOf("change",
		`{"id":"s","tool":"vault.appendFile","args":{"path":"{n}","content":"more\n"},"foreach":{"from":["A.md","B.md","C.md"],"itemName":"n"}}`)
	r := ui.open(plan)
	held := ui.reviewed()
	was := readWhole(t, held)
	shown := slices.Clone(held.Changes)

	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if readWhole(t, held) != was {
					t.Error("a review that is held has changed")
					return
				}
				now, err := ui.s.tx.Open(r.Run)
				if err != nil {
					t.Error(err)
					return
				}
				readWhole(t, now)
				if _, err := ui.s.tx.File(t.Context(), protocol.FileRef{Run: r.Run, Path: "B.md"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		for _, a := range []protocol.Amendment{
			{Kind: protocol.AmendDrop, Path: "A.md"},
			{Kind: protocol.AmendEdit, Path: "C.md", Text: "mine\n"},
			{Kind: protocol.AmendKeep, Path: "A.md"},
			{Kind: protocol.AmendHunks, Path: "A.md", Rejected: []int{}},
			{Kind: protocol.AmendReset, Path: "C.md"},
			{Kind: protocol.AmendAgain},
			{Kind: protocol.AmendPlan, Plan: plan},
		} {
			a.Run = r.Run
			call[protocol.Review](ui, "review.amend", a)
		}
	}
	close(stop)
	readers.Wait()
	if readWhole(t, held) != was || !reflect.DeepEqual(held.Changes, shown) {
		t.Error("a review that is held has changed")
	}
	if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: "of another"}); !fault.Is(err, fault.Conflict) {
		t.Errorf("approved what is not shown: %v", err)
	}
	if ui.reviewed() == held {
		t.Error("the review was changed in its place")
	}
}
