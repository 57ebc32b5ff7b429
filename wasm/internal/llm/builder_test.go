package llm_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/price"
)

func build(f func(b *llm.Builder)) []llm.Event {
	var events []llm.Event
	f(llm.NewBuilder(llm.Message{Dialect: "d", Model: "m"}, func(e llm.Event) { events = append(events, e) }))
	return events
}

func last(events []llm.Event) llm.Message { return *events[len(events)-1].Message }

func TestAStreamHasOneTerminalEvent(t *testing.T) {
	events := build(func(b *llm.Builder) {
		i := b.Open(llm.Text(""))
		b.Delta(i, "Hello")
		b.Done(llm.StopStop, "stop")
		b.Delta(i, "more")
		b.Close(i)
		b.Open(llm.Text(""))
		b.Opaque("x", []byte("{}"))
		b.Usage(price.Usage{Input: 1})
		b.Start("late", "late")
		b.Fail(llm.NewError("llm.error.cut"))
		b.Done(llm.StopLength, "again")
	})
	llmtest.CheckStream(t, events)
	want := []llm.EventType{llm.EventStart, llm.EventTextStart, llm.EventTextDelta, llm.EventTextEnd, llm.EventDone}
	var got []llm.EventType
	for _, e := range events {
		got = append(got, e.Type)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("it differs from what was wanted (-want +got):", diff)
	}
}

func TestCallsThatALengthStopCutOffAreIncomplete(t *testing.T) {
	cases := []struct {
		name       string
		pieces     []string // argument texts of the calls, in order
		close      bool     // each block is closed before the stop is known
		stop       llm.StopReason
		executable []bool
	}{
		{"a whole call runs", []string{`{"a":1}`}, false, llm.StopStop, []bool{true}},
		{"a call without arguments runs", []string{""}, true, llm.StopToolUse, []bool{true}},
		{"a call that is cut does not", []string{`{"a":1}`, `{"b":`}, false, llm.StopLength, []bool{true, false}},
		{"nor one that was closed before", []string{`{"b":"x`}, true, llm.StopLength, []bool{false}},
		{"nor one that had no time for arguments", []string{"", ""}, true, llm.StopLength, []bool{true, false}},
		{"nor one at the end of the window", []string{`{"b"`}, false, llm.StopContextWindow, []bool{false}},
		{"arguments that are not an object do not run", []string{`[1]`, `{"a":1} x`, `{'a':1}`}, true, llm.StopToolUse, []bool{false, false, false}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			events := build(func(b *llm.Builder) {
				for _, text := range c.pieces {
					i := b.Open(llm.Call("", "vault.list", nil))
					b.Delta(i, text)
					if c.close {
						b.Close(i)
					}
				}
				b.Done(c.stop, "")
			})
			llmtest.CheckStream(t, events)
			for i, call := range last(events).Calls() {
				if call.Executable() != c.executable[i] {
					t.Errorf("call %d: %+v", i, call)
				}
				if !call.Executable() && strings.TrimSpace(c.pieces[i]) != "" && call.RawArguments != c.pieces[i] {
					t.Errorf("what arrived of call %d is lost: %+v", i, call)
				}
			}
		})
	}
}

func TestTheIDsOfAMessageAreDistinct(t *testing.T) {
	events := build(func(b *llm.Builder) {
		for _, id := range []string{"x", "x", "", "", "call_1", "x_2"} {
			b.Close(b.Open(llm.Call(id, "a", nil)))
		}
		b.Done(llm.StopToolUse, "")
	})
	seen := map[string]bool{}
	for _, c := range last(events).Calls() {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("id %q comes twice", c.ID)
		}
		seen[c.ID] = true
	}
	if len(seen) != 6 || !seen["x"] || !seen["call_1"] {
		t.Errorf("want 6 seen, got %v", seen)
	}
}

func TestTheStopReasonFitsTheCalls(t *testing.T) {
	with := build(func(b *llm.Builder) { b.Close(b.Open(llm.Call("", "a", nil))); b.Done(llm.StopStop, "stop") })
	if m := last(with); m.StopReason != llm.StopToolUse || m.StopDetail != "stop" {
		t.Errorf("with a call: %s", m.StopReason)
	}
	without := build(func(b *llm.Builder) { b.Done(llm.StopToolUse, "tool_calls") })
	if m := last(without); m.StopReason != llm.StopStop {
		t.Errorf("without a call: %s", m.StopReason)
	}
}

