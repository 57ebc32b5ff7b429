package server

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/chat"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
)

var custom = protocol.Settings{Provider: "custom", BaseURL: "http://model.test:1/v1", Model: "m", Streaming: true}

// endpoint is a panel whose model is behind scripted HTTP.
func endpoint(t *testing.T, mem *hosttest.Memory, set protocol.Settings, answers ...llmtest.Answer) (*panel, *llmtest.Transport) {
	t.Helper()
	return endpointWith(t, mem, set, nil, answers...)
}

// endpointWith is endpoint with something else in what the core is given.
func endpointWith(t *testing.T, mem *hosttest.Memory, set protocol.Settings, with func(*Deps), answers ...llmtest.Answer) (*panel, *llmtest.Transport) {
	t.Helper()
	ui := &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	tr := llmtest.NewTransport(answers...)
	d := Deps{Host: mem.Host(), Transport: tr, Emit: ui.hear}
	if with != nil {
		with(&d)
	}
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux"}})
	return ui, tr
}

var sseHead = map[string]string{"content-type": "text/event-stream"}

func streamed(text string) llmtest.Answer {
	return llmtest.Answer{Header: sseHead, Body: chatStream(text)}
}

// inOnePiece is an answer that was asked for without streaming.
func inOnePiece(message string) llmtest.Answer {
	return llmtest.Answer{
		Header: map[string]string{"content-type": "application/json"},
		Body:   []byte(`{"id":"x","choices":[{"index":0,"message":{"role":"assistant",` + message + `},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20}}`),
	}
}

func submitted(plan string) string {
	arguments, _ := json.Marshal(plan)
	return `"content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"submit_plan","arguments":` + string(arguments) + `}}]`
}

func calls(plan string) llmtest.Answer {
	return llmtest.Answer{Header: sseHead, Body: []byte(`data: {"id":"x","choices":[{"index":0,"delta":{` + strings.Replace(submitted(plan), `{"id"`, `{"index":0,"id"`, 1) + `}}]}` +
		"\n\n" + `data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3000,"completion_tokens":50}}` + "\n\ndata: [DONE]\n\n")}
}

func no(words string) llmtest.Answer {
	return llmtest.Answer{Status: 400, Body: []byte(`{"error":{"message":"` + words + `"}}`)}
}

