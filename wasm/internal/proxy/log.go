//go:build !js

package proxy

import (
	"io"
	"sync"

	"embedded-agent/wasm/internal/terminal"
)

// logLine describes a request: counts, names of tools and how it ended, no content.
type logLine struct {
	Time     string   `json:"time"`
	Millis   int64    `json:"ms"`
	Status   int      `json:"status"`
	Outcome  string   `json:"outcome"` // completed, incomplete, failed, refused, client_gone, timeout, shutdown
	Code     string   `json:"code,omitempty"`
	Response string   `json:"response,omitempty"`
	Model    string   `json:"model,omitempty"`
	Stream   bool     `json:"stream"`
	Tools    []string `json:"tools,omitempty"`
	Choice   string   `json:"tool_choice,omitempty"`
	Items    int      `json:"items"`
	Echoed   int      `json:"echoed_function_calls"`
	Outputs  int      `json:"function_call_outputs"`
	Calls    int      `json:"calls"`
	Dropped  int      `json:"calls_dropped"`
	Failures int      `json:"parse_failures"`
	Strict   string   `json:"strict_failure,omitempty"`
	Repaired int      `json:"repaired"`
	Repairs  int      `json:"repairs"`
	Warnings int      `json:"schema_warnings"`
	Spaces   int64    `json:"white_space_dropped"`
	Reasked  int      `json:"reasked"`
	Input    int      `json:"input_tokens"`
	Output   int      `json:"output_tokens"`
}

func (l *logLine) request(r *request) {
	l.Stream, l.Choice, l.Items = r.stream, string(r.mode), len(r.items)
	l.Echoed, l.Outputs = r.counts.echoed, r.counts.outputs
	for _, t := range r.tools {
		l.Tools = append(l.Tools, t.Name)
	}
}

func (l *logLine) result(res *response, t *turn) {
	l.Outcome, l.Response, l.Model = res.Status, res.ID, clip(res.Model, 100)
	if res.Error != nil {
		l.Code = res.Error.Code
	}
	l.Calls, l.Dropped, l.Failures, l.Strict = t.tally.calls, t.tally.dropped, t.tally.rejected, string(t.tally.strict)
	l.Repaired, l.Repairs, l.Warnings, l.Spaces, l.Reasked = t.tally.repaired, t.tally.repairs, t.tally.warnings, t.tally.spaces, t.tally.reasked
	l.Input, l.Output = t.usage.Input, t.usage.Output
}

// requestLog writes lines whole, one after the other.
type requestLog struct {
	mu sync.Mutex // held for a whole line
	w  io.Writer
}

func (l *requestLog) write(line *logLine) {
	if l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = terminal.To(l.w).JSON(line) // a log that cannot be written must not fail a request
}
