//go:build !js

package proxy

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"embedded-agent/wasm/internal/llm"
)

// wireError is an error as OpenAI clients know it: an HTTP status and {"error": {message, type, code, param}}.
type wireError struct {
	Status     int
	Code       string
	Message    string
	Param      string
	RetryAfter int // seconds, 0 for none
}

func (e *wireError) Error() string { return e.Message }

func badRequest(param, message string) *wireError {
	return &wireError{Status: http.StatusBadRequest, Code: "invalid_request", Param: param, Message: message}
}

func (e *wireError) kind() string {
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return "authentication_error"
	case e.Status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case e.Status >= 500:
		return "server_error"
	default:
		return "invalid_request_error"
	}
}

func (e *wireError) write(w http.ResponseWriter) {
	var param *string
	if e.Param != "" {
		param = &e.Param
	}
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": e.Message, "type": e.kind(), "code": e.Code, "param": param}}) // strings always marshal
	w.Header().Set("Content-Type", "application/json")
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	w.WriteHeader(e.Status)
	_, _ = w.Write(append(body, '\n')) // the client may be gone
}

// fromBackend gives a backend's error its place on the wire.
func fromBackend(err error) *wireError {
	var le *llm.Error
	if !errors.As(err, &le) {
		return &wireError{Status: http.StatusBadGateway, Code: "server_error", Message: err.Error()}
	}
	e := &wireError{Status: http.StatusBadGateway, Code: "server_error", Message: le.Message, RetryAfter: int(le.RetryAfterS + 0.999)}
	switch le.Code {
	case llm.CodeAuth:
		e.Status, e.Code = http.StatusUnauthorized, "backend_authentication_failed"
	case llm.CodeRateLimit:
		e.Status, e.Code = http.StatusTooManyRequests, "rate_limit_exceeded"
	case llm.CodeValidation:
		e.Status, e.Code = http.StatusBadRequest, "invalid_prompt"
		if le.Key == "codex.error.tooLong" || le.Key == "llm.error.tooLong" {
			e.Code = "context_length_exceeded"
		}
	case llm.CodeNotFound:
		e.Status, e.Code = http.StatusNotFound, "model_not_found"
	case llm.CodeTimeout:
		e.Status, e.Code = http.StatusGatewayTimeout, "timeout"
	case llm.CodeCancelled:
		e.Status, e.Code = http.StatusServiceUnavailable, "cancelled"
	}
	return e
}
