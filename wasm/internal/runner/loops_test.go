package runner

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

// picky is a tool that fails, by the error given for it, for some of what it is
// called with.
func picky(fails map[string]error) work {
	return func(_ context.Context, _ string, args tool.Args) (tool.Data, error) {
		path := args.String("path")
		if err := fails[path]; err != nil {
			return nil, err
		}
		return tool.Data{"path": path}, nil
	}
}

func missing(path string) error {
	return fault.New(fault.NotFound, "tools.note.missing", fault.P{"path": path})
}

// loop is a step for the paths a, b and c, with what else the step says.
func loop(more string) string {
	return `{"id":"a","tool":"t.write","args":{"path":"{p}"},"foreach":{"from":["a","b","c"],"itemName":"p"}` + more + `}`
}

func TestALoopThatSaysNothingOfErrorsLeavesOutWhatFailsAndGoesOn(t *testing.T) {
	for _, more := range []string{"", `,"retry":{"maxAttempts":2}`, `,"onError":"retry","retry":{"maxAttempts":1}`} {
		k := newKit(t, picky(map[string]error{"b": missing("b")}))
		c := k.config(loop(more), `{"id":"next","tool":"t.pure","args":{"left":"$steps.a.skipped","made":"$steps.a.items"}}`)
		c.Simulating = true
		r := Run(t.Context(), c)
		if r.Stopped != nil || r.Steps[0].Status != tool.OK || r.Steps[1].Status != tool.OK {
			t.Fatalf("%s: want no Stopped, Steps[0].Status tool.OK and Steps[1].Status tool.OK, got %v: %s", more, r.Stopped, status(r))
		}
		want := "map[items:[map[item:a path:a] map[item:c path:c]] skipped:[map[path:b reason:It does not exist]]]"
		if got := fmt.Sprint(r.Steps[0].Output); got != want {
			t.Errorf("%s: got %s, want %s", more, got, want)
		}
		if left := r.Steps[0].Skipped; len(left) != 1 || left[0].Path != "b" || left[0].Why.Code != fault.NotFound {
			t.Errorf("%s: want 1 left, left[0].Path \"b\" and left[0].Why.Code fault.NotFound, got %+v", more, left)
		}
	}
}

func TestALoopThatSaysFailEndsWithTheFirstFailure(t *testing.T) {
	for _, more := range []string{`,"onError":"fail"`, `,"onError":"stop"`} {
		k := newKit(t, picky(map[string]error{"b": missing("b")}))
		c := k.config(loop(more))
		c.Simulating = true
		r := Run(t.Context(), c)
		if r.Stopped == nil || r.Stopped.Code != fault.NotFound || r.Steps[0].Status != tool.StatusError || r.Steps[0].Skipped != nil {
			t.Errorf("%s: want Stopped set, Stopped.Code fault.NotFound, Steps[0].Status tool.StatusError and no Steps[0].Skipped, got %v: %s", more, r.Stopped, status(r))
		}
		if ok, failed, left := r.Counts(); ok != 1 || failed != 1 || left != 1 {
			t.Errorf("%s: %d ok, %d failed, %d not reached", more, ok, failed, left)
		}
	}
}

func TestALoopInWhichEveryElementFailsHasFailed(t *testing.T) {
	k := newKit(t, picky(map[string]error{"a": missing("a"), "b": missing("b"), "c": missing("c")}))
	c := k.config(loop(""), `{"id":"next","tool":"t.pure","args":{"made":"$steps.a.items"}}`)
	c.Simulating = true
	r := Run(t.Context(), c)
	if step, cause := r.Failure(); r.Stopped == nil || cause == nil || step.Node.Step.ID != "a" || cause.Params["path"] != "a" {
		t.Fatalf("%v: want Stopped set, cause set, Node.Step.ID \"a\" and Params[\"path\"] \"a\", got %s", r.Stopped, status(r))
	}
}

func TestALoopEndsWithWhatIsNotOfOneElement(t *testing.T) {
	for name, err := range map[string]error{
		"a fault of this program": errors.New("broken"),
		"a key that is missing":   fault.New(fault.Auth, "error.secret.needed", nil),
		"a limit of the plan":     fault.New(fault.Denied, "error.plan.tooMuch", nil),
	} {
		k := newKit(t, picky(map[string]error{"b": err}))
		c := k.config(loop(""))
		c.Simulating = true
		if r := Run(t.Context(), c); r.Stopped == nil || r.Steps[0].Status == tool.OK {
			t.Errorf("%s: want Stopped set and Steps[0].Status other than tool.OK, got %v: %s", name, r.Stopped, status(r))
		}
	}
}

func TestWhatFailsInARunAloneEndsALoopThatSaysNothingOfErrors(t *testing.T) {
	k := newKit(t, picky(map[string]error{"b": missing("b")}))
	if r := Run(t.Context(), k.config(loop(""))); r.Stopped == nil || r.Steps[0].Status == tool.OK {
		t.Errorf("nobody has approved that the note is left out: %s", status(r))
	}
}

func TestTheDefaultsOfAPlanHoldForItsLoops(t *testing.T) {
	for onError, want := range map[string]string{"stop": plan.OnErrorStop, "fail": plan.OnErrorStop, "skip": plan.OnErrorSkip, "retry": plan.OnErrorItem} {
		raw := `{"goal":"g","defaults":{"onError":"` + onError + `"},"steps":[` + loop("") + `]}`
		p, problems := plan.Decode([]byte(raw), plan.Limits{})
		if p == nil || plan.Failed(problems) {
			t.Fatal("want something, got:", plan.Fault(problems))
		}
		g, problems := plan.Check(p, newKit(t, echo).reg, plan.Rules{MaxAttempts: 9, MaxBackoffMs: 9999})
		if g == nil || plan.Failed(problems) {
			t.Fatal("want something, got:", plan.Fault(problems))
		}
		if got := g.Nodes[0].OnError; got != want {
			t.Errorf("%s: got %s, want %s", onError, got, want)
		}
	}
}
