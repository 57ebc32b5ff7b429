//go:build !js

package proxy

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
)

// chat posts a request of Chat Completions and gives the status and the body.
func (s *system) chat(body string) (int, []byte) {
	s.t.Helper()
	resp, err := s.postTo(context.Background(), "/v1/chat/completions", body)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, raw
}

// readChat reads an answer as the plugin does.
func readChat(t *testing.T, raw []byte) llm.Message {
	t.Helper()
	events := llmtest.Decode(chat.Dialect{}, llm.Endpoint{BaseURL: "http://127.0.0.1/v1"}, llm.Request{Model: "m"}, raw, 50)
	llmtest.CheckStream(t, events)
	return *events[len(events)-1].Message
}

// told writes a message shortly.
func told(m llm.Message) string {
	out := m.Text()
	for _, c := range m.Calls() {
		out += "|" + c.ID + ":" + c.Name + string(c.Arguments)
	}
	if m.Error != nil {
		return out + "!" + m.Error.Params["code"]
	}
	return out + "." + string(m.StopReason)
}

func TestChatCompletionsGiveTheSameStreamedAndWhole(t *testing.T) {
	const talk = `"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Oslo?"}]`
	const tools = `"tools":[` + nestedTool + `,{"type":"function","function":{"name":"get_time"}}]`
	for name, tc := range map[string]struct{ says, request, want string }{
		"text":             {"Hello 🦊.", talk, "Hello 🦊..stop"},
		"a call":           {oslo, talk + "," + tools, `|fc_001:get_weather{"city":"Oslo"}.toolUse`},
		"text and calls":   {"So: " + oslo + block("get_time", "{}"), talk + "," + tools, `So: |fc_001:get_weather{"city":"Oslo"}|fc_002:get_time{}.toolUse`},
		"one call":         {oslo + oslo, talk + "," + tools + `,"parallel_tool_calls":false`, `|fc_001:get_weather{"city":"Oslo"}.toolUse`},
		"a call that must": {"no" + oslo, talk + "," + tools + `,"tool_choice":{"type":"function","function":{"name":"get_weather"}}`, `no|fc_001:get_weather{"city":"Oslo"}.toolUse`},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, saying(tc.says))
			status, whole := s.chat(`{"model":"m",` + tc.request + `}`)
			if got := told(readChat(t, whole)); status != 200 || got != tc.want {
				t.Errorf("whole: HTTP %d %s\n%s", status, got, whole)
			}
			status, streamed := s.chat(`{"model":"m","stream":true,"stream_options":{"include_usage":true},` + tc.request + `}`)
			m := readChat(t, streamed)
			if got := told(m); status != 200 || got != tc.want || m.Usage == nil || m.Usage.Input != 11 || m.Usage.Output != 7 {
				t.Errorf("streamed: HTTP %d %s %+v\n%s", status, got, m.Usage, streamed)
			}
			if !strings.HasSuffix(string(streamed), "data: [DONE]\n\n") || strings.Contains(s.last().Instructions, "Oslo") || !strings.Contains(s.last().Instructions, "Be brief.") {
				t.Errorf("want streamed ending in \"data: [DONE]\\n\\n\", last.Instructions without \"Oslo\" and last.Instructions with \"Be brief.\", got %s\n%s", streamed, s.last().Instructions)
			}
		})
	}
}

