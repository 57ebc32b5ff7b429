package anthropic_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/llmtest"
)

// answer is a message as the official accumulator makes it and as the API sends it in one piece.
type answer struct {
	ID         string           `json:"id"`
	Model      string           `json:"model"`
	StopReason string           `json:"stop_reason"`
	Content    []map[string]any `json:"content"`
	Usage      map[string]any   `json:"usage"`
}

var stops = map[string]llm.StopReason{
	"end_turn": llm.StopStop, "max_tokens": llm.StopLength, "tool_use": llm.StopToolUse, "pause_turn": llm.StopPause,
	"refusal": llm.StopRefusal,
}

// deviations lists the recordings whose oracle is not followed: the block, and the field that the official accumulator
// leaves as it was in content_block_start although pieces of it came.
var deviations = map[string]struct {
	block int
	field string
}{
	"test_anthropic__test_anthropic_compaction_usage_with_cache_streaming__0.sse": {0, "content"},
	"test_anthropic__test_anthropic_mcp_servers_stream__0.sse":                    {1, "input"},
}

func decode(t *testing.T, file string) llm.Message {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	events := llmtest.Decode(anthropic.Dialect{}, llm.Endpoint{}, llm.Request{Model: "m"}, raw, len(raw))
	llmtest.CheckStream(t, events)
	llmtest.SameInChunks(t, anthropic.Dialect{}, raw, events)
	return *events[len(events)-1].Message
}

func TestEveryRecordingDecodesToWhatTheOfficialAccumulatorMadeOfIt(t *testing.T) {
	files := append(llmtest.Recordings(t, "messages", ".sse"), llmtest.Recordings(t, "anthropic-sdk-python", ".sse")...)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var o struct {
				OK    bool   `json:"ok"`
				Final answer `json:"final"`
			}
			llmtest.ReadOracle(t, file, &o)
			if !o.OK {
				t.Fatal("the official accumulator failed: name a deviation")
			}
			m := decode(t, file)
			if d, ok := deviations[filepath.Base(file)]; ok {
				got := parse(t, string(m.Content[d.block].Raw)).(map[string]any)[d.field]
				if cmp.Equal(got, o.Final.Content[d.block][d.field]) || cmp.Equal(got, nil) || cmp.Equal(got, map[string]any{}) {
					t.Errorf("the pieces of %s are lost: %v", d.field, got)
				}
				o.Final.Content[d.block][d.field] = got
			}
			compare(t, o.Final, m)
		})
	}
}

func TestEveryAnswerInOnePieceDecodesToWhatItSays(t *testing.T) {
	for _, file := range llmtest.Recordings(t, "messages-nonstream", ".json") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var want answer
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			compare(t, want, decode(t, file))
		})
	}
}

func compare(t *testing.T, want answer, m llm.Message) {
	t.Helper()
	if m.ResponseID != want.ID || m.ResponseModel != want.Model {
		t.Errorf("id %q model %q, want %q %q", m.ResponseID, m.ResponseModel, want.ID, want.Model)
	}
	if m.StopReason != stops[want.StopReason] {
		t.Errorf("stop %s, want %s", m.StopReason, want.StopReason)
	}
	if len(m.Content) != len(want.Content) {
		t.Fatalf("%d blocks, want %d", len(m.Content), len(want.Content))
	}
	for i, c := range want.Content {
		if diff := cmp.Diff(c, wire(t, m.Content[i], c)); diff != "" {
			t.Errorf("block %d: %s", i, diff)
		}
	}
	count := func(name string) int64 { n, _ := want.Usage[name].(float64); return int64(n) }
	read, write := count("cache_read_input_tokens"), count("cache_creation_input_tokens")
	if m.Usage.Input != count("input_tokens")+read+write || m.Usage.Output != count("output_tokens") ||
		m.Usage.CacheRead != read || m.Usage.CacheWrite != write {
		t.Errorf("usage %+v, want %v", m.Usage, want.Usage)
	}
}

// wire writes a block as the API has it. What the plugin does not use of a block is taken from the expected one.
func wire(t *testing.T, b llm.Block, want map[string]any) map[string]any {
	t.Helper()
	got := map[string]any{}
	switch b.Type {
	case llm.BlockText:
		got = map[string]any{"type": "text", "text": b.Text}
		if citations, ok := want["citations"]; ok {
			got["citations"] = citations
			if citations != nil {
				got["citations"] = parse(t, b.Signature)
			}
		}
	case llm.BlockThinking:
		got = map[string]any{"type": "thinking", "thinking": b.Thinking, "signature": b.Signature}
		if b.Redacted {
			got = map[string]any{"type": "redacted_thinking", "data": b.Signature}
		}
	case llm.BlockToolCall:
		got = map[string]any{"type": "tool_use", "id": b.ID, "name": b.Name, "input": parse(t, string(b.Arguments))}
		if caller, ok := want["caller"]; ok {
			got["caller"] = caller
		}
	case llm.BlockOpaque:
		got = parse(t, string(b.Raw)).(map[string]any)
	}
	return got
}

func parse(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%q: want no error, got %v", text, err)
	}
	return v
}

func TestStreamsOfTheOfficialTestSuite(t *testing.T) {
	cases := map[string]func(t *testing.T, m llm.Message){
		"basic_response": func(t *testing.T, m llm.Message) {
			if m.Text() != "Hello there!" || m.StopReason != llm.StopStop {
				t.Errorf("want Text \"Hello there!\" and StopReason llm.StopStop, got %+v", m)
			}
		},
		"compaction_response": func(t *testing.T, m llm.Message) {
			if b := m.Content[0]; b.Kind != "compaction" || !strings.Contains(string(b.Raw), "EpwBCioIDxgCEAEYASJALd_opaque_compaction_payload") {
				t.Errorf("want Kind \"compaction\" and Raw with \"EpwBCioIDxgCEAEYASJALd_opaque_compaction_payload\", got %+v", m)
			}
		},
		"fallback_response": func(t *testing.T, m llm.Message) {
			if m.Content[0].Kind != "fallback" || m.Text() != "Hello there!" {
				t.Errorf("want Content[0].Kind \"fallback\" and Text \"Hello there!\", got %+v", m)
			}
		},
		"fallback_credit_response": func(t *testing.T, m llm.Message) {
			if m.Text() == "" {
				t.Errorf("want Text set, got %+v", m)
			}
		},
		"refusal_response": func(t *testing.T, m llm.Message) {
			if m.StopReason != llm.StopRefusal {
				t.Errorf("want StopReason llm.StopRefusal, got %+v", m)
			}
		},
		"tool_use_response": func(t *testing.T, m llm.Message) {
			if calls := m.Calls(); len(calls) != 1 || !calls[0].Executable() {
				t.Errorf("want 1 calls, got %+v", m)
			}
		},
		"incomplete_partial_json_response": func(t *testing.T, m llm.Message) {
			calls := m.Calls()
			if m.StopReason != llm.StopLength || len(calls) != 1 || calls[0].Executable() || !calls[0].Incomplete {
				t.Fatalf("a call that a length stop cut off can run: %+v", m)
			}
			if !strings.HasPrefix(calls[0].RawArguments, `{"filename": "taxes.txt"`) {
				t.Errorf("what arrived is lost: %q", calls[0].RawArguments)
			}
		},
	}
	files := llmtest.Recordings(t, "anthropic-sdk-python", ".txt")
	if len(files) != len(cases) {
		t.Errorf("%d files for %d cases", len(files), len(cases))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) { cases[name](t, decode(t, file)) })
	}
}
