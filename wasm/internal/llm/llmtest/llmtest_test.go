package llmtest_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/web"
)

func play(t *testing.T, ctx context.Context, p *llmtest.Provider, r llm.Request) (llm.Message, []llm.Event) {
	t.Helper()
	var events []llm.Event
	m, _ := llm.Collect(p.Stream(ctx, r), func(e llm.Event) { events = append(events, e) })
	return m, events
}

func TestAScriptIsPlayed(t *testing.T) {
	p := llmtest.NewProvider(
		llmtest.Say("Hello, world 🌍."),
		llmtest.Call("c1", "vault.read", `{"path":"a.md"}`),
		llmtest.Reply(llm.Block{Type: llm.BlockThinking, Thinking: "Hm.", Signature: "s"}, llm.Text("So."), llm.Block{Type: llm.BlockOpaque, Kind: "k", Raw: []byte("{}")}),
		llmtest.Fail(llm.NewError("llm.error.cut", "host", "h")),
		llmtest.Turn{Blocks: []llm.Block{llm.Call("c2", "vault.read", nil)}, Stop: llm.StopLength, Usage: price.Usage{Input: 7}},
		llmtest.Turn{Answer: func(r llm.Request) llmtest.Turn { return llmtest.Say(r.Messages[0].Text() + "!") }},
		llmtest.Turn{Check: func(llm.Request) error { return errors.New("wrong request") }},
	)
	var got []string
	for p.Left() > 0 {
		m, events := play(t, t.Context(), p, llm.Request{Model: "m", Messages: []llm.Message{llm.UserMessage("Echo")}})
		llmtest.CheckStream(t, events)
		line := string(m.StopReason) + " " + m.Text()
		for _, c := range m.Calls() {
			line += " " + c.ID + string(c.Arguments)
			if !c.Executable() {
				line += "(cut)"
			}
		}
		if m.Error != nil {
			line += " " + m.Error.Key + " " + m.Error.Params["detail"]
		}
		got = append(got, strings.TrimSpace(line))
	}
	want := []string{
		"stop Hello, world 🌍.", `toolUse  c1{"path":"a.md"}`, "stop So.", "error  llm.error.cut", "length  c2{}(cut)",
		"stop Echo!", "error  llm.error.provider wrong request",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if m, _ := play(t, t.Context(), p, llm.Request{}); m.Error == nil || !strings.Contains(m.Error.Message, "no turn for request 8") {
		t.Errorf("beyond the script: %+v", m.Error)
	}
	if len(p.Requests()) != 8 || p.Requests()[0].Model != "m" {
		t.Errorf("%d requests", len(p.Requests()))
	}
}

func TestATurnCanBeHeldUntilItIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		p := llmtest.NewProvider(llmtest.Turn{Blocks: []llm.Block{llm.Text("Half")}, Hold: true, Held: held})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-held
			cancel()
		}()
		m, events := play(t, ctx, p, llm.Request{})
		llmtest.CheckStream(t, events)
		if m.StopReason != llm.StopAborted || m.Text() != "Half" {
			t.Errorf("want StopReason llm.StopAborted and Text \"Half\", got %+v", m)
		}
	})
}

func TestEventsOfOnesOwnArePlayedAsTheyAre(t *testing.T) {
	own := []llm.Event{{Type: llm.EventTextDelta, ContentIndex: 5, Delta: "x"}}
	_, events := play(t, t.Context(), llmtest.NewProvider(llmtest.Turn{Events: own}), llm.Request{})
	if len(events) != 1 || events[0].Delta != "x" {
		t.Errorf("want 1 events and events[0].Delta \"x\", got %+v", events)
	}
}

