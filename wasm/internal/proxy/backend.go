//go:build !js

package proxy

import (
	"context"

	"embedded-agent/wasm/internal/llm/sentinel"
)

// Backend is something that answers a conversation with text.
type Backend interface {
	// Ask answers. Text is handed on as it comes, from the goroutine of the caller. When ctx ends the backend stops and
	// Ask returns once it is free again. Errors are *llm.Error.
	Ask(ctx context.Context, p Prompt, emit func(Delta)) (Usage, error)
	// CheckImage refuses images that the backend could not pass on, by their URL; nil when it can.
	CheckImage(url string) error
	// Models are the names of the models that may be asked for; empty where that is not known.
	Models(ctx context.Context) ([]string, error)
	// Status is for the health endpoint: the backend's name, and whether it is up.
	Status() (name string, up bool)
	// Close ends the backend.
	Close()
}

// Prompt is one request to a backend.
type Prompt struct {
	Model        string // "" for the backend's own
	Instructions string // the client's instructions, and how to call tools
	Items        []sentinel.Item
	Effort       string // reasoning effort, "" where the client did not say
	Temperature  *float64
	MaxTokens    int // 0 where the client did not say
}

// Delta is a piece of the answer.
type Delta struct {
	Text string
	// NewMessage says that the model ended a message and goes on in another.
	NewMessage bool
}

// StopReason says why an answer ended early.
type StopReason string

// The reasons, as they stand in incomplete_details.
const (
	StopLength StopReason = "max_output_tokens"
	StopFilter StopReason = "content_filter"
)

// Usage counts the tokens of an answer, and says why it ended early, if it did. Cached is what of the input came from a
// cache, and Written what went to one.
type Usage struct {
	Input, Cached, Written, Output, Reasoning int
	Stopped                                   StopReason
}

func (u *Usage) add(v Usage) {
	u.Input += v.Input
	u.Cached += v.Cached
	u.Written += v.Written
	u.Output += v.Output
	u.Reasoning += v.Reasoning
	u.Stopped = v.Stopped
}
