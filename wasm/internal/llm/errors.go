package llm

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/fault"
)

// The codes that can come from here, out of the project's one list.
const (
	CodeValidation = string(fault.Validation)
	CodeNotFound   = string(fault.NotFound)
	CodeAuth       = string(fault.Auth)
	CodeRateLimit  = string(fault.RateLimit)
	CodeProvider   = string(fault.Provider)
	CodeNetwork    = string(fault.Network)
	CodeTimeout    = string(fault.Timeout)
	CodeCancelled  = string(fault.Cancelled)
)

// Error is a failure as data: a code, a message key with its parameters for the catalogues, and the same in English,
// which says what the person can do. It never holds a key or a header.
type Error struct {
	Code        string            `json:"code"`
	Key         string            `json:"key"`
	Params      map[string]string `json:"params,omitempty"`
	Message     string            `json:"message"`
	Retryable   bool              `json:"retryable"`
	RetryAfterS float64           `json:"retryAfterS,omitempty"`
}

// Error is the English sentence.
func (e *Error) Error() string { return e.Message }

// kind has the parts that all errors with one key share. Its words are in i18n (en/llm.json).
type kind struct {
	code      string
	retryable bool
}

// kinds lists every message key.
var kinds = map[string]kind{
	"llm.error.auth":                 {CodeAuth, false},
	"llm.error.rateLimit":            {CodeRateLimit, true},
	"llm.error.quota":                {CodeRateLimit, false},
	"llm.error.overloaded":           {CodeProvider, true},
	"llm.error.provider":             {CodeProvider, false},
	"llm.error.request":              {CodeValidation, false},
	"llm.error.notFound":             {CodeNotFound, false},
	"llm.error.tooLong":              {CodeValidation, false},
	"llm.error.tooLong.attached":     {CodeValidation, false},
	"llm.error.tooLong.selection":    {CodeValidation, false},
	"llm.error.tooLong.conversation": {CodeValidation, false},
	"llm.error.tooLong.prompt":       {CodeValidation, false},
	"llm.error.html":                 {CodeProvider, false},
	"llm.error.empty":                {CodeProvider, true},
	"llm.error.shape":                {CodeProvider, false},
	"llm.error.cut":                  {CodeNetwork, true},
	"llm.error.order":                {CodeProvider, true},
	"llm.error.tooLarge":             {CodeProvider, false},
	"llm.error.network":              {CodeNetwork, true},
	"llm.error.timeout":              {CodeTimeout, true},
	"llm.error.cancelled":            {CodeCancelled, false},
	"llm.error.toolName":             {CodeValidation, false},
	"llm.error.noStopTexts":          {CodeValidation, false},
	"llm.error.noPlainJSON":          {CodeValidation, false},
	"llm.error.invalidRequest":       {CodeValidation, false},
	"llm.error.aborted":              {CodeCancelled, false},
}

// MessageKeys lists every message key that comes from here: errors, and the findings of a connection test.
func MessageKeys() []string {
	keys := append(slices.Collect(maps.Keys(kinds)), findings...)
	slices.Sort(keys)
	return keys
}

// maxDetail limits what of a provider's own words goes into an error, in runes.
const maxDetail = 400

// NewError makes the error of a message key; params are names and values, alternating. A value is cut to a few hundred
// characters. An unknown key gives the key for a general provider error.
func NewError(key string, params ...string) *Error {
	k, ok := kinds[key]
	if !ok {
		params = append(params, "detail", key)
		key = "llm.error.provider"
		k = kinds[key]
	}
	e := &Error{Code: k.code, Key: key, Retryable: k.retryable}
	for i := 0; i+1 < len(params); i += 2 {
		if e.Params == nil {
			e.Params = make(map[string]string)
		}
		e.Params[params[i]] = clip(params[i+1])
	}
	e.Message = english(key, e.Params)
	return e
}

// With gives a copy with one more parameter, its sentence filled again.
func (e *Error) With(name, value string) *Error {
	c := *e
	c.Params = make(map[string]string, len(e.Params)+1)
	for n, v := range e.Params {
		c.Params[n] = v
	}
	c.Params[name] = clip(value)
	if _, ok := kinds[c.Key]; ok {
		c.Message = english(c.Key, c.Params)
	}
	return &c
}

// AsError gives err as *Error: itself, the program's own error of a transport, a cancellation, a timeout, or else a
// network failure of host.
func AsError(err error, host string) *Error {
	var e *Error
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		if e.Params["host"] == "" && host != "" {
			return e.With("host", host)
		}
		return e
	case errors.As(err, &f):
		return fromFault(f)
	case errors.Is(err, context.Canceled):
		return NewError("llm.error.cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		return NewError("llm.error.timeout", "host", host)
	}
	return NewError("llm.error.network", "host", host, "detail", err.Error())
}

func fromFault(f *fault.Error) *Error {
	params := maps.Clone(f.Params)
	if f.Detail != "" && params["detail"] == "" {
		if params == nil {
			params = make(map[string]string)
		}
		params["detail"] = clip(f.Detail)
	}
	return &Error{
		Code: string(f.Code), Key: f.Key, Params: params, Message: f.Error(), Retryable: f.Retryable, RetryAfterS: f.RetryAfterS,
	}
}

// english gives the words of a message; what nobody knows about it is said so.
func english(key string, params map[string]string) string {
	all := map[string]string{"host": "The model endpoint", "detail": "no reason given"}
	for name, value := range params {
		if value != "" {
			all[name] = value
		}
	}
	return i18n.English(key, all)
}

// clip makes a provider's words fit into a sentence: one line, limited.
func clip(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if n := 0; len(s) > maxDetail {
		for i := range s {
			if n == maxDetail {
				return s[:i] + "…"
			}
			n++
		}
	}
	return s
}

func statusText(status int) string { return "HTTP " + strconv.Itoa(status) }