func TestAChatConversationReachesTheBackendAsItIs(t *testing.T) {
	s := start(t, saying("ok"))
	status, body := s.chat(`{"model":"m","max_tokens":5,"max_completion_tokens":7,"temperature":0.5,"reasoning_effort":"low",
		"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object","title":"Shape"}}},
		"messages":[{"role":"user","content":[{"type":"text","text":"Look:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA==","detail":"low"}}]},
		{"role":"assistant","content":"Hm.","tool_calls":[{"id":"call_a","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}},{"id":"call_b","type":"custom","custom":{"name":"shell","input":"ls"}}]},
		{"role":"tool","tool_call_id":"call_a","content":"3"},{"role":"tool","tool_call_id":"call_b","content":[{"type":"text","text":"a.txt"}]},
		{"role":"assistant","content":null,"refusal":"No."},{"role":"user","content":"And?"}]}`)
	if status != 200 {
		t.Fatalf("HTTP %d %s", status, body)
	}
	p := s.last()
	if p.MaxTokens != 7 || p.Effort != "low" || *p.Temperature != 0.5 || !strings.Contains(p.Instructions, `"title":"Shape"`) {
		t.Errorf("want MaxTokens 7, Effort \"low\", Temperature 0.5 and Instructions with \"\\\"title\\\":\\\"Shape\\\"\", got %+v", p)
	}
	var got []string
	for _, it := range p.Items {
		word := string(it.Role) + it.CallID + it.Name + it.Arguments + it.Output
		for _, part := range it.Parts {
			word += part.Text + part.ImageURL + part.Detail
		}
		got = append(got, word)
	}
	want := `userLook:data:image/png;base64,AA==low assistantHm. call_aget_weather{"city":"Oslo"} call_bshell{"input":"ls"} call_a3 call_ba.txt assistantNo. userAnd?`
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestAChatAnswerThatEndsEarlyOrFailsSaysSo(t *testing.T) {
	s := start(t, newScripted(func(_ context.Context, p Prompt, emit func(Delta)) (Usage, error) {
		emit(Delta{Text: "Hal"})
		switch itemText(p.Items[0]) {
		case "length":
			return Usage{Stopped: StopLength}, nil
		case "filter":
			return Usage{Stopped: StopFilter}, nil
		}
		return Usage{}, &llm.Error{Code: llm.CodeRateLimit, Message: "Slowly."}
	}))
	for word, want := range map[string]string{"length": "Hal.length", "filter": "Hal.refusal", "busy": "Hal!rate_limit_exceeded"} {
		_, streamed := s.chat(`{"stream":true,"messages":[{"role":"user","content":"` + word + `"}]}`)
		if got := told(readChat(t, streamed)); got != want {
			t.Errorf("%s: got %s, want %s", word, got, want)
		}
		status, whole := s.chat(`{"messages":[{"role":"user","content":"` + word + `"}]}`)
		if word == "busy" {
			if status != 429 {
				t.Errorf("HTTP %d %s", status, whole)
			}
		} else if got := told(readChat(t, whole)); got != want {
			t.Errorf("%s: got %s, want %s", word, got, want)
		}
	}
	s = start(t, saying(block("nope", "{}")))
	status, whole := s.chat(`{"messages":[{"role":"user","content":"x"}],` + oneStrict + `}`)
	var out anyMap
	if err := json.Unmarshal(whole, &out); err != nil || status != 502 || code(out) != "invalid_tool_call" {
		t.Errorf("HTTP %d %s", status, whole)
	}
}

func TestChatRequestsThatCannotBeServedAreRefusedWithTheirReason(t *testing.T) {
	s := start(t, saying("x"))
	for body, says := range map[string]string{
		`{}`:               "messages is missing",
		`[]`:               "not a JSON object",
		`{"messages":"x"}`: "not one of Chat Completions",
		`{"messages":[{"role":"user","content":"x"}],"n":2}`:                           "n",
		`{"messages":[{"role":"user","content":"x"}],"stop":["END"]}`:                  "stop",
		`{"messages":[{"role":"user","content":"x"}],"functions":[]}`:                  "tools",
		`{"messages":[{"role":"user","content":"x"}],"audio":{}}`:                      "audio",
		`{"messages":[{"role":"function","content":"x"}]}`:                             "role tool",
		`{"messages":[{"role":"tool","content":"x"}]}`:                                 "call_id",
		`{"messages":[{"role":"user","content":[{"type":"input_audio"}]}]}`:            "input_audio",
		`{"messages":[{"role":"king","content":"x"}]}`:                                 "king",
		`{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"web_search"}]}`: "web_search",
	} {
		if status, out := s.chat(body); status != 400 || !strings.Contains(string(out), says) {
			t.Errorf("%s: HTTP %d %s", body, status, out)
		}
	}
	if s.asked() != 0 {
		t.Error("the backend was asked")
	}
}
