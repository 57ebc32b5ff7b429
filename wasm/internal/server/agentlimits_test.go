package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// rig is a panel with more than notes and a scripted model.
type rig struct {
	*panel
	model *llmtest.Provider
}

func newRig(t *testing.T, mem *hosttest.Memory, set protocol.Settings, deps func(*Deps), turns ...llmtest.Turn) *rig {
	t.Helper()
	r := &rig{panel: &panel{t: t, mem: mem}, model: llmtest.NewProvider(turns...)}
	r.cond.L = &r.mu
	d := Deps{Host: mem.Host(), Provider: r.model, Emit: r.hear}
	if deps != nil {
		deps(&d)
	}
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	r.s = s
	if set.Provider == "" {
		set.Provider = "openai"
	}
	set.Streaming = true
	call[protocol.Welcome](r.panel, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux"}})
	return r
}

// say sends a message to the agent and waits for the end of the turn.
func (r *rig) say(text string) protocol.Turn {
	r.t.Helper()
	return r.send(protocol.Send{Text: text, Mode: protocol.ModeAgent, Conversation: "talk"})
}

func (r *rig) send(p protocol.Send) protocol.Turn {
	r.t.Helper()
	a := call[protocol.Accepted](r.panel, "send", p)
	return r.turnEnded(a.Turn)
}

func (r *rig) turnEnded(id string) protocol.Turn {
	r.t.Helper()
	e := r.await("end of the turn", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded && e.Turn.ID == id })
	return *e.Turn
}

// results gives the texts of the tool results in the last request.
func (r *rig) results() []string {
	reqs := r.model.Requests()
	var out []string
	for _, m := range reqs[len(reqs)-1].Messages {
		if m.Role == llm.RoleToolResult {
			out = append(out, m.Text())
		}
	}
	return out
}

func reads(n int) llmtest.Turn {
	var calls []llm.Block
	for i := range n {
		calls = append(calls, llm.Call(fmt.Sprint("c", i), "vault.readFile", []byte(`{"path":"A.md"}`)))
	}
	return llmtest.Reply(calls...)
}

func note() *hosttest.Memory {
	return hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "alpha"}})
}

