//go:build codex && !js

package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"embedded-agent/wasm/internal/llm/codex"
	"embedded-agent/wasm/internal/llm/codex/codextest"
)

// realCodex starts the app-server of test/codex in front of a loopback model server, and the proxy in front of that.
func realCodex(t *testing.T, retries int, answer func(n int, body []byte) codextest.Answer, change ...func(*codex.Config)) (*system, *codex.Server, *codextest.ModelServer) {
	t.Helper()
	bin, err := filepath.Abs("../../../test/codex/node_modules/.bin/codex")
	if err != nil {
		t.Fatal(err)
	}
	if found, _ := filepath.Glob("../../../test/codex/node_modules/@openai/codex-*/vendor/*/bin/codex"); len(found) == 1 {
		// the program itself, so that a kill hits it and not the script that starts it
		if bin, err = filepath.Abs(found[0]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(bin); err != nil {
		t.Skip("codex is not installed: npm ci in test/codex")
	}
	model := codextest.NewModelServer(t, answer)
	home, err := os.MkdirTemp("", "codex-home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	cfg := codex.Config{Bin: bin, Home: home, Set: []string{
		`model="scripted-1"`, `model_provider="loop"`,
		fmt.Sprintf(`model_providers.loop={name="loop",base_url=%q,wire_api="responses",requires_openai_auth=false,request_max_retries=%d,stream_max_retries=%d,stream_idle_timeout_ms=20000,supports_websockets=false}`,
			model.URL+"/v1", retries, retries),
	}}
	for _, c := range change {
		c(&cfg)
	}
	server, err := codex.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := over(t, NewCodex(server))
	s.server.cfg.Model = ""
	return s, server, model
}

const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// said is every text of a model request, in order, without the JSON around it.
func said(t *testing.T, body []byte) string {
	t.Helper()
	var r struct {
		Input []struct {
			Role    string
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, it := range r.Input {
		for _, c := range it.Content {
			b.WriteString(it.Role + ": " + c.Text + "\n")
		}
	}
	return b.String()
}

func TestRealCodexTalksSeesImagesAndCallsTools(t *testing.T) {
	s, server, model := realCodex(t, 0, func(_ int, body []byte) codextest.Answer {
		switch {
		case bytes.Contains(body, []byte("[function_call_output")):
			return codextest.Answer{Chunks: []string{"It is ", "3 C."}, Usage: [2]int{20, 4}}
		case bytes.Contains(body, []byte("Weather")):
			return codextest.Answer{Chunks: []string{"Let me see. <tool_", `call>{"name":"get_weather","arguments":`, `"{\"city\":\"Oslo\"}"}</tool_call>`}, Usage: [2]int{10, 3}}
		default:
			return codextest.Answer{Chunks: []string{"Ünï ", "🦊"}}
		}
	})
	if got := short(s.streamed(`{"instructions":"Be brief.","input":"talk"}`)); got != "Ünï 🦊" {
		t.Errorf("text: %q", got)
	}
	if got := said(t, model.Requests()[0]); got != "developer: Be brief.\nuser: talk\n" {
		t.Errorf("the model was told\n%s", got)
	}
	if got := short(s.streamed(`{"input":[{"role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"` + pixel + `"}]}]}`)); got != "Ünï 🦊" {
		t.Errorf("image: %q", got)
	}
	if last := model.Requests()[1]; !bytes.Contains(last, []byte(`"input_image"`)) {
		t.Errorf("no image reached the model: %.500s", last)
	}
	first := s.streamed(`{` + weatherInput + `,` + twoTools + `}`)
	if got, want := short(first), `Let me see. |fc_001:get_weather({"city":"Oslo"})`; got != want || first["usage"].(anyMap)["input_tokens"] != 10.0 {
		t.Errorf("tool loop: %s, %v", got, first["usage"])
	}
	second := s.streamed(`{"input":[{"type":"function_call_output","call_id":"fc_001","output":"3 C"}],"previous_response_id":"` + first["id"].(string) + `",` + twoTools + `}`)
	if got := short(second); got != "It is 3 C." {
		t.Errorf("tool loop, second turn: %s", got)
	}
	for i, body := range model.Requests() {
		if bytes.Contains(body, []byte(`"tools":[{`)) {
			t.Errorf("request %d offers tools of Codex to the model", i)
		}
	}
	if status, out := s.whole(`{"input":[{"role":"user","content":[{"type":"input_image","image_url":"https://example.invalid/a.png"}]}]}`); status != 400 || code(out) != "invalid_image" {
		t.Errorf("remote image: HTTP %d %v", status, out)
	}
	if _, starts, asking := server.Status(); starts != 1 || asking != 0 {
		t.Errorf("started %d times, %d asking", starts, asking)
	}
}

func TestRealCodexOffersNoToolsToModelsThatAskForThem(t *testing.T) {
	s, _, model := realCodex(t, 0, func(int, []byte) codextest.Answer { return codextest.Answer{Chunks: []string{"ok"}} })
	names, err := s.server.backend.Models(t.Context())
	if err != nil || len(names) < 3 {
		t.Fatalf("models: %v, %v", names, err)
	}
	for _, name := range names {
		if got := short(s.streamed(`{"model":"` + name + `","instructions":"Only this once.","input":"x"}`)); got != "ok" {
			t.Errorf("%s: want \"ok\", got %q", name, got)
		}
	}
	for i, body := range model.Requests() {
		if bytes.Contains(body, []byte(`"tools":[{`)) || !bytes.Contains(body, []byte(fmt.Sprintf(`"model":%q`, names[i]))) {
			t.Errorf("%s: want body without []byte(`\"tools\":[{`) and body with []byte(fmt.Sprintf(`\"model\":%%q`, names[i])), got %.800s", names[i], body)
		}
		if n := bytes.Count(body, []byte("Only this once.")); n != 1 {
			t.Errorf("%s: the instructions stand there %d times", names[i], n)
		}
	}
}

func TestRealCodexOffersWebSearchAndImagesOnlyWhereTheyAreSwitchedOn(t *testing.T) {
	s, _, model := realCodex(t, 0, func(int, []byte) codextest.Answer {
		return codextest.Answer{Chunks: []string{oslo}}
	}, func(c *codex.Config) { c.WebSearch, c.ViewImage = true, true })
	if got, want := short(s.streamed(`{"model":"gpt-5.5",`+weatherInput+`,`+twoTools+`}`)), `fc_001:get_weather({"city":"Oslo"})`; got != want {
		t.Errorf("function calls besides Codex's own tools: %s", got)
	}
	if body := model.Requests()[0]; !bytes.Contains(body, []byte("web_search")) {
		t.Errorf("web search is switched on and not offered: %.600s", body)
	}
}

func TestRealCodexRunsManyThreadsAtOnce(t *testing.T) {
	s, _, _ := realCodex(t, 0, func(_ int, body []byte) codextest.Answer {
		_, rest, _ := strings.Cut(string(body), "number ")
		n, _, _ := strings.Cut(rest, ".")
		return codextest.Answer{Chunks: []string{"this is ", n}}
	})
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if got, want := short(s.streamed(fmt.Sprintf(`{"input":"number %d."}`, i))), fmt.Sprintf("this is %d", i); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	wg.Wait()
}

func TestRealCodexIsInterruptedWhenTheClientLeaves(t *testing.T) {
	s, server, model := realCodex(t, 0, func(_ int, body []byte) codextest.Answer {
		if bytes.Contains(body, []byte("endless")) {
			return codextest.Answer{Chunks: []string{"word "}, Hold: make(chan struct{})}
		}
		return codextest.Answer{Chunks: []string{"next"}}
	})
	ctx, leave := context.WithCancel(t.Context())
	resp, err := s.post(ctx, `{"input":"endless","stream":true}`)
	if err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	for buf := make([]byte, 4096); !strings.Contains(seen.String(), "word"); {
		n, err := resp.Body.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		seen.Write(buf[:n])
	}
	leave()
	_ = resp.Body.Close()
	waitFor(t, func() bool { _, _, asking := server.Status(); return asking == 0 && model.Gone() == 1 })
	if got := short(s.streamed(`{"input":"x"}`)); got != "next" {
		t.Errorf("the next request: %q", got)
	}
}

func TestRealCodexReportsFailuresOfTheModel(t *testing.T) {
	answers := map[string]codextest.Answer{
		"cut":    {Chunks: []string{"Half an"}, Cut: true},
		"failed": {Chunks: []string{"Half an"}, Failed: "The model exploded"},
		"401":    {Status: 401}, "429": {Status: 429}, "500": {Status: 500},
	}
	s, _, _ := realCodex(t, 0, func(_ int, body []byte) codextest.Answer {
		for word, a := range answers {
			if bytes.Contains(body, []byte("case "+word)) {
				return a
			}
		}
		return codextest.Answer{Chunks: []string{"fine"}}
	})
	for word, want := range map[string][2]string{
		"cut": {"Half an", "server_error"}, "failed": {"Half an", "server_error"}, "401": {"", "backend_authentication_failed"},
		"429": {"", "rate_limit_exceeded"}, "500": {"", "server_error"},
	} {
		res := s.streamed(`{"input":"case ` + word + `"}`)
		if res["status"] != "failed" || short(res) != want[0] || code(res) != want[1] {
			t.Errorf("%s: want res[\"status\"] \"failed\", equal to want[0] and equal to want[1], got %q, %v", word, short(res), res["error"])
		}
	}
	if got := short(s.streamed(`{"input":"x"}`)); got != "fine" {
		t.Errorf("afterwards: %q", got)
	}
}

func TestRealCodexRetriesWithoutSayingAnythingTwice(t *testing.T) {
	s, _, model := realCodex(t, 2, func(n int, _ []byte) codextest.Answer {
		switch n {
		case 0:
			return codextest.Answer{Chunks: []string{"Hello ", "from "}, Cut: true}
		case 1:
			return codextest.Answer{Status: 500}
		case 2:
			return codextest.Answer{Chunks: []string{"Hello from the ", "retry."}}
		case 3:
			return codextest.Answer{Chunks: []string{"Something"}, Cut: true}
		default:
			return codextest.Answer{Chunks: []string{"Entirely different"}}
		}
	})
	if got := short(s.streamed(`{"input":"x"}`)); got != "Hello from the retry." || len(model.Requests()) != 3 {
		t.Errorf("%q after %d requests", got, len(model.Requests()))
	}
	res := s.streamed(`{"input":"x"}`)
	if res["status"] != "failed" || short(res) != "Something" || !strings.Contains(res["error"].(anyMap)["message"].(string), "second attempt says something else") {
		t.Errorf("a retry that says something else: %q, %v", short(res), res["error"])
	}
}

func TestRealCodexKilledInTheMiddleFailsOpenRequestsAndIsStartedAgain(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	s, server, _ := realCodex(t, 0, func(_ int, body []byte) codextest.Answer {
		if bytes.Contains(body, []byte("endless")) {
			return codextest.Answer{Chunks: []string{"word "}, Hold: hold}
		}
		return codextest.Answer{Chunks: []string{"back"}}
	})
	results := make(chan anyMap, 2)
	for range 2 {
		go func() { results <- s.streamed(`{"input":"endless"}`) }()
	}
	waitFor(t, func() bool { _, _, asking := server.Status(); return asking == 2 })
	if err := syscall.Kill(server.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if res := <-results; res["status"] != "failed" || code(res) != "server_error" {
			t.Errorf("want res[\"status\"] \"failed\" and \"server_error\", got %v %v", res["status"], res["error"])
		}
	}
	if got := short(s.streamed(`{"input":"x"}`)); got != "back" {
		t.Errorf("after the kill: %q", got)
	}
	if _, starts, _ := server.Status(); starts != 2 {
		t.Errorf("started %d times", starts)
	}
}
