//go:build peers

package peers

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/price"
)

const said = "Grüße 🌍! I have read the note, and here is what it says. 你好"

// startServer starts the scripted model server and gives its address.
func startServer(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("node", "aimock.mjs")
	cmd.Dir = scripts(t)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := input.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func endpoint(url string, header map[string]string) llm.Endpoint {
	return llm.Endpoint{BaseURL: url + "/v1", Secret: "key", Header: header}
}

func question(words string, whole bool) llm.Request {
	return llm.Request{
		Model: "gpt-4o", Messages: []llm.Message{llm.SystemMessage("You help."), llm.UserMessage(words)}, Whole: whole,
		Tools: []llm.Tool{{Name: "vault.read", Description: "Reads a note."}, {Name: "vault.list", Description: "Lists notes."}},
	}
}

var quick = llm.RetryPolicy{Attempts: 3, Base: time.Millisecond, Max: time.Millisecond, MaxAsked: 5 * time.Second}

// run asks once and checks the rules of the stream.
func run(t *testing.T, d llm.Dialect, e llm.Endpoint, r llm.Request, o llm.Options) (llm.Message, *native) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if o.Retry.Attempts == 0 {
		o.Retry = quick
	}
	transport := &native{}
	var events []llm.Event
	m, _ := llm.Collect(llm.NewProvider(d, e, transport, o).Stream(ctx, r), func(e llm.Event) { events = append(events, e) })
	llmtest.CheckStream(t, events)
	return m, transport
}

func TestAScriptedServerIsUnderstood(t *testing.T) {
	url := startServer(t)
	for kind, d := range dialects {
		for _, whole := range []bool{false, true} {
			name := kind + "/streamed"
			if whole {
				name = kind + "/whole"
			}
			t.Run(name+"/text", func(t *testing.T) {
				m, _ := run(t, d, endpoint(url, nil), question("SAY", whole), llm.Options{})
				if m.Text() != said || m.StopReason != llm.StopStop || m.Error != nil || m.Usage == nil || *m.Usage != (price.Usage{Input: 12, Output: 7}) {
					t.Errorf("want Text equal to said, StopReason llm.StopStop, no Error, Usage set and Usage equal to (price.Usage{Input: 12, Output: 7}), got %+v", m)
				}
			})
			t.Run(name+"/reasoning", func(t *testing.T) {
				m, _ := run(t, d, endpoint(url, nil), question("THINK", whole), llm.Options{})
				if m.Thinking() != "The person wants a greeting." || m.Text() != said {
					t.Errorf("want Thinking \"The person wants a greeting.\" and Text equal to said, got %+v", m)
				}
			})
			t.Run(name+"/tools", func(t *testing.T) {
				r := question("LOOK", whole)
				m, _ := run(t, d, endpoint(url, nil), r, llm.Options{})
				calls := m.Calls()
				if len(calls) != 2 || calls[0].Name != "vault.read" || string(calls[0].Arguments) != `{"path":"Grüße 🌍.md"}` || calls[1].Name != "vault.list" || m.StopReason != llm.StopToolUse {
					t.Fatalf("want 2 calls, calls[0].Name \"vault.read\", calls[0].Arguments \"{\\\"path\\\":\\\"Grüße 🌍.md\\\"}\", calls[1].Name \"vault.list\" and StopReason llm.StopToolUse, got %+v", m)
				}
				r.Messages = append(r.Messages, m, llm.ToolResult(calls[0], false, llm.Text("hello")), llm.ToolResult(calls[1], true, llm.Text("no")))
				if m, _ = run(t, d, endpoint(url, nil), r, llm.Options{}); m.Text() != "The note says hello." {
					t.Errorf("want Text \"The note says hello.\", got %+v", m)
				}
			})
		}
	}
}

