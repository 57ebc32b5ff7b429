package trace

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"embedded-agent/wasm/internal/fault"
)

// Entry is one span of a trace that was read.
type Entry struct {
	ID, Parent, Name string
	Start, End       time.Time
	// ErrorType is "" for a span that did not fail.
	ErrorType, Message string
	// CallID is the envelope's, of a tool call.
	CallID string
	// Conversation is that of a run or an agent.
	Conversation string
}

// Read reads the lines of a trace.jsonl, in their order. A torn last line ends
// the reading; another that is no TracesData is CONFLICT.
func Read(lines []byte) ([]Entry, error) {
	var out []Entry
	for len(lines) > 0 {
		line, rest, whole := bytes.Cut(lines, []byte("\n"))
		lines = rest
		if !whole {
			break
		}
		var data jsonTraces
		if err := json.Unmarshal(line, &data); err != nil {
			return out, fault.New(fault.Conflict, "error.journal.corrupt", nil).With(err)
		}
		for _, r := range data.ResourceSpans {
			for _, s := range r.ScopeSpans {
				for i := range s.Spans {
					out = append(out, s.Spans[i].entry())
				}
			}
		}
	}
	return out, nil
}

func (j *jsonSpan) entry() Entry {
	e := Entry{ID: j.SpanID, Parent: j.ParentSpanID, Name: j.Name, Start: timeOf(j.Start), End: timeOf(j.End)}
	for _, a := range j.Attributes {
		if a.Value.String == nil {
			continue
		}
		switch a.Key {
		case "error.type":
			e.ErrorType = *a.Value.String
		case "embedded_agent.call.id":
			e.CallID = *a.Value.String
		case "gen_ai.conversation.id":
			e.Conversation = *a.Value.String
		}
	}
	if j.Status != nil && e.ErrorType != "" {
		e.Message = j.Status.Message
	}
	return e
}

func timeOf(nanos string) time.Time {
	n, err := strconv.ParseInt(nanos, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
