package fold_test

import (
	"encoding/json"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/fold"
	"embedded-agent/wasm/internal/llm/llmtest"
)

// many are tools: one that describes, one of the core, and six others.
func many(names ...string) []llm.Tool {
	var out []llm.Tool
	for _, n := range append([]string{"tools.describe", "a.core"}, names...) {
		out = append(out, llm.Tool{Name: n, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return out
}

var six = []string{"b.one", "b.two", "c.one", "c.two", "c.three", "d.one"}

func folding() *fold.Fold {
	return &fold.Fold{
		Describe: "tools.describe", Core: func(name string) bool { return name == "a.core" },
		Slim: func(t llm.Tool) llm.Tool { t.Description = "slim"; return t },
		Names: func(tools []llm.Tool) string {
			var names []string
			for _, t := range tools {
				names = append(names, t.Name)
			}
			return strings.Join(names, " ")
		},
	}
}

func ask(tools []llm.Tool, messages ...llm.Message) llm.Request {
	return llm.Request{Model: "m", Tools: tools, Messages: append([]llm.Message{llm.SystemMessage("Be good."), llm.UserMessage("hi")}, messages...)}
}

func functions(r llm.Request) string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

func TestTheCoreStaysFunctionsAndTheOthersAreListed(t *testing.T) {
	r := folding().Request(ask(many(six...)))
	if got := functions(r); got != "tools.describe a.core tools.call" {
		t.Error("want \"tools.describe a.core tools.call\", got:", got)
	}
	if r.Tools[1].Description != "slim" {
		t.Errorf("want Tools[1].Description \"slim\", got %+v", r.Tools[1])
	}
	if system, rest := r.System(); !strings.HasPrefix(system, "Be good.\n\n") || !strings.HasSuffix(system, "b.one b.two c.one c.two c.three d.one") || len(rest) != 1 {
		t.Errorf("%q, %d messages", system, len(rest))
	}
}

func TestFewToolsAndToolsThatCannotBeDescribedAreNotFolded(t *testing.T) {
	for name, tools := range map[string][]llm.Tool{"few": many("b.one", "b.two"), "none describes": many(six...)[1:], "none": nil} {
		r := folding().Request(ask(tools))
		if len(r.Tools) != len(tools) || len(r.Messages) != 2 {
			t.Errorf("%s: want as many Tools as len(tools) and 2 Messages, got %s", name, functions(r))
		}
	}
}

func TestACallThroughTheFunctionComesBackAsACallOfTheTool(t *testing.T) {
	for given, want := range map[string]string{
		`{"tool":"b.two","arguments":{"x":1}}`:        `b.two {"x":1}`,
		`{"tool":"b__two","arguments":{"x":1}}`:       `b.two {"x":1}`,
		`{"tool":"b.two","arguments":"{\"x\": 1}"}`:   `b.two {"x": 1}`,
		`{"tool":"b.two","x":1}`:                      `b.two {"x":1}`,
		`{"tool":"b.two"}`:                            `b.two {}`,
		`{"tool":"b.two","arguments":[1]}`:            `b.two raw [1]`,
		`{"tool":"b.two","arguments":"x"}`:            `b.two raw x`,
		`{"arguments":{"x":1}}`:                       `tools.call {"arguments":{"x":1}}`,
		`{"tool":7,"arguments":{"x":1}}`:              `tools.call {"tool":7,"arguments":{"x":1}}`,
		`{"tool":"not.there","arguments":{"x":1}}`:    `not.there {"x":1}`,
		`{"tool":"a.core","arguments":{"x":[1,"a"]}}`: `a.core {"x":[1,"a"]}`,
	} {
		script := llmtest.NewProvider(llmtest.Call("c1", fold.CallName, given))
		var ended llm.ToolCall
		m, err := llm.Collect(fold.New(script, folding()).Stream(t.Context(), ask(many(six...))), func(e llm.Event) {
			if c, ok := e.Call(); ok {
				ended = c
			}
		})
		if err != nil || len(m.Calls()) != 1 {
			t.Fatalf("%s: want no error and 1 Calls, got %v, %+v", given, err, m)
		}
		for _, c := range []llm.ToolCall{m.Calls()[0], ended} {
			got := c.Name + " " + string(c.Arguments)
			if c.Arguments == nil {
				got = c.Name + " raw " + c.RawArguments
			}
			if got != want || c.ID != "c1" {
				t.Errorf("%s came back as %s, want %s", given, got, want)
			}
		}
	}
}

func TestACallThatWasCutOffStaysAsItIs(t *testing.T) {
	turn := llmtest.Call("c1", fold.CallName, `{"tool":"b.two","arguments":{"x":`)
	turn.Stop = llm.StopLength
	m, _ := llm.Collect(fold.New(llmtest.NewProvider(turn), folding()).Stream(t.Context(), ask(many(six...))), nil)
	for _, c := range m.Calls() {
		if !c.Incomplete || c.Name != fold.CallName {
			t.Errorf("want Incomplete true and Name fold.CallName, got %+v", c)
		}
	}
}

func TestWhatWasCalledGoesBackAsItCame(t *testing.T) {
	f := folding()
	call := llm.Call("c1", "b.two", []byte(`{"x":1}`))
	before := []llm.Message{llm.AssistantMessage(call, llm.Call("c2", "a.core", []byte(`{}`))), llm.ToolResult(*call.ToolCall, false, llm.Text("done"))}
	r := f.Request(ask(many(six...), before...))
	sent := r.Messages[len(r.Messages)-2]
	if c := sent.Calls()[0]; c.Name != fold.CallName || string(c.Arguments) != `{"tool":"b.two","arguments":{"x":1}}` || c.ID != "c1" {
		t.Errorf("want Name fold.CallName, Arguments \"{\\\"tool\\\":\\\"b.two\\\",\\\"arguments\\\":{\\\"x\\\":1}}\" and ID \"c1\", got %+v", c)
	}
	if c := sent.Calls()[1]; c.Name != "a.core" {
		t.Errorf("want Name \"a.core\", got %+v", c)
	}
	if got := r.Messages[len(r.Messages)-1].ToolName; got != fold.CallName {
		t.Errorf("the result is of %s", got)
	}
	if before[0].Calls()[0].Name != "b.two" || before[1].ToolName != "b.two" {
		t.Error("the conversation itself was changed")
	}
}