func TestTheFaultsOfAScriptedServerAreTold(t *testing.T) {
	url := startServer(t)
	cases := []struct {
		name, words, fault, rate, key string
		requests                      int
		options                       llm.Options
		kept                          bool
	}{
		{name: "HTTP 500", words: "SAY", fault: "drop", rate: "1", key: "llm.error.overloaded", requests: 3},
		{name: "HTTP 429", words: "SAY", fault: "ratelimit", rate: "1", key: "llm.error.rateLimit", requests: 2, options: llm.Options{Retry: llm.RetryPolicy{Attempts: 2, Base: time.Millisecond, Max: time.Millisecond, MaxAsked: 5 * time.Second}}},
		{name: "a 429 that asks for longer than we wait", words: "SAY", fault: "ratelimit", rate: "1", key: "llm.error.rateLimit", requests: 1, options: llm.Options{Retry: llm.RetryPolicy{Attempts: 3, Base: time.Millisecond, Max: time.Millisecond, MaxAsked: time.Millisecond}}},
		{name: "not JSON", words: "SAY", fault: "malformed", rate: "1", key: "llm.error.shape", requests: 1},
		{name: "no connection", words: "SAY", fault: "disconnect", rate: "1", key: "llm.error.network", requests: 3},
		{name: "cut", words: "CUT", key: "llm.error.cut", requests: 1, kept: true},
		{name: "slow", words: "SLOW", key: "llm.error.timeout", requests: 1, options: llm.Options{Idle: 150 * time.Millisecond, Retry: llm.RetryPolicy{Attempts: 1}}},
		{name: "a refused key", words: "REFUSED", key: "llm.error.auth", requests: 1},
	}
	for kind, d := range dialects {
		for _, c := range cases {
			t.Run(kind+"/"+c.name, func(t *testing.T) {
				header := map[string]string{}
				if c.fault != "" {
					header["x-aimock-chaos-"+c.fault] = c.rate
				}
				m, transport := run(t, d, endpoint(url, header), question(c.words, false), c.options)
				if m.Error == nil || m.Error.Key != c.key {
					t.Errorf("want Error set and Error.Key as in the case, got %+v", m.Error)
				}
				if transport.requests != c.requests {
					t.Errorf("%d requests", transport.requests)
				}
				if c.kept && (m.Text() == "" || !strings.HasPrefix(said, m.Text())) {
					t.Errorf("what had arrived is lost: %q", m.Text())
				}
			})
		}
	}
}

func TestAServerThatRecoversIsAnswered(t *testing.T) {
	url := startServer(t)
	for kind, d := range dialects {
		t.Run(kind, func(t *testing.T) {
			control(t, "POST", url, `{"dropRate":1}`)
			recovered := false
			o := llm.Options{Retry: quick, OnRetry: func(llm.Retry) func() {
				control(t, "DELETE", url, "")
				recovered = true
				return nil
			}}
			m, transport := run(t, d, endpoint(url, nil), question("SAY", false), o)
			if m.Text() != said || !recovered || transport.requests != 2 {
				t.Errorf("%+v after %d requests", m, transport.requests)
			}
		})
	}
}

// control switches the faults of the server.
func control(t *testing.T, method, url, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url+"/__aimock/chaos", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode > 299 {
		t.Fatalf("%s: want no error and StatusCode at most 299, got %v", response.Status, err)
	}
}

func TestModelsOfAScriptedServerAreListed(t *testing.T) {
	url := startServer(t)
	for kind, d := range dialects {
		models, err := llm.FetchModels(t.Context(), d, endpoint(url, nil), &native{})
		if err != nil || len(models) == 0 {
			t.Errorf("%s: want no error and some models, got %v %v", kind, models, err)
		}
	}
}

func TestAConnectionTestOfAScriptedServerFindsEverything(t *testing.T) {
	url := startServer(t)
	for kind, d := range dialects {
		got := llm.Probe(t.Context(), d, endpoint(url, nil), &native{}, "gpt-4o", nil)
		if want := (llm.Capabilities{Streaming: true, Tools: true, JSONSchema: true, Images: true, Parallel: true}); got.Can != want || got.Error != nil {
			t.Errorf("%s: want Can equal to want and no Error, got %+v", kind, got)
		}
	}
}
