package llm

import (
	"context"
	"errors"
	"strconv"
	"strings"
)

// The codes that can come from here, out of the project's one list.
const (
	CodeValidation = "VALIDATION_ERROR"
	CodeNotFound   = "NOT_FOUND"
	CodeAuth       = "AUTH_REQUIRED"
	CodeRateLimit  = "RATE_LIMIT"
	CodeProvider   = "PROVIDER_ERROR"
	CodeNetwork    = "NETWORK_ERROR"
	CodeTimeout    = "TIMEOUT"
	CodeCancelled  = "CANCELLED"
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

// kind is what every error with one key has in common.
type kind struct {
	code      string
	retryable bool
	english   string
}

// kinds lists every message key. {name} stands for a parameter.
var kinds = map[string]kind{
	"llm.error.auth": {
		CodeAuth, false,
		"{host} refused the key ({detail}). Open the settings and enter a valid key for this provider.",
	},
	"llm.error.keyMissing": {
		CodeAuth, false,
		"No key is stored for {host}. Open the settings and enter one.",
	},
	"llm.error.rateLimit": {
		CodeRateLimit, true,
		"{host} asks to wait because too much was asked of it ({detail}). Try again later, or choose another model.",
	},
	"llm.error.quota": {
		CodeRateLimit, false,
		"The account at {host} has no credit left ({detail}). Add credit there, or choose another provider.",
	},
	"llm.error.overloaded": {
		CodeProvider, true,
		"{host} is overloaded or broken ({detail}). Try again in a moment, or choose another model.",
	},
	"llm.error.provider": {
		CodeProvider, false,
		"{host} reported an error ({detail}). Try again, or choose another model.",
	},
	"llm.error.request": {
		CodeValidation, false,
		"{host} refused the request ({detail}). Check the model and its options in the settings.",
	},
	"llm.error.notFound": {
		CodeNotFound, false,
		"{host} does not know this model or address ({detail}). Check both in the settings.",
	},
	"llm.error.tooLong": {
		CodeValidation, false,
		"The request is longer than the model can take ({detail}). Use fewer or shorter notes, or a model with a larger window.",
	},
	"llm.error.html": {
		CodeProvider, false,
		"{host} answered with a web page instead of a model's answer. Check the address in the settings; a login page or a proxy may be in the way.",
	},
	"llm.error.empty": {
		CodeProvider, true,
		"{host} answered with nothing. Try again; if that repeats, choose another model.",
	},
	"llm.error.shape": {
		CodeProvider, false,
		"{host} answered in an unexpected form ({detail}). Check that the chosen provider type fits the address.",
	},
	"llm.error.cut": {
		CodeNetwork, true,
		"The answer of {host} broke off. What had arrived is kept. Try again.",
	},
	"llm.error.order": {
		CodeProvider, true,
		"The answer of {host} arrived damaged ({detail}). What had arrived is kept. Try again.",
	},
	"llm.error.tooLarge": {
		CodeProvider, false,
		"The answer of {host} is larger than this program takes ({detail}). Ask for less at once.",
	},
	"llm.error.network": {
		CodeNetwork, true,
		"{host} could not be reached ({detail}). Check the connection and the address in the settings.",
	},
	"llm.error.timeout": {
		CodeTimeout, true,
		"{host} did not answer in time. Try again, or choose a faster model.",
	},
	"llm.error.cancelled": {
		CodeCancelled, false,
		"Stopped.",
	},
	"llm.error.toolName": {
		CodeValidation, false,
		"The tool name {name} cannot be sent to a model ({detail}). Rename the tool.",
	},
	"llm.error.unsupported": {
		CodeValidation, false,
		"This provider cannot take {what}. Choose another model or leave it out.",
	},
	"llm.error.invalidRequest": {
		CodeValidation, false,
		"The request cannot be sent: {detail}.",
	},
	"llm.error.prices": {
		CodeValidation, false,
		"The price table cannot be used: {detail}. Correct it, or restore the one that came with the plugin.",
	},
	"llm.error.ledger": {
		CodeValidation, false,
		"The usage ledger cannot be read: {detail}. Restore it from a copy, or start a new one.",
	},
	"llm.error.aborted": {
		CodeCancelled, false,
		"{host} stopped the answer itself. Try again.",
	},
}

// MessageTexts gives every message key with its English text; {name} stands for a parameter.
func MessageTexts() map[string]string {
	texts := make(map[string]string, len(kinds)+len(findingTexts))
	for key, k := range kinds {
		texts[key] = k.english
	}
	for key, text := range findingTexts {
		texts[key] = text
	}
	return texts
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
	e.Message = fill(k.english, e.Params)
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
	if k, ok := kinds[c.Key]; ok {
		c.Message = fill(k.english, c.Params)
	}
	return &c
}

// AsError gives err as *Error: itself, a cancellation, a timeout, or else a network failure of host.
func AsError(err error, host string) *Error {
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		if e.Params["host"] == "" && host != "" {
			return e.With("host", host)
		}
		return e
	case errors.Is(err, context.Canceled):
		return NewError("llm.error.cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		return NewError("llm.error.timeout", "host", host)
	}
	return NewError("llm.error.network", "host", host, "detail", err.Error())
}

// fill replaces the parameters in one pass; values are never looked at again.
func fill(text string, params map[string]string) string {
	var b strings.Builder
	for {
		from := strings.IndexByte(text, '{')
		to := strings.IndexByte(text, '}')
		if from < 0 || to < from {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:from])
		name := text[from+1 : to]
		value, ok := params[name]
		if !ok || value == "" {
			value = missingWord(name)
		}
		b.WriteString(value)
		text = text[to+1:]
	}
}

func missingWord(name string) string {
	switch name {
	case "host":
		return "The model endpoint"
	case "detail":
		return "no reason given"
	}
	return "?"
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
