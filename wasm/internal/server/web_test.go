//go:build !js

package server

import (
	"context"
	"testing"

	"embedded-agent/wasm/internal/community"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
	"embedded-agent/wasm/internal/web/webtest"
)

const webPlan = `{"goal":"Keep what the page says","assumptions":[],"riskLevel":"writes","steps":[
{"id":"get","tool":"http.request","args":{"url":"https://api.example.com/news","headers":{"X-Key":"{{secret:api}}"}}},
{"id":"write","tool":"vault.createFile","args":{"path":"News.md","content":"$steps.get.text"}}]}`

// newWebPanel is a panel over a transport, and a model that plans once.
func newWebPanel(t *testing.T, transport web.Transport, set protocol.Settings, plan string) *panel {
	t.Helper()
	ui := &panel{t: t, mem: countedNotes(2)}
	ui.cond.L = &ui.mu
	s, err := New(Deps{
		Host: ui.mem.Host(), Transport: transport, Emit: ui.hear, Provider: llmtest.NewProvider(llmtest.Call("c1", "submit_plan", plan)),
		HasSecret: func(context.Context, string) (bool, error) { return true, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	set.Provider, set.Streaming = "openai", true
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux"}})
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "do it", Mode: protocol.ModePlan})
	return ui
}

func TestWhatWasReadFromTheWebIsWhatIsShownAndWritten(t *testing.T) {
	h, transport := webtest.NewBadWeb(t)
	set := webtest.Allowed()
	set.Secrets = []protocol.NamedSecret{{Name: "api", Scope: "vault", Secret: "stored-api", Hosts: []string{"api.example.com"}}}
	ui := newWebPanel(t, transport, set, webPlan)
	r := ui.review()
	if !r.Approvable || len(r.Files) != 1 || h.Asked.Load() != 1 {
		t.Fatalf("%d files, %d requests: %+v %+v", len(r.Files), h.Asked.Load(), r.Problem, r.Steps)
	}
	again := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendEdit, Path: "News.md", Text: "mine\n"})
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: again.Approval})
	if end := ui.finished(); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
	}
	call[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: r.Run})
	if h.Asked.Load() != 1 {
		t.Errorf("%d requests for one reading", h.Asked.Load())
	}
	if got, _ := ui.mem.File("News.md"); string(got) != "mine\n" {
		t.Errorf("want \"mine\\n\", got %q", got)
	}
}

func TestSendingAsksOnceItsTurnHasComeAndIsMadeOnce(t *testing.T) {
	h, transport := webtest.NewBadWeb(t)
	plan := `{"goal":"Send","assumptions":[],"riskLevel":"commands","steps":[
	{"id":"send","tool":"http.send","args":{"url":"https://api.example.com/items","body":"x"}}]}`
	ui := newWebPanel(t, transport, webtest.Allowed(), plan)
	r := ui.review()
	if h.Asked.Load() != 0 || r.Risk != "commands" || r.Steps[0].Simulate || r.Steps[0].Undo {
		t.Fatalf("%d requests, %s, %+v", h.Asked.Load(), r.Risk, r.Steps[0])
	}
	if len(r.Summary) != 1 || r.Summary[0].Text.Key != "review.sends" || r.Summary[0].Text.Params["names"] != "api.example.com (POST)" {
		t.Errorf("want 1 Summary, Summary[0].Text.Key \"review.sends\" and Summary[0].Text.Params[\"names\"] \"api.example.com (POST)\", got %+v", r.Summary)
	}
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	q := ui.await("question", func(e protocol.Event) bool { return e.Question != nil })
	if h.Asked.Load() != 0 {
		t.Error("sent before the answer")
	}
	call[protocol.Empty](ui, "answer", protocol.Answer{ID: q.Question.ID, Yes: true})
	if end := ui.finished(); end.Outcome != "ok" || h.Asked.Load() != 1 {
		t.Fatalf("%+v, %d requests", end.Problem, h.Asked.Load())
	}
}

// twoInstalled is a host whose app has plugins.
type twoInstalled struct{}

func (twoInstalled) Installed(context.Context) ([]host.InstalledPlugin, error) {
	return []host.InstalledPlugin{{ID: "calendar", Enabled: true}, {ID: "obsidian-kanban"}}, nil
}

func TestSearchingForPluginsAsksForTheirListAlone(t *testing.T) {
	raw := `[{"id":"calendar","name":"Calendar","author":"A","description":"d","repo":"r"},
	{"id":"obsidian-kanban","name":"Kanban","author":"B","description":"A board","repo":"r"},{"id":"other","name":"Other board"}]`
	tr := llmtest.NewTransport(llmtest.Answer{Body: []byte(raw)})
	ports := countedNotes(1).Host()
	ports.Plugins = twoInstalled{}
	s, err := New(Deps{Host: ports, Transport: tr, Emit: func(protocol.Event) {}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if len(tr.Requests()) != 0 {
		t.Error("asked before anybody searched")
	}
	got, err := s.plugins.Asked(t.Context(), protocol.PluginsQuery{Text: "kanban board"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Plugins) != 2 || got.Plugins[0].ID != "obsidian-kanban" || !got.Plugins[0].Installed || got.Plugins[0].Enabled || got.Plugins[1].Installed {
		t.Errorf("want 2 Plugins, Plugins[0].ID \"obsidian-kanban\", Plugins[0].Installed true, Plugins[0].Enabled false and Plugins[1].Installed false, got %+v", got.Plugins)
	}
	if got.FetchedAt == "" || got.Offline {
		t.Errorf("want FetchedAt set and Offline false, got %+v", got)
	}
	reqs := tr.Requests()
	if len(reqs) != 1 || reqs[0].URL != community.Address || reqs[0].Via != web.ViaApp || len(reqs[0].Header) != 0 {
		t.Errorf("want 1 reqs, reqs[0].URL community.Address, reqs[0].Via web.ViaApp and no reqs[0].Header, got %+v", reqs)
	}
	// Without a network the kept list is used, and said to be old when it is.
	again, err := s.plugins.Asked(t.Context(), protocol.PluginsQuery{Text: "calendar", Refresh: true})
	if err != nil || !again.Offline || len(again.Plugins) != 1 || !again.Plugins[0].Enabled {
		t.Errorf("want no error, Offline true, 1 Plugins and Plugins[0].Enabled true, got %+v, %v", again, err)
	}
}

func TestWithoutANetworkSearchingForPluginsIsANetworkError(t *testing.T) {
	s, err := New(Deps{Host: countedNotes(1).Host(), Emit: func(protocol.Event) {}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if _, err := s.plugins.Asked(t.Context(), protocol.PluginsQuery{Text: "x"}); !fault.Is(err, fault.Network) {
		t.Error(err)
	}
}
