package agent_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/trace"
)

// otlp has the fields of a line that a test reads; package trace proves the whole form.
type otlp struct {
	ResourceSpans []struct {
		ScopeSpans []struct {
			Spans []struct {
				SpanID       string `json:"spanId"`
				ParentSpanID string `json:"parentSpanId"`
				Name         string `json:"name"`
				Attributes   []struct {
					Key   string `json:"key"`
					Value struct {
						StringValue string `json:"stringValue"`
					} `json:"value"`
				} `json:"attributes"`
			} `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

func TestARunLeavesOneTraceOfChecksQuestionsAndCallsThatCorrelateWithItsOutputs(t *testing.T) {
	rec := trace.New(runID)
	k := newKit(t, []llmtest.Turn{
		llmtest.Reply(call("c1", "test.echo", `{"text":"private"}`), call("c2", "test.none", `{}`)), llmtest.Say("Done."),
	}, withTools(echo), withConfig(func(c *agent.Config) { c.Trace = rec }))
	out := k.run("private words")
	line := rec.Take()
	if strings.Contains(string(line), "private") {
		t.Error("contents are in the trace")
	}
	var doc otlp
	if err := json.Unmarshal(line, &doc); err != nil {
		t.Fatal(err)
	}
	var names []string
	root := trace.SpanID(runID, "agent/agent")
	for _, s := range doc.ResourceSpans[0].ScopeSpans[0].Spans {
		names = append(names, s.Name)
		id := ""
		for _, a := range s.Attributes {
			if a.Key == "gen_ai.tool.call.id" {
				id = a.Value.StringValue
			}
		}
		if strings.HasPrefix(s.Name, "execute_tool") && !slices.Contains(out.Outputs.ToolOrder, id) {
			t.Errorf("%s has the call id %q", s.Name, id)
		}
		if s.Name != "policy_check" && s.SpanID != root && s.ParentSpanID != root {
			t.Errorf("%s is not under the run", s.Name)
		}
	}
	slices.Sort(names)
	want := []string{
		"chat script-1", "chat script-1", "execute_tool test.echo", "execute_tool test.none", "invoke_agent embedded-agent",
		"policy_check", "policy_check", "policy_check", "policy_check",
	}
	if !slices.Equal(names, want) {
		t.Errorf("spans %q", names)
	}
	for _, e := range k.events {
		if e.Type == agent.ToolEnd && e.Tool == "test.echo" && !strings.Contains(string(line), trace.SpanID(runID, e.CallID)) {
			t.Error("the span of a call does not follow from its callId")
		}
	}
}

func TestATraceHasNothingOfWhatWasSaid(t *testing.T) {
	rec := trace.New(runID)
	k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.echo", `{"text":"argument"}`), llmtest.Say("reply words")},
		withTools(echo), withConfig(func(c *agent.Config) { c.Trace = rec }))
	k.run("prompt words")
	line := string(rec.Take())
	for _, said := range []string{"prompt words", "argument", "reply words"} {
		if strings.Contains(line, said) {
			t.Errorf("%q is in the spans, which may be exported: they name calls and say how long they took", said)
		}
	}
	if !strings.Contains(line, "test.echo") {
		t.Errorf("the call is missing in %s", line)
	}
}
