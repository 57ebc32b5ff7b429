package server

import (
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// manner is how a provider says the things that matter, in one piece each: a
// plan after reasoning that it wants back (marked SIG-1), and ends of all kinds.
type manner struct {
	set     protocol.Settings
	plan    func(plan, stop string) string
	words   func(text, stop string) string
	refusal string
	length  string // the stop of an answer that was cut off
	back    string // what of the reasoning has to go back
}

func reply(body string) llmtest.Answer {
	return llmtest.Answer{Header: map[string]string{"content-type": "application/json"}, Body: []byte(body)}
}

func anthropicSays(content, stop string) string {
	return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[%s],"stop_reason":%q,"usage":{"input_tokens":10,"output_tokens":5}}`, content, stop)
}

func responsesSays(output, stop string) string {
	status := `"status":"completed"`
	if stop != "" {
		status = fmt.Sprintf(`"status":"incomplete","incomplete_details":{"reason":%q}`, stop)
	}
	return fmt.Sprintf(`{"id":"resp_1","object":"response",%s,"model":"gpt-5.1","output":[%s],"usage":{"input_tokens":10,"output_tokens":5}}`, status, output)
}

func chatSays(message, stop string) string {
	return fmt.Sprintf(`{"id":"x","choices":[{"index":0,"message":{"role":"assistant",%s},"finish_reason":%q}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`, message, stop)
}

var speakers = map[string]manner{
	"anthropic": {
		set: protocol.Settings{Provider: "anthropic", KeyName: "k"},
		plan: func(plan, stop string) string {
			if stop == "" {
				stop = "tool_use"
			}
			return anthropicSays(`{"type":"thinking","thinking":"Hm.","signature":"SIG-1"},{"type":"tool_use","id":"toolu_1","name":"submit_plan","input":`+plan+`}`, stop)
		},
		words: func(s, stop string) string {
			if stop == "" {
				stop = "end_turn"
			}
			return anthropicSays(`{"type":"text","text":`+quote(s)+`}`, stop)
		},
		refusal: anthropicSays(`{"type":"text","text":"I will not."}`, "refusal"),
		length:  "max_tokens",
		back:    `"signature":"SIG-1"`,
	},
	"openai": {
		set: protocol.Settings{Provider: "openai", KeyName: "k"},
		plan: func(plan, stop string) string {
			return responsesSays(`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"SIG-1"},`+
				`{"type":"function_call","id":"fc_1","call_id":"call_1","name":"submit_plan","arguments":`+quote(plan)+`,"status":"completed"}`, stop)
		},
		words: func(s, stop string) string {
			return responsesSays(`{"type":"message","id":"m_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":`+quote(s)+`,"annotations":[]}]}`, stop)
		},
		refusal: responsesSays(`{"type":"message","id":"m_1","role":"assistant","status":"completed","content":[{"type":"refusal","refusal":"I will not."}]}`, ""),
		length:  "max_output_tokens",
		back:    `"encrypted_content":"SIG-1"`,
	},
	"openrouter": {
		set: protocol.Settings{Provider: "custom", BaseURL: "https://openrouter.ai/api/v1", KeyName: "k", Model: "some/model"},
		plan: func(plan, stop string) string {
			if stop == "" {
				stop = "tool_calls"
			}
			return chatSays(`"reasoning":"Hm.","reasoning_details":[{"type":"reasoning.encrypted","data":"SIG-1","index":0}],`+submitted(plan), stop)
		},
		words: func(s, stop string) string {
			if stop == "" {
				stop = "stop"
			}
			return chatSays(`"content":`+quote(s), stop)
		},
		refusal: chatSays(`"content":null,"refusal":"I will not."`, "stop"),
		length:  "length",
		back:    `"data":"SIG-1"`,
	},
}

func TestEveryProviderPlansThinksRefusesAndIsCutOff(t *testing.T) {
	bad := strings.Replace(bulletsPlan, "util.joinLines", "util.joinAll", 1)
	for name, p := range speakers {
		t.Run(name+": reasoning goes back with what was wrong", func(t *testing.T) {
			ui, tr := endpoint(t, ideasVault(), p.set, reply(p.plan(bad, "")), reply(p.plan(bulletsPlan, "")))
			turn := ui.say("make notes")
			if turn.Outcome != protocol.TurnPlan || !strings.Contains(turn.Reasoning, "Hm.") || turn.Usage == nil || turn.Usage.Input != 20 {
				t.Fatalf("%+v, reasoning %q, %+v", turn.Problem, turn.Reasoning, turn.Usage)
			}
			body := string(tr.Requests()[1].Body)
			if !strings.Contains(body, p.back) || !strings.Contains(body, "util.joinAll") {
				t.Errorf("%s did not go back: %s", p.back, body[max(0, len(body)-1500):])
			}
			for _, r := range tr.Requests() {
				if n := len(r.Body); n > 48<<10 {
					t.Errorf("a request of %d bytes", n)
				}
			}
		})
		t.Run(name+": a refusal is an answer", func(t *testing.T) {
			ui, _ := endpoint(t, ideasVault(), p.set, reply(p.refusal))
			if turn := ui.say("do harm"); turn.Outcome != protocol.TurnAnswer || turn.Reply != "I will not." {
				t.Errorf("want Outcome protocol.TurnAnswer and Reply \"I will not.\", got %s %q %+v", turn.Outcome, turn.Reply, turn.Problem)
			}
		})
		t.Run(name+": a call that was cut off is not executed", func(t *testing.T) {
			cut := reply(p.plan(bulletsPlan, p.length))
			ui, tr := endpoint(t, ideasVault(), p.set, cut, cut, cut)
			if turn := ui.say("make notes"); turn.Outcome != protocol.TurnFailed || turn.Problem.Key != "error.planner.brokeOff" || len(tr.Requests()) != 3 {
				t.Errorf("%s %+v after %d requests", turn.Outcome, turn.Problem, len(tr.Requests()))
			}
		})
		t.Run(name+": words that were cut off are kept, and it is said", func(t *testing.T) {
			ui, _ := endpoint(t, ideasVault(), p.set, reply(p.words("There are two", p.length)))
			if turn := ui.say("how many?"); turn.Outcome != protocol.TurnAnswer || turn.Reply != "There are two" || notes(turn) != "turn.cutOff" {
				t.Errorf("%s %q, notes %q", turn.Outcome, turn.Reply, notes(turn))
			}
		})
	}
}

func TestAnthropicsOwnStopsAreUnderstood(t *testing.T) {
	p := speakers["anthropic"]
	ui, tr := endpoint(t, ideasVault(), p.set, reply(p.words("I will look first.", "pause_turn")), reply(p.plan(bulletsPlan, "")))
	if turn := ui.say("make notes"); turn.Outcome != protocol.TurnPlan || len(tr.Requests()) != 2 || !strings.Contains(string(tr.Requests()[1].Body), "I will look first.") {
		t.Errorf("a pause: %s %+v", turn.Outcome, turn.Problem)
	}
	ui, _ = endpoint(t, ideasVault(), p.set, reply(p.words("I", "model_context_window_exceeded")))
	if turn := ui.say("make notes"); turn.Problem == nil || turn.Problem.Key != "llm.error.tooLong" {
		t.Errorf("a full window: %+v", turn.Problem)
	}
}
