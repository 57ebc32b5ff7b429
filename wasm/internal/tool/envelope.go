package tool

import "embedded-agent/wasm/internal/fault"

// Envelope is the receipt of one call (docs/design/tool-calls.md#receipts),
// derived from a Call and its Result.
type Envelope struct {
	CallID      string         `json:"call_id"`
	Name        string         `json:"name"`
	Version     string         `json:"version"`
	Input       any            `json:"input"`
	Output      any            `json:"output"`
	Error       *EnvelopeError `json:"error"`
	TStart      string         `json:"t_start"`
	TEnd        string         `json:"t_end"`
	Cached      bool           `json:"cached"`
	Truncated   bool           `json:"truncated"`
	Attachments []Attachment   `json:"attachments,omitempty"`
	// Taken says what the model wrote otherwise than the tool has it.
	Taken []Taken `json:"taken,omitempty"`
}

// Taken is an argument that was written otherwise than the tool has it, and what it was
// taken as, since only one thing can be meant. The values are shortened.
type Taken struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Args gives the arguments of the call; none where the receipt has lost them.
func (e *Envelope) Args() Args {
	args, _ := e.Input.(map[string]any)
	return args
}

// EnvelopeError is the error of a receipt.
type EnvelopeError struct {
	Code        string         `json:"code"`
	Message     string         `json:"message"`
	Details     map[string]any `json:"details,omitempty"`
	RetryAfterS float64        `json:"retry_after_s,omitempty"`
}

// NewEnvelope makes the receipt. INTERNAL_ERROR is UNKNOWN there.
func NewEnvelope(c *Call, r *Result) Envelope {
	e := Envelope{
		CallID: c.LogicalID, Name: c.Tool, Version: c.Version, Input: map[string]any(c.Args),
		TStart: r.StartedAt, TEnd: r.EndedAt, Cached: r.Cached, Truncated: r.Truncated,
		Attachments: r.Attachments,
	}
	if r.OK {
		e.Output = map[string]any(r.Data)
	}
	if r.Error != nil {
		code := string(r.Error.Code)
		if r.Error.Code == fault.Internal {
			code = "UNKNOWN"
		}
		e.Error = &EnvelopeError{code, r.Error.Message, r.Error.Details, r.Error.RetryAfterS}
	}
	return e
}
