package chat

import (
	"context"
	"strconv"

	"embedded-agent/wasm/internal/finding"
	"embedded-agent/wasm/internal/hollow"
	"embedded-agent/wasm/internal/leftout"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool/builtin"
	"embedded-agent/wasm/internal/transaction"
)

// found gives the turn what a plan found, and says whether that is all there is to it:
// then it is the answer, and no review is shown.
func (t *turn) found(rv *transaction.Review) bool {
	view := rv.View
	if view.Findings == nil {
		return false
	}
	f := *view.Findings
	f.Plan = t.room.deps.Out.Redact(view.Plan)
	if f.Done { // else the review says it
		f.LeftOut, f.Notes = leftout.Of(view.Steps), append(f.Notes, view.Warnings...)
		for _, st := range view.Steps {
			if st.Cut != nil {
				f.Notes = append(f.Notes, cutNote(&st))
			}
		}
	}
	t.set(func(t *protocol.Turn) {
		t.Findings = &f
		if f.Done {
			t.Outcome, t.Problem, t.Hollow = protocol.TurnAnswer, view.Problem, hollow.Words(t.Reply)
		}
	})
	if f.Done {
		t.room.deps.Transactions.Told(rv)
	}
	return f.Done
}

// cutNote says how much of what there is a step took.
func cutNote(st *protocol.StepPreview) protocol.Message {
	name := st.Text
	if name == "" {
		name = st.ID
	}
	if st.Cut.Total < 0 {
		return protocol.Message{Key: "review.cutUnknown", Params: map[string]string{"step": name}}
	}
	return protocol.Message{Key: "review.cut", Params: map[string]string{
		"step": name, "shown": strconv.Itoa(st.Cut.Shown), "total": strconv.Itoa(st.Cut.Total),
	}}
}

// findingsPlan makes a note; its words are parameters, so that nothing in them is read
// as a reference.
const findingsPlan = `{"goal":"${goal}","assumptions":[],"steps":[{"id":"note","tool":"` + builtin.CreateFile + `","args":{"folder":"","title":"${goal}","content":"${content}"}}]}`

// FindingsNote opens the review of a note with tables in it, as they are shown.
func (room *Chat) FindingsNote(ctx context.Context, p protocol.FindingsNote) (protocol.RunRef, error) {
	if err := room.deps.Transactions.Idle(); err != nil {
		return protocol.RunRef{}, err
	}
	r, err := room.deps.Transactions.OpenPlan(ctx, []byte(findingsPlan), map[string]any{"goal": p.Title, "content": finding.Note(p.Parts)}, false)
	if err != nil {
		return protocol.RunRef{}, err
	}
	return protocol.RunRef{Run: r.Run}, nil
}
