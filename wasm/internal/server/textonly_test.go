package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// chatStream is a chat completion that says a text in pieces.
func chatStream(text string) []byte {
	var b strings.Builder
	for i := 0; i < len(text); i += 5 {
		piece, _ := json.Marshal(text[i:min(i+5, len(text))])
		fmt.Fprintf(&b, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", piece)
	}
	b.WriteString("data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	return []byte(b.String())
}

// block is a call as a model that can only talk writes it.
func block(name, arguments string) string {
	args, _ := json.Marshal(arguments)
	return fmt.Sprintf("<tool_call>{\"name\":%q,\"arguments\":%s}</tool_call>", name, args)
}

func newTextPanel(t *testing.T, answers ...string) (*panel, *llmtest.Transport) {
	t.Helper()
	ui := &panel{t: t, mem: ideasVault()}
	ui.cond.L = &ui.mu
	var as []llmtest.Answer
	for _, a := range answers {
		as = append(as, llmtest.Answer{Header: map[string]string{"content-type": "text/event-stream"}, Body: chatStream(a)})
	}
	tr := llmtest.NewTransport(as...)
	s, err := New(Deps{Host: ui.mem.Host(), Transport: tr, Emit: ui.hear})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: protocol.Settings{
		Provider: "text", BaseURL: "http://127.0.0.1:1/v1", Model: "talker", Streaming: true,
	}})
	return ui, tr
}

func TestAModelThatCanOnlyTalkPlansByWritingACall(t *testing.T) {
	ui, tr := newTextPanel(t, "I make one note for each bullet.\n"+block("submit_plan", bulletsPlan))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "make notes", Mode: protocol.ModePlan, UseSelection: true})
	r := ui.review()
	if !r.Approvable || len(r.Files) == 0 {
		t.Fatalf("want a review that can be approved and some Files, got %+v", r)
	}
	if body := string(tr.Requests()[0].Body); strings.Contains(body, `"tools"`) {
		t.Error("the endpoint was offered tools")
	}
}

func TestAModelThatCanOnlyTalkActsByWritingCalls(t *testing.T) {
	ui, _ := newTextPanel(t,
		block("vault.createFile", `{"path":"Said.md","content":"quotes <tool_call> itself"}`),
		"Done.")
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "write it", Mode: protocol.ModeAgent, Conversation: "c"})
	r := ui.review()
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	if end := ui.finished(); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
	}
	if got, _ := ui.mem.File("Said.md"); string(got) != "quotes <tool_call> itself" {
		t.Fatalf("want \"quotes <tool_call> itself\", got %q", got)
	}
}
