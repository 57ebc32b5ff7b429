package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
)

func TestEveryMessageKeyHasWords(t *testing.T) {
	known := map[string]bool{}
	for _, key := range llm.MessageKeys() {
		known[key] = true
		if !i18n.Has(key) {
			t.Errorf("%s has no words in i18n/en", key)
		}
	}
	for _, key := range i18n.Keys() {
		if strings.HasPrefix(key, "llm.") && !known[key] {
			t.Errorf("%s has words, but nothing says it", key)
		}
	}
	// Every key that the program names must be known.
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, more...) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"(llm\.error\.\w+)"`).FindAllSubmatch(source, -1) {
			if !known[string(m[1])] {
				t.Errorf("%s names %s, which has no text", file, m[1])
			}
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for _, key := range llm.MessageKeys() {
		if !strings.HasPrefix(key, "llm.error.") {
			continue
		}
		e := llm.NewError(key, "host", "model.example", "detail", "because", "name", "n", "tokens", "9", "window", "8", "part", "7")
		if e.Key != key || e.Code == "" || strings.ContainsAny(e.Message, "{}?") || e.Error() != e.Message {
			t.Errorf("want Key equal to key, Code set and Error equal to e.Message, got %+v", e)
		}
	}
	if e := llm.NewError("llm.error.auth"); e.Message != "The model endpoint refused the key (no reason given). Open the settings and enter a valid key for this provider." {
		t.Error("want the message of a refused key without a reason, got:", e.Message)
	}
	if e := llm.NewError("no.such.key"); e.Key != "llm.error.provider" || !strings.Contains(e.Message, "no.such.key") {
		t.Errorf("want Key \"llm.error.provider\" and Message with \"no.such.key\", got %+v", e)
	}
}

func TestAProvidersWordsAreDataOnly(t *testing.T) {
	e := llm.NewError("llm.error.provider", "host", "h", "detail", "{host} \x00\xff\n\tline "+strings.Repeat("ä", 1000))
	if !strings.HasPrefix(e.Message, "h reported an error ({host} \x00\uFFFD line ää") || len(e.Message) > 1000 || strings.Contains(e.Message, "\n") {
		t.Errorf("want Message beginning with \"h reported an error ({host} \\x00� line ää\", at most 1000 Message and Message without \"\\n\", got %q", e.Message)
	}
}

func TestErrorsAreJSON(t *testing.T) {
	data, err := json.Marshal(llm.NewError("llm.error.timeout", "host", "h"))
	want := `{"code":"TIMEOUT","key":"llm.error.timeout","params":{"host":"h"},"message":"h did not answer in time. Try again, or choose a faster model.","retryable":true}`
	if err != nil || string(data) != want {
		t.Errorf("%s: want no error and equal to want, got %v", data, err)
	}
}

func TestAnyErrorBecomesOneOfOurs(t *testing.T) {
	cases := []struct {
		err  error
		code string
	}{
		{context.Canceled, llm.CodeCancelled},
		{fmt.Errorf("asking: %w", context.DeadlineExceeded), llm.CodeTimeout},
		{errors.New("no route to host"), llm.CodeNetwork},
		{fmt.Errorf("asking: %w", llm.NewError("llm.error.quota")), llm.CodeRateLimit},
	}
	for _, c := range cases {
		if e := llm.AsError(c.err, "h"); e.Code != c.code {
			t.Errorf("%v becomes %+v", c.err, e)
		}
	}
	if llm.AsError(nil, "h") != nil {
		t.Error("no error becomes one")
	}
}

func TestTheBodiesOfRefusalsAreUnderstood(t *testing.T) {
	cases := []struct {
		status       int
		body         string
		key, snippet string
	}{
		{400, `{"error":{"message":"m","type":"invalid_request_error"}}`, "llm.error.request", "(m)"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 3 tokens > 2 maximum"}}`, "llm.error.tooLong", "prompt is too long"},
		{400, `{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size","type":"exceed_context_size_error"}}`, "llm.error.tooLong", "9000"},
		{422, `{"detail":[{"loc":["body"],"msg":"extra fields not permitted"}]}`, "llm.error.request", "extra fields"},
		{422, `{"object":"error","message":"bad","type":"x","code":"1500"}`, "llm.error.request", "(bad)"},
		{404, `{"error":"model 'x' not found, try pulling it first"}`, "llm.error.notFound", "pulling"},
		{404, `404 page not found`, "llm.error.notFound", "404 page not found"},
		{413, `{"error":{"type":"request_too_large","message":"big"}}`, "llm.error.tooLong", "big"},
		{402, `{"error":{"message":"Insufficient Balance"}}`, "llm.error.quota", "Balance"},
		{429, `[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}]`, "llm.error.rateLimit", "quota"},
		{429, `{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"upstream is busy"}}}`, "llm.error.rateLimit", "upstream is busy"},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "llm.error.overloaded", "Overloaded"},
		{500, `{"error":{`, "llm.error.overloaded", "HTTP 500"},
		{500, ``, "llm.error.overloaded", "HTTP 500"},
		{504, `<html></html>`, "llm.error.timeout", "in time"},
		{405, `<html></html>`, "llm.error.html", "web page"},
		{401, `<html></html>`, "llm.error.auth", "HTTP 401"},
		{403, `<html>Blocked</html>`, "llm.error.html", "web page"},
		{302, ``, "llm.error.shape", "HTTP 302"},
		{400, `{"error":` + strings.Repeat("[", 500), "llm.error.request", "HTTP 400"},
	}
	for _, c := range cases {
		e := llm.HTTPError("h", c.status, 0, []byte(c.body))
		if e.Key != c.key || !strings.Contains(e.Message, c.snippet) {
			t.Errorf("%d %s: %s %q, want %s with %q", c.status, c.body, e.Key, e.Message, c.key, c.snippet)
		}
	}
	if e := llm.HTTPError("h", 429, 90*time.Second, nil); e.RetryAfterS != 90 || !e.Retryable {
		t.Errorf("want RetryAfterS 90 and Retryable true, got %+v", e)
	}
	if e := llm.HTTPError("h", 400, 90*time.Second, nil); e.RetryAfterS != 0 || e.Retryable {
		t.Errorf("want RetryAfterS 0 and Retryable false, got %+v", e)
	}
}

