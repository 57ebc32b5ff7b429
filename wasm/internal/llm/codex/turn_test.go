//go:build !js

package codex

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm"
)

const scripted = "Hello from the scripted model. Ünïcode 🦊 ok."

// recordedTurn is the notifications of one turn, in order.
type recordedTurn struct {
	id      string
	notices []posted
}

func recordedTurns(t *testing.T, path string) []recordedTurn {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var turns []recordedTurn
	byID := map[string]int{}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<22)
	for sc.Scan() {
		var line struct {
			Dir string  `json:"dir"`
			Msg message `json:"msg"`
		}
		if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
			if strings.Contains(sc.Text(), `"exit"`) {
				continue
			}
			t.Fatalf("%s: want no error, got %v", path, err)
		}
		if line.Dir != "<-" || !wanted[line.Msg.Method] {
			continue
		}
		var n notice
		if err := json.Unmarshal(line.Msg.Params, &n); err != nil {
			t.Fatalf("%s: want no error, got %v", path, err)
		}
		id := n.TurnID
		if n.Turn != nil {
			id = n.Turn.ID
		}
		if _, ok := byID[id]; !ok {
			byID[id] = len(turns)
			turns = append(turns, recordedTurn{id: id})
		}
		turns[byID[id]].notices = append(turns[byID[id]].notices, posted{line.Msg.Method, n, len(sc.Bytes())})
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return turns
}

// outcome is the end of a turn: its text, messages divided by "|", and the key of its error.
type outcome struct{ text, key, code string }

func play(notices []posted) (outcome, Usage, bool) {
	var b strings.Builder
	f := &fold{home: "HOME", emit: func(e Event) {
		if e.NewMessage {
			b.WriteString("|")
		}
		b.WriteString(e.Text)
	}}
	for _, p := range notices {
		done, err := f.take(p.method, p.notice)
		if err == nil && !done {
			continue
		}
		var le *llm.Error
		if errors.As(err, &le) {
			return outcome{b.String(), le.Key, le.Code}, f.usage, true
		}
		return outcome{text: b.String()}, f.usage, done
	}
	return outcome{text: b.String()}, f.usage, false
}

func TestEveryRecordedTurnFoldsToItsTextOnce(t *testing.T) {
	for file, want := range map[string][]outcome{
		"02-text-image.jsonl":                      {{text: scripted}, {text: scripted}, {text: scripted}},
		"03-toolcall-text.jsonl":                   {{text: "Let me check.\n<tool_call>{\"name\":\"get_weather\",\"arguments\":\"{\\\"city\\\":\\\"Oslo\\\"}\"}</tool_call>\n<tool_call>{\"name\":\"get_time\",\"arguments\":\"{\\\"tz\\\":\\\"UTC\\\"}\"}</tool_call>"}},
		"04-reasoning.jsonl":                       {{text: scripted}},
		"05-interrupt.jsonl":                       {{"word0 word1 word2 word3 word4 word5 word6 ", "codex.error.interrupted", llm.CodeCancelled}, {text: scripted}},
		"05b-second-turn-start-while-active.jsonl": {{"word0 w", "codex.error.steered", llm.CodeProvider}},
		"07-cut.jsonl":                             {{"", "codex.error.provider", llm.CodeProvider}},
		"07-failed.jsonl":                          {{"Hello from the script", "codex.error.provider", llm.CodeProvider}},
		"07-http401.jsonl":                         {{"", "codex.error.auth", llm.CodeAuth}},
		"13-retry.jsonl":                           {{text: scripted}, {text: scripted}, {"Hello from the script", "codex.error.provider", llm.CodeProvider}},
	} {
		t.Run(file, func(t *testing.T) {
			path := filepath.Join("../../../../../shared/fixtures/codex", file)
			if _, err := os.Stat(path); err != nil {
				t.Skip("the recordings are not here")
			}
			turns := recordedTurns(t, path)
			if len(turns) != len(want) {
				t.Errorf("%d turns, want %d", len(turns), len(want))
			}
			for i, turn := range turns {
				got, _, done := play(turn.notices)
				if !done {
					t.Errorf("turn %d does not end", i)
				}
				if i < len(want) && got != want[i] {
					t.Errorf("turn %d:\n got %+v\nwant %+v", i, got, want[i])
				}
			}
		})
	}
}

