package server

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
)

// stricter is a setting that becomes stricter, and a step that it refuses then.
type stricter struct {
	step    string // with the id "b"; the plan goes on where it fails
	tighten func(*protocol.Settings)
	policy  string // policy.json, instead of settings
	key     string // of the refusal
}

// lenient allows everything that one of the cases takes away.
var lenient = protocol.Settings{
	Provider: "openai", AllowDeletes: true, AllowRenames: true, AllowCommands: true, AllowHTTP: true,
	HTTPHosts: []protocol.HTTPHost{{Host: "example.com", Methods: []string{"POST"}}}, MaxConcurrency: 1,
}

const (
	stepDelete = `{"id":"b","tool":"vault.delete","args":{"path":"B.md"},"dependsOn":["a"],"onError":"skip"}`
	stepRename = `{"id":"b","tool":"vault.rename","args":{"path":"B.md","newPath":"C.md"},"dependsOn":["a"],"onError":"skip"}`
	stepAppend = `{"id":"b","tool":"vault.appendFile","args":{"path":"B.md","content":"x"},"dependsOn":["a"],"onError":"skip"}`
	// Its path is not literal, so that only the write itself can be judged.
	stepReferred = `{"id":"b","tool":"vault.appendFile","args":{"path":"$steps.q.paths[0]","content":"x"},"dependsOn":["a"],"onError":"skip"}`
	stepCommand  = `{"id":"b","tool":"commands.run","args":{"id":"act"},"dependsOn":["a"],"onError":"skip"}`
	stepSend     = `{"id":"b","tool":"http.send","args":{"url":"https://example.com/x"},"dependsOn":["a"],"onError":"skip"}`
)

// refusing are the settings that can refuse what was allowed before, by field.
// A new field of the settings joins one of the two lists, or the test fails.
var refusing = map[string]stricter{
	"AllowDeletes":           {step: stepDelete, tighten: func(c *protocol.Settings) { c.AllowDeletes = false }, key: "policy.deletesOff"},
	"AllowRenames":           {step: stepRename, tighten: func(c *protocol.Settings) { c.AllowRenames = false }, key: "policy.renamesOff"},
	"AllowCommands":          {step: stepCommand, tighten: func(c *protocol.Settings) { c.AllowCommands = false }, key: "policy.commandsOff"},
	"AllowHTTP":              {step: stepSend, tighten: func(c *protocol.Settings) { c.AllowHTTP = false }, key: "policy.httpOff"},
	"HTTPHosts":              {step: stepSend, tighten: func(c *protocol.Settings) { c.HTTPHosts = nil }, key: "policy.httpHost"},
	"AllowedRoots":           {step: stepAppend, tighten: func(c *protocol.Settings) { c.AllowedRoots = []string{"Elsewhere"} }, key: "error.path.denied"},
	"DenyPatterns":           {step: stepReferred, tighten: func(c *protocol.Settings) { c.DenyPatterns = []string{"B.md"} }, key: "error.path.denied"},
	"DisabledTools":          {step: stepAppend, tighten: func(c *protocol.Settings) { c.DisabledTools = []string{"vault.appendFile"} }, key: "policy.toolDisabled"},
	"policy.json: a tool":    {step: stepAppend, policy: `{"version":1,"blocked_tools":["vault.appendFile"]}`, key: "policy.forbidden"},
	"policy.json: no tools":  {step: stepAppend, policy: `{"version":1,"enabled_tools":[]}`, key: "policy.forbidden"},
	"policy.json: effects":   {step: stepDelete, policy: `{"version":1,"side_effects":"reads"}`, key: "policy.ceiling"},
	"policy.json: a command": {step: stepCommand, policy: `{"version":1,"side_effects":"writes"}`, key: "policy.ceiling"},
	"policy.json: broken":    {step: stepAppend, policy: `{"version":`, key: "*"},
}

// indifferent are the settings that do not say what may be done, with the
// reason.
var indifferent = map[string]string{
	"Provider": "who is asked for a plan", "Model": "who is asked", "BaseURL": "who is asked", "KeyName": "who is asked",
	"Streaming": "how it is asked", "MaxTokens": "how it is asked", "Asking": "how it is asked", "DemoURL": "who is asked",
	"Confirm":     "whether it asks: it has asked",
	"MaxAttempts": "how often a call is tried", "MaxBackoffMs": "how long it waits", "TimeoutMs": "how long a call may take",
	"MaxConcurrency": "how many at once", "MaxSteps": "how long a plan may be", "MaxCalls": "how many calls a plan may make",
	"RedactPatterns": "what is kept in records",
	"KeepRuns":       "the history", "KeepDays": "the history", "KeepBytes": "the history",
	"AgentIterations": "an agent before its review", "AgentCalls": "an agent before its review",
	"AgentTokens": "an agent before its review", "AgentCost": "an agent before its review",
	"MaxPlanMB":   "how much a plan may build, in the simulation",
	"PinnedTools": "how tools are listed", "CallsPerMinute": "when, not whether: a simulation is held to it",
	"Prices": "what a model costs", "Secrets": "asked for when a request leaves",
	"CodeMaxMs": "scripts, in the simulation", "CodeMaxMB": "scripts, in the simulation",
}

