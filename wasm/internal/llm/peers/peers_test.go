//go:build peers

package peers

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/openai"
)

// scripts is the folder of the Node scripts. Without their packages the test is skipped.
func scripts(t *testing.T) string {
	t.Helper()
	_, self, _, _ := runtime.Caller(0)
	dir := filepath.Join(filepath.Dir(self), "..", "..", "..", "..", "test", "peers")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "openai")); err != nil {
		t.Skip("the packages of test/peers are not installed: npm ci --prefix test/peers")
	}
	return dir
}

// job is a recording to be fed to an official library.
type job struct {
	Kind string `json:"kind"`
	File string `json:"file"`
}

// block is a block as both sides print it.
type block struct {
	Type      string `json:"type"`
	Text      string `json:"text,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments any    `json:"arguments,omitempty"`
}

// answer is an official library's reading of a recording.
type answer struct {
	File   string  `json:"file"`
	OK     bool    `json:"ok"`
	Error  string  `json:"error"`
	Stop   string  `json:"stop"`
	Blocks []block `json:"blocks"`
	Input  *int64  `json:"input"`
	Output *int64  `json:"output"`
}

var dialects = map[string]llm.Dialect{"chat": chat.Dialect{}, "responses": openai.Dialect{}, "messages": anthropic.Dialect{}}

// jobs lists the recordings of this repository and, where they are, the shared ones.
func jobs(t *testing.T) []job {
	t.Helper()
	var list []job
	for kind, dir := range map[string]string{"chat": "chat", "responses": "openai", "messages": "anthropic"} {
		own, err := filepath.Glob(filepath.Join("..", dir, "testdata", "answers", "*.sse"))
		if err != nil || len(own) == 0 {
			t.Fatalf("no recordings of %s: %v", dir, err)
		}
		for _, file := range own {
			path, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, job{kind, path})
		}
	}
	for _, kind := range []string{"chat", "responses", "messages"} {
		for _, file := range llmtest.SharedRecordings(kind, ".sse") {
			list = append(list, job{kind, file})
		}
	}
	return list
}

// name is the name of a recording in the table of deviations.
func name(j job) string { return j.Kind + "/" + filepath.Base(j.File) }

// ask runs the official libraries over the recordings.
func ask(t *testing.T, list []job) []answer {
	t.Helper()
	var input bytes.Buffer
	for _, j := range list {
		if err := json.NewEncoder(&input).Encode(j); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "node", "accumulate.mjs")
	cmd.Dir = scripts(t)
	cmd.Stdin = &input
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers []answer
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var a answer
		if err := dec.Decode(&a); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(list) {
		t.Fatalf("%d answers to %d recordings", len(answers), len(list))
	}
	return answers
}

func TestTheOfficialAccumulatorsMakeTheSameOfTheSameBytes(t *testing.T) {
	list := jobs(t)
	for i, theirs := range ask(t, list) {
		j := list[i]
		t.Run(name(j), func(t *testing.T) {
			raw, err := os.ReadFile(j.File)
			if err != nil {
				t.Fatal(err)
			}
			events := llmtest.Decode(dialects[j.Kind], llm.Endpoint{}, llm.Request{Model: "m"}, raw, 997)
			llmtest.CheckStream(t, events)
			ours := *events[len(events)-1].Message
			reason, known := deviations[name(j)]
			same := agrees(theirs, ours, j.Kind)
			switch {
			case known && same == "":
				t.Errorf("they agree by now; take the deviation out: %s", reason)
			case !known && same != "":
				t.Errorf("%s (theirs: %+v)", same, theirs)
			}
		})
	}
}

// agrees tells how the two differ, "" when they do not. Both failing is agreement.
func agrees(theirs answer, ours llm.Message, kind string) string {
	if !theirs.OK || ours.Error != nil {
		if theirs.OK || ours.Error == nil {
			return "only one of the two failed"
		}
		return ""
	}
	if diff := cmp.Diff(comparable(theirs.Blocks), comparable(blocks(ours, kind))); diff != "" {
		return diff
	}
	if theirs.Input != nil && (ours.Usage == nil || ours.Usage.Input != *theirs.Input) {
		return "the input counts differ"
	}
	if theirs.Output != nil && ours.Usage.Output != *theirs.Output && ours.Usage.Output != *theirs.Output+ours.Usage.Reasoning {
		return "the output counts differ"
	}
	return ""
}

// comparable leaves out the blocks that the two sides know by different names, and counts them instead.
func comparable(list []block) any {
	kept, others := []block{}, 0
	for _, b := range list {
		if b.Type == "other" {
			others++
		} else {
			kept = append(kept, b)
		}
	}
	return struct {
		Blocks []block
		Others int
	}{kept, others}
}

// blocks writes our message as the script writes theirs. The chat library keeps one text, and no reasoning.
func blocks(m llm.Message, kind string) []block {
	if kind == "chat" {
		return chatBlocks(m)
	}
	var out []block
	for _, b := range m.Content {
		switch b.Type {
		case llm.BlockText:
			out = append(out, textBlock(b))
		case llm.BlockThinking:
			out = append(out, block{Type: "thinking", Text: b.Thinking})
		case llm.BlockToolCall:
			out = append(out, callBlock(*b.ToolCall))
		default:
			out = append(out, block{Type: "other", Name: b.Kind})
		}
	}
	return out
}

func chatBlocks(m llm.Message) []block {
	var out []block
	if text := m.Text(); text != "" {
		out = append(out, block{Type: "text", Text: text})
	}
	if refusal := m.Refusal(); refusal != "" {
		out = append(out, block{Type: "refusal", Text: refusal})
	}
	for _, c := range m.Calls() {
		out = append(out, callBlock(c))
	}
	return out
}

func textBlock(b llm.Block) block {
	if b.Refusal {
		return block{Type: "refusal", Text: b.Text}
	}
	return block{Type: "text", Text: b.Text}
}

func callBlock(c llm.ToolCall) block {
	out := block{Type: "call", ID: c.ID, Name: llm.HistoryName(c.Name), Arguments: c.RawArguments}
	if c.Arguments == nil {
		return out
	}
	if err := json.Unmarshal(c.Arguments, &out.Arguments); err != nil {
		out.Arguments = "not JSON: " + err.Error()
	}
	return out
}

// deviations are the recordings that we read in another way, and why.
var deviations = map[string]string{
	"chat/content-array.sse":             "their text is [object Object]; ours has the parts",
	"chat/no-finish.sse":                 "they insist on a finish reason; [DONE] is enough",
	"chat/no-index.sse":                  "they lose calls without an index",
	"chat/rotating-ids.sse":              "they take the last id of a call; the first has been told already",
	"chat/same-index.sse":                "they glue calls with one index together",
	"chat/whole-arguments-as-object.sse": "they refuse a call without a type",
	"responses/only-completed.sse":       "they insist on response.created; the end has everything",
	"responses/unnumbered.sse":           "they believe an empty final output over what was streamed",
	"chat/think-marks.sse":               "what <think> marks enclose is text to them",
	"responses/failed.sse":               "they give the half answer as if it were whole",
	"messages/length.sse":                "they close cut arguments as if they were whole",

	"chat/test_mistral__test_mistral_model_thinking_part_iter__0.sse":                           "their text is [object Object]; ours has the parts",
	"chat/test_snowflake__test_snowflake_model_streaming__0.sse":                                "they insist on a finish reason; [DONE] is enough",
	"chat/test_snowflake__test_snowflake_thinking_streaming__0.sse":                             "they insist on a finish reason; [DONE] is enough",
	"chat/test_groq__test_groq_model_web_search_tool_stream__0.sse":                             "they insist on a role, which says nothing",
	"chat/test_groq__test_groq_model_thinking_part_iter__0.sse":                                 "what <think> marks enclose is text to them",
	"chat/test_huggingface__test_hf_model_thinking_part_iter__0.sse":                            "what <think> marks enclose is text to them",
	"responses/test_openai_responses__test_background_mode_streaming_starting_after_vcr__1.sse": "they insist on response.created; a resumed stream begins later",
}

func TestEveryDeviationIsInUse(t *testing.T) {
	seen := map[string]bool{}
	shared := false
	for _, j := range jobs(t) {
		seen[name(j)] = true
		shared = shared || strings.Contains(j.File, "pydantic")
	}
	for name := range deviations {
		if !seen[name] && (shared || !strings.Contains(name, "/test_")) {
			t.Errorf("there is no recording %s", name)
		}
	}
}