func TestTheLimitsOfTheSettingsStopAnAgent(t *testing.T) {
	spend := func(in, out int64, turn llmtest.Turn) llmtest.Turn {
		turn.Usage = price.Usage{Input: in, Output: out}
		return turn
	}
	prices := `{"currency":"USD","models":[{"model":"m","input":1000000,"output":0}]}`
	for name, c := range map[string]struct {
		set   protocol.Settings
		turns []llmtest.Turn
		key   string // of the turn's problem
		asked int
		told  string // what the model was told
	}{
		"iterations":                {protocol.Settings{AgentIterations: 2}, []llmtest.Turn{reads(1), reads(1), reads(1)}, "agent.limit.iterations", 2, ""},
		"ten iterations by default": {protocol.Settings{}, []llmtest.Turn{reads(1), reads(1), reads(1), reads(1), reads(1), reads(1), reads(1), reads(1), reads(1), reads(1), reads(1)}, "agent.limit.iterations", 10, ""},
		"calls":                     {protocol.Settings{AgentCalls: 2}, []llmtest.Turn{reads(3), llmtest.Say("ok")}, "", 2, "has used its 2 tool calls"},
		"25 calls at first":         {protocol.Settings{}, []llmtest.Turn{reads(26), llmtest.Say("ok")}, "", 2, "has used its 25 tool calls"},
		"tokens":                    {protocol.Settings{AgentTokens: 40_000}, []llmtest.Turn{spend(39_000, 2_000, reads(1)), reads(1)}, "agent.limit.tokens", 1, ""},
		"cost":                      {protocol.Settings{AgentCost: 90_000, Model: "m", Prices: prices}, []llmtest.Turn{spend(90_001, 0, reads(1)), reads(1)}, "agent.limit.cost", 1, ""},
		"cost without a price":      {protocol.Settings{AgentCost: 5, Model: "unknown", Prices: prices}, []llmtest.Turn{reads(1)}, "agent.limit.noPrice", 0, ""},
		"a disabled tool":           {protocol.Settings{DisabledTools: []string{"vault.readFile"}}, []llmtest.Turn{reads(1), llmtest.Say("ok")}, "", 2, "not one of the tools that are allowed"},
		"a rate":                    {protocol.Settings{CallsPerMinute: map[string]int{"vault.readFile": 2}}, []llmtest.Turn{reads(3), llmtest.Say("ok")}, "", 2, "was called too often"},
		"a rate of all":             {protocol.Settings{CallsPerMinute: map[string]int{"*": 2}}, []llmtest.Turn{reads(3), llmtest.Say("ok")}, "", 2, `"code":"RATE_LIMIT"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, note(), c.set, nil, c.turns...)
			end := r.say("go")
			key := ""
			if end.Problem != nil {
				key = end.Problem.Key
			}
			if key != c.key || len(r.model.Requests()) != c.asked {
				t.Fatalf("%q after %d questions: %+v", key, len(r.model.Requests()), end)
			}
			if c.key == "agent.limit.iterations" && (!end.CanContinue || end.Outcome != protocol.TurnFailed) {
				t.Errorf("want key other than \"agent.limit.iterations\" (or CanContinue true and Outcome protocol.TurnFailed), got %+v", end)
			}
			if c.told != "" && !strings.Contains(strings.Join(r.results(), "\n"), c.told) {
				t.Errorf("the model was told %q", r.results())
			}
			if c.asked > 0 {
				for _, tl := range r.model.Requests()[0].Tools {
					if tl.Name == "commands.run" || tl.Name == "vault.delete" || tl.Name == "agent.run" || (name == "a disabled tool" && tl.Name == "vault.readFile") {
						t.Errorf("the model heard of %s", tl.Name)
					}
				}
			}
		})
	}
}

func TestSavingTheSettingsAgainGivesARateNoFreshStart(t *testing.T) {
	set := protocol.Settings{CallsPerMinute: map[string]int{"vault.readFile": 2}}
	r := newRig(t, note(), set, nil, reads(2), llmtest.Say("ok"), reads(1), llmtest.Say("ok"))
	r.say("go")
	set.Provider, set.Streaming = "openai", true
	call[protocol.State](r.panel, "configure", set)
	r.say("again")
	if told := strings.Join(r.results(), "\n"); !strings.Contains(told, "too often") {
		t.Errorf("told %s", told)
	}
}

// failingPolicy cannot read the policy file.
type failingPolicy struct{ host.Store }

func (f failingPolicy) Read(ctx context.Context, path string) ([]byte, error) {
	if path == guard.PolicyFile {
		return nil, fault.New(fault.Internal, "error.store.io", nil)
	}
	return f.Store.Read(ctx, path)
}

func putPolicy(t testing.TB, mem *hosttest.Memory, doc string) {
	t.Helper()
	if err := mem.Host().Store.Write(t.Context(), guard.PolicyFile, []byte(doc)); err != nil {
		t.Fatal(err)
	}
}

func TestTheOrganisationsPolicyTightensAndIsReadBeforeEachTurn(t *testing.T) {
	mem := note()
	write := func(id string) llmtest.Turn {
		return llmtest.Call(id, "vault.writeFile", `{"path":"A.md","content":"x"}`)
	}
	r := newRig(t, mem, protocol.Settings{AgentIterations: 9}, nil,
		write("1"), llmtest.Say("ok"), reads(1), reads(1), write("2"), llmtest.Say("no"))
	if end := r.say("first"); end.Outcome != protocol.TurnPlan {
		t.Fatalf("want Outcome protocol.TurnPlan, got %+v", end)
	}
	call[protocol.Empty](r.panel, "review.close", protocol.RunRef{})
	// It appears while the app runs.
	putPolicy(t, mem, `{"version":1,"max_iterations":2,"blocked_tools":["tags.add"],"side_effects":"reads"}`)
	if end := r.say("second"); end.Problem == nil || end.Problem.Key != "agent.limit.iterations" || end.Problem.Params["max"] != "2" {
		t.Fatalf("want Problem set, Problem.Key \"agent.limit.iterations\" and Problem.Params[\"max\"] \"2\", got %+v", end.Problem)
	}
	putPolicy(t, mem, `{"version":1,"blocked_tools":["tags.add"],"side_effects":"reads","max_iterations":20}`)
	if end := r.say("third"); end.Outcome != protocol.TurnAnswer {
		t.Fatalf("want Outcome protocol.TurnAnswer, got %+v", end)
	}
	if told := strings.Join(r.results(), "\n"); !strings.Contains(told, "POLICY_DENIED") {
		t.Errorf("told %s", told)
	}
	list := call[protocol.ToolList](r.panel, "tools.list", protocol.Empty{})
	for _, tl := range list.Tools {
		switch {
		case tl.Name == "tags.add" && (tl.Refused == nil || tl.Refused.Key != "policy.forbidden"),
			tl.Name == "vault.writeFile" && (tl.Refused == nil || tl.Refused.Key != "policy.ceiling"),
			tl.Name == "vault.readFile" && (tl.Refused != nil || !tl.Enabled):
			t.Errorf("want each tool refused as the policy says, got %+v", tl)
		}
	}
	// A plan is held to it as well, and nothing of the settings can widen it.
	p, err := r.s.tx.OpenPlan(t.Context(), []byte(planOf("x", `{"id":"w","tool":"vault.writeFile","args":{"path":"B.md","content":"x"}}`)), nil, false)
	if err != nil || p.Approvable || p.Problem == nil || p.Problem.Key != "policy.ceiling" {
		t.Errorf("want no error, a review that cannot be approved, Problem set and Problem.Key \"policy.ceiling\", got %v %+v", err, p)
	}
}

func TestABrokenPolicyFileClosesEverything(t *testing.T) {
	for name, doc := range map[string]string{
		"no JSON": `{"version":1`, "a misspelt limit": `{"version":1,"max_iteration":2}`, "another version": `{"version":2}`,
		"empty": ``, "a list": `[]`, "deep": strings.Repeat("[", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			mem := note()
			before := mem.Snapshot()
			r := newRig(t, mem, protocol.Settings{Confirm: protocol.ConfirmNever}, nil, reads(1), llmtest.Call("c", "submit_plan", bulletsPlan))
			putPolicy(t, mem, doc)
			for _, mode := range []protocol.Mode{protocol.ModeAgent, protocol.ModePlan} {
				end := r.send(protocol.Send{Text: "go", Mode: mode, Conversation: "talk"})
				if end.Problem == nil || end.Problem.Key != "agent.organisation.invalid" || end.Problem.Code != protocol.ProblemCode(fault.Denied) {
					t.Fatalf("%s: want Problem set, Problem.Key \"agent.organisation.invalid\" and Problem.Code fault.Denied, got %+v", mode, end)
				}
			}
			if n := len(r.model.Requests()); n != 0 {
				t.Errorf("a model was asked %d times", n)
			}
			p, err := r.s.tx.OpenPlan(t.Context(), []byte(planOf("x", `{"id":"w","tool":"vault.writeFile","args":{"path":"B.md","content":"x"}}`)), nil, false)
			if err != nil || p.Approvable || p.Problem == nil {
				t.Errorf("want no error, a review that cannot be approved and Problem set, got %v %+v", err, p)
			}
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Error("want the vault as it was before; it differs:", d)
			}
			// A start finds it too; when it is mended everything goes on.
			later := newRig(t, mem, protocol.Settings{}, nil, llmtest.Say("hello"))
			later.await("notice", func(e protocol.Event) bool {
				return e.Type == protocol.EventNotice && e.Notice.Text.Key == "agent.organisation.invalid"
			})
			putPolicy(t, mem, `{"version":1}`)
			if end := later.say("go"); end.Outcome != protocol.TurnAnswer {
				t.Errorf("want Outcome protocol.TurnAnswer, got %+v", end.Problem)
			}
		})
	}
}

func TestAPolicyFileThatCannotBeReadClosesEverything(t *testing.T) {
	mem := note()
	r := newRig(t, mem, protocol.Settings{}, func(d *Deps) { d.Host.Store = failingPolicy{d.Host.Store} }, reads(1))
	if end := r.say("go"); end.Problem == nil || end.Problem.Key != "agent.organisation.unreadable" || len(r.model.Requests()) != 0 {
		t.Errorf("want Problem set, Problem.Key \"agent.organisation.unreadable\" and no Requests, got %+v", end)
	}
}

func TestNoToolReadsOrWritesThePolicyFile(t *testing.T) {
	const secret = "policy-canary"
	dir := ".obsidian/plugins/embedded-agent/"
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a"}})
	putPolicy(t, mem, `{"version":1,"secrets":{"x":"`+secret+`"}}`)
	set := free
	set.AllowCommands = true
	r := newRig(t, mem, set, nil)
	for _, e := range r.s.registry.All() {
		for arg := range e.PathArgs() {
			for _, path := range []string{dir + guard.PolicyFile, ".embedded-agent/" + guard.PolicyFile, "../" + guard.PolicyFile, guard.PolicyFile} {
				args := map[string]any{arg: path}
				for _, other := range []string{"path", "newPath", "folder"} {
					if _, ok := e.PathArgs()[other]; ok && other != arg {
						args[other] = "A.md"
					}
				}
				doc, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				p, err := r.s.tx.OpenPlan(t.Context(), []byte(planOf("x", `{"id":"w","tool":"`+e.Name+`","args":`+string(doc)+`}`)), nil, false)
				if err == nil {
					shown, _ := json.Marshal(p)
					if strings.Contains(string(shown), secret) {
						t.Errorf("%s %s shows the policy", e.Name, path)
					}
				}
			}
		}
	}
	if got := string(mem.StoreFiles()[guard.PolicyFile]); !strings.Contains(got, secret) {
		t.Errorf("the policy is %q", got)
	}
	if _, found := mem.File(guard.PolicyFile); found {
		t.Error("the store is in the vault")
	}
}

func sample(name, version string, change func(*tool.Tool)) tool.Tool {
	x := tool.Tool{
		Spec: tool.Spec{
			Name: name, Version: version, Lifecycle: tool.Active, Category: "utility", SideEffects: tool.None, Cache: tool.CacheNone,
			Simulable: true, Description: "For tests.",
			Input:  json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"n":{"type":"integer"}}}`),
			Output: json.RawMessage(`{"type":"object"}`),
		},
		Run: func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
			return tool.Data{"version": version}, nil
		},
	}
	if change != nil {
		change(&x)
	}
	return x
}

