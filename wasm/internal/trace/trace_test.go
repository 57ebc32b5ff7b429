package trace_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/trace"
)

const run = "0d4ee5b4-6f0e-4d52-9a5e-0a6b3a1c9f00"

// decode reads a line with the official types, refusing unknown fields. OTLP
// deviates from protojson in one point, ids in hexadecimal instead of base64,
// so those are translated first.
func decode(t *testing.T, line []byte) *tracepb.TracesData {
	t.Helper()
	if bytes.Count(line, []byte("\n")) != 1 || line[len(line)-1] != '\n' {
		t.Fatalf("not one line: %q", line)
	}
	var doc any
	if err := json.Unmarshal(line, &doc); err != nil {
		t.Fatal(err)
	}
	if err := idsToBase64(doc); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var data tracepb.TracesData
	if err := protojson.Unmarshal(again, &data); err != nil {
		t.Fatalf("want no error, got %v in %s", err, line)
	}
	return &data
}

func idsToBase64(v any) error {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if err := idsToBase64(e); err != nil {
				return err
			}
		}
	case map[string]any:
		for k, e := range v {
			switch k {
			case "traceId", "spanId", "parentSpanId":
				raw, err := hex.DecodeString(e.(string))
				if err != nil {
					return err
				}
				if want := map[string]int{"traceId": 16}[k]; len(raw) != max(want, 8) {
					return errors.New(k + " has a wrong length")
				}
				v[k] = base64.StdEncoding.EncodeToString(raw)
			case "kind", "code":
				if _, ok := e.(float64); !ok {
					return errors.New(k + " is not an integer enum")
				}
			case "startTimeUnixNano", "endTimeUnixNano", "intValue":
				if _, ok := e.(string); !ok {
					return errors.New(k + " is not a string")
				}
			default:
				if err := idsToBase64(e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func spansOf(data *tracepb.TracesData) map[string]*tracepb.Span {
	out := map[string]*tracepb.Span{}
	for _, rs := range data.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				out[s.Name] = s
			}
		}
	}
	return out
}

func attr(s *tracepb.Span, key string) *v1.AnyValue {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value
		}
	}
	return nil
}

func TestARunIsWrittenAsOTLPThatTheOfficialTypesRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := trace.New(run, trace.Version("1.2.3"))
		agent := r.StartAgent(nil, "agent", "notes", "conv-1")
		guard := r.StartPolicy(agent, "model/1", "model")
		guard.End()
		chat := r.StartModel(agent, "chat/1", "openai", "gpt-5")
		time.Sleep(3 * time.Millisecond)
		chat.ModelAnswer("gpt-5-2026", "resp_1", "toolUse", 1200, 34)
		chat.End()
		call := r.StartTool(agent, trace.ToolCall{CallID: "c1", LogicalID: "call_9", Tool: "vault.readFile", Version: "1.0.0", Attempt: 1, Step: "agent"})
		call.Fail("NOT_FOUND", "no such note")
		call.End()
		call.End()
		agent.End()

		data := decode(t, r.Take())
		spans := spansOf(data)
		if len(spans) != 4 {
			t.Fatalf("%d spans, want 4", len(spans))
		}
		a, c, x := spans["invoke_agent notes"], spans["chat gpt-5"], spans["execute_tool vault.readFile"]
		if got := hex.EncodeToString(a.TraceId); got != trace.TraceID(run) {
			t.Errorf("trace id %s", got)
		}
		for name, s := range spans {
			if !bytes.Equal(s.TraceId, a.TraceId) {
				t.Errorf("%s is in another trace", name)
			}
			if name != "invoke_agent notes" && !bytes.Equal(s.ParentSpanId, a.SpanId) {
				t.Errorf("%s has another parent", name)
			}
		}
		if got := hex.EncodeToString(x.SpanId); got != trace.SpanID(run, "c1") {
			t.Errorf("the tool's span id %s does not follow from its callId", got)
		}
		if c.Kind != tracepb.Span_SPAN_KIND_CLIENT || x.Kind != tracepb.Span_SPAN_KIND_INTERNAL {
			t.Errorf("kinds %v and %v", c.Kind, x.Kind)
		}
		if d := c.EndTimeUnixNano - c.StartTimeUnixNano; d != 3_000_000 {
			t.Errorf("the model call took %d ns", d)
		}
		if x.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR || attr(x, "error.type").GetStringValue() != "NOT_FOUND" {
			t.Errorf("status %v", x.Status)
		}
		if c.Status.GetCode() != tracepb.Status_STATUS_CODE_UNSET {
			t.Errorf("a success has status %v", c.Status)
		}
		if attr(c, "gen_ai.usage.input_tokens").GetIntValue() != 1200 || attr(c, "gen_ai.operation.name").GetStringValue() != "chat" ||
			attr(c, "gen_ai.response.finish_reasons").GetArrayValue().GetValues()[0].GetStringValue() != "toolUse" {
			t.Errorf("attributes %v", c.Attributes)
		}
		if attr(x, "gen_ai.tool.call.id").GetStringValue() != "call_9" || attr(x, "gen_ai.tool.name").GetStringValue() != "vault.readFile" {
			t.Errorf("attributes %v", x.Attributes)
		}
		if attr(a, "gen_ai.conversation.id").GetStringValue() != "conv-1" {
			t.Errorf("attributes %v", a.Attributes)
		}
		if r.Take() != nil {
			t.Error("spans are given twice")
		}
	})
}

