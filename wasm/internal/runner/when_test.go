package runner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

func TestAStepWhoseConditionDoesNotHoldIsNotDoneAndNothingHasFailed(t *testing.T) {
	for count, want := range map[string]string{"0": "a 1, b 0, c 0, d 1, e 1, f 1", "2": "a 1, b 1, c 1, d 1, e 1, f 1"} {
		k := newKit(t, echo)
		var told []int
		c := k.config(
			`{"id":"a","tool":"t.read","args":{"n":`+count+`}}`,
			`{"id":"b","tool":"t.write","args":{"path":"b"},"when":[{"property":"$steps.a.got.n","op":">","value":1}],"captureAs":"made"}`,
			`{"id":"c","tool":"t.write","args":{"path":"${steps.b.got.path}c"}}`,
			`{"id":"d","tool":"t.pure","args":{"x":"${steps.b.got.path|\"nothing\"}"}}`,
			`{"id":"e","tool":"t.pure","args":{},"dependsOn":["b","c"]}`,
			`{"id":"f","tool":"t.pure","args":{},"when":[{"property":"$vars.made.got","op":"`+map[string]string{"0": "missing", "2": "exists"}[count]+`"}]}`,
		)
		c.Simulating = true
		c.Events.Expanded = func(_ *plan.Node, n int) { told = append(told, n) }
		r := Run(t.Context(), c)
		var got []string
		for _, s := range r.Steps {
			got = append(got, fmt.Sprintf("%s %d", s.Node.Step.ID, len(s.Results)))
			if s.Status != tool.OK || s.Cause != nil {
				t.Errorf("%s: want Status tool.OK and no Cause, got %s, %v", s.Node.Step.ID, s.Status, s.Cause)
			}
		}
		if all := strings.Join(got, ", "); all != want || r.Stopped != nil {
			t.Errorf("%s: want all equal to want and no Stopped, got %s, %v", count, all, r.Stopped)
		}
		if st, e := r.Failure(); st != nil || e != nil || len(told) != 6 {
			t.Errorf("%s: %v, %v, told %v", count, st, e, told)
		}
		if count == "0" && (!r.Steps[1].Unmet || r.Steps[2].CauseStep != "b" || !r.Steps[2].Unmet || r.Steps[3].Unmet) {
			t.Errorf("want the steps after an unmet condition to name their cause, got %+v", r.Steps[2])
		}
	}
}

func TestALoopsConditionMakesFewerCallsAndNumbersThem(t *testing.T) {
	k := newKit(t, echo)
	c := k.config(`{"id":"a","tool":"t.pure","args":{"x":"{index} {n.p}"},"foreach":{"from":[{"p":"a","d":"2026-01-01"},{"p":"b","d":"2027-01-01"},{"p":"c","d":"TBD"},{"p":"d","d":"2026-02-01"}],` +
		`"itemName":"n","when":[{"property":"d","op":"<","value":"today"}]}}`)
	c.Day = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	r := Run(t.Context(), c)
	s := r.Steps[0]
	if got := fmt.Sprint(s.Output.(map[string]any)["items"]); got != "[map[got:map[x:0 a] item:map[d:2026-01-01 p:a]] map[got:map[x:1 d] item:map[d:2026-02-01 p:d]]]" {
		t.Error("want each result beside its item, got:", got)
	}
	if s.Of != 4 || len(s.Results) != 2 || len(s.Skipped) != 1 || !strings.Contains(s.Skipped[0].Path, `"p":"c"`) || s.Status != tool.OK {
		t.Errorf("of %d, %d calls, %+v", s.Of, len(s.Results), s.Skipped)
	}
	if ok, failed, skipped := r.Counts(); ok != 2 || failed+skipped != 0 {
		t.Errorf("%d ok, %d failed, %d skipped", ok, failed, skipped)
	}
}

func TestAStepWhoseConditionCannotBeTestedFails(t *testing.T) {
	k := newKit(t, echo)
	c := k.config(
		`{"id":"a","tool":"t.pure","args":{"n":"TBD"}}`,
		`{"id":"b","tool":"t.write","args":{"path":"b"},"when":[{"property":"$steps.a.got.n","op":"<","value":"2026-01-01"}]}`,
	)
	r := Run(t.Context(), c)
	if st, e := r.Failure(); st == nil || st.Node.Step.ID != "b" || e.Key != "tools.compare.not" || r.Stopped == nil || len(k.calls) != 1 {
		t.Errorf("want something, Node.Step.ID \"b\", Key \"tools.compare.not\", Stopped set and 1 calls, got %v %v", r.Stopped, status(r))
	}
}
