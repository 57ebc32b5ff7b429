//go:build !js

package codex

import (
	"encoding/json"
	"net/http"
	"strings"

	"embedded-agent/wasm/internal/llm"
)

// message is one line of the protocol: a request, an answer or a notification.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// notice has the params of a notification that matter here. Every notification about a turn names its thread.
type notice struct {
	ThreadID  string     `json:"threadId"`
	TurnID    string     `json:"turnId"`
	ItemID    string     `json:"itemId"`
	Delta     string     `json:"delta"`
	Item      *item      `json:"item"`
	Turn      *turnInfo  `json:"turn"`
	Error     *turnError `json:"error"`
	WillRetry bool       `json:"willRetry"`
	Usage     *struct {
		Total usageInfo `json:"total"`
	} `json:"tokenUsage"`
}

type item struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Text string `json:"text"`
}

type turnInfo struct {
	ID     string     `json:"id"`
	Status string     `json:"status"`
	Error  *turnError `json:"error"`
	Items  []item     `json:"items"`
}

type usageInfo struct {
	Input     int `json:"inputTokens"`
	Cached    int `json:"cachedInputTokens"`
	Output    int `json:"outputTokens"`
	Reasoning int `json:"reasoningOutputTokens"`
}

// turnError is why a turn failed. Info is a string or an object with one key.
type turnError struct {
	Message string          `json:"message"`
	Details string          `json:"additionalDetails"`
	Info    json.RawMessage `json:"codexErrorInfo"`
}

// kind reads both forms of codexErrorInfo: its name, and the HTTP status where there is one.
func (e *turnError) kind() (name string, status int) {
	if json.Unmarshal(e.Info, &name) == nil {
		return name, 0
	}
	var object map[string]struct {
		Status int `json:"httpStatusCode"`
	}
	if json.Unmarshal(e.Info, &object) != nil {
		return "", 0
	}
	for n, v := range object {
		return n, v.Status
	}
	return "", 0
}

// incomplete gives the reason of an answer that the model ended early, "" for another error. Codex has no word of its own
// for it: an answer without its end is an error like any other.
func (e *turnError) incomplete() string {
	reason, found := strings.CutPrefix(e.Message, "Incomplete response returned, reason: ")
	if !found || reason == "" {
		return ""
	}
	return reason
}

// refused gives the error of a request that the provider refused as wrong. Codex hands its body on, and only that.
func (e *turnError) refused() *llm.Error {
	body := []byte(strings.TrimSpace(e.Message))
	if len(body) == 0 || body[0] != '{' || !json.Valid(body) {
		return nil
	}
	return llm.HTTPError("", http.StatusBadRequest, 0, body)
}

// asError says what happened and what to do about it.
func (e *turnError) asError(home string) *llm.Error {
	name, status := e.kind()
	detail := clip(e.Message, 400)
	if r := e.refused(); r != nil {
		detail = r.Params["detail"]
		switch {
		case r.Key == "llm.error.tooLong":
			name = "contextWindowExceeded"
		case r.Params["code"] == "model_not_found":
			name = "modelNotFound"
		case name == "other":
			name = "badRequest"
		}
	}
	switch {
	case name == "unauthorized" || status == http.StatusUnauthorized || status == http.StatusForbidden:
		return newError(llm.CodeAuth, "codex.error.auth", false,
			"Codex is not signed in, or its key was refused ("+detail+"). Sign in with: CODEX_HOME="+home+" codex login")
	case name == "usageLimitExceeded" || name == "rateLimitExceeded" || name == "sessionBudgetExceeded" || status == http.StatusTooManyRequests:
		return newError(llm.CodeRateLimit, "codex.error.rateLimit", true, "Codex was asked too much of ("+detail+"). Try again later, or choose another model.")
	case name == "contextWindowExceeded":
		return newError(llm.CodeValidation, "codex.error.tooLong", false, "The conversation is longer than the model can take ("+detail+"). Send less.")
	case name == "modelNotFound" || status == http.StatusNotFound:
		return newError(llm.CodeNotFound, "codex.error.model", false, "Codex does not know the model ("+detail+"). Choose another.")
	case name == "badRequest" || status == http.StatusBadRequest:
		return newError(llm.CodeValidation, "codex.error.request", false, "The model provider refused the request: "+detail)
	default:
		return newError(llm.CodeProvider, "codex.error.provider", true, "The model behind Codex failed ("+detail+"). Try again.")
	}
}

func newError(code, key string, retryable bool, text string) *llm.Error {
	return &llm.Error{Code: code, Key: key, Message: text, Retryable: retryable}
}

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
