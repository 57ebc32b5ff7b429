package server

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// listless are the answers to a connection test of an endpoint whose list of models does not tell how much they take.
func listless(more ...llmtest.Answer) []llmtest.Answer {
	answers := probed(true, true)
	answers[len(answers)-1] = llmtest.Answer{Body: []byte(`{"data":[{"id":"m"}]}`)}
	return append(answers, more...)
}

func keys(r protocol.TestResult) []string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.Key)
	}
	return out
}

func TestAConnectionTestTellsHowMuchTheModelTakesAndASmallWindowGetsTheSmallPrompt(t *testing.T) {
	for window, want := range map[string]string{"4096": "connection.windowSmall", "32768": "connection.window"} {
		ui, tr := endpoint(t, ideasVault(), custom, listless(llmtest.Answer{Body: []byte(`{"default_generation_settings":{"n_ctx":` + window + `}}`)}, calls(bulletsPlan))...)
		r := call[protocol.TestResult](ui, "connection.test", protocol.Empty{})
		if !r.OK || !slices.Contains(keys(r), want) {
			t.Fatalf("%s: want everything in order and a text with want, got %+v", window, r)
		}
		if turn := ui.say("make notes"); turn.Outcome != protocol.TurnPlan {
			t.Errorf("%s: want Outcome protocol.TurnPlan, got %+v", window, turn.Problem)
		}
		asked := tr.Requests()
		small := len(asked[len(asked)-1].Body) < 8000
		if small != (window == "4096") {
			t.Errorf("%s: the prompt has %d bytes", window, len(asked[len(asked)-1].Body))
		}
	}
}

func TestAConnectionTestTellsThatTheServerCutsRequests(t *testing.T) {
	no := llmtest.Answer{Status: 404, Body: []byte("{}")}
	cut := llmtest.Answer{Header: sseHead, Body: []byte(strings.Replace(string(streamed("ready").Body), "data: [DONE]", `data: {"id":"x","choices":[],"usage":{"prompt_tokens":1024,"completion_tokens":2}}`+"\n\ndata: [DONE]", 1))}
	for name, c := range map[string]struct {
		answer llmtest.Answer
		told   bool
	}{"cut": {cut, true}, "whole": {streamed("ready"), false}} {
		ui, _ := endpoint(t, ideasVault(), custom, listless(no, no, c.answer)...)
		r := call[protocol.TestResult](ui, "connection.test", protocol.Empty{})
		if told := slices.Contains(keys(r), "turn.cutByServer"); !r.OK || told != c.told {
			t.Errorf("%s: want everything in order and told as in the case, got %+v", name, r)
		}
	}
}

func TestARequestThatDoesNotFitIsNotSentAndThePersonIsToldWhatToLeaveOut(t *testing.T) {
	mem := ideasVault()
	ui, tr := endpoint(t, mem, custom, listless(llmtest.Answer{Body: []byte(`{"default_generation_settings":{"n_ctx":4096}}`)})...)
	call[protocol.TestResult](ui, "connection.test", protocol.Empty{})
	before := len(tr.Requests())
	mem.Put("Long.md", strings.Repeat("Many words stand here. ", 2000))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "sum it up", Mode: protocol.ModePlan, Conversation: "c", Attached: []protocol.Attachment{{Kind: "note", Path: "Long.md"}}})
	e := ui.await("the end", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
	if p := e.Turn.Problem; p == nil || p.Key != "llm.error.tooLong.attached" || p.Params["name"] != "Long.md" || len(tr.Requests()) != before {
		t.Errorf("%+v after %d requests", p, len(tr.Requests())-before)
	}
}

// tokens asks for a model of a window.
func tokens(n int) protocol.Settings {
	set := custom
	set.Windows = map[string]int{"custom m": n, "custom other": 5000}
	return set
}

func TestTheWindowInTheSettingsBeatsWhatTheServerSays(t *testing.T) {
	for _, c := range []struct {
		set, told int
		want      []string
	}{
		{4096, 32768, []string{"connection.windowOtherwise 32768", "connection.windowSmall 4096"}},
		{32768, 4096, []string{"connection.windowOtherwise 4096", "connection.window 32768"}},
		{32768, 32768, []string{"connection.windowSet ", "connection.window 32768"}},
		{0, 4096, []string{"connection.windowSmall 4096"}},
		{-1, 4096, []string{"connection.windowSmall 4096"}},
	} {
		ui, tr := endpoint(t, ideasVault(), tokens(c.set), listless(llmtest.Answer{Body: []byte(`{"default_generation_settings":{"n_ctx":` + strconv.Itoa(c.told) + `}}`)}, calls(bulletsPlan))...)
		r := call[protocol.TestResult](ui, "connection.test", protocol.Empty{})
		var got []string
		for _, f := range r.Findings {
			if strings.HasPrefix(f.Key, "connection.window") {
				got = append(got, f.Key+" "+f.Params["window"])
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("set %d, told %d: want %q, got %q", c.set, c.told, c.want, got)
		}
		ui.say("make notes")
		asked := tr.Requests()
		small := len(asked[len(asked)-1].Body) < 8000
		if wanted := slices.Contains(c.want, "connection.windowSmall 4096"); small != wanted {
			t.Errorf("set %d, told %d: want the small prompt %v, got %d bytes", c.set, c.told, wanted, len(asked[len(asked)-1].Body))
		}
	}
}

// What a person says of a server is no word of the server: whether it cuts is found out all the same.
func TestAServerThatCutsIsFoundOutWhateverTheSettingsSay(t *testing.T) {
	no := llmtest.Answer{Status: 404, Body: []byte("{}")}
	cut := llmtest.Answer{Header: sseHead, Body: []byte(strings.Replace(string(streamed("ready").Body), "data: [DONE]", `data: {"id":"x","choices":[],"usage":{"prompt_tokens":1024,"completion_tokens":2}}`+"\n\ndata: [DONE]", 1))}
	ui, _ := endpoint(t, ideasVault(), tokens(32768), listless(no, no, cut)...)
	r := call[protocol.TestResult](ui, "connection.test", protocol.Empty{})
	for _, want := range []string{"connection.windowSet", "turn.cutByServer"} {
		if !slices.Contains(keys(r), want) {
			t.Errorf("want %s, got %q", want, keys(r))
		}
	}
}

func TestARequestThatIsLongerThanTheWindowInTheSettingsIsNotSent(t *testing.T) {
	mem := ideasVault()
	ui, tr := endpoint(t, mem, tokens(4096))
	mem.Put("Long.md", strings.Repeat("Many words stand here. ", 2000))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "sum it up", Mode: protocol.ModePlan, Conversation: "c", Attached: []protocol.Attachment{{Kind: "note", Path: "Long.md"}}})
	e := ui.await("the end", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
	if p := e.Turn.Problem; p == nil || p.Key != "llm.error.tooLong.attached" || p.Params["window"] != "4096" || len(tr.Requests()) != 0 {
		t.Errorf("want nothing sent and the window 4096 told, got %+v after %d requests", p, len(tr.Requests()))
	}
}

func TestOllamaIsAskedForTheWindowInTheSettings(t *testing.T) {
	set := tokens(12288)
	set.BaseURL = "http://127.0.0.1:11434/api/chat"
	ui, tr := endpoint(t, ideasVault(), set, no("enough"))
	ui.say("hello")
	if body := string(tr.Requests()[0].Body); !strings.Contains(body, `"num_ctx":12288`) {
		t.Errorf("want num_ctx 12288, got %s", body[:min(300, len(body))])
	}
}