func TestVersionsLiveSideBySideAndTheirLifecycleIsKeptTo(t *testing.T) {
	tools := func(d *Deps) {
		d.Tools = []tool.Tool{
			sample("test.two", "1.0.0", nil), sample("test.two", "2.0.0", nil),
			sample("test.old", "1.0.0", func(x *tool.Tool) { x.Lifecycle, x.Replacement = tool.Deprecated, "test.two" }),
			sample("test.gone", "1.0.0", func(x *tool.Tool) { x.Lifecycle = tool.Blocked }),
		}
	}
	r := newRig(t, note(), protocol.Settings{PinnedTools: []string{"test.two"}}, tools,
		llmtest.Reply(llm.Call("1", "test.two", []byte(`{}`)), llm.Call("2", "test.gone", []byte(`{}`)), llm.Call("3", "test.old", []byte(`{}`))), llmtest.Say("ok"))
	r.say("go")
	told := r.results()
	if !strings.Contains(told[0], "2.0.0") || !strings.Contains(told[1], "POLICY_DENIED") || !strings.Contains(told[2], "1.0.0") {
		t.Errorf("want told[0] with \"2.0.0\", told[1] with \"POLICY_DENIED\" and told[2] with \"1.0.0\", got %q", told)
	}
	for _, tl := range r.model.Requests()[0].Tools {
		if tl.Name == "test.old" || tl.Name == "test.gone" {
			t.Errorf("the model heard of %s", tl.Name)
		}
	}
	infos := map[string]protocol.ToolInfo{}
	for _, i := range call[protocol.ToolList](r.panel, "tools.list", protocol.Empty{}).Tools {
		infos[i.Name+"@"+i.Version] = i
	}
	if i := infos["test.old@1.0.0"]; i.Lifecycle != "deprecated" || i.Replacement != "test.two" {
		t.Errorf("want Lifecycle \"deprecated\" and Replacement \"test.two\", got %+v", i)
	}
	if i, ok := infos["test.gone@1.0.0"]; ok {
		t.Errorf("a blocked tool can be found: %+v", i)
	}
	if i := infos["test.two@1.0.0"]; !i.Pinned {
		t.Errorf("want Pinned true, got %+v", i)
	}
	// A plan that pins the older version gets it; a deprecated tool warns.
	p, err := r.s.tx.OpenPlan(t.Context(), []byte(planOf("x",
		`{"id":"a","tool":"test.two","version":"1.0.0","args":{}}`, `{"id":"b","tool":"test.old","args":{}}`)), nil, false)
	if err != nil || len(p.Warnings) != 1 || p.Warnings[0].Key != "error.plan.deprecated" {
		t.Fatalf("want no error, 1 Warnings and Warnings[0].Key \"error.plan.deprecated\", got %v %+v", err, p.Warnings)
	}
	if p.Findings == nil || !strings.Contains(asJSON(t, p.Findings), "1.0.0") {
		t.Errorf("want Findings set and a text with \"1.0.0\", got %+v", p.Findings)
	}
	for doc, code := range map[string]fault.Code{
		planOf("x", `{"id":"a","tool":"test.two","version":"9.0.0","args":{}}`): fault.Validation,
		planOf("x", `{"id":"a","tool":"test.gone","args":{}}`):                  fault.Validation,
	} {
		if _, err := r.s.tx.OpenPlan(t.Context(), []byte(doc), nil, false); !fault.Is(err, code) {
			t.Errorf("%s: want the error that was named, got %v", doc, err)
		}
	}
}

