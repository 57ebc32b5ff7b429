package trace

import (
	"encoding/json"
	"strconv"
	"time"
)

// scopeName is the instrumentation scope of every span.
const scopeName = "embedded-agent"

// line writes spans as OTLP/JSON: opentelemetry.proto.trace.v1.TracesData with
// lowerCamelCase names, ids in hexadecimal, enums as integers and 64-bit
// integers as strings (opentelemetry.io/docs/specs/otlp, "JSON Protobuf
// Encoding"; one TracesData a line is the OTLP file format).
func (r *Recorder) line(spans []*Span) []byte {
	resource := []Attr{{"service.name", scopeName}}
	scope := jsonScope{Name: scopeName}
	if r.version != "" {
		resource = append(resource, Attr{"service.version", r.version})
		scope.Version = r.version
	}
	out := make([]jsonSpan, len(spans))
	for i, s := range spans {
		out[i] = s.encode(r.runID)
	}
	data := jsonTraces{[]jsonResourceSpans{{
		Resource:   jsonResource{encodeAttrs(resource)},
		ScopeSpans: []jsonScopeSpans{{scope, out}},
	}}}
	b, err := json.Marshal(data)
	if err != nil {
		panic("trace: " + err.Error()) // only strings, numbers and booleans are in it
	}
	return append(b, '\n')
}

type (
	jsonTraces struct {
		ResourceSpans []jsonResourceSpans `json:"resourceSpans"`
	}
	jsonResourceSpans struct {
		Resource   jsonResource     `json:"resource"`
		ScopeSpans []jsonScopeSpans `json:"scopeSpans"`
	}
	jsonResource struct {
		Attributes []jsonAttr `json:"attributes"`
	}
	jsonScopeSpans struct {
		Scope jsonScope  `json:"scope"`
		Spans []jsonSpan `json:"spans"`
	}
	jsonScope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	jsonSpan struct {
		TraceID      string      `json:"traceId"`
		SpanID       string      `json:"spanId"`
		ParentSpanID string      `json:"parentSpanId,omitempty"`
		Name         string      `json:"name"`
		Kind         int         `json:"kind"`
		Start        string      `json:"startTimeUnixNano"`
		End          string      `json:"endTimeUnixNano"`
		Attributes   []jsonAttr  `json:"attributes,omitempty"`
		Status       *jsonStatus `json:"status,omitempty"`
	}
	jsonStatus struct {
		Message string `json:"message,omitempty"`
		Code    int    `json:"code"`
	}
	jsonAttr struct {
		Key   string    `json:"key"`
		Value jsonValue `json:"value"`
	}
	jsonValue struct {
		String *string    `json:"stringValue,omitempty"`
		Bool   *bool      `json:"boolValue,omitempty"`
		Int    *string    `json:"intValue,omitempty"`
		Double *float64   `json:"doubleValue,omitempty"`
		Array  *jsonArray `json:"arrayValue,omitempty"`
	}
	jsonArray struct {
		Values []jsonValue `json:"values"`
	}
)

// statusError is STATUS_CODE_ERROR. A span that did not fail leaves its status
// unset, as the conventions ask.
const statusError = 2

func (s *Span) encode(runID string) jsonSpan {
	attrs := s.attrs
	j := jsonSpan{
		TraceID: TraceID(runID), SpanID: s.id, ParentSpanID: s.parent, Name: s.name, Kind: int(s.kind),
		Start: nanos(s.start), End: nanos(s.end),
	}
	if s.errTyp != "" {
		attrs = append(attrs[:len(attrs):len(attrs)], Attr{"error.type", s.errTyp})
		j.Status = &jsonStatus{Message: s.r.clean(s.errMsg), Code: statusError}
	}
	j.Attributes = encodeAttrs(attrs)
	if s.r.redact != nil {
		for i := range j.Attributes {
			if text := j.Attributes[i].Value.String; text != nil {
				*text = s.r.redact(*text)
			}
		}
	}
	return j
}

func (r *Recorder) clean(text string) string {
	if r.redact == nil {
		return text
	}
	return r.redact(text)
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func encodeAttrs(attrs []Attr) []jsonAttr {
	out := make([]jsonAttr, 0, len(attrs))
	for _, a := range attrs {
		if v, ok := encodeValue(a.Value); ok {
			out = append(out, jsonAttr{a.Key, v})
		}
	}
	return out
}

// encodeValue gives false for an empty string: an attribute without a value
// says nothing.
func encodeValue(v any) (jsonValue, bool) {
	switch v := v.(type) {
	case string:
		return jsonValue{String: &v}, v != ""
	case bool:
		return jsonValue{Bool: &v}, true
	case int:
		s := strconv.Itoa(v)
		return jsonValue{Int: &s}, true
	case int64:
		s := strconv.FormatInt(v, 10)
		return jsonValue{Int: &s}, true
	case float64:
		return jsonValue{Double: &v}, v == v && v-v == 0 // JSON has no infinities
	case []string:
		values := make([]jsonValue, len(v))
		for i := range v {
			values[i] = jsonValue{String: &v[i]}
		}
		return jsonValue{Array: &jsonArray{values}}, true
	}
	return jsonValue{}, false
}
