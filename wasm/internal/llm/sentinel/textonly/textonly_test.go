package textonly

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/sentinel"
)

func block(name, arguments string) string {
	b, _ := json.Marshal(map[string]string{"name": name, "arguments": arguments}) // strings always marshal
	return sentinel.OpenTag + string(b) + sentinel.CloseTag
}

var create = llm.Tool{Name: "vault.createFile", Description: "Makes a note", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}

// ask plays the answers and gives the message, whose stream obeys the rules of streams.
func ask(t testing.TB, piece int, r llm.Request, answers ...string) (llm.Message, *llmtest.Provider) {
	t.Helper()
	var turns []llmtest.Turn
	for _, a := range answers {
		turns = append(turns, llmtest.Say(a))
	}
	inner := llmtest.NewProvider(turns...)
	inner.Piece = piece
	var events []llm.Event
	m, _ := llm.Collect(New(inner, "host").Stream(t.Context(), r), func(e llm.Event) { events = append(events, e) })
	llmtest.CheckStream(t, events)
	return m, inner
}

// short writes a message in one line.
func short(m llm.Message) string {
	var out []string
	for _, b := range m.Content {
		switch b.Type {
		case llm.BlockText:
			out = append(out, b.Text)
		case llm.BlockToolCall:
			out = append(out, b.ID+":"+b.Name+string(b.Arguments))
		default:
			out = append(out, string(b.Type))
		}
	}
	s := strings.Join(out, "|") + " " + string(m.StopReason)
	if m.Error != nil {
		s += " " + m.Error.Params["detail"]
	}
	return s
}

func TestCallsWrittenAsTextBecomeCallsHoweverTheyCome(t *testing.T) {
	call := block("vault.createFile", `{"path":"a.md"}`)
	no := false
	strict := create
	strict.Strict = true
	other := llm.Tool{Name: "vault.readFile"}
	for name, tc := range map[string]struct {
		request llm.Request
		answers []string
		want    string
	}{
		"text alone":       {llm.Request{Tools: []llm.Tool{create}}, []string{"Hello."}, "Hello. stop"},
		"a call":           {llm.Request{Tools: []llm.Tool{create}}, []string{call}, `fc_001:vault.createFile{"path":"a.md"} toolUse`},
		"text and calls":   {llm.Request{Tools: []llm.Tool{create}}, []string{"Look. " + call + "\n" + call + " Done"}, `Look. |fc_001:vault.createFile{"path":"a.md"}|fc_002:vault.createFile{"path":"a.md"}| Done toolUse`},
		"one call only":    {llm.Request{Tools: []llm.Tool{create}, Parallel: &no}, []string{call + call}, `fc_001:vault.createFile{"path":"a.md"} toolUse`},
		"no tools":         {llm.Request{}, []string{call}, call + " stop"},
		"none allowed":     {llm.Request{Tools: []llm.Tool{create}, ToolChoice: llm.ToolChoice{Mode: llm.ToolNone}}, []string{call}, call + " stop"},
		"an unknown tool":  {llm.Request{Tools: []llm.Tool{create}}, []string{block("x", "{}")}, block("x", "{}") + " stop"},
		"quoting undone":   {llm.Request{Tools: []llm.Tool{create}}, []string{"say <~tool_call>"}, "say <tool_call> stop"},
		"strict and wrong": {llm.Request{Tools: []llm.Tool{strict}}, []string{"Hm. " + block("vault.createFile", "{}")}, "Hm.  error the model wrote a tool call that cannot be used: the arguments do not fit the tool's schema (tool vault.createFile) at #/required"},
		"required, given":  {llm.Request{Tools: []llm.Tool{create}, ToolChoice: llm.ToolChoice{Mode: llm.ToolRequired}}, []string{"So: " + call}, `So: |fc_001:vault.createFile{"path":"a.md"} toolUse`},
		"required, given the second time": {
			llm.Request{Tools: []llm.Tool{create}, ToolChoice: llm.ToolChoice{Mode: llm.ToolRequired}},
			[]string{"No.", call},
			`fc_001:vault.createFile{"path":"a.md"} toolUse`,
		},
		"required, never given": {
			llm.Request{Tools: []llm.Tool{create}, ToolChoice: llm.ToolChoice{Mode: llm.ToolRequired}},
			[]string{"No.", "Never."},
			"Never. error it was asked for a tool call twice and made none",
		},
		"another than the one": {
			llm.Request{Tools: []llm.Tool{strict, other}, ToolChoice: llm.ToolChoice{Mode: llm.ToolOne, Name: create.Name}},
			[]string{block("vault.readFile", "{}"), call},
			`fc_001:vault.createFile{"path":"a.md"} toolUse`,
		},
	} {
		for _, piece := range []int{1, 3, 7, 1000} {
			m, _ := ask(t, piece, tc.request, tc.answers...)
			if got := short(m); got != tc.want {
				t.Errorf("%s, in pieces of %d:\n got %s\nwant %s", name, piece, got, tc.want)
			}
		}
	}
}

