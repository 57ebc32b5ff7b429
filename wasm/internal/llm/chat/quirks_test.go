package chat_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
)

// quirk is a kind of deviation: how it shows in a recording, and what must come out all the same.
type quirk struct {
	shows func(raw []byte) bool
	check func(t *testing.T, m llm.Message, raw []byte, detail string)
}

var quirkTests = map[string]quirk{
	"delta.reasoning":                   {has(`"reasoning": ?"`), reasons("reasoning")},
	"delta.reasoning_content":           {has(`"reasoning_content": ?"`), reasons("reasoning_content")},
	"delta.reasoning_details":           {has(`"reasoning_details": ?\[`), keepsDetails},
	"delta.content is array":            {has(`"content": ?\[`), readsParts},
	"empty choices chunk (usage/other)": {has(`"choices": ?\[\]`), isWhole},
	"error object in chunk":             {has(`"error": ?\{`), endsInError},
	"event: line in chat":               {has(`(?m)^event: `), endsInError},
	"no [DONE]":                         {hasNot(`\[DONE\]`), endsInError},
	"no finish_reason at all":           {hasNot(`"finish_reason": ?"`), endsAllTheSame},
	"finish_reason repeated":            {has(`(?s)"finish_reason": ?"(\w+)".*"finish_reason": ?"(\w+)"`), isWhole},
	"sse comment line":                  {has(`(?m)^: OPENROUTER PROCESSING`), isWhole},
	"usage on non-final chunk":          {has(`(?s)"usage": ?\{.*\ndata: `), countsOnce},
	"whole args in first delta":         {has(`"arguments": ?"\{.*\}"`), callsAreWhole},
	"tool id format e.g.":               {has(`"id": ?"(functions\.|fc_|\w{20})`), idsAreKeptAndFit},
}

func TestEveryKnownDeviationIsRead(t *testing.T) {
	root := filepath.Dir(filepath.Dir(filepath.Dir(llmtest.Recordings(t, "chat", ".sse")[0])))
	table, err := os.ReadFile(filepath.Join(root, "QUIRKS.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(table)), "\n")[1:]
	if len(rows) < 40 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows {
		cells := strings.Split(row, "\t")
		host, deviation, examples := cells[0], cells[1], strings.Fields(cells[3])
		t.Run(host+": "+deviation, func(t *testing.T) {
			kind, detail := deviation, ""
			if strings.HasPrefix(deviation, "tool id format e.g. ") {
				kind, detail = "tool id format e.g.", strings.TrimPrefix(deviation, "tool id format e.g. ")
			}
			q, known := quirkTests[kind]
			if !known {
				t.Fatalf("no test for this kind of deviation")
			}
			for _, example := range examples {
				raw := read(t, filepath.Join(root, example))
				if !q.shows(raw) {
					t.Errorf("%s does not show the deviation", example)
				}
				events := llmtest.Decode(chat.Dialect{}, llm.Endpoint{BaseURL: "https://" + host + "/v1"}, llm.Request{Model: "m"}, raw, 512)
				llmtest.CheckStream(t, events)
				q.check(t, *events[len(events)-1].Message, raw, detail)
			}
		})
	}
}

func has(pattern string) func([]byte) bool { return regexp.MustCompile(pattern).Match }

func hasNot(pattern string) func([]byte) bool {
	return func(raw []byte) bool { return !regexp.MustCompile(pattern).Match(raw) }
}

func reasons(field string) func(*testing.T, llm.Message, []byte, string) {
	return func(t *testing.T, m llm.Message, raw []byte, _ string) {
		if want := streamedReasoning(t, raw); m.Thinking() != want {
			t.Errorf("thinking %q, want %q", m.Thinking(), want)
		}
		if m.Thinking() == "" || m.Error != nil {
			// Of an answer that failed nothing goes back.
			return
		}
		for _, b := range m.Content {
			if b.Type == llm.BlockThinking && !strings.Contains(b.Signature, `"field":"`+field+`"`) {
				t.Errorf("the field is forgotten: %s", b.Signature)
			}
		}
	}
}

func keepsDetails(t *testing.T, m llm.Message, raw []byte, _ string) {
	var kept string
	for _, b := range m.Content {
		if b.Type == llm.BlockThinking {
			kept += b.Signature
		}
	}
	if !strings.Contains(kept, `"details":[{`) {
		t.Errorf("the details are lost: %q", kept)
	}
	for _, secret := range regexp.MustCompile(`"(?:signature|data)": ?"([^"]{8,})"`).FindAllSubmatch(raw, -1) {
		if bytes.Contains(raw, []byte(`"reasoning.encrypted"`)) || bytes.Contains(raw, []byte(`"signature"`)) {
			if !strings.Contains(kept, string(secret[1])) {
				t.Errorf("a signature is lost: %.60s", secret[1])
			}
		}
	}
}

func readsParts(t *testing.T, m llm.Message, _ []byte, _ string) {
	wholeWithThinking(t, m)
}

func isWhole(t *testing.T, m llm.Message, raw []byte, _ string) {
	if m.Error != nil || (m.Text() == "" && len(m.Calls()) == 0 && m.StopReason != llm.StopLength) {
		t.Errorf("not whole: %+v", m)
	}
	if regexp.MustCompile(`"usage": ?\{`).Match(raw) && (m.Usage == nil || m.Usage.Input == 0) {
		t.Errorf("the usage is lost")
	}
}

func endsInError(t *testing.T, m llm.Message, raw []byte, _ string) {
	if m.Error == nil || m.StopReason != llm.StopError || m.Error.Params["detail"] == "" {
		t.Fatalf("no clear error: %+v", m.Error)
	}
	if bytes.Contains(raw, []byte(`"reasoning":"`)) && m.Thinking() == "" && m.Text() == "" {
		t.Error("what had arrived is lost")
	}
}

func endsAllTheSame(t *testing.T, m llm.Message, raw []byte, _ string) {
	if bytes.Contains(raw, []byte("[DONE]")) {
		whole(t, m)
		return
	}
	endsInError(t, m, raw, "")
}

func countsOnce(t *testing.T, m llm.Message, raw []byte, _ string) {
	all := regexp.MustCompile(`"completion_tokens": ?(\d+)`).FindAllSubmatch(raw, -1)
	if m.Usage == nil || len(all) == 0 {
		t.Fatal("no usage")
	}
	// The last count is the one that holds, not the sum.
	if last := string(all[len(all)-1][1]); last != strconv.FormatInt(m.Usage.Output, 10) {
		t.Errorf("output %d, want %s", m.Usage.Output, last)
	}
}

func callsAreWhole(t *testing.T, m llm.Message, _ []byte, _ string) {
	if len(m.Calls()) == 0 {
		t.Fatal("no calls")
	}
	for _, c := range m.Calls() {
		if !c.Executable() || string(c.Arguments) == "{}" {
			t.Errorf("call %+v", c)
		}
	}
}

func idsAreKeptAndFit(t *testing.T, m llm.Message, _ []byte, prefix string) {
	found := false
	for _, c := range m.Calls() {
		found = found || strings.HasPrefix(c.ID, prefix)
	}
	if !found {
		t.Fatalf("no call has an id that begins with %s: %+v", prefix, m.Calls())
	}
	ids := llm.FitIDs([]llm.Message{m}, llm.NineLetters)
	for _, c := range m.Calls() {
		if short := ids.Wire(c.ID); !llm.NineLetters(short) || ids.Original(short) != c.ID {
			t.Errorf("%s becomes %s, and back %s", c.ID, short, ids.Original(short))
		}
	}
}
