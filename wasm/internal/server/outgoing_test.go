//go:build !js

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox/child"
	"embedded-agent/wasm/internal/web"
)

// wire is a transport that keeps what is sent and answers a little text.
type wire struct {
	mu   sync.Mutex
	sent []web.Request
}

func (w *wire) Do(_ context.Context, r web.Request) (web.Response, error) {
	w.mu.Lock()
	w.sent = append(w.sent, r)
	w.mu.Unlock()
	return llmtest.NewTransport(llmtest.Answer{Header: map[string]string{"content-type": "text/plain"}, Body: []byte("the web says")}).
		Do(context.Background(), r)
}

func (w *wire) requests() []web.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sent)
}

// online is a core with notes, a selection, a network and a model of turns.
func online(t *testing.T, set protocol.Settings, turns ...llmtest.Turn) (*panel, *wire) {
	t.Helper()
	mem := hosttest.New(hosttest.Options{
		Files: map[string]string{
			"Private/CANARY name.md": "---\nstatus: CANARYPROP\ntags: [CANARYTAG]\n---\nCANARYTEXT [[CANARYLINK]] #CANARYTAG\n- [ ] CANARYTASK\n- CANARYBULLET\n",
			"Home.md":                "⟦CANARYSELECTION⟧ and more\n",
			"T.md":                   "template {{title}} CANARYTEMPLATE\n",
		},
		Active: "Home.md",
		Commands: []hosttest.Command{
			{ID: "split:right", Name: "Split right"},
			{ID: "split:down", Name: "Split down"},
		},
	})
	w := &wire{}
	ui := &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	ports := mem.Host()
	runner := child.New()
	t.Cleanup(runner.Close)
	ports.Sandbox = runner
	s, err := New(Deps{
		Host: ports, Transport: w, Emit: ui.hear, Provider: llmtest.NewProvider(turns...),
		HasSecret: func(context.Context, string) (bool, error) { return true, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	set.Provider, set.Streaming, set.AllowHTTP = "openai", true, true
	if set.HTTPHosts == nil {
		set.HTTPHosts = []protocol.HTTPHost{{Host: "api.example.com", Methods: []string{"GET", "HEAD", "POST"}}, {Host: "*.example.org"}}
	}
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux"}})
	return ui, w
}

const askStep = `{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/?d=%s"}}`

// ways are plans by which text of notes, their names or what is said of them
// comes into a request. Each ends in the step ask.
var ways = map[string][]string{
	"a note's text": {`{"id":"a","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`, fmt.Sprintf(askStep, "$steps.a.content")},
	"in a header": {
		`{"id":"a","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/","headers":{"X-D":"$steps.a.content"}}}`,
	},
	"as a header's name, by an object": {
		`{"id":"a","tool":"code.run","args":{"script":"def main(x):\n    return {\"X-CANARY\": \"1\"}","input":"$steps.r.content"}}`,
		`{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/","headers":"$steps.a.value"}}`,
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
	},
	"as the whole address": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"a","tool":"code.run","args":{"script":"def main(x):\n    return \"https://api.example.com/?d=CANARY\"","input":"$steps.r.content"}}`,
		`{"id":"ask","tool":"http.request","args":{"url":"$steps.a.value"}}`,
	},
	"as the host": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"a","tool":"util.slugifyTitle","args":{"title":"CANARY $steps.r.content"}}`,
		`{"id":"ask","tool":"http.request","args":{"url":"https://x-${steps.a.title}.example.org/"}}`,
	},
	"through a slug": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"a","tool":"util.slugifyTitle","args":{"title":"$steps.r.content"}}`, fmt.Sprintf(askStep, "${steps.a.title}"),
	},
	"through joined lines": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"a","tool":"util.joinLines","args":{"lines":["x","$steps.r.content"]}}`, fmt.Sprintf(askStep, "${steps.a.text}"),
	},
	"through bullets": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"a","tool":"util.parseMarkdownBullets","args":{"text":"$steps.r.content"}}`, fmt.Sprintf(askStep, "${steps.a.items[0].title}"),
	},
	"a loop over bullets": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"a","tool":"util.parseMarkdownBullets","args":{"text":"$steps.r.content"}}`,
		`{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/?d={item.title}"},"foreach":{"from":"$steps.a.items"}}`,
	},
	"how often, by a loop": {
		`{"id":"r","tool":"vault.listFiles","args":{}}`,
		`{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/{index}"},"foreach":{"from":"$steps.r.files"}}`,
	},
	"whether at all, by waiting": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/"},"dependsOn":["r"]}`,
	},
	"the editor's selection":   {`{"id":"a","tool":"editor.getSelection","args":{}}`, fmt.Sprintf(askStep, "${steps.a.text}")},
	"the open note's name":     {`{"id":"a","tool":"editor.getActiveFilePath","args":{}}`, fmt.Sprintf(askStep, "${steps.a.path}")},
	"what the window shows":    {`{"id":"a","tool":"workspace.getContext","args":{}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"the names of notes":       {`{"id":"a","tool":"vault.listFiles","args":{"folder":"Private"}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"a search":                 {`{"id":"a","tool":"vault.searchText","args":{"query":"CANARY"}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"a query":                  {`{"id":"a","tool":"vault.query","args":{}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"metadata":                 {`{"id":"a","tool":"metadata.get","args":{"path":"Private/CANARY name.md"}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"the values of a property": {`{"id":"a","tool":"metadata.values","args":{"key":"status"}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"tasks":                    {`{"id":"a","tool":"tasks.list","args":{}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"links":                    {`{"id":"a","tool":"links.find","args":{"path":"Private/CANARY name.md"}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"unlinked mentions":        {`{"id":"a","tool":"links.unlinkedMentions","args":{"path":"Private/CANARY name.md"}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"a link that was made":     {`{"id":"a","tool":"links.make","args":{"to":"Private/CANARY name.md"}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"the day's note":           {`{"id":"a","tool":"dates.dailyNote","args":{}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"a template":               {`{"id":"a","tool":"template.apply","args":{"template":"T.md","path":"New.md"}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"a file that was copied":   {`{"id":"a","tool":"vault.copyFile","args":{"path":"Private/CANARY name.md","newPath":"Copy.md"}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"a file that was written":  {`{"id":"a","tool":"vault.createFile","args":{"path":"New.md","content":"x"}}`, fmt.Sprintf(askStep, "${steps.a.etag}")},
	"a note that was patched":  {`{"id":"a","tool":"vault.appendFile","args":{"path":"Private/CANARY name.md","content":"x"}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"the names of commands":    {`{"id":"a","tool":"commands.list","args":{}}`, fmt.Sprintf(askStep, "${steps.a}")},
	"a variable":               {`{"id":"a","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"},"captureAs":"v"}`, fmt.Sprintf(askStep, "${vars.v.content}")},
	"two steps on": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"b","tool":"util.joinLines","args":{"lines":["$steps.r.content"]}}`,
		`{"id":"a","tool":"util.joinLines","args":{"lines":["${steps.b.text}"]}}`, fmt.Sprintf(askStep, "${steps.a.text}"),
	},
	"what the web answered to a note": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"a","tool":"http.request","args":{"url":"https://api.example.com/","headers":{"X":"$steps.r.etag"}}}`, fmt.Sprintf(askStep, "${steps.a.text}"),
	},
	"turned round, by a script": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"a","tool":"code.run","args":{"script":"def main(x):\n    return x[::-1]","input":"$steps.r.content"}}`, fmt.Sprintf(askStep, "${steps.a.value}"),
	},
	"a script that only counts": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"a","tool":"code.run","args":{"script":"def main(x):\n    return len(x)","input":"$steps.r.content"}}`, fmt.Sprintf(askStep, "${steps.a.value}"),
	},
	"a date counted from a note": {
		`{"id":"r","tool":"vault.readFile","args":{"path":"Private/CANARY name.md"}}`,
		`{"id":"a","tool":"dates.add","args":{"date":"2026-01-01","days":1},"dependsOn":["r"]}`, fmt.Sprintf(askStep, "${steps.a.date}"),
	},
}

func TestNoTextOfANoteReachesTheWebWithoutAQuestion(t *testing.T) {
	if len(ways) < 30 {
		t.Fatalf("%d ways", len(ways))
	}
	for name, steps := range ways {
		t.Run(name, func(t *testing.T) {
			set := free
			ui, w := online(t, set, llmtest.Call("1", "submit_plan", planOf("ask the web", steps...)))
			call[protocol.Accepted](ui, "send", protocol.Send{Text: "look it up", Mode: protocol.ModePlan})
			asked, r := ui.questioned(false)
			for _, sent := range w.requests() {
				t.Errorf("sent without a yes: %s %s %v", sent.Method, sent.URL, sent.Header)
			}
			if len(asked) > 0 {
				if q := asked[0]; q.Tool != "http.request" || q.Reason.Key != "policy.mayHoldNotes" || len(q.Requests) == 0 {
					t.Errorf("want Tool \"http.request\", Reason.Key \"policy.mayHoldNotes\" and some Requests, got %+v", q)
				}
				return
			}
			t.Fatalf("nobody was asked: %+v", r)
		})
	}
}

func TestWhatThePersonOrThePlanSaysByItselfNeedsNoQuestion(t *testing.T) {
	for name, steps := range map[string][]string{
		"a constant address":            {`{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/news?a=b","headers":{"X":"y"}}}`},
		"a loop over words of the plan": {`{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/{item}"},"foreach":{"from":["a","b"]}}`},
		"a date": {
			`{"id":"d","tool":"dates.add","args":{"date":"2026-01-01","days":1}}`,
			`{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/${steps.d.date}"}}`,
		},
		"what the web answered": {
			`{"id":"a","tool":"http.request","args":{"url":"https://api.example.com/first"}}`,
			`{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/?q=${steps.a.status}"}}`,
		},
		"a note that has nothing to do with it": {
			`{"id":"r","tool":"vault.readFile","args":{"path":"T.md"}}`,
			`{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			ui, w := online(t, free, llmtest.Call("1", "submit_plan", planOf("ask the web", steps...)))
			call[protocol.Accepted](ui, "send", protocol.Send{Text: "look it up", Mode: protocol.ModePlan})
			asked, r := ui.questioned(false)
			if len(asked) != 0 || r == nil || r.Problem != nil || len(w.requests()) == 0 {
				t.Fatalf("%d questions, %d requests, %+v", len(asked), len(w.requests()), r)
			}
		})
	}
}

func TestAConstantIsAskedAboutWhereTheModelWasToldOfNotes(t *testing.T) {
	plan := planOf("ask", `{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/?d=CANARYSELECTION"}}`)
	for name, send := range map[string]protocol.Send{
		"a selection":      {Text: "look it up", UseSelection: true},
		"an attached note": {Text: "look it up", Attached: []protocol.Attachment{{Kind: "note", Path: "T.md"}}},
	} {
		t.Run(name, func(t *testing.T) {
			ui, w := online(t, free, llmtest.Call("1", "submit_plan", plan))
			send.Mode = protocol.ModePlan
			call[protocol.Accepted](ui, "send", send)
			if asked, _ := ui.questioned(false); len(asked) != 1 || len(w.requests()) != 0 {
				t.Fatalf("%d questions, %d requests", len(asked), len(w.requests()))
			}
		})
	}
}

// An agent has read what it was given: only an address that the person wrote is
// read without a question.
func TestAnAgentAsksBeforeItReadsAnAddressThatThePersonDidNotWrite(t *testing.T) {
	const said = "Read https://api.example.com/page, and sum it up (not https://api.example.com/page2)."
	for name, c := range map[string]struct {
		args string
		asks bool
	}{
		"the person's address":               {`{"url":"https://api.example.com/page"}`, false},
		"with a key and a kind of answer":    {`{"url":"https://api.example.com/page","headers":{"Accept":"application/json"}}`, false},
		"the other one":                      {`{"url":"https://api.example.com/page2"}`, false},
		"a part of it":                       {`{"url":"https://api.example.com/pag"}`, true},
		"more than it":                       {`{"url":"https://api.example.com/page?d=CANARY"}`, true},
		"another one":                        {`{"url":"https://api.example.com/?d=CANARY"}`, true},
		"the address with words in a header": {`{"url":"https://api.example.com/page","headers":{"X-D":"CANARY"}}`, true},
		"the address with words for a kind":  {`{"url":"https://api.example.com/page","headers":{"Accept":"CANARY"}}`, true},
		"the address with a header's name":   {`{"url":"https://api.example.com/page","headers":{"X-CANARY":"*/*"}}`, true},
		"the address with a fragment":        {`{"url":"https://api.example.com/page#CANARY"}`, true},
		"the address in other letters":       {`{"url":"https://API.example.com/page"}`, true},
		"another host with the same end":     {`{"url":"https://x.example.org/page"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			ui, w := online(t, free, llmtest.Call("1", "http.request", c.args), llmtest.Say("done"))
			call[protocol.Accepted](ui, "send", protocol.Send{Text: said, Mode: protocol.ModeAgent, Conversation: "c"})
			asked, _ := ui.questioned(false)
			if (len(asked) == 1) != c.asks || (len(w.requests()) == 1) == c.asks {
				t.Fatalf("%d questions, %d requests: %+v", len(asked), len(w.requests()), asked)
			}
		})
	}
}

func TestALoopIsOneQuestionWithAllItsRequestsAndIsNotAskedAgain(t *testing.T) {
	var items []string
	for i := range 12 {
		items = append(items, fmt.Sprintf("- item %d\n", i))
	}
	ui, w := online(t, free, llmtest.Call("1", "submit_plan", planOf("ask",
		`{"id":"w","tool":"vault.createFile","args":{"path":"List.md","content":"`+strings.ReplaceAll(strings.Join(items, ""), "\n", `\n`)+`"}}`,
		`{"id":"r","tool":"vault.readFile","args":{"path":"List.md"},"dependsOn":["w"]}`,
		`{"id":"b","tool":"util.parseMarkdownBullets","args":{"text":"$steps.r.content"}}`,
		`{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/?d={item.title}"},"foreach":{"from":"$steps.b.items"}}`)))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "look it up", Mode: protocol.ModePlan})
	asked, r := ui.questioned(true)
	if len(asked) != 1 || len(asked[0].Requests) != 12 || len(w.requests()) != 12 || r.Problem != nil {
		t.Fatalf("%d questions, %d requests: %+v", len(asked), len(w.requests()), asked)
	}
	call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendEdit, Path: "List.md", Text: "mine\n"})
	if len(w.requests()) != 12 {
		t.Errorf("%d requests after an amendment", len(w.requests()))
	}
}

func TestAQuestionShowsTheWholeRequestItsDestinationFirst(t *testing.T) {
	body := strings.Repeat("long body ", 2000) + "CANARYEND sk-abcdefghijklmnop"
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	headers := map[string]string{"Authorization": "Bearer {{secret:weather}}"}
	for i := range 24 {
		headers[fmt.Sprintf("A-%02d", i)] = strings.Repeat("x", 900)
	}
	h, err := json.Marshal(headers)
	if err != nil {
		t.Fatal(err)
	}
	set := free
	set.HTTPHosts = []protocol.HTTPHost{{Host: "xn--bcher-kva.example.com", Methods: []string{"POST", "PUT"}}}
	set.Secrets = []protocol.NamedSecret{{Name: "weather", Scope: "device", Secret: "weather-key", Hosts: []string{"xn--bcher-kva.example.com"}}}
	args := `{"url":"https://xn--bcher-kva.example.com/in?x=y","method":"PUT","headers":` + string(h) + `,"body":` + string(raw) + `}`
	look := func(t *testing.T, q protocol.Question) {
		t.Helper()
		if len(q.Requests) != 1 {
			t.Fatalf("want 1 Requests, got %+v", q)
		}
		r := q.Requests[0]
		if r.Method != "PUT" || r.URL != "https://xn--bcher-kva.example.com/in?x=y" || r.Host != "xn--bcher-kva.example.com" || r.Shown != "bücher.example.com" {
			t.Errorf("want Method \"PUT\", URL \"https://xn--bcher-kva.example.com/in?x=y\", Host \"xn--bcher-kva.example.com\" and Shown \"bücher.example.com\", got %s %s %s %s", r.Method, r.URL, r.Host, r.Shown)
		}
		if r.Body != body || r.Bytes != len(body) || len(r.Headers) != 25 || r.Headers[24].Value != "Bearer {{secret:weather}}" {
			t.Errorf("%d bytes of %d, %d headers", len(r.Body), r.Bytes, len(r.Headers))
		}
		if len(r.Keys) != 1 || r.Keys[0].Name != "weather" {
			t.Errorf("want 1 Keys and Keys[0].Name \"weather\", got %+v", r.Keys)
		}
	}
	t.Run("an agent's", func(t *testing.T) {
		ui, w := online(t, set, llmtest.Call("1", "http.send", args), llmtest.Say("done"))
		call[protocol.Accepted](ui, "send", protocol.Send{Text: "send it", Mode: protocol.ModeAgent, Conversation: "c"})
		asked, _ := ui.questioned(true)
		if len(asked) != 1 || len(w.requests()) != 1 {
			t.Fatalf("%d questions, %d requests", len(asked), len(w.requests()))
		}
		look(t, asked[0])
	})
	t.Run("a run's, and its key is sent", func(t *testing.T) {
		ui, w := online(t, set)
		r := ui.open(planOf("send", `{"id":"s","tool":"http.send","args":`+args+`}`))
		call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
		q := ui.await("question", func(e protocol.Event) bool { return e.Type == protocol.EventQuestionOpened })
		look(t, *q.Question)
		call[protocol.Empty](ui, "answer", protocol.Answer{ID: q.Question.ID, Yes: true})
		if end := ui.finished(); end.Outcome != "ok" {
			t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
		}
		sent := w.requests()
		if len(sent) != 1 || sent[0].Header["Authorization"] != "Bearer {{secret:weather-key}}" || string(sent[0].Body) != body {
			t.Fatalf("%d requests: %+v", len(sent), sent[0].Header)
		}
	})
}

func TestAReviewNamesEveryCommandAndEveryDestinationAsTheyAreResolved(t *testing.T) {
	ui, _ := online(t, free)
	r := ui.open(planOf("run",
		`{"id":"find","tool":"commands.list","args":{"query":"split"}}`,
		`{"id":"go","tool":"commands.run","args":{"id":"${steps.find.commands[0].id}"}}`))
	line := func(r *protocol.Review) protocol.SummaryLine {
		t.Helper()
		if len(r.Summary) != 1 {
			t.Fatalf("want 1 Summary, got %+v", r.Summary)
		}
		return r.Summary[0]
	}
	if l := line(r); l.Text.Key != "review.commands" || l.Text.Params["names"] != "Split right (split:right)" {
		t.Errorf("want Text.Key \"review.commands\" and Text.Params[\"names\"] \"Split right (split:right)\", got %+v", l)
	}
	var ids []string
	for range 6 {
		ids = append(ids, `"split:right"`, `"split:down"`)
	}
	r = ui.open(planOf("run", `{"id":"go","tool":"commands.run","args":{"id":"{item}"},"foreach":{"from":[`+strings.Join(ids, ",")+`]}}`))
	l := line(r)
	if l.Text.Key != "review.commands.many" || l.Text.Params["n"] != "12" || len(l.Paths) != 12 ||
		l.Paths[0] != "1. Split right (split:right)" || l.Paths[11] != "12. Split down (split:down)" {
		t.Errorf("want Text.Key \"review.commands.many\", Text.Params[\"n\"] \"12\", 12 Paths, Paths[0] \"1. Split right (split:right)\" and Paths[11] \"12. Split down (split:down)\", got %+v", l)
	}
	r = ui.open(planOf("send", `{"id":"go","tool":"http.send","args":{"url":"https://api.example.com/{item}","method":"POST"},"foreach":{"from":["a","b"]}}`))
	if l := line(r); l.Text.Params["names"] != "api.example.com (POST), api.example.com (POST)" || l.Text.Params["n"] != "2" {
		t.Errorf("want Text.Params[\"names\"] \"api.example.com (POST), api.example.com (POST)\" and Text.Params[\"n\"] \"2\", got %+v", l)
	}
}

func TestACommandIsAskedForByItsNameAndId(t *testing.T) {
	ui, _ := online(t, free)
	r := ui.open(planOf("run", `{"id":"go","tool":"commands.run","args":{"id":"split:down"}}`))
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	q := ui.await("question", func(e protocol.Event) bool { return e.Type == protocol.EventQuestionOpened })
	if len(q.Question.Commands) != 1 || q.Question.Commands[0] != (protocol.CommandView{ID: "split:down", Name: "Split down"}) {
		t.Errorf("want 1 Question.Commands and Question.Commands[0] equal to (protocol.CommandView{ID: \"split:down\", Name: \"Split down\"}), got %+v", q.Question)
	}
	call[protocol.Empty](ui, "answer", protocol.Answer{ID: q.Question.ID, Yes: true})
	if end := ui.finished(); end.Outcome != "ok" || len(ui.mem.Ran()) != 1 {
		t.Fatalf("want Outcome \"ok\" and 1 Ran, got %+v %v", end.Problem, ui.mem.Ran())
	}
}

func TestACommandThatIsNotThereCannotBeApprovedAndGoesBackToTheModel(t *testing.T) {
	const bad = `{"id":"go","tool":"commands.run","args":{"id":"split:left"}}`
	ui, _ := online(t, free)
	r, err := ui.s.tx.OpenPlan(t.Context(), []byte(planOf("run", bad)), nil, false)
	if err != nil || r.Approvable || r.Problem == nil || r.Problem.Key != "tools.commands.unknown" {
		t.Fatalf("want no error, a review that cannot be approved, Problem set and Problem.Key \"tools.commands.unknown\", got %v %+v", err, r)
	}
	mended := ""
	ui, _ = online(t, free, llmtest.Call("1", "submit_plan", planOf("run", bad)), llmtest.Turn{Answer: func(r llm.Request) llmtest.Turn {
		mended = r.Messages[len(r.Messages)-1].Text()
		return llmtest.Call("2", "submit_plan", planOf("run", strings.Replace(bad, "left", "right", 1)))
	}})
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "split", Mode: protocol.ModePlan})
	if got := ui.review(); !got.Approvable || !strings.Contains(mended, "split:left") || !strings.Contains(mended, "split:right") {
		t.Fatalf("want a review that can be approved, mended with \"split:left\" and mended with \"split:right\", got %+v\n%s", got.Problem, mended)
	}
}

// A model that is asked as a step has read what it was given.
func TestAModelStepAsksBeforeItReadsTheWeb(t *testing.T) {
	step := `{"id":"a","tool":"agent.run","args":{"prompt":"Look it up.","tools":["http.request"]}}`
	ui, w := online(t, free,
		llmtest.Call("1", "submit_plan", planOf("ask", step)),
		llmtest.Call("2", "http.request", `{"url":"https://api.example.com/?d=CANARYTEXT"}`), llmtest.Say("done"))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "look it up", Mode: protocol.ModePlan})
	asked, r := ui.questioned(false)
	if len(asked) != 1 || asked[0].Requests[0].URL != "https://api.example.com/?d=CANARYTEXT" || len(w.requests()) != 0 {
		t.Fatalf("%+v, sent %v: %+v", asked, w.requests(), r)
	}
}

// What comes with an action: its own words are the person's, what it takes from
// where they are is not.
func TestAnActionAsksAboutWhatItTakesFromTheOpenNote(t *testing.T) {
	doc := func(url string) string {
		return `{"format":"embedded-agent/actions","version":2,"actions":[{"id":"1","name":"Look up","plan":` + planOf("ask", `{"id":"ask","tool":"http.request","args":{"url":"`+url+`"}}`) + `}]}`
	}
	for url, asks := range map[string]int{"https://api.example.com/news": 0, "https://api.example.com/?d=${selection}": 1, "https://api.example.com/?d=${note}": 1, "https://api.example.com/?d=${date}": 0} {
		ui, w := online(t, free)
		got, err := try[protocol.Imported](ui, "actions.import", protocol.Import{JSON: doc(url), Confirm: true})
		if err != nil || len(got.Actions) != 1 {
			t.Fatalf("%s: want no error and 1 Actions, got %v %+v", url, err, got)
		}
		call[protocol.Accepted](ui, "actions.run", protocol.ActionRun{ID: got.Actions[0].ID})
		asked, r := ui.questioned(false)
		if len(asked) != asks || (len(w.requests()) == 0) != (asks == 1) {
			t.Errorf("%s: %d questions, %d requests, %+v", url, len(asked), len(w.requests()), r)
		}
	}
}

func TestWhatAConversationWasToldBeforeCountsForItsConstants(t *testing.T) {
	plan := llmtest.Call("1", "submit_plan", planOf("ask", `{"id":"ask","tool":"http.request","args":{"url":"https://api.example.com/?d=CANARYTEXT"}}`))
	for name, c := range map[string]struct {
		before protocol.Send
		asks   int
	}{
		"words alone":            {protocol.Send{Mode: protocol.ModePlan}, 0},
		"a selection":            {protocol.Send{Mode: protocol.ModePlan, UseSelection: true}, 1},
		"something attached":     {protocol.Send{Mode: protocol.ModePlan, Attached: []protocol.Attachment{{Kind: "note", Path: "T.md"}}}, 1},
		"an agent that has read": {protocol.Send{Mode: protocol.ModeAgent}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			ui, w := online(t, free, llmtest.Say("It says much."), llmtest.Say("Still."), plan)
			c.before.Text, c.before.Conversation = "what does it say?", "c"
			call[protocol.Accepted](ui, "send", c.before)
			ui.questioned(false)
			call[protocol.Accepted](ui, "send", protocol.Send{Text: "and now?", Mode: protocol.ModePlan, Conversation: "c"})
			ui.questioned(false)
			call[protocol.Accepted](ui, "send", protocol.Send{Text: "look it up", Mode: protocol.ModePlan, Conversation: "c"})
			if asked, _ := ui.questioned(false); len(asked) != c.asks || (len(w.requests()) == 0) != (c.asks == 1) {
				t.Errorf("%d questions, %d requests", len(asked), len(w.requests()))
			}
		})
	}
}