// how says what a request asks for.
func how(r web.Request) string {
	var body struct {
		Stream bool
		Tools  []any
		Format any `json:"response_format"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err.Error()
	}
	way := "text"
	switch {
	case len(body.Tools) > 0:
		way = "call"
	case body.Format != nil:
		way = "schema"
	}
	if !body.Stream {
		way += " whole"
	}
	return way
}

func (ui *panel) asked(tr *llmtest.Transport) []string {
	var out []string
	for _, r := range tr.Requests() {
		if strings.HasSuffix(r.URL, "/chat/completions") {
			out = append(out, how(r))
		}
	}
	return out
}

// turnEnd waits for the end of a turn.
func (ui *panel) turnEnd() *protocol.Turn {
	ui.t.Helper()
	return ui.await("end of the turn", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded }).Turn
}

func (ui *panel) say(text string) *protocol.Turn {
	ui.t.Helper()
	call[protocol.Accepted](ui, "send", protocol.Send{Text: text, Mode: protocol.ModePlan, UseSelection: true})
	return ui.turnEnd()
}

func notes(t *protocol.Turn) string {
	var keys []string
	for _, n := range t.Notes {
		keys = append(keys, n.Key)
	}
	return strings.Join(keys, " ")
}

const (
	noTools  = "this model does not support tools"
	noSchema = "response_format json_schema is not supported"
	noStream = "streaming is not supported"
)

func TestAnEndpointThatRefusesIsAskedInTheNextWayOnceAndForGood(t *testing.T) {
	bad := strings.Replace(bulletsPlan, "util.joinLines", "util.joinAll", 1)
	for _, c := range []struct {
		name    string
		answers []llmtest.Answer
		asked   []string
		notes   string
		then    string // how the next instruction is asked
	}{
		{"nothing is refused", []llmtest.Answer{calls(bulletsPlan)}, []string{"call"}, "", "call"},
		{"tools", []llmtest.Answer{no(noTools), streamed(bulletsPlan)}, []string{"call", "schema"}, "turn.noTools", "schema"},
		{
			"tools and schema",
			[]llmtest.Answer{no(noTools), no(noSchema), streamed("Sure:\n```json\n" + bulletsPlan + "\n```")},
			[]string{"call", "schema", "text"},
			"turn.noTools turn.noSchema", "text",
		},
		{
			"by text, and mended",
			[]llmtest.Answer{no(noTools), no(noSchema), streamed(bad), streamed(bulletsPlan)},
			[]string{"call", "schema", "text", "text"},
			"turn.noTools turn.noSchema", "text",
		},
		{
			"streaming",
			[]llmtest.Answer{no(noStream), inOnePiece(submitted(bulletsPlan))},
			[]string{"call", "call whole"},
			"turn.noStreaming", "call whole",
		},
		{
			"everything",
			[]llmtest.Answer{no(noStream), no(noTools), no(noSchema), inOnePiece(`"content":` + quote(bulletsPlan))},
			[]string{"call", "call whole", "schema whole", "text whole"},
			"turn.noStreaming turn.noTools turn.noSchema", "text whole",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := ideasVault()
			ui, tr := endpoint(t, mem, custom, c.answers...)
			turn := ui.say("make notes")
			if turn.Outcome != protocol.TurnPlan || notes(turn) != c.notes {
				t.Fatalf("%s %+v, notes %q", turn.Outcome, turn.Problem, notes(turn))
			}
			if got := ui.asked(tr); !slices.Equal(got, c.asked) {
				t.Errorf("asked %q", got)
			}
			if st := call[protocol.State](ui, "state", protocol.Empty{}); st.Review == nil || !st.Review.Approvable {
				t.Errorf("no review: %+v", st.Review)
			}
			ui.s.Close()
			// Another start asks at once in the way that works, and says nothing.
			again := c.answers[len(c.answers)-1]
			ui, tr = endpoint(t, mem, custom, again)
			turn = ui.say("again")
			if got := ui.asked(tr); turn.Outcome != protocol.TurnPlan || notes(turn) != "" || len(got) != 1 || got[0] != c.then {
				t.Errorf("then: %s, notes %q, asked %q", turn.Outcome, notes(turn), got)
			}
		})
	}
}

func TestOtherModelsOfAnEndpointAreNotJudgedByOne(t *testing.T) {
	ui, tr := endpoint(t, ideasVault(), custom, no(noTools), streamed(bulletsPlan), calls(bulletsPlan))
	ui.say("one")
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "two", Mode: protocol.ModePlan, Model: "other", UseSelection: true})
	ui.turnEnd()
	if got := ui.asked(tr); !slices.Equal(got, []string{"call", "schema", "call"}) {
		t.Errorf("asked %q", got)
	}
	if body := string(tr.Requests()[2].Body); !strings.Contains(body, `"model":"other"`) {
		t.Error("the model of this once was not asked")
	}
}

func TestAnAgentOfAnEndpointWithoutToolsWritesItsCalls(t *testing.T) {
	ui, tr := endpoint(t, ideasVault(), custom, no(noTools),
		streamed(block("vault.createFile", `{"path":"Said.md","content":"x"}`)), streamed("Done."))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "write it", Mode: protocol.ModeAgent, Conversation: "c"})
	r := ui.review()
	if len(r.Files) != 1 || r.Files[0].Path != "Said.md" {
		t.Fatalf("want 1 Files and Files[0].Path \"Said.md\", got %+v", r.Files)
	}
	if got := ui.asked(tr); !slices.Equal(got, []string{"call", "text", "text"}) {
		t.Errorf("asked %q", got)
	}
}

// The scripted endpoint of a connection test: a word, two calls, a schema, a red square, the list of models.
func probed(tools, schema bool) []llmtest.Answer {
	two := strings.Replace(string(calls("x").Body), `"submit_plan","arguments":"x"`, `"probe__echo","arguments":"{\"text\":\"a\"}"`, 1)
	answers := []llmtest.Answer{streamed("ready"), {Header: sseHead, Body: []byte(two)}, streamed(`{"probe_colour":"ultramarine"}`), streamed("Red.")}
	if !tools {
		answers[1] = no(noTools)
	}
	if !schema {
		answers[2] = no(noSchema)
	}
	return append(answers, llmtest.Answer{Body: []byte(`{"data":[{"id":"m","context_length":32000},{"id":"b"}]}`)})
}

func TestAConnectionTestDecidesHowPlansAreAskedFor(t *testing.T) {
	for _, c := range []struct {
		tools, schema bool
		finding, way  string
		answer        llmtest.Answer
	}{
		{true, true, "connection.planBy.call", "call", calls(bulletsPlan)},
		{false, true, "connection.planBy.schema", "schema", streamed(bulletsPlan)},
		{false, false, "connection.planBy.text", "text", streamed(bulletsPlan)},
	} {
		mem := ideasVault()
		ui, tr := endpoint(t, mem, custom, append(probed(c.tools, c.schema), c.answer)...)
		r := call[protocol.TestResult](ui, "connection.test", protocol.Empty{})
		if !r.OK || !slices.ContainsFunc(r.Findings, func(m protocol.Message) bool { return m.Key == c.finding }) || !slices.Equal(r.Models, []string{"b", "m"}) {
			t.Fatalf("want everything in order and Models {\"b\", \"m\"}, got %+v", r)
		}
		if turn := ui.say("make notes"); turn.Outcome != protocol.TurnPlan || notes(turn) != "" {
			t.Errorf("%s: %+v, notes %q", c.way, turn.Problem, notes(turn))
		}
		if got := ui.asked(tr); got[len(got)-1] != c.way {
			t.Errorf("asked %q, want %s", got, c.way)
		}
		for path := range mem.StoreFiles() {
			if strings.Contains(path, "settings") {
				t.Errorf("%s: what was found out is in the settings", path)
			}
		}
	}
}

func TestATestTakesBackWhatARefusalTaught(t *testing.T) {
	ui, tr := endpoint(t, ideasVault(), custom, append(append([]llmtest.Answer{no(noTools), streamed(bulletsPlan)}, probed(true, true)...), calls(bulletsPlan))...)
	ui.say("one")
	call[protocol.TestResult](ui, "connection.test", protocol.Empty{})
	ui.say("two")
	if got := ui.asked(tr); got[len(got)-1] != "call" {
		t.Errorf("asked %q", got)
	}
}

func TestWhatARefusalTaughtIsTriedAgainAfterAWhile(t *testing.T) {
	mem := ideasVault()
	start := func(now time.Time, answers ...llmtest.Answer) (*panel, *llmtest.Transport) {
		return endpointWith(t, mem, custom, func(d *Deps) { d.Now = func() time.Time { return now } }, answers...)
	}
	begin := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		days    int
		answers []llmtest.Answer
		want    string
	}{
		{0, []llmtest.Answer{no(noTools), streamed(bulletsPlan)}, "call schema"},
		{13, []llmtest.Answer{streamed(bulletsPlan)}, "schema"},
		{15, []llmtest.Answer{calls(bulletsPlan)}, "call"},
	} {
		ui, tr := start(begin.AddDate(0, 0, c.days), c.answers...)
		if turn := ui.say("one"); turn.Outcome != protocol.TurnPlan || strings.Join(ui.asked(tr), " ") != c.want {
			t.Errorf("after %d days: %+v, asked %q", c.days, turn.Problem, ui.asked(tr))
		}
	}
}

func TestAConnectionTestSaysWhenAnswersCannotBeStreamed(t *testing.T) {
	answers := probed(true, true)
	answers[0].Buffered = true
	ui, _ := endpoint(t, ideasVault(), custom, answers...)
	r := call[protocol.TestResult](ui, "connection.test", protocol.Empty{})
	i := slices.IndexFunc(r.Findings, func(m protocol.Message) bool { return m.Key == "llm.finding.streaming.buffered" })
	if !r.OK || i < 0 || r.Findings[i].Params["host"] != "model.test:1" {
		t.Errorf("want everything in order, it to be found and Findings[i].Params[\"host\"] \"model.test:1\", got %+v", r)
	}
}

func TestWhatIsKnownOfEndpointsIsForgottenNotFeltWhenItsFileIsCut(t *testing.T) {
	mem := ideasVault()
	ui, _ := endpoint(t, mem, custom, no(noTools), streamed(bulletsPlan))
	ui.say("one")
	whole := mem.StoreFiles()[chat.EndpointsFile]
	for _, cut := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
		if err := mem.Host().Store.Write(t.Context(), chat.EndpointsFile, whole[:cut]); err != nil {
			t.Fatal(err)
		}
		ui, tr := endpoint(t, mem, custom, calls(bulletsPlan))
		if turn := ui.say("two"); turn.Outcome != protocol.TurnPlan || ui.asked(tr)[0] != "call" {
			t.Errorf("cut at %d: %+v", cut, turn)
		}
	}
}

func TestAnAnswerThatCouldNotBeStreamedIsSaidOnce(t *testing.T) {
	answer := calls(bulletsPlan)
	answer.Buffered = true
	ui, _ := endpoint(t, ideasVault(), custom, answer, answer)
	if turn := ui.say("one"); turn.Outcome != protocol.TurnPlan || notes(turn) != "turn.buffered" || turn.Notes[0].Params["host"] != "model.test:1" {
		t.Errorf("%s, notes %+v", turn.Outcome, turn.Notes)
	}
	if turn := ui.say("two"); notes(turn) != "" {
		t.Errorf("said again: %q", notes(turn))
	}
}

func TestABusyEndpointIsWaitedForAsLongAsItSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := llmtest.Answer{Status: 429, Header: map[string]string{"retry-after": "7"}, Body: []byte(`{"error":{"message":"slow down"}}`)}
		broken := llmtest.Answer{Status: 503, Body: []byte(`{"error":{"message":"overloaded"}}`)}
		ui, tr := endpoint(t, ideasVault(), custom, busy, broken, calls(bulletsPlan))
		begun := time.Now()
		turn := ui.say("one")
		took := time.Since(begun)
		if turn.Outcome != protocol.TurnPlan || turn.Waiting != nil || notes(turn) != "" {
			t.Fatalf("want a plan and no word of a wait that is over, got %+v, %+v, %+v", turn.Problem, turn.Waiting, turn.Notes)
		}
		// An endpoint that is overloaded has not asked for anything.
		if said := waits(ui); said != "turn.waiting.asked 7s turn.waiting.overloaded" {
			t.Errorf("want a pause that was asked for and one that was not, got %q", said)
		}
		// Seven seconds as asked, then one to two by itself.
		if took < 8*time.Second || took > 9*time.Second || len(tr.Requests()) != 3 {
			t.Errorf("%v, %d requests", took, len(tr.Requests()))
		}
		ui.s.Close()
	})
}

// waits says what the person was told of each wait, and how long one lasts that an
// endpoint has asked for.
func waits(ui *panel) string {
	var said []string
	last := ""
	for _, e := range ui.heard() {
		if e.Turn == nil || e.Turn.Waiting == nil || e.Turn.Waiting.Until == last {
			continue
		}
		w := e.Turn.Waiting
		last = w.Until
		said = append(said, w.Text.Key)
		until, err := time.Parse(time.RFC3339, w.Until)
		at, err2 := time.Parse(time.RFC3339, e.At)
		if err == nil && err2 == nil && w.Text.Key == "turn.waiting.asked" {
			said = append(said, until.Sub(at).String())
		}
	}
	return strings.Join(said, " ")
}

func TestAPersonWhoDoesNotWaitHasTheModelAskedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := llmtest.Answer{Status: 429, Header: map[string]string{"retry-after": "50"}, Body: []byte(`{"error":{"message":"slow down"}}`)}
		ui, _ := endpoint(t, ideasVault(), custom, busy, calls(bulletsPlan))
		begun := time.Now()
		a := call[protocol.Accepted](ui, "send", protocol.Send{Text: "one", Mode: protocol.ModePlan})
		ui.await("the wait", func(e protocol.Event) bool { return e.Turn != nil && e.Turn.Waiting != nil })
		call[protocol.Empty](ui, "turn.retry", protocol.TurnRef(a))
		end := ui.await("the end", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded }).Turn
		if end.Outcome != protocol.TurnPlan || time.Since(begun) >= time.Second {
			t.Errorf("want a plan at once, got %q after %v", end.Outcome, time.Since(begun))
		}
		if _, err := try[protocol.Empty](ui, "turn.retry", protocol.TurnRef(a)); err == nil {
			t.Error("want no retry where nothing waits, got one")
		}
		ui.s.Close()
	})
}

func TestAWaitThatIsTooLongIsTold(t *testing.T) {
	busy := llmtest.Answer{Status: 429, Header: map[string]string{"retry-after": "3600"}, Body: []byte(`{"error":{"message":"slow down"}}`)}
	ui, tr := endpoint(t, ideasVault(), custom, busy)
	turn := ui.say("one")
	if turn.Problem == nil || turn.Problem.Code != protocol.ProblemCode(fault.RateLimit) || turn.Problem.RetryAfterS != 3600 || len(tr.Requests()) != 1 {
		t.Errorf("%+v after %d requests", turn.Problem, len(tr.Requests()))
	}
}

func TestMistralGetsIdsOfNineCharactersBack(t *testing.T) {
	set := custom
	set.BaseURL = "https://api.mistral.ai/v1"
	bad := strings.Replace(bulletsPlan, "util.joinLines", "util.joinAll", 1)
	ui, tr := endpoint(t, ideasVault(), set, calls(bad), calls(bulletsPlan))
	if turn := ui.say("one"); turn.Outcome != protocol.TurnPlan {
		t.Fatalf("want Outcome protocol.TurnPlan, got %+v", turn.Problem)
	}
	var body struct {
		Messages []struct {
			Role      string
			ToolCalls []struct{ ID string } `json:"tool_calls"`
			ID        string                `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(tr.Requests()[1].Body, &body); err != nil {
		t.Fatal(err)
	}
	var asked, answered string
	for _, m := range body.Messages {
		if len(m.ToolCalls) > 0 {
			asked = m.ToolCalls[0].ID
		}
		if m.Role == "tool" {
			answered = m.ID
		}
	}
	if !llm.NineLetters(asked) || asked != answered {
		t.Errorf("the call has the id %q, its answer %q", asked, answered)
	}
}

func TestACallThatWasCutOffIsNotExecuted(t *testing.T) {
	cut := calls(bulletsPlan)
	cut.Body = []byte(strings.Replace(string(cut.Body), `"finish_reason":"tool_calls"`, `"finish_reason":"length"`, 1))
	ui, _ := endpoint(t, ideasVault(), custom, cut, cut, cut)
	turn := ui.say("one")
	if turn.Outcome != protocol.TurnFailed || turn.Problem == nil || turn.Problem.Key != "error.planner.brokeOff" {
		t.Errorf("want Outcome protocol.TurnFailed, Problem set and Problem.Key \"error.planner.brokeOff\", got %s %+v", turn.Outcome, turn.Problem)
	}
	if st := call[protocol.State](ui, "state", protocol.Empty{}); st.Review != nil {
		t.Error("a review of it was opened")
	}
}

func TestAStreamThatBreaksKeepsWhatHadArrived(t *testing.T) {
	broken := streamed("I will look at the notes and then")
	broken.CutAfter = len(broken.Body) - 200
	ui, _ := endpoint(t, ideasVault(), custom, broken)
	turn := ui.say("one")
	if turn.Problem == nil || turn.Problem.Key != "llm.error.cut" || !strings.HasPrefix("I will look at the notes and then", turn.Reply) || turn.Reply == "" {
		t.Errorf("want Problem set, Problem.Key \"llm.error.cut\", a text beginning with turn.Reply and Reply set, got %q %+v", turn.Reply, turn.Problem)
	}
}

func TestEveryRefusalHasWordsForThePerson(t *testing.T) {
	ui, _ := endpoint(t, ideasVault(), custom)
	m, err := ui.s.chat.Models.New(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []llm.Feature{llm.FeatureStreaming, llm.FeatureTemperature, llm.FeatureImages, llm.FeatureTools, llm.FeatureSchema} {
		var told protocol.Message
		m.Note = func(n protocol.Message) { told = n }
		ui.s.chat.Models.Refused(m, f)
		if told.Key == "" || !strings.HasPrefix(told.Key, "turn.no") {
			t.Errorf("%s: want Key set and Key beginning with \"turn.no\", got %+v", f, told)
		}
	}
}