// script writes notifications shortly: "started", "user", "begin ID", "say ID TEXT", "end ID TEXT", "retry", "usage N", "done",
// "interrupted", "failed INFO".
func script(lines ...string) []posted {
	var out []posted
	for _, l := range lines {
		verb, rest, _ := strings.Cut(l, " ")
		id, text, _ := strings.Cut(rest, " ")
		n := notice{ThreadID: "th", TurnID: "tu"}
		method := ""
		switch verb {
		case "started":
			method, n.Turn = "turn/started", &turnInfo{ID: "tu"}
		case "user":
			method, n.Item = "item/started", &item{Type: "userMessage", ID: "u"}
		case "begin":
			method, n.Item = "item/started", &item{Type: "agentMessage", ID: id}
		case "say":
			method, n.ItemID, n.Delta = "item/agentMessage/delta", id, text
		case "end":
			method, n.Item = "item/completed", &item{Type: "agentMessage", ID: id, Text: text}
		case "retry":
			method, n.Error, n.WillRetry = "error", &turnError{Message: "again"}, true
		case "done":
			method, n.Turn = "turn/completed", &turnInfo{ID: "tu", Status: "completed"}
		case "whole":
			method, n.Turn = "turn/completed", &turnInfo{ID: "tu", Status: "completed", Items: []item{{Type: "agentMessage", ID: id, Text: text}}}
		case "interrupted":
			method, n.Turn = "turn/completed", &turnInfo{ID: "tu", Status: "interrupted"}
		case "words":
			method, n.Turn = "turn/completed", &turnInfo{ID: "tu", Status: "failed", Error: &turnError{Message: rest, Info: json.RawMessage(`"other"`)}}
		case "failed":
			method, n.Turn = "turn/completed", &turnInfo{ID: "tu", Status: "failed", Error: &turnError{Message: "no", Info: json.RawMessage(rest)}}
		}
		out = append(out, posted{method, n, 1})
	}
	return out
}

