package designtest

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

func TestThePlanOfThePageMakesTheCallsThatItShows(t *testing.T) {
	p := open(t, "plan-language.md")
	c := start(t, map[string]string{"Inbox.md": p.given("note")}, protocol.Settings{Provider: "openai"})
	r := c.review(p.given("plan"))
	if r.Problem != nil {
		t.Fatalf("the simulation failed: %+v", r.Problem)
	}
	if end := c.approve(*r); end.Outcome != "ok" {
		t.Fatalf("the run ended as %s: %+v", end.Outcome, end.Problem)
	}
	p.shows("calls", list(c.calls(r.Run), func(c tool.Call) string { return c.StepID + "  " + c.Tool + "  " + compact(t, c.Args) }))
	note, there := c.mem.File("Inbox.md")
	if !there {
		t.Fatal("the run removed the note")
	}
	p.shows("after", string(note))
	p.shows("problems", broken(t, p.given("broken")))
}

// calls are the calls of a run, in the order of the plan: calls of one loop are
// made beside each other.
func (c *core) calls(run string) []tool.Call {
	c.t.Helper()
	var calls []tool.Call
	for _, line := range c.records(run, "calls.jsonl") {
		var one tool.Call
		if err := json.Unmarshal(line, &one); err != nil {
			c.t.Fatal(err)
		}
		calls = append(calls, one)
	}
	slices.SortFunc(calls, func(a, b tool.Call) int { return cmp.Compare(a.Seq, b.Seq) })
	return calls
}

// broken tells what the check finds in a plan: the step, the field, and the key
// of the message.
func broken(t *testing.T, text string) string {
	t.Helper()
	raw, found := plan.Extract(text)
	if !found {
		t.Fatal("the page's broken plan is not taken for a plan")
	}
	p, problems := plan.Decode(raw, plan.Limits{})
	if p != nil {
		reg, err := tool.NewRegistry(builtin.All()...)
		if err != nil {
			t.Fatal(err)
		}
		_, problems = plan.Check(p, reg, plan.Rules{})
	}
	return list(problems, func(p plan.Problem) string { return p.Step + "  " + p.Field + "  " + p.Key })
}