func TestRecordedRefusalsAreClear(t *testing.T) {
	want := map[string]string{ // a part of the file's name: status, key
		"tool_regular_error":                    "404 llm.error.notFound",
		"tool_use_failed_error":                 "400 llm.error.request",
		"o1_mini_system_role":                   "400 llm.error.request",
		"web_search_tool_model_not_supported":   "400 llm.error.request",
		"openrouter_errors_raised":              "429 llm.error.rateLimit",
		"xhigh_unsupported":                     "400 llm.error.request",
		"rejects_interleaved_function_calls":    "400 llm.error.request",
		"responses_model_http_error":            "400 llm.error.request",
		"responses_thinking_with_modified_hist": "400 llm.error.request",
	}
	seen := map[string]bool{}
	for _, kind := range []string{"chat-errors", "messages-errors", "responses-errors"} {
		for _, file := range llmtest.Recordings(t, kind, ".json") {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			for part, expect := range want {
				if !strings.Contains(name, part) {
					continue
				}
				seen[name] = true
				var status int
				var key string
				if _, err := fmt.Sscan(expect, &status, &key); err != nil {
					t.Fatal(err)
				}
				e := llm.HTTPError("h", status, 0, raw)
				var body struct {
					Error struct {
						Message string `json:"message"`
					} `json:"error"`
				}
				if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&body); err != nil {
					t.Fatal(err)
				}
				if e.Key != key || !strings.HasPrefix(e.Params["detail"], body.Error.Message) {
					t.Errorf("%s: want Key equal to key and Params[\"detail\"] beginning with body.Error.Message, got %+v", name, e)
				}
			}
			if !seen[name] {
				t.Errorf("%s is not expected", name)
			}
		}
	}
}
