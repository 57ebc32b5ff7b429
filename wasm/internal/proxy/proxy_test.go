//go:build !js

package proxy

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm"
)

var oslo = block("get_weather", `{"city":"Oslo"}`)

func TestAStreamAndAWholeAnswerGiveTheSameItems(t *testing.T) {
	for name, tc := range map[string]struct{ says, request, want, status string }{
		"text":                          {"Hello 🦊.", weatherInput, "Hello 🦊.", "completed"},
		"call":                          {oslo, weatherInput + "," + twoTools, `fc_001:get_weather({"city":"Oslo"})`, "completed"},
		"text, call, text":              {"Let me see. " + oslo + " Done.", weatherInput + "," + twoTools, `Let me see. |fc_001:get_weather({"city":"Oslo"})| Done.`, "completed"},
		"two calls with white space":    {oslo + "\n\n" + block("get_time", "{}"), weatherInput + "," + twoTools, `fc_001:get_weather({"city":"Oslo"})|fc_002:get_time({})`, "completed"},
		"nested tool shape":             {oslo, weatherInput + `,"tools":[` + nestedTool + `]`, `fc_001:get_weather({"city":"Oslo"})`, "completed"},
		"an unknown tool is text":       {block("nope", "{}"), weatherInput + "," + twoTools, block("nope", "{}"), "completed"},
		"no tools: a block is text":     {oslo, weatherInput, oslo, "completed"},
		"choice none: a block is text":  {oslo, weatherInput + "," + twoTools + `,"tool_choice":"none"`, oslo, "completed"},
		"an unclosed block is text":     {"a <tool_call>{", weatherInput + "," + twoTools, "a <tool_call>{", "completed"},
		"only the first call":           {"x" + oslo + oslo + "y", weatherInput + "," + twoTools + `,"parallel_tool_calls":false`, `x|fc_001:get_weather({"city":"Oslo"})|y`, "completed"},
		"at most two calls":             {oslo + oslo + oslo, weatherInput + "," + twoTools + `,"max_tool_calls":2`, `fc_001:get_weather({"city":"Oslo"})|fc_002:get_weather({"city":"Oslo"})`, "completed"},
		"repaired arguments":            {`<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"},}</tool_call>`, weatherInput + "," + twoTools, `fc_001:get_weather({"city":"Oslo"})`, "completed"},
		"quoting is undone in the text": {"It says <~tool_call> and [~function_call.", weatherInput + "," + twoTools, "It says <tool_call> and [function_call.", "completed"},
		"half a quoting at the end":     {"ends with <~tool_cal", weatherInput + "," + twoTools, "ends with <~tool_cal", "completed"},
		"half a marker at the end":      {"ends with <tool_cal", weatherInput + "," + twoTools, "ends with <tool_cal", "completed"},
		"numbering goes on":             {oslo, `"input":[{"role":"user","content":"x"},{"type":"function_call","id":"fc_007","call_id":"fc_007","name":"get_time","arguments":"{}"},{"type":"function_call_output","call_id":"fc_007","output":"noon"}],` + twoTools, `fc_008:get_weather({"city":"Oslo"})`, "completed"},
		"forced tool":                   {"x" + oslo, weatherInput + "," + twoTools + `,"tool_choice":{"type":"function","name":"get_weather"}`, `x|fc_001:get_weather({"city":"Oslo"})`, "completed"},
		"strict and well":               {oslo, weatherInput + "," + oneStrict, `fc_001:get_weather({"city":"Oslo"})`, "completed"},
		"strict and against the schema": {"So: " + block("get_weather", "{}") + "more", weatherInput + "," + oneStrict, "So: ", "failed"},
		"strict and malformed":          {"<tool_call>{oops}</tool_call>", weatherInput + "," + oneStrict, "", "failed"},
		"strict and unknown":            {block("nope", "{}"), weatherInput + "," + oneStrict, "", "failed"},
		"strict and unclosed":           {"a <tool_call>{", weatherInput + "," + oneStrict, "a ", "failed"},
		"strict after a good call":      {oslo + block("nope", "{}"), weatherInput + "," + oneStrict, `fc_001:get_weather({"city":"Oslo"})`, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, saying(tc.says))
			body := `{"model":"m",` + tc.request + `}`
			status, whole := s.whole(body)
			if status != http.StatusOK {
				t.Fatalf("HTTP %d: %v", status, whole)
			}
			for kind, res := range map[string]anyMap{"whole": whole, "stream": s.streamed(body)} {
				if got := short(res); got != tc.want || res["status"] != tc.status {
					t.Errorf("%s: %v\n got %s\nwant %s", kind, res["status"], got, tc.want)
				}
				if tc.status == "failed" && code(res) != "invalid_tool_call" {
					t.Errorf("%s: error %v", kind, res["error"])
				}
			}
		})
	}
}

