package llm_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
)

// says is a streamed answer of text.
func says(text string) llmtest.Answer {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return llmtest.Answer{Body: []byte(`data: {"choices":[{"delta":{"content":` + string(quoted) + `}}],"usage":{"prompt_tokens":5,"completion_tokens":2}}` +
		"\n\n" + `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")}
}

// callsTools is a streamed answer of calls to probe.echo.
func callsTools(n int) llmtest.Answer {
	var calls []string
	for i := range n {
		calls = append(calls, `{"index":`+string(rune('0'+i))+`,"id":"c`+string(rune('0'+i))+`","function":{"name":"probe__echo","arguments":"{\"text\":\"a\"}"}}`)
	}
	return llmtest.Answer{Body: []byte(`data: {"choices":[{"delta":{"tool_calls":[` + strings.Join(calls, ",") + `]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n")}
}

func refused(status int) llmtest.Answer {
	return llmtest.Answer{Status: status, Body: []byte(`{"error":{"message":"not supported"}}`)}
}

func buffered(a llmtest.Answer) llmtest.Answer {
	a.Buffered = true
	return a
}

func TestAConnectionTestFindsOutWhatAnEndpointCanDo(t *testing.T) {
	ready, schema, red := says("ready"), says(`{"probe_colour":"ultramarine"}`), says("Red.")
	wholeReady := llmtest.Answer{Body: []byte(`{"choices":[{"message":{"content":"ready"},"finish_reason":"stop"}]}`)}
	wholeText := llmtest.Answer{Body: []byte(`{"choices":[{"message":{"content":"I cannot"},"finish_reason":"stop"}]}`)}
	cases := []struct {
		name     string
		answers  []llmtest.Answer
		can      llm.Capabilities
		mode     llm.PlanMode
		findings string
		err      string
	}{
		{
			"everything",
			[]llmtest.Answer{ready, callsTools(2), schema, red},
			llm.Capabilities{Streaming: true, Tools: true, JSONSchema: true, Images: true, Parallel: true},
			llm.PlanByCall,
			"reached streaming.yes tools.yes parallel.yes schema.yes images.yes", "",
		},
		{
			"one call at a time, no schema, blind",
			[]llmtest.Answer{ready, callsTools(1), says("blue"), says("I see nothing.")},
			llm.Capabilities{Streaming: true, Tools: true},
			llm.PlanByCall,
			"reached streaming.yes tools.yes parallel.no schema.no images.no", "",
		},
		{
			"no tools, but a schema",
			[]llmtest.Answer{ready, refused(400), schema, refused(400)},
			llm.Capabilities{Streaming: true, JSONSchema: true},
			llm.PlanBySchema,
			"reached streaming.yes tools.no schema.yes images.no", "",
		},
		{
			"streaming is refused",
			[]llmtest.Answer{{Refuse: llm.NewError("llm.error.network", "detail", "CORS")}, wholeReady, wholeText, wholeText, wholeText},
			llm.Capabilities{},
			llm.PlanByText,
			"reached streaming.no tools.no schema.no images.no", "",
		},
		{
			"busy in the middle",
			[]llmtest.Answer{ready, refused(429), refused(503), {Refuse: llm.NewError("llm.error.timeout")}},
			llm.Capabilities{Streaming: true},
			llm.PlanByText,
			"reached streaming.yes tools.unsure schema.unsure images.unsure", "",
		},
		{
			"an endpoint that a page may not read",
			[]llmtest.Answer{buffered(ready), callsTools(1), schema, refused(400)},
			llm.Capabilities{Tools: true, JSONSchema: true},
			llm.PlanByCall,
			"reached streaming.buffered tools.yes parallel.no schema.yes images.no", "",
		},
		{"a refused key", []llmtest.Answer{refused(401)}, llm.Capabilities{}, llm.PlanByText, "failed", "llm.error.auth"},
		{"nobody there", []llmtest.Answer{{Refuse: llm.NewError("llm.error.network")}, {Refuse: llm.NewError("llm.error.network")}}, llm.Capabilities{}, llm.PlanByText, "failed", "llm.error.network"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			transport := llmtest.NewTransport(c.answers...)
			var heard []llm.Finding
			got := llm.Probe(t.Context(), chat.Dialect{}, endpoint, transport, "m", func(f llm.Finding) { heard = append(heard, f) })
			var keys []string
			for _, f := range got.Findings {
				keys = append(keys, strings.TrimPrefix(f.Key, "llm.finding."))
				if f.Message == "" || strings.ContainsAny(f.Message, "{}") || strings.Contains(f.Message, "()") {
					t.Errorf("want Message set and Message without \"()\", got %+v", f)
				}
				if f.Good != (strings.HasSuffix(f.Key, ".yes") || strings.HasSuffix(f.Key, ".reached")) {
					t.Errorf("%s is good: %v", f.Key, f.Good)
				}
			}
			if strings.Join(keys, " ") != c.findings || got.Can != c.can || got.Can.PlanMode() != c.mode {
				t.Errorf("want as in the case, Can as in the case and PlanMode as in the case, got %v, %+v, %s", keys, got.Can, got.Can.PlanMode())
			}
			if (got.Error != nil) != (c.err != "") || (got.Error != nil && got.Error.Key != c.err) {
				t.Errorf("want equal to (c.err != \"\") and no Error (or Error.Key as in the case), got %+v", got.Error)
			}
			for f, can := range map[llm.Feature]bool{llm.FeatureTools: got.Can.Tools, llm.FeatureSchema: got.Can.JSONSchema, llm.FeatureImages: got.Can.Images} {
				sure := strings.Contains(c.findings, string(f)+".yes") || strings.Contains(c.findings, string(f)+".no")
				if known, ok := got.Known[f]; ok != sure || known != can {
					t.Errorf("%s: known %v %v, can %v", f, known, ok, can)
				}
			}
			if diff := cmp.Diff(got.Findings, heard); diff != "" {
				t.Error("it differs from what was wanted (-want +got):", diff)
			}
			if len(transport.Requests()) != len(c.answers) {
				t.Errorf("%d requests", len(transport.Requests()))
			}
		})
	}
}

func TestAConnectionTestCountsWhatItUses(t *testing.T) {
	transport := llmtest.NewTransport(says("ready"), says("no"), says("no"), says("no"))
	if got := llm.Probe(t.Context(), chat.Dialect{}, endpoint, transport, "m", nil); got.Usage.Input != 20 || got.Usage.Output != 8 {
		t.Errorf("want Usage.Input 20 and Usage.Output 8, got %+v", got.Usage)
	}
	for _, r := range transport.Requests() {
		if len(r.Body) > 2000 {
			t.Errorf("a request of %d bytes", len(r.Body))
		}
	}
}

func TestTheSquareIsRed(t *testing.T) {
	transport := llmtest.NewTransport(says("ready"), says("no"), says("no"), says("no"))
	llm.Probe(t.Context(), chat.Dialect{}, endpoint, transport, "m", nil)
	body := string(transport.Requests()[3].Body)
	_, rest, _ := strings.Cut(body, "data:image/png;base64,")
	data, _, _ := strings.Cut(rest, `"`)
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, a := img.At(16, 16).RGBA(); r != 0xFFFF || g != 0 || b != 0 || a != 0xFFFF {
		t.Errorf("want 0xFFFF, 0, 0 and 0xFFFF, got %d %d %d %d", r, g, b, a)
	}
}