func TestSecretsAreFoundByScopeAndTheirValueIsNowhere(t *testing.T) {
	var got []string
	paid := func(d *Deps) {
		d.Tools = []tool.Tool{sample("test.paid", "1.0.0", func(x *tool.Tool) {
			x.Secrets = []string{"KEY"}
			x.Run = func(_ context.Context, env *tool.Env, _ tool.Args) (tool.Data, error) {
				got = append(got, env.Secrets["KEY"])
				return tool.Data{"ok": true}, nil
			}
		})}
	}
	for _, c := range []struct {
		name  string
		named []protocol.NamedSecret
		has   []string
		scope string
		ref   string
	}{
		{"device", []protocol.NamedSecret{{Name: "KEY", Scope: "device", Secret: "mine"}, {Name: "KEY", Scope: "vault", Secret: "ours"}}, []string{"mine", "ours", "org-key"}, "device", "{{secret:mine}}"},
		{"vault", []protocol.NamedSecret{{Name: "KEY", Scope: "device", Secret: "mine"}, {Name: "KEY", Scope: "vault", Secret: "ours"}}, []string{"ours", "org-key"}, "vault", "{{secret:ours}}"},
		{"organisation", nil, []string{"org-key"}, "organisation", "{{secret:org-key}}"},
		{"missing", []protocol.NamedSecret{{Name: "KEY", Scope: "vault", Secret: "ours"}}, nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got = nil
			mem := note()
			putPolicy(t, mem, `{"version":1,"secrets":{"KEY":"org-key"}}`)
			r := newRig(t, mem, protocol.Settings{Secrets: c.named}, func(d *Deps) {
				paid(d)
				d.HasSecret = func(_ context.Context, name string) (bool, error) {
					for _, h := range c.has {
						if h == name {
							return true, nil
						}
					}
					return false, nil
				}
			}, llmtest.Call("1", "test.paid", `{}`), llmtest.Say("ok"))
			a := call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "go", Mode: protocol.ModeAgent, Conversation: "talk"})
			e := r.await("the call", func(e protocol.Event) bool {
				return e.Type == protocol.EventExec && e.Exec.Tool == "test.paid" && e.Exec.Call.Status != "running"
			})
			r.turnEnded(a.Turn)
			list := call[protocol.Secrets](r.panel, "secrets.list", protocol.Empty{})
			if len(list.Secrets) != 1 || list.Secrets[0].Name != "KEY" || list.Secrets[0].Tools[0] != "test.paid" || list.Secrets[0].Has != (c.scope != "") {
				t.Errorf("want 1 Secrets, Secrets[0].Name \"KEY\", Secrets[0].Tools[0] \"test.paid\" and Secrets[0].Has equal to (c.scope != \"\"), got %+v", list)
			}
			var info protocol.ToolInfo
			for _, i := range call[protocol.ToolList](r.panel, "tools.list", protocol.Empty{}).Tools {
				if i.Name == "test.paid" {
					info = i
				}
			}
			if c.scope == "" {
				if e.Exec.Call.Problem == nil || e.Exec.Call.Problem.Code != protocol.ProblemCode(fault.Auth) || info.Auth != "missing" || !strings.Contains(r.results()[0], "AUTH_REQUIRED") || len(got) != 0 {
					t.Errorf("want Exec.Call.Problem set, Exec.Call.Problem.Code fault.Auth, Auth \"missing\", results[0] with \"AUTH_REQUIRED\" and no of them, got %+v %+v %q", e.Exec.Call, info, r.results())
				}
				return
			}
			if e.Exec.Call.SecretFrom != c.scope || info.Auth != "set" || info.Scope != c.scope || list.Secrets[0].Scope != c.scope || len(got) != 1 || got[0] != c.ref {
				t.Errorf("want Exec.Call.SecretFrom as in the case, Auth \"set\", Scope as in the case, Secrets[0].Scope as in the case, 1 of them and got[0] as in the case, got %+v %+v %+v %q", e.Exec.Call, info, list, got)
			}
		})
	}
}