func TestStreamsThatBreakTheRulesAreFound(t *testing.T) {
	start := llm.Event{Type: llm.EventStart, Message: &llm.Message{}}
	text := llm.Event{Type: llm.EventTextStart, Block: &llm.Block{Type: llm.BlockText}}
	delta := llm.Event{Type: llm.EventTextDelta, Delta: "x"}
	end := llm.Event{Type: llm.EventTextEnd, Block: &llm.Block{Type: llm.BlockText, Text: "x"}}
	said := []llm.Block{{Type: llm.BlockText, Text: "x"}}
	done := llm.Event{Type: llm.EventDone, Message: &llm.Message{StopReason: llm.StopStop, Content: said}}
	failed := llm.NewError("llm.error.cut")
	fail := llm.Event{Type: llm.EventError, Error: failed, Message: &llm.Message{StopReason: llm.StopError, Error: failed, Content: said}}
	if err := llmtest.StreamError([]llm.Event{start, text, delta, end, done}); err != nil {
		t.Fatal(err)
	}
	if err := llmtest.StreamError([]llm.Event{start, text, delta, fail}); err != nil {
		t.Fatal(err)
	}
	with := func(e llm.Event, f func(*llm.Event)) llm.Event {
		m := *e.Message
		e.Message = &m
		f(&e)
		return e
	}
	for name, events := range map[string][]llm.Event{
		"nothing":                      {},
		"no start":                     {text, delta, end, done},
		"two starts":                   {start, start, text, delta, end, done},
		"no end":                       {start, text, delta, end},
		"two ends":                     {start, text, delta, end, done, done},
		"events after the end":         {start, text, delta, end, done, delta},
		"a block that is left open":    {start, text, delta, done},
		"a piece before its block":     {start, delta, text, end, done},
		"an empty piece":               {start, text, {Type: llm.EventTextDelta}, delta, end, done},
		"a block that closes twice":    {start, text, delta, end, end, done},
		"a wrong index":                {start, {Type: llm.EventTextStart, ContentIndex: 3, Block: text.Block}, done},
		"no block":                     {start, {Type: llm.EventTextStart}, done},
		"usage of nothing":             {start, text, delta, end, {Type: llm.EventUsage}, done},
		"an unknown event":             {start, {Type: "surprise"}, text, delta, end, done},
		"no message":                   {start, text, delta, end, {Type: llm.EventDone}},
		"no stop reason":               {start, text, delta, end, with(done, func(e *llm.Event) { e.Message.StopReason = "" })},
		"text that nobody streamed":    {start, text, delta, end, with(done, func(e *llm.Event) { e.Message.Content = []llm.Block{llm.Text("y")} })},
		"a block that nobody streamed": {start, with(done, func(*llm.Event) {})},
		"an error that is not told":    {start, text, delta, with(fail, func(e *llm.Event) { e.Error = nil })},
		"done with an error":           {start, text, delta, end, with(done, func(e *llm.Event) { e.Message.StopReason = llm.StopError })},
		"a cut call that can run": {
			start,
			{Type: llm.EventToolCallStart, Block: &llm.Block{Type: llm.BlockToolCall, ToolCall: &llm.ToolCall{ID: "a"}}},
			with(fail, func(e *llm.Event) { e.Message.Content = []llm.Block{llm.Call("a", "b", []byte("{}"))} }),
		},
	} {
		if llmtest.StreamError(events) == nil {
			t.Errorf("%s is not noticed", name)
		}
	}
}

func TestATransportFollowsItsScript(t *testing.T) {
	cut := errors.New("reset")
	tr := llmtest.NewTransport(
		llmtest.Answer{Status: 429, Header: map[string]string{"retry-after": "1"}, Body: []byte("abcdef"), Chunk: 4},
		llmtest.Answer{Body: []byte("abcdef"), CutAfter: 3, CutWith: cut},
		llmtest.Answer{Body: []byte("abcdef"), CutAfter: -1},
		llmtest.Answer{Refuse: cut},
	)
	read := func() (string, error) {
		answer, err := tr.Do(t.Context(), web.Request{Method: "POST"})
		if err != nil {
			return "", err
		}
		defer answer.Close()
		out := answer.Header("Retry-After") + ":"
		for {
			chunk, err := answer.Read(t.Context())
			if err != nil {
				return out, err
			}
			out += string(chunk) + "|"
		}
	}
	for i, want := range []struct {
		text string
		err  error
	}{{"1:abcd|ef|", io.EOF}, {":abc|", cut}, {":", io.ErrUnexpectedEOF}, {"", cut}} {
		if text, err := read(); text != want.text || !errors.Is(err, want.err) {
			t.Errorf("%d: want text equal to want.text and the error want.err, got %q %v", i, text, err)
		}
	}
	if _, err := read(); err == nil || len(tr.Requests()) != 5 || tr.Closed() != 3 {
		t.Errorf("%v, %d requests, %d closed", err, len(tr.Requests()), tr.Closed())
	}
}

func TestDisordersChangeOneEvent(t *testing.T) {
	got := map[string]bool{}
	for _, d := range llmtest.Disorders([]byte("a\n\nb\n\n")) {
		got[strings.ReplaceAll(string(d), "\n\n", "")] = true
	}
	for _, want := range []string{"a", "b", "aab", "abb", "ba"} {
		if !got[want] {
			t.Errorf("%s is missing: %v", want, got)
		}
	}
}