func TestADisobeyedToolChoiceIsAskedOnceMoreAndThenFails(t *testing.T) {
	forced := weatherInput + "," + twoTools + `,"tool_choice":{"type":"function","name":"get_weather"}`
	for name, tc := range map[string]struct {
		says           []string
		request        string
		want, wantCode string
		asked          int
	}{
		"obeyed at once":               {[]string{oslo}, weatherInput + "," + twoTools + `,"tool_choice":"required"`, `fc_001:get_weather({"city":"Oslo"})`, "", 1},
		"obeyed the second time":       {[]string{"No need.", "Fine. " + oslo}, weatherInput + "," + twoTools + `,"tool_choice":"required"`, `Fine. |fc_001:get_weather({"city":"Oslo"})`, "", 2},
		"never obeyed":                 {[]string{"No.", "Still no."}, weatherInput + "," + twoTools + `,"tool_choice":"required"`, "Still no.", "tool_choice_not_obeyed", 2},
		"another tool than the forced": {[]string{block("get_time", "{}"), oslo}, forced, `fc_001:get_weather({"city":"Oslo"})`, "", 2},
		"another strict tool than the forced": {
			[]string{block("get_time", "{}"), oslo},
			weatherInput + `,"tools":[` + strictTool + `,` + timeTool + `],"tool_choice":{"type":"function","name":"get_weather"}`, `fc_001:get_weather({"city":"Oslo"})`, "", 2,
		},
		"another strict tool, twice": {
			[]string{block("get_time", "{}")},
			weatherInput + `,"tools":[` + strictTool + `,` + timeTool + `],"tool_choice":{"type":"function","name":"get_weather"}`, "", "invalid_tool_call", 2,
		},
		"allowed tools": {
			[]string{"no", block("get_time", "{}")},
			weatherInput + "," + twoTools + `,"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"get_time"}]}`, `fc_001:get_time({})`, "", 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, saying(tc.says...))
			res := s.streamed(`{"model":"m",` + tc.request + `}`)
			if got := short(res); got != tc.want || code(res) != tc.wantCode || s.asked() != tc.asked {
				t.Errorf("got %q, code %q, asked %d times; want %q, %q, %d", got, code(res), s.asked(), tc.want, tc.wantCode, tc.asked)
			}
			if tc.asked == 2 {
				items := s.last().Items
				if n := len(items); n < 3 || !strings.Contains(items[n-1].Parts[0].Text, "Your answer held no valid call") {
					t.Errorf("the second question does not say what is wrong: %+v", items)
				}
			}
		})
	}
}