func TestResultsAreCachedByTheToolsPolicyAndNeverAcrossChangesOfTheVault(t *testing.T) {
	var mu sync.Mutex // calls run at once
	runs := map[string]int{}
	counting := func(name string, effects tool.SideEffects, cache tool.CachePolicy) tool.Tool {
		return sample(name, "1.0.0", func(x *tool.Tool) {
			x.SideEffects, x.Cache, x.CacheTTLS = effects, cache, 3600
			x.Flags.WorkspaceOnly = effects == tool.Reads
			x.Run = func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
				mu.Lock()
				defer mu.Unlock()
				runs[name]++
				return tool.Data{"run": runs[name]}, nil
			}
		})
	}
	both := func(id string) llmtest.Turn {
		var calls []llm.Block
		for _, name := range []string{"test.never", "test.ttl", "test.forever", "test.reads"} {
			calls = append(calls, llm.Call(id+name, name, []byte(`{"n":1}`)))
		}
		return llmtest.Reply(calls...)
	}
	r := newRig(t, note(), protocol.Settings{}, func(d *Deps) {
		d.Tools = []tool.Tool{
			counting("test.never", tool.None, tool.CacheNone), counting("test.ttl", tool.None, tool.CacheTTL),
			counting("test.forever", tool.None, tool.CacheForever), counting("test.reads", tool.Reads, tool.CacheForever),
		}
	}, both("a"), both("b"), llmtest.Call("w", "vault.writeFile", `{"path":"A.md","content":"other"}`), both("c"), llmtest.Say("ok"), both("d"), llmtest.Say("ok"))
	a := call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "go", Mode: protocol.ModeAgent, Conversation: "talk"})
	cached := map[string]int{}
	r.await("the end", func(e protocol.Event) bool {
		if e.Type == protocol.EventExec && e.Exec.Type == "step.finished" && e.Exec.Call.Cached {
			cached[e.Exec.Tool]++
		}
		return e.Type == protocol.EventTurnEnded && e.Turn.ID == a.Turn
	})
	if runs["test.never"] != 3 || runs["test.ttl"] != 1 || runs["test.forever"] != 1 || runs["test.reads"] != 2 {
		t.Errorf("runs %v", runs)
	}
	if cached["test.never"] != 0 || cached["test.ttl"] != 2 || cached["test.forever"] != 2 || cached["test.reads"] != 1 {
		t.Errorf("shown as cached: %v", cached)
	}
	r.say("another turn sees another vault")
	if runs["test.reads"] != 3 || runs["test.ttl"] != 1 {
		t.Errorf("runs %v", runs)
	}
}

