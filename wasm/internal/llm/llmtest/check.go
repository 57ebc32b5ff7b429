package llmtest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/llm"
)

// CheckStream fails the test unless the events obey the rules of a stream.
func CheckStream(t testing.TB, events []llm.Event) {
	t.Helper()
	if err := StreamError(events); err != nil {
		t.Fatal(err)
	}
}

// StreamError tells which rule of a stream the events break: start first and once; blocks open in order, grow only while
// open and close once; exactly one terminal event, the last; the accumulated message is the terminal event's; an
// error is in both its places.
func StreamError(events []llm.Event) error {
	if len(events) < 2 || events[0].Type != llm.EventStart {
		return fmt.Errorf("the stream does not begin with start: %v", types(events))
	}
	open := []bool{}
	var partial llm.Accumulator
	last := len(events) - 1
	for i, e := range events {
		if e.Terminal() != (i == last) {
			return fmt.Errorf("event %d of %d is %s", i, len(events), e.Type)
		}
		if i < last {
			partial.Add(e)
		}
		var err error
		if open, err = follow(open, i, e); err != nil {
			return err
		}
	}
	return checkEnd(events[last], open, partial.Message())
}

func follow(open []bool, i int, e llm.Event) ([]bool, error) {
	switch e.Type {
	case llm.EventStart:
		if i != 0 {
			return open, fmt.Errorf("event %d is a second start", i)
		}
	case llm.EventTextStart, llm.EventThinkingStart, llm.EventToolCallStart, llm.EventOpaque:
		if e.ContentIndex != len(open) || e.Block == nil {
			return open, fmt.Errorf("event %d opens block %d after %d blocks", i, e.ContentIndex, len(open))
		}
		open = append(open, e.Type != llm.EventOpaque)
	case llm.EventTextDelta, llm.EventThinkingDelta, llm.EventToolCallDelta:
		if e.ContentIndex >= len(open) || !open[e.ContentIndex] || e.Delta == "" {
			return open, fmt.Errorf("event %d grows block %d, which is not open", i, e.ContentIndex)
		}
	case llm.EventTextEnd, llm.EventThinkingEnd, llm.EventToolCallEnd:
		if e.ContentIndex >= len(open) || !open[e.ContentIndex] || e.Block == nil {
			return open, fmt.Errorf("event %d closes block %d, which is not open", i, e.ContentIndex)
		}
		open[e.ContentIndex] = false
	case llm.EventUsage:
		if e.Usage == nil {
			return open, fmt.Errorf("event %d has no usage", i)
		}
	case llm.EventDone, llm.EventError:
	default:
		return open, fmt.Errorf("event %d has an unknown type %q", i, e.Type)
	}
	return open, nil
}

func checkEnd(end llm.Event, open []bool, partial llm.Message) error {
	m := end.Message
	if m == nil || m.StopReason == "" || len(m.Content) != len(open) {
		return fmt.Errorf("the terminal event does not have the message: %+v", m)
	}
	if (end.Error != nil) != (end.Type == llm.EventError) || (m.Error != nil) != (end.Error != nil) {
		return fmt.Errorf("%s with error %v and %v", end.Type, end.Error, m.Error)
	}
	failed := m.StopReason == llm.StopError || m.StopReason == llm.StopAborted
	if failed != (end.Type == llm.EventError) {
		return fmt.Errorf("%s with stop reason %s", end.Type, m.StopReason)
	}
	for i, isOpen := range open {
		if isOpen && end.Type == llm.EventDone {
			return fmt.Errorf("block %d is still open at the end", i)
		}
		if isOpen && m.Content[i].ToolCall != nil && m.Content[i].Executable() {
			return fmt.Errorf("call %d was cut off and can be executed", i)
		}
	}
	return sameContent(*m, partial)
}

// sameContent compares the terminal message with what the events before it amount to. A length stop that is named after
// its call was closed, and the signature or late name of a block that never closed, are known at the end only.
func sameContent(m, partial llm.Message) error {
	for i := range m.Content {
		a, b := m.Content[i], partial.Content[i]
		if a.ToolCall != nil && b.ToolCall != nil && a.Incomplete != b.Incomplete {
			call := *b.ToolCall
			call.Incomplete = a.Incomplete
			b.ToolCall = &call
		}
		if m.Error != nil {
			if a.ToolCall != nil && b.ToolCall != nil && b.Name == "" {
				call := *b.ToolCall
				call.Name = a.Name
				b.ToolCall = &call
			}
			a.Signature, b.Signature = "", ""
			a.Redacted, b.Redacted = false, false
		}
		if diff := cmp.Diff(a, b); diff != "" {
			return fmt.Errorf("block %d differs from its events:\n%s", i, diff)
		}
	}
	return nil
}

func types(events []llm.Event) []llm.EventType {
	var list []llm.EventType
	for _, e := range events {
		list = append(list, e.Type)
	}
	return list
}
