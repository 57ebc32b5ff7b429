package designtest

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/google/uuid"

	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

func TestThePlanOfThePageLeavesTheEnvelopesThatItShows(t *testing.T) {
	p := open(t, "tool-calls.md")
	c := start(t, map[string]string{"List.md": p.given("note")}, protocol.Settings{Provider: "openai"})
	r := c.review(p.given("plan"))
	c.approve(*r)

	calls := c.records(r.Run, "calls.jsonl")
	p.shows("call", pretty(t, without(object(t, calls[0]),
		"callId", "runId", "createdAt", "deadlineAt", "confirmationId", "executorVersion", "toolRegistryVersion", "policy")))
	results := c.records(r.Run, "results.jsonl")
	p.shows("result", pretty(t, without(timeless(t, results[0]), "userMessage")))
	failed := timeless(t, results[1])
	if e, is := failed["error"].(map[string]any); is {
		without(e, "message", "key")
	}
	p.shows("failure", pretty(t, without(failed, "userMessage")))
	p.shows("events", list(c.records(r.Run, "events.jsonl"), func(raw []byte) string {
		var e struct{ Type, StepID, Tool string }
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		if e.StepID == "" {
			return e.Type
		}
		return e.Type + "  " + e.StepID + "  " + e.Tool
	}))
	checkIDs(t, calls)
	p.shows("receipt", receipt(t, c.calls(r.Run)[0], results[0]))
}

// timeless is a result without its ids and times.
func timeless(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	return without(object(t, raw), "callId", "runId", "startedAt", "endedAt", "durationMs")
}

// checkIDs proves what the page says of callId.
func checkIDs(t *testing.T, calls [][]byte) {
	t.Helper()
	for _, raw := range calls {
		var c tool.Call
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		run, err := uuid.Parse(c.RunID)
		if err != nil {
			t.Fatal(err)
		}
		if want := uuid.NewSHA1(run, []byte(c.LogicalID+"#"+strconv.Itoa(c.Attempt))).String(); c.CallID != want {
			t.Errorf("callId of %s is %s, not the UUIDv5 %s that the page promises", c.StepID, c.CallID, want)
		}
	}
}

// receipt gives an agent's record of a call, out of its outputs.
func receipt(t *testing.T, c tool.Call, result []byte) string {
	t.Helper()
	var r tool.Result
	if err := json.Unmarshal(result, &r); err != nil {
		t.Fatal(err)
	}
	return pretty(t, without(object(t, []byte(compact(t, tool.NewEnvelope(&c, &r)))), "t_start", "t_end"))
}