func TestAnEndlessMessageIsRefused(t *testing.T) {
	megabyte := strings.Repeat("x", 1<<20)
	events := build(func(b *llm.Builder) {
		i := b.Open(llm.Text(""))
		for range llm.MaxMessage>>20 + 1 {
			b.Delta(i, megabyte)
		}
	})
	if m := last(events); m.Error == nil || m.Error.Key != "llm.error.tooLarge" || len(m.Content[0].Text) != llm.MaxMessage {
		t.Errorf("want Error set, Error.Key \"llm.error.tooLarge\" and llm.MaxMessage Content[0].Text, got %+v", m.Error)
	}
	events = build(func(b *llm.Builder) {
		for range llm.MaxBlocks + 1 {
			b.Open(llm.Text(""))
		}
	})
	if m := last(events); m.Error == nil || m.Error.Key != "llm.error.tooLarge" || len(m.Content) != llm.MaxBlocks {
		t.Errorf("want Error set, Error.Key \"llm.error.tooLarge\" and llm.MaxBlocks Content, got %+v", m.Error)
	}
}

func TestAReceiverMayKeepWhatItGets(t *testing.T) {
	var kept []*llm.Block
	events := build(func(b *llm.Builder) {
		i := b.Open(llm.Call("x", "a", nil))
		b.Delta(i, `{"a":1}`)
		b.Done(llm.StopToolUse, "")
	})
	for _, e := range events {
		if e.Block != nil {
			kept = append(kept, e.Block)
		}
	}
	kept[1].Name = "changed"
	if last(events).Calls()[0].Name != "a" || kept[0].Name != "a" || kept[0].Arguments != nil {
		t.Error("blocks share memory")
	}
}

// TestAnyUseOfABuilderGivesAGoodStream draws operations, sensible or not.
func TestAnyUseOfABuilderGivesAGoodStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		index := rapid.IntRange(-1, 5)
		text := rapid.SampledFrom([]string{"", "x", `{"a":1}`, `{"a"`, "é"})
		block := rapid.SampledFrom([]llm.Block{
			llm.Text(""), {Type: llm.BlockThinking}, llm.Call("x", "a", nil), {Type: llm.BlockText, Refusal: true},
		})
		events := build(func(b *llm.Builder) {
			for range rapid.IntRange(0, 20).Draw(t, "operations") {
				switch rapid.IntRange(0, 7).Draw(t, "operation") {
				case 0:
					b.Open(block.Draw(t, "block"))
				case 1, 2:
					b.Delta(index.Draw(t, "index"), text.Draw(t, "text"))
				case 3:
					b.Close(index.Draw(t, "index"))
				case 4:
					b.CloseCut(index.Draw(t, "index"))
				case 5:
					b.Opaque("x", []byte(`{}`))
				case 6:
					b.Usage(price.Usage{Input: 1})
				case 7:
					b.Start("id", "model")
				}
			}
			switch rapid.IntRange(0, 3).Draw(t, "end") {
			case 0:
				b.Fail(llm.NewError("llm.error.cut"))
			case 1:
				b.Done(llm.StopLength, "")
			default:
				b.Done(llm.StopStop, "")
			}
		})
		if err := llmtest.StreamError(events); err != nil {
			t.Fatal(err)
		}
		var whole llm.Accumulator
		for _, e := range append(events, events...) {
			whole.Add(e)
		}
		if diff := cmp.Diff(last(events), whole.Message()); diff != "" || !whole.Ended() {
			t.Fatal("it differs from what was wanted (-want +got):", diff)
		}
	})
}

func TestAnAccumulatorTakesNoHarmFromABadStream(t *testing.T) {
	var a llm.Accumulator
	for _, e := range []llm.Event{
		{Type: llm.EventTextDelta, ContentIndex: 3, Delta: "x"},
		{Type: llm.EventTextStart, ContentIndex: -1, Block: &llm.Block{}},
		{Type: llm.EventTextStart, ContentIndex: 1 << 30, Block: &llm.Block{}},
		{Type: llm.EventToolCallStart, ContentIndex: 0},
		{Type: llm.EventToolCallStart, ContentIndex: 1, Block: &llm.Block{Type: llm.BlockToolCall}},
		{Type: llm.EventToolCallDelta, ContentIndex: 1, Delta: `{"a":`},
		{Type: llm.EventStart},
	} {
		a.Add(e)
	}
	m := a.Message()
	if len(m.Content) != 2 || m.Content[1].RawArguments != `{"a":` || m.Content[1].Executable() || a.Ended() || a.Err() != nil {
		t.Errorf("want 2 Content, Content[1].RawArguments \"{\\\"a\\\":\" and no Err, got %+v", m)
	}
}