func TestRequestsThatCannotBeServedAreRefusedWithTheirReason(t *testing.T) {
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	s := start(t, saying("x"), func(c *Config) { c.Limits.MaxBody, c.Limits.MaxTranscript = 100_000, 50_000 })
	for name, tc := range map[string]struct {
		body, code string
		status     int
		says       string
	}{
		"hosted tool":          {`{"input":"x","tools":[{"type":"web_search"}]}`, "invalid_request", 400, "web_search"},
		"no input":             {`{"model":"m"}`, "invalid_request", 400, "input is missing"},
		"empty input":          {`{"input":[]}`, "invalid_request", 400, "nothing to answer"},
		"not JSON":             {`{"input":`, "invalid_request", 400, "not JSON"},
		"too deep":             {`{"input":"x","metadata":` + deep + `}`, "invalid_request", 400, "128 levels"},
		"wrong type":           {`{"input":"x","stream":"yes"}`, "invalid_request", 400, "stream"},
		"background":           {`{"input":"x","background":true}`, "invalid_request", 400, "background"},
		"conversation":         {`{"input":"x","conversation":"c"}`, "invalid_request", 400, "conversation"},
		"prompt":               {`{"input":"x","prompt":{"id":"p"}}`, "invalid_request", 400, "prompt"},
		"unknown choice":       {`{"input":"x","tool_choice":"perhaps"}`, "invalid_request", 400, "perhaps"},
		"required, no tools":   {`{"input":"x","tool_choice":"required"}`, "invalid_request", 400, "no tools"},
		"forced, not there":    {`{"input":"x",` + twoTools + `,"tool_choice":{"type":"function","name":"q"}}`, "invalid_request", 400, `"q"`},
		"hosted choice":        {`{"input":"x",` + twoTools + `,"tool_choice":{"type":"web_search_preview"}}`, "invalid_request", 400, "web_search_preview"},
		"unknown previous":     {`{"input":"x","previous_response_id":"resp_0"}`, "previous_response_not_found", 400, "whole conversation"},
		"unknown reference":    {`{"input":[{"type":"item_reference","id":"msg_0"}]}`, "invalid_request", 400, "Send the item itself"},
		"unknown item":         {`{"input":[{"type":"computer_call"}]}`, "invalid_request", 400, "computer_call"},
		"unknown role":         {`{"input":[{"role":"tool","content":"x"}]}`, "invalid_request", 400, "tool"},
		"file":                 {`{"input":[{"role":"user","content":[{"type":"input_file","file_id":"f"}]}]}`, "invalid_request", 400, "input_file"},
		"remote image":         {`{"input":[{"role":"user","content":[{"type":"input_image","image_url":"https://example.com/a.png"}]}]}`, "invalid_image", 400, "data URL"},
		"image without URL":    {`{"input":[{"role":"user","content":[{"type":"input_image","file_id":"f"}]}]}`, "invalid_image", 400, "image_url"},
		"output without call":  {`{"input":[{"type":"function_call_output","output":"x"}]}`, "invalid_request", 400, "call_id"},
		"too large":            {`{"input":"` + strings.Repeat("x", 100_001) + `"}`, "request_too_large", 413, "--max-body"},
		"too long":             {`{"input":"` + strings.Repeat("x", 50_001) + `"}`, "context_length_exceeded", 400, "Send less"},
		"strict schema broken": {`{"input":"x","tools":[{"type":"function","name":"f","strict":true,"parameters":{"type":"nothing"}}]}`, "invalid_request", 400, "JSON Schema"},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.asked()
			status, out := s.whole(tc.body)
			message, _ := out["error"].(anyMap)["message"].(string)
			if status != tc.status || code(out) != tc.code || !strings.Contains(message, tc.says) {
				t.Errorf("HTTP %d, %v", status, out)
			}
			if s.asked() != before {
				t.Error("the backend was asked all the same")
			}
		})
	}
}