func TestTextComesOnceWhateverTheServerDoes(t *testing.T) {
	for name, tc := range map[string]struct {
		in   []string
		want outcome
	}{
		"plain":                               {[]string{"started", "user", "begin a", "say a Hel", "say a lo", "end a Hello", "done"}, outcome{text: "Hello"}},
		"no deltas":                           {[]string{"begin a", "end a Hello", "done"}, outcome{text: "Hello"}},
		"the end brings more than the deltas": {[]string{"begin a", "say a Hel", "end a Hello", "done"}, outcome{text: "Hello"}},
		"only the turn's summary has the message":    {[]string{"started", "whole a Hello"}, outcome{text: "Hello"}},
		"the summary repeats the message":            {[]string{"say a Hello", "end a Hello", "whole a Hello"}, outcome{text: "Hello"}},
		"a delta before its item":                    {[]string{"say a Hello", "end a Hello", "done"}, outcome{text: "Hello"}},
		"two messages":                               {[]string{"say a One.", "end a One.", "begin b", "say b Two.", "end b Two.", "done"}, outcome{text: "One.|Two."}},
		"a retry repeats the text":                   {[]string{"begin a", "say a Hel", "say a lo w", "retry", "begin b", "say b H", "say b ello wor", "say b ld", "end b Hello world", "done"}, outcome{text: "Hello world"}},
		"two retries":                                {[]string{"say a Hello", "retry", "say b He", "retry", "say c Hello you", "end c Hello you", "done"}, outcome{text: "Hello you"}},
		"a retry before any text":                    {[]string{"begin a", "retry", "begin b", "say b Hi", "end b Hi", "done"}, outcome{text: "Hi"}},
		"a retry repeats what was finished too":      {[]string{"say a One. ", "end a One. ", "say b Tw", "retry", "say c One. ", "end c One. ", "say d Two", "end d Two", "done"}, outcome{text: "One. |Two"}},
		"a retry repeats only what was not finished": {[]string{"say a One. ", "end a One. ", "say b Tw", "retry", "say c Two", "end c Two", "done"}, outcome{text: "One. |Two"}},
		"late deltas of the message given up":        {[]string{"say a Hello", "retry", "say a again", "say b Hello!", "end a x", "end b Hello!", "done"}, outcome{text: "Hello!"}},
		"a retry says something else":                {[]string{"say a Hello", "retry", "say b Help"}, outcome{"Hello", "codex.error.diverged", llm.CodeProvider}},
		"a retry ends earlier":                       {[]string{"say a Hello", "retry", "say b Hel", "end b Hel", "done"}, outcome{"Hello", "codex.error.unfinished", llm.CodeProvider}},
		"the turn ends in the message":               {[]string{"say a Hello", "done"}, outcome{"Hello", "codex.error.unfinished", llm.CodeProvider}},
		"interrupted without the item's end":         {[]string{"say a Hello", "interrupted"}, outcome{"Hello", "codex.error.interrupted", llm.CodeCancelled}},
		"another message of the user":                {[]string{"user", "say a Hello", "user"}, outcome{"Hello", "codex.error.steered", llm.CodeProvider}},
		"another answer without a word":              {[]string{"say a Hello", "begin b"}, outcome{"Hello", "codex.error.abandoned", llm.CodeProvider}},
		"error info as a string":                     {[]string{`failed "usageLimitExceeded"`}, outcome{"", "codex.error.rateLimit", llm.CodeRateLimit}},
		"error info as an object":                    {[]string{`failed {"responseTooManyFailedAttempts":{"httpStatusCode":429}}`}, outcome{"", "codex.error.rateLimit", llm.CodeRateLimit}},
		"error info as an object without status":     {[]string{`failed {"httpConnectionFailed":{"httpStatusCode":null}}`}, outcome{"", "codex.error.provider", llm.CodeProvider}},
		"error info of tomorrow":                     {[]string{`failed 7`}, outcome{"", "codex.error.provider", llm.CodeProvider}},
		"window exceeded":                            {[]string{`failed "contextWindowExceeded"`}, outcome{"", "codex.error.tooLong", llm.CodeValidation}},
		"unknown model":                              {[]string{`failed {"httpConnectionFailed":{"httpStatusCode":404}}`}, outcome{"", "codex.error.model", llm.CodeNotFound}},
		"an answer that the model ended early":       {[]string{"say a Hel", "words Incomplete response returned, reason: max_output_tokens"}, outcome{text: "Hel"}},
		"a request that the model refused":           {[]string{`words {"error":{"message":"No.","type":"invalid_request_error","code":null}}`}, outcome{"", "codex.error.request", llm.CodeValidation}},
		"a conversation that is too long for it":     {[]string{`words {"error":{"message":"Too long.","type":"invalid_request_error","code":"context_length_exceeded"}}`}, outcome{"", "codex.error.tooLong", llm.CodeValidation}},
		"a model that it does not know":              {[]string{`words {"error":{"message":"Which?","type":"invalid_request_error","code":"model_not_found"}}`}, outcome{"", "codex.error.model", llm.CodeNotFound}},
		"bad request":                                {[]string{`failed "badRequest"`}, outcome{"", "codex.error.request", llm.CodeValidation}},
	} {
		got, _, done := play(script(tc.in...))
		if !done || got != tc.want {
			t.Errorf("%s: got %+v (ended: %v), want %+v", name, got, done, tc.want)
		}
	}
}
