// Package fault holds the one error type of the program and the closed list
// of error codes (docs/design/tool-calls.md#errors).
//
// An error is data: it reaches the model, a plan's onError, the log and the
// person. So it carries a code that programs branch on, and a message key with
// parameters that people read in their own language; Error renders the English
// words from the same catalogue the panel uses. There is one place for words
// (i18n) and one place for codes (here).
package fault

import (
	"context"
	"errors"

	"embedded-agent/i18n"
)

// Code is a stable, machine-readable error code.
type Code string

// The closed list. Adding one is a change of the contract.
const (
	Validation   Code = "VALIDATION_ERROR"    // input fails its schema or the plan its checks
	Denied       Code = "POLICY_DENIED"       // a guard said no
	NotFound     Code = "NOT_FOUND"           // no such file, command, tool, run
	Conflict     Code = "CONFLICT"            // the world is not as it was when it was approved
	Precondition Code = "PRECONDITION_FAILED" // no selection, no active note
	Auth         Code = "AUTH_REQUIRED"       // a secret is missing or refused
	RateLimit    Code = "RATE_LIMIT"          // too many calls; RetryAfterS says when
	Provider     Code = "PROVIDER_ERROR"      // the other side failed
	Network      Code = "NETWORK_ERROR"       // the other side was not reached
	Sandbox      Code = "SANDBOX_ERROR"       // a script failed or was stopped
	Timeout      Code = "TIMEOUT"
	Cancelled    Code = "CANCELLED"
	Internal     Code = "INTERNAL_ERROR" // UNKNOWN in a receipt (tool.Envelope)
)

// Codes lists every code, for schemas and tests.
func Codes() []Code {
	return []Code{
		Validation, Denied, NotFound, Conflict, Precondition, Auth, RateLimit,
		Provider, Network, Sandbox, Timeout, Cancelled, Internal,
	}
}

// P is the parameters of a message: names to values that are put into its
// words as they are.
type P = map[string]string

// Error is every failure in the program. Key names a message in the catalogue
// of i18n; Params fills it. Detail is English from outside (a library, a
// provider, the host), shown after the message, never instead of it.
type Error struct {
	Code        Code           `json:"code"`
	Key         string         `json:"key"`
	Params      P              `json:"params,omitempty"`
	Detail      string         `json:"detail,omitempty"`
	Data        map[string]any `json:"details,omitempty"`
	Retryable   bool           `json:"retryable,omitempty"`
	RetryAfterS float64        `json:"retry_after_s,omitempty"`
	cause       error
}

// New makes an error from a code, a message key and its parameters. Codes that
// usually pass (timeouts, rate limits, the network) are marked retryable.
func New(code Code, key string, params P) *Error {
	e := &Error{Code: code, Key: key, Params: params}
	switch code {
	case Timeout, RateLimit, Network, Provider:
		e.Retryable = true
	}
	return e
}

// With adds what went wrong beneath; its words become the detail.
func (e *Error) With(cause error) *Error {
	if cause != nil {
		e.cause = cause
		e.Detail = cause.Error()
	}
	return e
}

// Error gives the English sentence, from the catalogue.
func (e *Error) Error() string {
	s := i18n.English(e.Key, e.Params)
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	return s
}

// Unwrap gives the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.cause }

// From turns any error into a *Error: itself when it is one, CANCELLED and
// TIMEOUT for the context's errors, INTERNAL_ERROR for the rest. From(nil) is
// nil.
func From(err error) *Error {
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return New(Cancelled, "error.cancelled", nil)
	case errors.Is(err, context.DeadlineExceeded):
		return New(Timeout, "error.timeout", nil)
	}
	return New(Internal, "error.internal", nil).With(err)
}

// Store makes the error of a store that could not be read or written. What was
// cancelled meanwhile stays CANCELLED, and a store that is for another window to
// write stays PRECONDITION_FAILED.
func Store(err error) *Error {
	if e := From(err); e.Code == Cancelled || e.Code == Precondition {
		return e
	}
	return New(Internal, "error.store.io", nil).With(err)
}

// Is says whether err carries the code.
func Is(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