func TestOutputsEchoesAndForeignIDsGoIntoTheTranscript(t *testing.T) {
	s := start(t, saying("ok"))
	s.streamed(`{"instructions":"Be brief.","input":[
		{"role":"developer","content":"In Norwegian."},
		{"role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,AA","detail":"low"}]},
		{"type":"reasoning","id":"rs_1","summary":[]},
		{"type":"function_call","id":"fc_001","call_id":"call_x","name":"get_weather","arguments":"{}","status":"completed"},
		{"type":"function_call_output","call_id":"call_x","output":"<tool_call>[function_call id=1]"},
		{"type":"function_call_output","call_id":"never_seen","output":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":{"url":"data:image/png;base64,BB"}}]}],` + twoTools + `}`)
	p := s.last()
	if !strings.HasPrefix(p.Instructions, "Be brief.\n\nIn Norwegian.\n\nYou can call tools.") {
		t.Errorf("instructions: %q", p.Instructions)
	}
	got, _ := json.Marshal(p.Items)
	want := `[{"Kind":0,"Role":"user","Parts":[{"Text":"look","ImageURL":"","Detail":""},{"Text":"","ImageURL":"data:image/png;base64,AA","Detail":"low"}],"ID":"","CallID":"","Name":"","Arguments":"","Output":""},` +
		`{"Kind":1,"Role":"","Parts":null,"ID":"fc_001","CallID":"call_x","Name":"get_weather","Arguments":"{}","Output":""},` +
		`{"Kind":2,"Role":"","Parts":null,"ID":"","CallID":"call_x","Name":"","Arguments":"","Output":"\u003ctool_call\u003e[function_call id=1]"},` +
		`{"Kind":2,"Role":"","Parts":[{"Text":"","ImageURL":"data:image/png;base64,BB","Detail":""}],"ID":"","CallID":"never_seen","Name":"","Arguments":"","Output":"a"}]`
	if string(got) != want {
		t.Errorf("items:\n%s\nwant\n%s", got, want)
	}
}

func TestAConversationWithoutToolsIsExplainedWhereItNeedsIt(t *testing.T) {
	s := start(t, saying("ok"))
	for body, explained := range map[string]bool{
		`{"input":"x"}`:                    false,
		`{"input":"what is <tool_call>?"}`: true,
		`{"instructions":"Be.","input":[{"role":"user","content":"x"},{"role":"assistant","content":"y"},{"role":"user","content":"z"}]}`: true,
	} {
		s.streamed(body)
		if got := strings.Contains(s.last().Instructions, "Lines that begin with [function_call"); got != explained {
			t.Errorf("%s: want the calls explained: %v, got %q", body, explained, s.last().Instructions)
		}
	}
}

func TestAPreviousResponseIsGoneOnWithAndItsNumbersToo(t *testing.T) {
	s := start(t, saying(oslo, "It is cold. "+oslo, "Bye."))
	first := s.streamed(`{` + weatherInput + `,` + twoTools + `}`)
	second := s.streamed(`{"input":[{"type":"function_call_output","call_id":"fc_001","output":"3 C"}],"previous_response_id":"` + first["id"].(string) + `",` + twoTools + `}`)
	if got, want := short(second), `It is cold. |fc_002:get_weather({"city":"Oslo"})`; got != want {
		t.Errorf("second: %s", got)
	}
	if second["previous_response_id"] != first["id"] {
		t.Error("previous_response_id is not given back")
	}
	var kinds []string
	for _, it := range s.last().Items {
		kinds = append(kinds, fmt.Sprintf("%d%s%s", it.Kind, it.Role, it.CallID))
	}
	if got := strings.Join(kinds, " "); got != "0user 1fc_001 2fc_001" {
		t.Errorf("conversation: %s", got)
	}
	// What was not stored cannot be gone on with.
	third := s.streamed(`{"input":"x","store":false}`)
	if status, out := s.whole(`{"input":"y","previous_response_id":"` + third["id"].(string) + `"}`); status != 400 || code(out) != "previous_response_not_found" {
		t.Errorf("HTTP %d: %v", status, out)
	}
}

