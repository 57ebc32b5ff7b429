package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

const runID = "0d4ee5b4-6f0e-4d52-9a5e-0a6b3a1c9f00"

// kit is a loop on a vault in memory, with everything real but the model: the
// overlay, the policy, the pipeline and the built-in tools.
type kit struct {
	t      *testing.T
	mem    *hosttest.Memory
	vault  *overlay.Vault
	policy *policy.Policy
	model  *llmtest.Provider
	cfg    agent.Config
	asked  []string // questions to the person, all answered with no

	mu     sync.Mutex
	events []agent.Event
	audit  []string
	// reasons are the message keys of failures, by call_id: the words may
	// change.
	reasons map[string]string
}

type option func(*setup)

type setup struct {
	files    map[string]string
	active   string
	tools    []tool.Tool
	limits   limits.Limits
	budget   *limits.Budget
	org      []byte
	guard    []agent.GuardOption
	policy   policy.Policy
	deps     func(*pipeline.Deps)
	config   func(*agent.Config)
	commands []hosttest.Command
}

func withFiles(files map[string]string) option { return func(s *setup) { s.files = files } }
func withTools(tools ...tool.Tool) option {
	return func(s *setup) { s.tools = append(s.tools, tools...) }
}
func withLimits(l limits.Limits) option       { return func(s *setup) { s.limits = l } }
func withDeps(f func(*pipeline.Deps)) option  { return func(s *setup) { s.deps = f } }
func withConfig(f func(*agent.Config)) option { return func(s *setup) { s.config = f } }

// newKit builds everything as a server would.
func newKit(t *testing.T, turns []llmtest.Turn, opts ...option) *kit {
	t.Helper()
	s := setup{policy: policy.Policy{AllowRenames: true}}
	for _, o := range opts {
		o(&s)
	}
	k := &kit{t: t, model: llmtest.NewProvider(turns...), policy: &s.policy, reasons: map[string]string{}}
	k.mem = hosttest.New(hosttest.Options{Files: s.files, Active: s.active, Commands: s.commands})
	h := k.mem.Host()
	k.vault = overlay.New(overlay.NewBase(h.Vault, h.Editor, time.Now()), overlay.WithGuard(k.policy.CheckOp))
	reg, err := tool.NewRegistry(append(builtin.All(), s.tools...)...)
	if err != nil {
		t.Fatal(err)
	}
	if s.org != nil {
		if s.limits, err = limits.Tighten(s.limits, s.org); err != nil {
			t.Fatal(err)
		}
	}
	guard := agent.NewGuard(s.limits, s.budget, s.guard...)
	deps := pipeline.Deps{
		Registry: reg, Records: pipeline.Records{Audit: (*auditLog)(k)},
		Env: func(c *tool.Call) (*tool.Env, *overlay.View) {
			w := k.vault.For(c.LogicalID)
			return &tool.Env{
				Vault: w, Editor: w, Workspace: h.Workspace, Commands: h.Commands, Platform: h.Platform,
				Now: time.Now(), Progress: func(tool.Progress) {},
			}, w
		},
		Guards: pipeline.Guards{
			Policy: k.policy,
			Ask: func(_ context.Context, c *tool.Call, _ policy.Verdict) (bool, error) {
				k.mu.Lock()
				defer k.mu.Unlock()
				k.asked = append(k.asked, c.Tool)
				return false, nil
			},
			Limit: limits.NewRateLimiter(s.limits.Rates, 0).Limit,
		},
	}
	if s.deps != nil {
		s.deps(&deps)
	}
	gates := agent.NewGates()
	k.cfg = agent.Config{
		Identity: agent.Identity{RunID: runID},
		Model:    agent.Model{Provider: k.model, ProviderName: "script", Request: llm.Request{Model: "script-1"}, System: "You work on notes."},
		Registry: reg, Gates: gates, Guard: guard, Do: pipeline.New(gates.Fit(deps)),
		Watchers: agent.Watchers{Audit: (*auditLog)(k), TracesURL: "obsidian://embedded-agent?run=" + runID, On: func(e agent.Event) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.events = append(k.events, e)
		}},
		Origin: agent.Origin{ExecutorVersion: "test", Policy: k.policy.Snapshot()},
	}
	if s.config != nil {
		s.config(&k.cfg)
	}
	return k
}

// run runs the loop on a message of the person.
func (k *kit) run(text string) *agent.Outcome {
	k.t.Helper()
	return k.runInput(k.t.Context(), agent.Input{Messages: []llm.Message{llm.UserMessage(text)}})
}

func (k *kit) runInput(ctx context.Context, in agent.Input) *agent.Outcome {
	k.t.Helper()
	before := k.mem.Snapshot()
	k.events = nil
	out, err := agent.Run(ctx, k.cfg, in)
	if err != nil {
		k.t.Fatal(err)
	}
	if d := before.Diff(k.mem.Snapshot()); d != "" {
		k.t.Errorf("the vault changed without an approval:\n%s", d)
	}
	k.checkAlways(out)
	return out
}