// wantIDs pins the derivation: links to old runs depend on it.
const wantIDs = "aa611842e69d211581c3614ebe70a563/f15013c169287767"

func TestIdsAreTheSameForTheSameRunAndDifferForOthers(t *testing.T) {
	if got := trace.TraceID(run) + "/" + trace.SpanID(run, "agent"); got != wantIDs {
		t.Errorf("the ids of old runs have changed: %s", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "run a"), rapid.String().Draw(t, "run b")
		x, y := rapid.String().Draw(t, "what x"), rapid.String().Draw(t, "what y")
		if a != b && (trace.TraceID(a) == trace.TraceID(b) || trace.SpanID(a, x) == trace.SpanID(b, x)) {
			t.Fatal("two runs share an id")
		}
		if x != y && trace.SpanID(a, x) == trace.SpanID(a, y) {
			t.Fatal("two spans share an id")
		}
	})
}

func TestANilRecorderTakesEverythingAndRecordsNothing(t *testing.T) {
	var r *trace.Recorder
	s := r.StartTool(r.StartAgent(nil, "a", "b", "c"), trace.ToolCall{CallID: "x"})
	s.Set(trace.Attr{Key: "k", Value: 1})
	s.Fail("TIMEOUT", "late")
	s.ModelAnswer("", "", "", 0, 0)
	s.End()
	if r.Take() != nil || s.ID() != "" {
		t.Error("something was recorded")
	}
}

func TestEveryKindOfAttributeIsWrittenAsOTLPHasIt(t *testing.T) {
	r := trace.New(run)
	inf := 1.0
	for range 2000 {
		inf *= 10
	}
	r.Start(nil, "x", "x", trace.Internal,
		trace.Attr{Key: "s", Value: "é"}, trace.Attr{Key: "b", Value: false}, trace.Attr{Key: "i", Value: 1 << 60},
		trace.Attr{Key: "f", Value: 0.5}, trace.Attr{Key: "l", Value: []string{"a", ""}},
		trace.Attr{Key: "empty", Value: ""}, trace.Attr{Key: "inf", Value: inf}, trace.Attr{Key: "odd", Value: struct{}{}}).End()
	s := spansOf(decode(t, r.Take()))["x"]
	if attr(s, "s").GetStringValue() != "é" || attr(s, "i").GetIntValue() != 1<<60 || attr(s, "f").GetDoubleValue() != 0.5 ||
		len(attr(s, "l").GetArrayValue().GetValues()) != 2 || attr(s, "b") == nil {
		t.Errorf("attributes %v", s.Attributes)
	}
	for _, key := range []string{"empty", "inf", "odd"} {
		if attr(s, key) != nil {
			t.Errorf("%s was written", key)
		}
	}
	if got := strconv.Itoa(len(s.Attributes)); got != "5" {
		t.Errorf("%s attributes", got)
	}
}

func TestAWrittenTraceIsReadAgainAndHoldsNothingThatIsRedacted(t *testing.T) {
	r := trace.New(run, trace.Redact(func(s string) string { return strings.ReplaceAll(s, "ZEBRA", "[redacted]") }))
	root := r.StartRun("talk")
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	call := r.StartTool(root, trace.ToolCall{CallID: "c-1", LogicalID: "call_1", Tool: "vault.readFile", Version: "1.0.0", Attempt: 1, Description: "reads ZEBRA"})
	call.Fail("NOT_FOUND", "no ZEBRA here")
	r.Add(call, began, began.Add(1500*time.Millisecond))
	r.StartPolicy(call, "c-1", "vault.readFile").End()
	r.StartModel(root, "ask/1", "openai", "m").End()
	root.End()
	line := r.Take()
	decode(t, line)
	if bytes.Contains(line, []byte("ZEBRA")) {
		t.Errorf("want line without []byte(\"ZEBRA\"), got %s", line)
	}
	es, err := trace.Read(append(line, []byte(`{"torn`)...))
	if err != nil || len(es) != 4 {
		t.Fatalf("want no error and 4 of them, got %v %+v", err, es)
	}
	var kinds []string
	for _, e := range es {
		kinds = append(kinds, string(trace.KindOf(e.Name)))
	}
	if got := strings.Join(kinds, " "); got != "tool policy model run" {
		t.Errorf("kinds %s", got)
	}
	if e := es[0]; e.CallID != "c-1" || e.ID != trace.SpanID(run, "c-1") || e.Parent != root.ID() || e.ErrorType != "NOT_FOUND" ||
		e.Message != "no [redacted] here" || !e.Start.Equal(began) || e.End.Sub(e.Start) != 1500*time.Millisecond {
		t.Errorf("want CallID \"c-1\", ID equal to trace.SpanID(run, \"c-1\"), Parent equal to root.ID(), ErrorType \"NOT_FOUND\", Message \"no [redacted] here\" and equal to 1500*time.Millisecond, got %+v", e)
	}
	if _, err := trace.Read([]byte("{}\nnonsense\n")); err == nil {
		t.Error("nonsense was read")
	}
}
