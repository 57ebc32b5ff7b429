package llm

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"embedded-agent/wasm/internal/jsontree"
)

// HTTPError gives the error of an answer whose status is not a success. body is its beginning; the shapes of OpenAI,
// Anthropic and their imitators are understood, and anything else is named by its status.
func HTTPError(host string, status int, retryAfter time.Duration, body []byte) *Error {
	detail, code, page := errorBody(body)
	if detail == "" {
		detail = statusText(status)
	}
	e := NewError(statusKey(status, code, detail, page), "host", host, "detail", detail, "status", strconv.Itoa(status))
	if code != "" {
		e = e.With("code", code)
	}
	if retryAfter > 0 && e.Retryable {
		e.RetryAfterS = retryAfter.Seconds()
	}
	return e
}

// statusKey chooses the message key. A page in place of JSON matters only where the status says nothing by itself.
func statusKey(status int, code, detail string, page bool) string {
	switch {
	case status == 401 || (status == 403 && !page):
		return "llm.error.auth"
	case status == 402 || code == "insufficient_quota" || code == "billing_hard_limit_reached":
		return "llm.error.quota"
	case status == 429:
		return "llm.error.rateLimit"
	case status == 408 || status == 504:
		return "llm.error.timeout"
	case status == 501 || (status >= 500 && refusesFeature(detail)):
		return "llm.error.request"
	case status >= 500:
		return "llm.error.overloaded"
	case page:
		return "llm.error.html"
	case status == 413 || tooLong(code, detail):
		return "llm.error.tooLong"
	case status == 404:
		return "llm.error.notFound"
	case status >= 400:
		return "llm.error.request"
	}
	return "llm.error.shape"
}

// tooLong recognises the ways in which providers say that the context window is exceeded.
func tooLong(code, detail string) bool {
	if code == "context_length_exceeded" || code == "request_too_large" {
		return true
	}
	lower := strings.ToLower(detail)
	for _, words := range []string{
		"prompt is too long", "maximum context length", "context window", "exceeds the available context size",
		"context length exceeded", "too many tokens",
	} {
		if strings.Contains(lower, words) {
			return true
		}
	}
	return false
}

// errorBody finds the provider's own words and its code in a body.
func errorBody(body []byte) (detail, code string, page bool) {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '<' {
		return "", "", true
	}
	v, err := jsontree.Parse(body)
	if err != nil {
		return plainText(body), "", false
	}
	if v.Kind() == jsontree.Array {
		v = v.Index(0)
	}
	detail, code = ErrorValue(v)
	return detail, code, false
}

func plainText(body []byte) string {
	if len(body) > 0 && (body[0] == '{' || body[0] == '[') {
		return ""
	}
	return clip(string(body))
}

// ErrorValue finds the words and the code in a provider's error object, in any of the usual shapes: {error:{message,
// type, code}}, {error:"…"}, {message}, {detail:"…"} or {detail:[{msg}]}, or such an object bare.
func ErrorValue(v jsontree.Value) (detail, code string) {
	inner := v.Get("error")
	switch inner.Kind() {
	case jsontree.String:
		return inner.Str(), v.Get("code").Str()
	case jsontree.Object:
		v = inner
	}
	code = v.Get("code").Str()
	if code == "" {
		code = v.Get("type").Str()
	}
	if code == "" && v.Get("code").Kind() == jsontree.Number {
		code = string(v.Get("code").Raw())
	}
	for _, name := range []string{"message", "detail", "error_msg"} {
		if detail = v.Get(name).Str(); detail != "" {
			break
		}
	}
	if first := v.Get("detail").Index(0); detail == "" && first.Exists() {
		detail = strings.TrimSpace(first.Get("msg").Str() + place(first.Get("loc")))
	}
	if param := v.Get("param").Str(); detail != "" && !strings.Contains(detail, param) {
		detail += " (" + param + ")"
	}
	// Routers wrap the words of the endpoint behind them.
	if raw := v.Get("metadata").Get("raw").Str(); raw != "" {
		detail = strings.TrimSpace(detail + ": " + raw)
	}
	return detail, code
}

// place is where in a request something is wrong, as servers of one kind tell it: ["body","tools",0].
func place(loc jsontree.Value) string {
	var parts []string
	for v := range loc.Elements() {
		if v.Kind() == jsontree.String {
			parts = append(parts, v.Str())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ".") + ")"
}

// StreamError gives the error of an error object inside a stream that began well.
func StreamError(host string, v jsontree.Value) *Error {
	detail, code := ErrorValue(v)
	status := streamStatus(code)
	if status == 0 {
		status, _ = strconv.Atoi(code)
	}
	key := "llm.error.provider"
	if status >= 400 || tooLong(code, detail) {
		key = statusKey(status, code, detail, false)
	}
	if detail == "" {
		detail = code
	}
	e := NewError(key, "host", host, "detail", detail)
	if code != "" {
		e = e.With("code", code)
	}
	return e
}

// streamStatus is the HTTP status that an error code stands for, or 0.
func streamStatus(code string) int {
	switch code {
	case "authentication_error", "invalid_api_key", "permission_error":
		return 401
	case "insufficient_quota", "billing_error":
		return 402
	case "not_found_error", "model_not_found":
		return 404
	case "rate_limit_error", "rate_limit_exceeded":
		return 429
	case "api_error", "server_error", "internal_server_error", "service_unavailable":
		return 500
	case "overloaded_error":
		return 529
	case "timeout_error":
		return 504
	case "invalid_request_error", "tool_use_failed":
		return 400
	}
	return 0
}