func TestEverySettingCanRefuseOrSaysWhyNot(t *testing.T) {
	for f := range reflect.TypeFor[protocol.Settings]().Fields() {
		_, refuses := refusing[f.Name]
		if refuses == (indifferent[f.Name] != "") {
			t.Errorf("%s is in both lists, or in none: can it refuse what was allowed?", f.Name)
		}
	}
}

// counting is a transport that is never reached.
type counting struct{ sent atomic.Int32 }

func (c *counting) Do(context.Context, web.Request) (web.Response, error) {
	c.sent.Add(1)
	return nil, fault.New(fault.Network, "error.http.unreachable", fault.P{"host": "example.com"})
}

// strictRig is a vault with a review open that does what a case takes away.
type strictRig struct {
	*panel
	acted  atomic.Int32
	net    counting
	before hosttest.Snapshot
	r      *protocol.Review
}

func newStrictRig(t *testing.T, c stricter) *strictRig {
	t.Helper()
	g := &strictRig{}
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"B.md": "b\n"}, Commands: []hosttest.Command{{
		ID: "act", Name: "Act", Run: func(*hosttest.Memory) (bool, error) { g.acted.Add(1); return true, nil },
	}}})
	g.panel = begin(t, mem, lenient, func(d *Deps) { d.Transport = &g.net })
	g.r = g.open(`{"goal":"G","assumptions":[],"riskLevel":"commands","steps":[
		{"id":"q","tool":"vault.query","args":{}},
		{"id":"a","tool":"vault.createFile","args":{"path":"First.md","content":"1"},"dependsOn":["q"]},` + c.step + `,
		{"id":"r","tool":"vault.query","args":{}},
		{"id":"c","tool":"vault.createFile","args":{"path":"Last.md","content":"3"},"dependsOn":["r"]}]}`) // a read waits for the write before it
	g.before = mem.Snapshot()
	return g
}

// tighten makes the settings stricter, or the policy file.
func (g *strictRig) tighten(c stricter) {
	g.t.Helper()
	if c.policy != "" {
		putPolicy(g.t, g.mem, c.policy)
		g.s.guard.ReadAnew() // it was read a while ago
		return
	}
	set := lenient
	c.tighten(&set)
	call[protocol.State](g.panel, "configure", set)
}

func (g *strictRig) untouched(paths ...string) {
	g.t.Helper()
	var bad []string
	for line := range strings.Lines(g.before.Diff(g.mem.Snapshot())) {
		if path, _, _ := strings.Cut(line[2:], " "); !slices.Contains(paths, path) {
			bad = append(bad, line)
		}
	}
	if len(bad) > 0 || g.acted.Load() > 0 || g.net.sent.Load() > 0 {
		g.t.Errorf("done all the same: %d commands, %d requests, %s", g.acted.Load(), g.net.sent.Load(), bad)
	}
}

func TestWhatBecameStricterWhileAReviewIsOpenHoldsForIt(t *testing.T) {
	for name, c := range refusing {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			g := newStrictRig(t, c)
			g.tighten(c)
			_, err := try[protocol.RunRef](g.panel, "review.approve", protocol.Approve{Run: g.r.Run, Approval: g.r.Approval})
			if f := fault.From(err); err == nil || f.Code != fault.Denied || c.key != "*" && f.Key != c.key {
				t.Errorf("approved: %v, want %s", err, c.key)
			}
			g.untouched()
			now := call[protocol.Review](g.panel, "review.get", protocol.RunRef{Run: g.r.Run})
			if !slices.ContainsFunc(now.Warnings, func(m protocol.Message) bool { return m.Key == "review.stricter" }) {
				t.Errorf("the review was not made anew: %+v", now.Warnings)
			}
			if now.Approvable { // what is left of it may be approved: without what is refused
				if _, err := try[protocol.RunRef](g.panel, "review.approve", protocol.Approve{Run: now.Run, Approval: now.Approval}); err == nil {
					g.ended(true)
				}
				g.untouched("First.md", "Last.md")
			}
		})
	}
}

func TestWhatBecomesStricterWhileARunIsUnderWayEndsIt(t *testing.T) {
	for name, c := range refusing {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			g := newStrictRig(t, c)
			changed := false
			g.mem.BeforeWriteOf("First.md", func() {
				changed = true
				g.tighten(c)
			})
			call[protocol.RunRef](g.panel, "review.approve", protocol.Approve{Run: g.r.Run, Approval: g.r.Approval})
			end, _ := g.ended(true)
			if !changed {
				t.Fatal("nothing was changed meanwhile")
			}
			if end.Outcome == protocol.OutcomeOK || end.Problem == nil || end.Problem.Code != protocol.ProblemCode(fault.Denied) || c.key != "*" && end.Problem.Key != c.key {
				t.Errorf("it ended %s: %+v, want %s", end.Outcome, end.Problem, c.key)
			}
			g.untouched("First.md")
			back := g.revert(end.Run)
			if len(back.Conflicts) > 0 {
				t.Errorf("want no Conflicts, got %+v", back)
			}
		})
	}
}