func TestACallShowsItsProgressAndStoppingReachesTheToolThatRuns(t *testing.T) {
	stopped := make(chan struct{})
	r := newRig(t, note(), protocol.Settings{}, func(d *Deps) {
		d.Tools = []tool.Tool{sample("test.slow", "1.0.0", func(x *tool.Tool) {
			x.Run = func(ctx context.Context, env *tool.Env, _ tool.Args) (tool.Data, error) {
				env.Progress(tool.Progress{Done: 3, Total: 10})
				<-ctx.Done()
				close(stopped)
				return nil, ctx.Err()
			}
		})}
	}, llmtest.Call("1", "test.slow", `{"n":4}`))
	a := call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "go", Mode: protocol.ModeAgent, Conversation: "talk"})
	e := r.await("progress", func(e protocol.Event) bool { return e.Type == protocol.EventExec && e.Exec.Type == "step.progress" })
	if e.Exec.Message != "3 / 10" || e.Exec.Call.Args != `{"n":4}` || e.Exec.Call.Status != "running" {
		t.Errorf("want Exec.Message \"3 / 10\", Exec.Call.Args \"{\\\"n\\\":4}\" and Exec.Call.Status \"running\", got %+v %+v", e.Exec, e.Exec.Call)
	}
	call[protocol.Empty](r.panel, "stop", protocol.Stop{ID: a.Turn})
	select {
	case <-stopped:
	case <-time.After(time.Minute):
		t.Fatal("the tool was not stopped")
	}
	e = r.await("the call's end", func(e protocol.Event) bool { return e.Type == protocol.EventExec && e.Exec.Type == "step.failed" })
	if e.Exec.Call.Status != "cancelled" {
		t.Errorf("want Exec.Call.Status \"cancelled\", got %+v", e.Exec.Call)
	}
	if end := r.turnEnded(a.Turn); end.Outcome != protocol.TurnCancelled || !end.CanContinue {
		t.Errorf("want Outcome protocol.TurnCancelled and CanContinue true, got %+v", end)
	}
}
