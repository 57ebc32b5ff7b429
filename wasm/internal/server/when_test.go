package server

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/leftout"
	"embedded-agent/wasm/internal/protocol"
)

// A condition leaves elements and steps out on purpose: the review says so, and it is
// no failure. What could not be compared is listed by name.
func TestAConditionIsToldInTheReviewAndHoldsInTheRun(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{
		"N/a.md": "---\ndue: 2020-01-01\n---\n", "N/b.md": "---\ndue: TBD\n---\n", "N/c.md": "---\ndue: 2999-01-01\n---\n", "N/d.md": "x\n",
	}})
	ui := begin(t, mem, protocol.Settings{Confirm: "always"})
	before := mem.Snapshot()
	r := ui.open(planOf("overdue",
		`{"id":"q","tool":"vault.query","args":{"folder":"N","fields":["properties"]}}`,
		`{"id":"do","tool":"metadata.set","foreach":{"from":"$steps.q.notes","itemName":"n","when":[{"property":"due","op":"<","value":"today"}]},"args":{"path":"{n.path}","property":"late","value":true}}`,
		`{"id":"many","tool":"vault.createFile","when":[{"property":"$steps.q.count","op":">","value":10}],"args":{"path":"Many.md","content":"x"}}`,
		`{"id":"link","tool":"vault.appendFile","args":{"path":"N/d.md","content":"$steps.many.link"}}`,
		`{"id":"log","tool":"vault.appendFile","args":{"path":"N/d.md","content":"${steps.many.link|\"few\"} ${steps.do.items[*].item.title}"}}`))
	if len(r.Files) != 2 || !r.Approvable || r.Problem != nil {
		t.Fatalf("want 2 Files, a review that can be approved and no Problem, got %+v, %+v", r.Files, r.Problem)
	}
	for i, want := range [][]protocol.Message{
		nil,
		{{Key: "review.met", Params: map[string]string{"n": "1", "total": "4", "when": "due < today"}}},
		{{Key: "review.unmet", Params: map[string]string{"when": "$steps.q.count > 10"}}},
		{{Key: "review.unmetBefore", Params: map[string]string{"step": "many"}}},
		nil,
	} {
		got := r.Steps[i].Notes
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: it differs from what was wanted (-want +got): %s", r.Steps[i].ID, d)
		}
	}
	left := leftout.Of(r.Steps)
	if len(left) != 1 || left[0].Count != 1 || left[0].Total != 4 || left[0].Groups[0].Reason.Key != "skip.compare" || left[0].Groups[0].Items[0].Name != "N/b.md" {
		t.Errorf("want 1 left, left[0].Count 1, left[0].Total 4, left[0].Groups[0].Reason.Key \"skip.compare\" and left[0].Groups[0].Items[0].Name \"N/b.md\", got %+v", left)
	}
	end := ui.approve(r)
	if end.Outcome != "ok" || end.Failed != 0 || end.Skipped != 0 {
		t.Fatalf("%s, %d failed, %d skipped", end.Outcome, end.Failed, end.Skipped)
	}
	if got := ui.text("N/d.md"); got != "x\nfew [\"a\"]\n" {
		t.Errorf("want \"x\\nfew [\\\"a\\\"]\\n\", got %q", got)
	}
	ui.revert(end.Run)
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("after the revert:\n%s", d)
	}
}

// What is taken otherwise than it is written is kept with the run's plan and shown.
func TestWhatWasTakenIsShownWithItsStep(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"N/a.md": "x\n"}})
	ui := begin(t, mem, protocol.Settings{Confirm: "always"})
	r := ui.open(planOf("forgiving",
		`{"id":"q","tool":"vault.query","args":{"folder":"N","limit":"5"}}`,
		`{"id":"log","tool":"vault.createFile","args":{"filePath":"Log.md","content":"{steps.q.count} of {q.count}"}}`))
	notes := r.Steps[1].Notes
	if len(r.Steps[0].Notes) != 1 || len(notes) != 3 || notes[0].Key != "review.taken" || notes[0].Params["from"] != "filePath" || notes[0].Params["to"] != "path" {
		t.Fatalf("want 1 Steps[0].Notes, 3 notes, notes[0].Key \"review.taken\", notes[0].Params[\"from\"] \"filePath\" and notes[0].Params[\"to\"] \"path\", got %+v %+v", r.Steps[0].Notes, notes)
	}
	end := ui.approve(r)
	if got := ui.text("Log.md"); end.Outcome != "ok" || got != "1 of 1" {
		t.Fatalf("%s: want Outcome \"ok\" and \"1 of 1\", got %q", end.Outcome, got)
	}
	if d := call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: end.Run}); !strings.Contains(d.Plan, `"taken"`) || !strings.Contains(d.Plan, `${steps.q.count} of ${steps.q.count}`) {
		t.Errorf("the run keeps %s", d.Plan)
	}
}