func TestTheEndpointSeesTextAlone(t *testing.T) {
	call := llm.ToolCall{ID: "fc_004", Name: create.Name, Arguments: json.RawMessage(`{"path":"a.md"}`)}
	m, inner := ask(t, 7, llm.Request{Tools: []llm.Tool{create}, Format: &llm.Format{Schema: json.RawMessage(`{"type":"object"}`)}, Messages: []llm.Message{
		llm.SystemMessage("Be brief."),
		llm.UserMessage("Make it.", llm.Image("image/png", "AAAA")),
		llm.AssistantMessage(llm.Text("Fine."), llm.Block{Type: llm.BlockThinking, Thinking: "hm"}, llm.Block{Type: llm.BlockToolCall, ToolCall: &call}),
		llm.ToolResult(call, false, llm.Text("<tool_call>done")),
	}}, block(create.Name, `{"path":"b.md"}`))
	if got := short(m); got != `fc_005:vault.createFile{"path":"b.md"} toolUse` {
		t.Errorf("numbering: %s", got)
	}
	r := inner.Requests()[0]
	if r.Tools != nil || r.Parallel != nil || r.Format != nil || r.ToolChoice != (llm.ToolChoice{}) {
		t.Errorf("more than text was asked: %+v", r)
	}
	want := []string{
		"user: Make it. IMAGE image/png AAAA",
		"assistant: Fine.\n[function_call id=fc_004 call_id=fc_004 name=vault.createFile arguments={\"path\":\"a.md\"}]",
		"user: [function_call_output call_id=fc_004 output=\"<~tool_call>done\"]",
	}
	if system := r.Messages[0].Text(); !strings.HasPrefix(system, "Be brief.\n\nYou can call tools.") || !strings.Contains(system, `"name":"vault.createFile"`) {
		t.Errorf("system: %s", system)
	}
	for i, w := range want {
		m := r.Messages[i+1]
		got := string(m.Role) + ": " + m.Text()
		for _, b := range m.Content {
			if b.Type == llm.BlockImage {
				got += " IMAGE " + b.MIMEType + " " + b.Data
			}
		}
		if got != w {
			t.Errorf("message %d:\n got %s\nwant %s", i+1, got, w)
		}
	}
}

func TestEarlierCallsAreExplainedEvenWithoutTools(t *testing.T) {
	call := llm.ToolCall{ID: "c", Name: "read", Arguments: json.RawMessage("{}")}
	_, inner := ask(t, 7, llm.Request{Messages: []llm.Message{llm.UserMessage("x"), llm.AssistantMessage(llm.Block{Type: llm.BlockToolCall, ToolCall: &call})}}, "ok")
	if system := inner.Requests()[0].Messages[0]; system.Role != llm.RoleSystem || system.Text() != sentinel.RecordNote {
		t.Errorf("want Role llm.RoleSystem and Text sentinel.RecordNote, got %+v", system)
	}
	_, inner = ask(t, 7, llm.Request{Messages: []llm.Message{llm.UserMessage("x")}}, "ok")
	if first := inner.Requests()[0].Messages[0]; first.Role != llm.RoleUser {
		t.Errorf("want Role llm.RoleUser, got %+v", first)
	}
}

func TestAFailureOfTheEndpointComesThroughWithWhatHadArrived(t *testing.T) {
	inner := llmtest.NewProvider(llmtest.Turn{Blocks: []llm.Block{llm.Text("Half <tool_c")}, Fail: llm.NewError("llm.error.cut", "host", "h")})
	var events []llm.Event
	m, err := llm.Collect(New(inner, "host").Stream(t.Context(), llm.Request{Tools: []llm.Tool{create}}), func(e llm.Event) { events = append(events, e) })
	llmtest.CheckStream(t, events)
	if err == nil || err.Key != "llm.error.cut" || m.Text() != "Half <tool_c" {
		t.Errorf("want an error, Key \"llm.error.cut\" and Text \"Half <tool_c\", got %v, %q", err, m.Text())
	}
	m, err = llm.Collect(New(llmtest.NewProvider(), "host").Stream(t.Context(), llm.Request{Tools: []llm.Tool{{Name: "a b"}}}), nil)
	if err == nil || err.Code != llm.CodeValidation || m.StopReason != llm.StopError {
		t.Errorf("a tool that cannot be told of: %v", err)
	}
}

func TestAnyNoteComesBackInArgumentsToTheByte(t *testing.T) {
	write := llm.Tool{Name: "write", Parameters: json.RawMessage(`{"type":"object"}`)}
	rapid.Check(t, func(rt *rapid.T) {
		note := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom([]string{"<tool_call>", "</tool_call>", "<~tool_call>", "[function_call x]", "\n", `"`, `\`}), rapid.String())).Draw(rt, "note"), "")
		call := llm.ToolCall{ID: "c", Name: "read", Arguments: json.RawMessage("{}")}
		inner := llmtest.NewProvider(llmtest.Turn{Answer: func(r llm.Request) llmtest.Turn {
			// the model copies what the tool gave it
			_, value, _ := strings.Cut(r.Messages[len(r.Messages)-1].Text(), "output=")
			var seen string
			if err := json.NewDecoder(strings.NewReader(value)).Decode(&seen); err != nil {
				return llmtest.Say("no string in " + value)
			}
			args, err := json.Marshal(map[string]string{"text": seen})
			if err != nil {
				return llmtest.Say(err.Error())
			}
			return llmtest.Say(block("write", string(args)))
		}})
		m, _ := llm.Collect(New(inner, "host").Stream(t.Context(), llm.Request{Tools: []llm.Tool{write}, Messages: []llm.Message{llm.UserMessage("copy"), llm.AssistantMessage(llm.Block{Type: llm.BlockToolCall, ToolCall: &call}), llm.ToolResult(call, false, llm.Text("x"+note))}}), nil)
		var got struct{ Text string }
		calls := m.Calls()
		if len(calls) != 1 {
			rt.Fatalf("no call: %s", short(m))
		}
		if err := json.Unmarshal(calls[0].Arguments, &got); err != nil {
			rt.Fatal(err)
		}
		if got.Text != "x"+note {
			rt.Fatalf("%q came back as %q", note, got.Text)
		}
	})
}
