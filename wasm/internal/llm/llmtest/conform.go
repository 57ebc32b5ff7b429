package llmtest

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/llm"
)

// Conform runs the tests that every dialect must pass over recordings of whole answers: the result does not depend on how
// the bytes are cut; an answer that breaks off anywhere, has a piece twice, or has two pieces exchanged ends in exactly
// one terminal event and keeps what had arrived.
func Conform(t *testing.T, d llm.Dialect, answers map[string][]byte) {
	t.Helper()
	e, r := llm.Endpoint{BaseURL: "https://model.example/v1"}, llm.Request{Model: "m"}
	for name, raw := range answers {
		whole := Decode(d, e, r, raw, len(raw))
		t.Run(name+"/any chunking gives the same events", func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 5, 8, 13, 64} {
				if diff := cmp.Diff(whole, Decode(d, e, r, raw, size)); diff != "" {
					t.Fatalf("chunks of %d bytes:\n%s", size, diff)
				}
			}
			rapid.Check(t, func(t *rapid.T) {
				if diff := cmp.Diff(whole, decodeAt(d, e, r, raw, cuts(t, len(raw)))); diff != "" {
					t.Fatal(diff)
				}
			})
		})
		t.Run(name+"/a break anywhere gives one terminal event and keeps what came", func(t *testing.T) {
			step := 1
			if testing.Short() {
				step = 7
			}
			for end := 0; end < len(raw); end += step {
				events := Decode(d, e, r, raw[:end], max(end, 1))
				if err := StreamError(events); err != nil {
					t.Fatalf("cut after %d bytes: %v", end, err)
				}
				if err := begins(whole, events); err != nil {
					t.Fatalf("cut after %d bytes: %v", end, err)
				}
			}
		})
		t.Run(name+"/disorder gives one terminal event", func(t *testing.T) {
			for _, bad := range Disorders(raw) {
				if err := StreamError(Decode(d, e, r, bad, len(bad))); err != nil {
					t.Fatalf("%v in:\n%s", err, bad)
				}
			}
		})
	}
}

func cuts(t *rapid.T, n int) []int {
	var at []int
	for pos := 0; pos < n; {
		pos = rapid.IntRange(pos+1, min(n, pos+200)).Draw(t, "cut")
		at = append(at, pos)
	}
	return at
}

func decodeAt(d llm.Dialect, e llm.Endpoint, r llm.Request, raw []byte, at []int) []llm.Event {
	var events []llm.Event
	dec := llm.Decode(d, e, r, func(e llm.Event) { events = append(events, e) })
	from := 0
	for _, to := range at {
		dec.Push(bytes.Clone(raw[from:to]))
		from = to
	}
	dec.End()
	return events
}

// begins checks that a stream that was cut tells the beginning of the whole one: the text of each block is a beginning
// of the whole block's, and no call that was not whole can be executed.
func begins(whole, cut []llm.Event) error {
	all, part := whole[len(whole)-1].Message, cut[len(cut)-1].Message
	if len(part.Content) > len(all.Content) {
		return fmt.Errorf("%d blocks out of %d", len(part.Content), len(all.Content))
	}
	for i, b := range part.Content {
		a := all.Content[i]
		if a.Type != b.Type || !strings.HasPrefix(a.Text, b.Text) || !strings.HasPrefix(a.Thinking, b.Thinking) {
			return fmt.Errorf("block %d is %+v, whole %+v", i, b, a)
		}
		if b.ToolCall != nil && b.Executable() && cmp.Diff(a, b) != "" {
			return fmt.Errorf("call %d can be executed as %s, whole %s", i, b.Arguments, a.Arguments)
		}
	}
	return nil
}

// Disorders gives versions of a stream in which one event is missing, comes twice, or is exchanged with the next.
func Disorders(raw []byte) [][]byte {
	events := bytes.SplitAfter(raw, []byte("\n\n"))
	var all [][]byte
	join := func(parts ...[][]byte) {
		var out []byte
		for _, p := range parts {
			out = append(out, bytes.Join(p, nil)...)
		}
		all = append(all, out)
	}
	for i := range events {
		join(events[:i], events[i+1:])
		join(events[:i+1], events[i:])
		if i+1 < len(events) {
			join(events[:i], events[i+1:i+2], events[i:i+1], events[i+2:])
		}
	}
	return all
}

// Fuzz adds the recordings as seeds and checks any bytes: no panic, a stream that obeys the rules, and the same events
// however the bytes are cut.
func Fuzz(f *testing.F, d llm.Dialect, answers map[string][]byte) {
	for _, raw := range answers {
		f.Add(raw, uint8(7))
	}
	e, r := llm.Endpoint{BaseURL: "https://model.example/v1"}, llm.Request{Model: "m"}
	f.Fuzz(func(t *testing.T, raw []byte, size uint8) {
		whole := Decode(d, e, r, raw, len(raw))
		if err := StreamError(whole); err != nil {
			t.Fatal(err)
		}
		if cut := Decode(d, e, r, raw, int(size)+1); !reflect.DeepEqual(whole, cut) {
			t.Fatal(cmp.Diff(whole, cut))
		}
	})
}

// Bench measures decoding, in bytes of the recording.
func Bench(b *testing.B, d llm.Dialect, raw []byte) {
	b.Helper()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		done := false
		dec := llm.Decode(d, llm.Endpoint{}, llm.Request{Model: "m"}, func(e llm.Event) { done = e.Type == llm.EventDone })
		for rest := raw; len(rest) > 0; {
			n := min(4096, len(rest))
			dec.Push(rest[:n])
			rest = rest[n:]
		}
		dec.End()
		if !done {
			b.Fatal("the stream did not end well")
		}
	}
}