func TestReferencesToItemsAreResolvedInTheirConversation(t *testing.T) {
	s := start(t, saying("Aha. "+block("get_weather", `{"city":"Oslo"}`), block("get_weather", `{"city":"Rome"}`), "ok"))
	a := s.streamed(`{"input":"Oslo?",` + twoTools + `}`)
	s.streamed(`{"input":"Rome?",` + twoTools + `}`)
	message := a["output"].([]any)[0].(anyMap)["id"].(string)
	s.streamed(`{"input":[{"role":"user","content":"Oslo?"},{"type":"item_reference","id":"` + message + `"},{"type":"item_reference","id":"fc_001"},{"type":"function_call_output","call_id":"fc_001","output":"3"}],` + twoTools + `}`)
	items := s.last().Items
	if len(items) != 4 || items[1].Parts[0].Text != "Aha. " || items[2].Arguments != `{"city":"Oslo"}` {
		t.Errorf("items: %+v", items)
	}
	// Alone, an id of two conversations means the later one.
	s.streamed(`{"input":[{"type":"item_reference","id":"fc_001"},{"type":"function_call_output","call_id":"fc_001","output":"20"}],` + twoTools + `}`)
	if items := s.last().Items; len(items) != 2 || items[0].Arguments != `{"city":"Rome"}` {
		t.Errorf("items: %+v", items)
	}
	// Behind an item of one of them, it means that one.
	s.streamed(`{"input":[{"role":"user","content":"Again:"},{"type":"item_reference","id":"` + message + `"},{"type":"item_reference","id":"fc_001"},{"type":"function_call_output","call_id":"fc_001","output":"3"}],` + twoTools + `}`)
	if items := s.last().Items; len(items) != 4 || items[2].Arguments != `{"city":"Oslo"}` {
		t.Errorf("items: %+v", items)
	}
	s.streamed(`{"input":[{"role":"user","content":"Rome?"},{"type":"item_reference","id":"fc_001"},{"type":"function_call_output","call_id":"fc_001","output":"20"}],` + twoTools + `}`)
	if items := s.last().Items; len(items) != 3 || items[1].Arguments != `{"city":"Rome"}` {
		t.Errorf("items: %+v", items)
	}
}

func TestAClientThatGoesAwayFreesTheBackend(t *testing.T) {
	stopped := make(chan error, 1)
	b := newScripted(func(ctx context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
		emit(Delta{Text: "word"})
		<-ctx.Done()
		stopped <- ctx.Err()
		return Usage{}, &llm.Error{Code: llm.CodeCancelled, Message: "Stopped."}
	})
	s := start(t, b)
	ctx, leave := context.WithCancel(t.Context())
	resp, err := s.post(ctx, `{"input":"x","stream":true}`)
	if err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() && !strings.Contains(sc.Text(), "word") {
	}
	leave()
	_ = resp.Body.Close()
	if err := <-stopped; err == nil {
		t.Error("the backend was not stopped")
	}
	b.waitFree()
	waitFor(t, func() bool { return strings.Contains(s.log.String(), `"outcome":"client_gone"`) })
}

func TestAStrictFailureAndAnOverlongAnswerStopTheBackendAtOnce(t *testing.T) {
	for name, says := range map[string]string{"invalid_tool_call": block("get_weather", "{}"), "": strings.Repeat("long ", 1000)} {
		b := newScripted(func(ctx context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
			emit(Delta{Text: says})
			emit(Delta{Text: "never seen"})
			<-ctx.Done() // for ever, were it not stopped
			return Usage{}, &llm.Error{Code: llm.CodeCancelled, Message: "Stopped."}
		})
		s := start(t, b, func(c *Config) { c.Limits.MaxOutput = 1000 })
		if res := s.streamed(`{` + weatherInput + `,` + oneStrict + `}`); code(res) != name || strings.Contains(short(res), "never seen") {
			t.Errorf("%s: want equal to name and a text without \"never seen\", got %v", name, res)
		}
		b.waitFree()
	}
}