// checkAlways proves what holds of every run: events are paired and end once,
// every call in the conversation has one result right after it, and the outputs
// agree.
func (k *kit) checkAlways(out *agent.Outcome) {
	k.t.Helper()
	open, ended := map[string]bool{}, map[string]bool{}
	for i, e := range k.events {
		id := fmt.Sprint(e.Turn, e.ToolCallID)
		if e.Type == agent.ToolUpdate || e.Type == agent.ToolEnd {
			id = e.ToolCallID
		}
		switch e.Type {
		case agent.ToolStart:
			open[e.ToolCallID] = true
			delete(ended, e.ToolCallID)
		case agent.ToolUpdate:
			if !open[id] {
				k.t.Errorf("event %d: an update outside of its call %s", i, id)
			}
		case agent.ToolEnd:
			if !open[id] || ended[id] {
				k.t.Errorf("event %d: call %s ends without a start, or twice", i, id)
			}
			delete(open, id)
			ended[id] = true
			if len(e.Content) == 0 {
				k.t.Errorf("event %d: a result without content", i)
			}
		case agent.AgentEnd:
			if i != len(k.events)-1 {
				k.t.Errorf("event %d: the end is not the last", i)
			}
		}
	}
	if len(open) > 0 {
		k.t.Errorf("calls without an end: %v", open)
	}
	if n := len(k.events); n == 0 || k.events[n-1].Type != agent.AgentEnd {
		k.t.Error("no end was told")
	}
	k.checkConversation(out.State.Messages)
	for _, id := range out.Outputs.ToolOrder {
		if _, ok := out.Outputs.ToolsByID[id]; !ok {
			k.t.Errorf("%s is in the order and has no envelope", id)
		}
	}
	if len(out.Outputs.ToolOrder) != len(out.Outputs.ToolsByID) {
		k.t.Errorf("%d calls in the order, %d envelopes", len(out.Outputs.ToolOrder), len(out.Outputs.ToolsByID))
	}
}

func (k *kit) checkConversation(ms []llm.Message) {
	k.t.Helper()
	if _, err := llm.Prepare(ms, "script", "script-1"); err != nil {
		k.t.Errorf("the conversation cannot be sent: %v", err)
	}
	for i, m := range ms {
		for j, c := range m.Calls() {
			at := i + 1 + j
			if at >= len(ms) || ms[at].Role != llm.RoleToolResult || ms[at].ToolCallID != c.ID || len(ms[at].Content) == 0 {
				k.t.Errorf("call %s has no result in its place", c.ID)
			}
		}
	}
}

// story gives the events in short, one a line, without the model's pieces.
func (k *kit) story() string {
	var b strings.Builder
	for _, e := range k.events {
		switch e.Type {
		case agent.MessageUpdate:
			continue
		case agent.ToolStart, agent.ToolUpdate, agent.ToolEnd:
			fmt.Fprintf(&b, "%s %s %s", e.Type, e.ToolCallID, e.Tool)
			if e.Total > 0 {
				fmt.Fprintf(&b, " %d/%d", e.Done, e.Total)
			}
			if e.Status != "" {
				fmt.Fprintf(&b, " %s", e.Status)
			}
		case agent.AgentEnd:
			fmt.Fprintf(&b, "%s %s", e.Type, e.Stop)
		case agent.MessageEnd:
			fmt.Fprintf(&b, "%s %q", e.Type, e.Messages[0].Text())
		case agent.MessagesJoined:
			fmt.Fprintf(&b, "%s %d", e.Type, len(e.Messages))
		default:
			b.WriteString(string(e.Type))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (k *kit) wantStory(want string) {
	k.t.Helper()
	want = strings.TrimLeft(strings.ReplaceAll(want, "\t", ""), "\n")
	if got := k.story(); got != want {
		k.t.Errorf("events:\n%s\nwant:\n%s", got, want)
	}
}

// auditLog notes what is recorded.
type auditLog kit

func (a *auditLog) Call(*tool.Call) {}

func (a *auditLog) Result(c *tool.Call, r *tool.Result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.audit = append(a.audit, c.Tool+" "+string(r.Status))
	if r.Error != nil {
		a.reasons[c.LogicalID] = r.Error.Key
	}
}

// results gives the texts of the tool results of a conversation, in order.
func results(ms []llm.Message) []string {
	var out []string
	for _, m := range ms {
		if m.Role == llm.RoleToolResult {
			out = append(out, m.Text())
		}
	}
	return out
}

// spec is a tool for tests: any arguments of the names n, path and text, any
// output.
func spec(name string, effects tool.SideEffects) tool.Spec {
	return tool.Spec{
		Name: name, Version: "1.0.0", Lifecycle: tool.Active, Category: "utility", SideEffects: effects,
		Cache: tool.CacheNone, Simulable: true, Description: "For tests.",
		Input: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"n":{"type":"integer"},"path":{"type":"string","x-path":"existing"},"text":{"type":"string"}}}`),
		Output: json.RawMessage(`{"type":"object"}`),
	}
}

// quick is a tool that answers at once.
func quick(name string, run func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error)) tool.Tool {
	return tool.Tool{Spec: spec(name, tool.None), Run: run}
}

func call(id, name, args string) llm.Block { return llm.Call(id, name, []byte(args)) }

// envelope gives the receipt of the nth call.
func envelope(t *testing.T, out *agent.Outcome, n int) tool.Envelope {
	t.Helper()
	if n >= len(out.Outputs.ToolOrder) {
		t.Fatalf("there are %d calls", len(out.Outputs.ToolOrder))
	}
	return out.Outputs.ToolsByID[out.Outputs.ToolOrder[n]]
}
