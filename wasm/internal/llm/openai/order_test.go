package openai_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/openai"
)

func decodeText(t *testing.T, raw string) llm.Message {
	t.Helper()
	events := llmtest.Decode(openai.Dialect{}, llm.Endpoint{BaseURL: "https://model.example/v1"}, llm.Request{Model: "m"}, []byte(raw), 100)
	llmtest.CheckStream(t, events)
	return *events[len(events)-1].Message
}

func tools(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/answers/tools.sse")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestDamageThatTheOfficialAccumulatorDoesNotNoticeIsAnError changes a good stream in one place.
func TestDamageThatTheOfficialAccumulatorDoesNotNoticeIsAnError(t *testing.T) {
	good := tools(t)
	if m := decodeText(t, good); m.Error != nil {
		t.Fatal("want no Error, got:", m.Error)
	}
	replace := func(old, with string) string {
		t.Helper()
		if strings.Count(good, old) == 0 {
			t.Fatalf("the recording has no %s", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	completed := good[strings.LastIndex(good, "event: "):]
	cases := []struct{ name, stream, key, detail string }{
		{"a missing terminal event", strings.TrimSuffix(good, completed), "llm.error.cut", ""},
		{"a sequence number that does not grow", replace(`"sequence_number":5}`, `"sequence_number":4}`), "llm.error.order", "sequence_number"},
		{"text that differs from its pieces", replace(`"delta":"ke the note`, `"delta":"ke a note`), "llm.error.order", "pieces"},
		{"arguments that differ from their pieces", replace(`"delta":"{\"path\":`, `"delta":"{\"file\":`), "llm.error.order", "pieces"},
		{"a final output of another kind", good[:len(good)-len(completed)] + strings.Replace(completed, `"output":[{"id":"rs_1","type":"reasoning"`, `"output":[{"id":"rs_1","type":"message"`, 1), "llm.error.order", "final output"},
		{"two calls with one id", strings.ReplaceAll(good, "call_b", "call_a"), "llm.error.order", "share an id"},
		{"an item announced twice", strings.Replace(good, `"type":"response.output_item.added","output_index":3`, `"type":"response.output_item.added","output_index":2`, 1), "llm.error.order", "twice"},
		{"arguments before their call", replace(`"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2`, `"type":"response.function_call_arguments.delta","item_id":"fc_9","output_index":9`), "llm.error.order", "unknown call"},
		{"text for a call", replace(`"type":"response.output_text.delta","item_id":"msg_1","output_index":1`, `"type":"response.output_text.delta","item_id":"msg_1","output_index":0`), "llm.error.order", "does not fit"},
		{"an event without a type", "data: {\"sequence_number\":0}\n\n" + good, "llm.error.shape", "no type"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := decodeText(t, c.stream)
			if m.Error == nil || m.Error.Key != c.key || !strings.Contains(m.Error.Params["detail"], c.detail) {
				t.Errorf("want Error set, Error.Key as in the case and Error.Params[\"detail\"] with what the case names, got %+v", m.Error)
			}
		})
	}
}

func TestTheEndOfATextThatCameInNoPieceIsTakenFromTheWhole(t *testing.T) {
	good := tools(t)
	want := decodeText(t, good)
	events := strings.SplitAfter(good, "\n\n")
	last := -1
	for i, e := range events {
		if strings.Contains(e, `"type":"response.output_text.delta"`) {
			last = i
		}
	}
	m := decodeText(t, strings.Join(append(slices.Clone(events[:last]), events[last+1:]...), ""))
	if m.Error != nil || m.Text() != want.Text() {
		t.Errorf("%q, want %q: %+v", m.Text(), want.Text(), m.Error)
	}
}

func TestExchangedEventsAreNoticedOrDoNoHarm(t *testing.T) {
	events := strings.SplitAfter(tools(t), "\n\n")
	good := decodeText(t, tools(t))
	harmless := 0
	for i := 0; i+2 < len(events); i++ {
		swapped := append([]string(nil), events...)
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		if m := decodeText(t, strings.Join(swapped, "")); m.Error == nil {
			if harmless++; !cmp.Equal(m, good) {
				t.Errorf("events %d and %d can be exchanged: %+v", i, i+1, m)
			}
		}
	}
	// The end may overtake the last item, since it has all of it.
	if harmless != 1 {
		t.Errorf("%d exchanges went unnoticed", harmless)
	}
}

func TestAnEmptyFinalOutputSaysNothing(t *testing.T) {
	raw, err := os.ReadFile("testdata/answers/unnumbered.sse")
	if err != nil {
		t.Fatal(err)
	}
	if m := decodeText(t, string(raw)); m.Error != nil || len(m.Content) != 4 || len(m.Calls()) != 2 {
		t.Errorf("want no Error, 4 Content and 2 Calls, got %+v", m)
	}
}

func TestUnknownEventsAreSkipped(t *testing.T) {
	m := decodeText(t, strings.Replace(tools(t), "event: response.in_progress", "event: response.new_thing\ndata: {\"type\":\"response.new_thing\",\"delta\":7}\n\nevent: response.in_progress", 1))
	if m.Error != nil || len(m.Content) != 4 {
		t.Errorf("want no Error and 4 Content, got %+v", m)
	}
}

// TestEveryKnownEventIsTaken feeds each event that the official SDK knows, with fields of no meaning.
func TestEveryKnownEventIsTaken(t *testing.T) {
	data, err := os.ReadFile("testdata/event-types.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(data))
	if len(names) < 58 {
		t.Fatalf("only %d events", len(names))
	}
	for _, name := range names {
		decodeText(t, "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\ndata: {\"type\":\""+name+"\",\"output_index\":0}\n\n")
	}
}

func TestStatesThatAreNoAnswerAreErrors(t *testing.T) {
	for body, key := range map[string]string{
		`{"status":"queued","output":[]}`:                                     "llm.error.shape",
		`{"status":"cancelled","output":[]}`:                                  "llm.error.aborted",
		`{"status":"failed","error":{"code":"server_error","message":"x"}}`:   "llm.error.overloaded",
		`{"status":"failed","error":{"code":"invalid_prompt","message":"x"}}`: "llm.error.provider",
		`{}`:                "llm.error.shape",
		`[]`:                "llm.error.shape",
		`{"message":"no"}`:  "llm.error.provider",
		`{"detail":"gone"}`: "llm.error.provider",
	} {
		if m := decodeText(t, body); m.Error == nil || m.Error.Key != key {
			t.Errorf("%s: want Error set and Error.Key equal to key, got %+v", body, m.Error)
		}
	}
	if m := decodeText(t, `{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`); m.StopReason != llm.StopRefusal {
		t.Errorf("want StopReason llm.StopRefusal, got %+v", m)
	}
}