func TestTheFailureOfABackendEndsTheStreamAndIsAnHTTPErrorOtherwise(t *testing.T) {
	for name, tc := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"key":     {&llm.Error{Code: llm.CodeAuth, Message: "no key"}, 401, "backend_authentication_failed"},
		"limit":   {&llm.Error{Code: llm.CodeRateLimit, Message: "wait", RetryAfterS: 2.5}, 429, "rate_limit_exceeded"},
		"long":    {&llm.Error{Code: llm.CodeValidation, Key: "codex.error.tooLong", Message: "long"}, 400, "context_length_exceeded"},
		"model":   {&llm.Error{Code: llm.CodeNotFound, Message: "none"}, 404, "model_not_found"},
		"broken":  {&llm.Error{Code: llm.CodeProvider, Message: "broken"}, 502, "server_error"},
		"unknown": {fmt.Errorf("odd"), 502, "server_error"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, newScripted(func(_ context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
				emit(Delta{Text: "half an ans"})
				return Usage{}, tc.err
			}))
			if status, out := s.whole(`{"input":"x"}`); status != tc.status || code(out) != tc.code {
				t.Errorf("HTTP %d: %v", status, out)
			}
			res := s.streamed(`{"input":"x"}`)
			if res["status"] != "failed" || code(res) != tc.code || short(res) != "half an ans" {
				t.Errorf("stream: %v", res)
			}
			if it := res["output"].([]any)[0].(anyMap); it["status"] != "incomplete" {
				t.Errorf("the half message is %v", it["status"])
			}
		})
	}
}

func TestAnAnswerThatEndsEarlyIsIncomplete(t *testing.T) {
	s := start(t, newScripted(func(_ context.Context, p Prompt, emit func(Delta)) (Usage, error) {
		emit(Delta{Text: "cut"})
		return Usage{Stopped: StopLength}, nil
	}))
	res := s.streamed(`{"input":"x","max_output_tokens":1}`)
	if res["status"] != "incomplete" || res["incomplete_details"].(anyMap)["reason"] != "max_output_tokens" || s.last().MaxTokens != 1 {
		t.Errorf("want res[\"status\"] \"incomplete\", [\"reason\"] \"max_output_tokens\" and last.MaxTokens 1, got %v", res)
	}
	long := start(t, saying(strings.Repeat("x", 5000)), func(c *Config) { c.Limits.MaxOutput = 1000 })
	if res := long.streamed(`{"input":"x"}`); res["status"] != "incomplete" || len(short(res)) > 1010 {
		t.Errorf("an answer over the limit: %v, %d bytes", res["status"], len(short(res)))
	}
}

func TestMessagesOfOneTurnStayApart(t *testing.T) {
	s := start(t, newScripted(func(_ context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
		emit(Delta{Text: "One."})
		emit(Delta{NewMessage: true})
		emit(Delta{Text: "Two."})
		return Usage{}, nil
	}))
	if got := short(s.streamed(`{"input":"x"}`)); got != "One.|Two." {
		t.Error("want \"One.|Two.\", got:", got)
	}
}

func TestTheLogLineCountsAndHoldsNoContent(t *testing.T) {
	s := start(t, saying("Secret text. "+oslo+" \n "+block("get_time", `{"a":1,}`)+block("nope", `{"secret":1}`)))
	s.streamed(`{"input":[{"role":"user","content":"Secret question"},{"type":"function_call","call_id":"c","name":"get_time","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"Secret output"}],` + twoTools + `}`)
	waitFor(t, func() bool { return strings.HasSuffix(s.log.String(), "\n") })
	line := s.log.String()
	if strings.Count(line, "\n") != 1 || strings.Contains(strings.ToLower(line), "secret") || strings.Contains(line, "Oslo") {
		t.Errorf("log: %s", line)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]any{
		"calls": 2.0, "parse_failures": 1.0, "repaired": 1.0, "white_space_dropped": 3.0, "echoed_function_calls": 1.0,
		"function_call_outputs": 1.0, "outcome": "completed", "stream": true, "input_tokens": 11.0,
	} {
		if got[k] != want {
			t.Errorf("%s is %v, want %v", k, got[k], want)
		}
	}
	if fmt.Sprint(got["tools"]) != "[get_weather get_time]" {
		t.Errorf("tools: %v", got["tools"])
	}
}
