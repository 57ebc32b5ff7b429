package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// entry gives a tool whose "path" is a path.
func entry(t *testing.T, change func(s *tool.Tool)) *tool.Entry {
	t.Helper()
	tl := tool.Tool{Spec: tool.Spec{
		Name: "t.tool", Version: "1.0.0", Lifecycle: tool.Active, SideEffects: tool.Writes, Simulable: true, Description: "d",
		Input: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","x-path":"new"}}}`), Output: json.RawMessage(`{}`),
	}}
	change(&tl)
	r, err := tool.NewRegistry(tl)
	if err != nil {
		t.Fatal(err)
	}
	return r.All()[0]
}

// requests makes a tool one that reaches the network.
func requests(effects tool.SideEffects) func(*tool.Tool) {
	return func(s *tool.Tool) {
		s.SideEffects, s.Facts.Requests = effects, "GET"
		s.Input = json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"}}}`)
	}
}

func TestAModelHearsOfNoToolThatTheSettingsRefuseWhateverItIsCalled(t *testing.T) {
	for _, c := range []struct {
		name  string
		tool  func(s *tool.Tool)
		allow func(p *Policy)
	}{
		{"deletes", func(s *tool.Tool) { s.Facts.Deletes = true }, func(p *Policy) { p.AllowDeletes = true }},
		{"renames", func(s *tool.Tool) { s.Facts.Renames = true }, func(p *Policy) { p.AllowRenames = true }},
		{"requests", requests(tool.Reads), func(p *Policy) { p.AllowHTTP = true }},
		{"sends", requests(tool.Commands), func(p *Policy) { p.AllowHTTP = true }},
		{"runs commands", func(s *tool.Tool) { s.SideEffects = tool.Commands }, func(p *Policy) { p.AllowCommands = true }},
		{"writes", func(*tool.Tool) {}, nil},
	} {
		e := entry(t, c.tool)
		p := Policy{}
		if got := p.Offers(e); got != (c.allow == nil) {
			t.Errorf("a tool that %s is offered although nothing is allowed: %v", c.name, got)
		}
		if c.allow != nil {
			if c.allow(&p); !p.Offers(e) {
				t.Errorf("a tool that %s is not offered although that is allowed", c.name)
			}
		}
		if p.EnabledTools = map[string]bool{}; p.Offers(e) {
			t.Errorf("a tool that %s is offered although it is not among the enabled", c.name)
		}
	}
}

func TestEachRuleDecidesAndSaysWhy(t *testing.T) {
	open := Policy{Sandbox: tool.Sandbox{Enabled: true, AllowedRoots: []string{"/"}}, Origin: FromInterface}
	for _, c := range []struct {
		name   string
		tool   func(s *tool.Tool)
		policy func(p *Policy)
		args   tool.Args
		want   Effect
		key    string
	}{
		{name: "a writing tool", want: Allow},
		{name: "blocked", tool: func(s *tool.Tool) { s.Lifecycle = tool.Blocked }, want: Deny, key: "error.tool.blocked"},
		{name: "deprecated runs", tool: func(s *tool.Tool) { s.Lifecycle = tool.Deprecated }, want: Allow},
		{name: "not among the enabled", policy: func(p *Policy) { p.EnabledTools = map[string]bool{"t.other": true} }, want: Deny, key: "policy.toolDisabled"},
		{name: "among the enabled", policy: func(p *Policy) { p.EnabledTools = map[string]bool{"t.tool": true} }, want: Allow},
		{name: "none enabled", policy: func(p *Policy) { p.EnabledTools = map[string]bool{} }, want: Deny, key: "policy.toolDisabled"},
		{name: "forbidden by the organisation", policy: func(p *Policy) { p.Forbidden = map[string]bool{"t.tool": true} }, want: Deny, key: "policy.forbidden"},
		{name: "everything closed", policy: func(p *Policy) { p.Closed = fault.New(fault.Denied, "agent.organisation.unreadable", nil) }, want: Deny, key: "agent.organisation.unreadable"},
		{name: "owner only, from a link", tool: func(s *tool.Tool) { s.Flags.OwnerOnly = true }, policy: func(p *Policy) { p.Origin = FromLink }, want: Deny, key: "policy.ownerOnly"},
		{name: "owner only, from nowhere", tool: func(s *tool.Tool) { s.Flags.OwnerOnly = true }, policy: func(p *Policy) { p.Origin = "" }, want: Deny, key: "policy.ownerOnly"},
		{name: "owner only, from the panel", tool: func(s *tool.Tool) { s.Flags.OwnerOnly = true }, want: Allow},
		{name: "above the ceiling", policy: func(p *Policy) { p.Ceiling = tool.Reads }, want: Deny, key: "policy.ceiling"},
		{name: "at the ceiling", policy: func(p *Policy) { p.Ceiling = tool.Writes }, want: Allow},
		{name: "side effects of an unknown kind", tool: func(s *tool.Tool) { s.SideEffects = "made up" }, policy: func(p *Policy) { p.Ceiling = tool.Writes }, want: Deny, key: "policy.ceiling"},
		{name: "commands off", tool: func(s *tool.Tool) { s.SideEffects = tool.Commands }, want: Deny, key: "policy.commandsOff"},
		{name: "requests off", tool: requests(tool.Reads), policy: func(p *Policy) { p.AllowCommands = true }, want: Deny, key: "policy.httpOff"},
		{name: "requests on", tool: requests(tool.Reads), policy: func(p *Policy) { p.AllowHTTP = true }, want: Allow},
		{name: "sending needs no leave for commands", tool: requests(tool.Commands), policy: func(p *Policy) { p.AllowHTTP = true }, want: Allow},
		{name: "sending is off with requests", tool: requests(tool.Commands), policy: func(p *Policy) { p.AllowCommands = true }, want: Deny, key: "policy.httpOff"},
		{name: "commands on ask", tool: func(s *tool.Tool) { s.SideEffects, s.Simulable = tool.Commands, false }, policy: func(p *Policy) { p.AllowCommands = true }, want: Ask, key: "policy.asksEachTime"},
		{name: "elevated asks", tool: func(s *tool.Tool) { s.Flags.Elevated = true }, want: Ask, key: "policy.asksEachTime"},
		{name: "what cannot be simulated asks", tool: func(s *tool.Tool) { s.Simulable = false }, want: Ask, key: "policy.asksEachTime"},
		{name: "a path outside", args: tool.Args{"path": "../x.md"}, want: Deny},
		{name: "a hidden path", args: tool.Args{"path": ".obsidian/app.json"}, want: Deny},
		{name: "outside the allowed folders", args: tool.Args{"path": "B/x.md"}, policy: func(p *Policy) { p.Sandbox.AllowedRoots = []string{"A"} }, want: Deny, key: "error.path.denied"},
		{name: "inside an allowed folder", args: tool.Args{"path": "A/x.md"}, policy: func(p *Policy) { p.Sandbox.AllowedRoots = []string{"A"} }, want: Allow},
		{name: "a folder of which an allowed one is the beginning", args: tool.Args{"path": "AB/x.md"}, policy: func(p *Policy) { p.Sandbox.AllowedRoots = []string{"A"} }, want: Deny, key: "error.path.denied"},
		{name: "no folder allowed", args: tool.Args{"path": "A/x.md"}, policy: func(p *Policy) { p.Sandbox.AllowedRoots = nil }, want: Deny, key: "error.path.denied"},
		{name: "a refused pattern", args: tool.Args{"path": "A/Secret plans/x.md"}, policy: func(p *Policy) { p.Sandbox.DenyPatterns = []string{"secret"} }, want: Deny, key: "error.path.denied"},
		{name: "a refused glob", args: tool.Args{"path": "A/x.key"}, policy: func(p *Policy) { p.Sandbox.DenyPatterns = []string{"*.key"} }, want: Deny, key: "error.path.denied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open
			if c.policy != nil {
				c.policy(&p)
			}
			e := entry(t, func(s *tool.Tool) {
				if c.tool != nil {
					c.tool(s)
				}
			})
			v := p.Decide(e, c.args)
			if v.Effect != c.want || c.key != "" && v.Key != c.key {
				t.Fatalf("got %v %q, want %v %q", v.Effect, v.Key, c.want, c.key)
			}
			if v.Effect != Allow && (v.Key == "" || strings.Contains(v.Error().Error(), "{")) {
				t.Errorf("no reason: %v", v.Error())
			}
		})
	}
}

func TestTheZeroVerdictAndTheZeroPolicyDenyWhatMatters(t *testing.T) {
	if (Verdict{}).Effect != Deny {
		t.Error("a verdict that nobody gave is no denial")
	}
	p := &Policy{}
	for _, k := range []host.OpKind{host.OpTrash, host.OpRmdir, host.OpRename, host.OpRemove} {
		if p.CheckOp(host.Op{Kind: k, Path: "a.md", To: "b.md"}) == nil {
			t.Errorf("%s is allowed by an empty policy", k)
		}
	}
	if p.Decide(entry(t, func(s *tool.Tool) { s.SideEffects = tool.Commands }), nil).Effect != Deny {
		t.Error("commands are allowed by an empty policy")
	}
}

func TestEveryWriteIsGuardedByKindAndByBothItsPaths(t *testing.T) {
	box := tool.Sandbox{Enabled: true, AllowedRoots: []string{"A"}, DenyPatterns: []string{"private"}}
	all := Policy{AllowDeletes: true, AllowRenames: true, Sandbox: box}
	for _, c := range []struct {
		name   string
		policy Policy
		op     host.Op
		ok     bool
	}{
		{"create", all, host.Op{Kind: host.OpCreate, Path: "A/x.md"}, true},
		{"create elsewhere", all, host.Op{Kind: host.OpCreate, Path: "B/x.md"}, false},
		{"create by a refused pattern", all, host.Op{Kind: host.OpCreate, Path: "A/PRIVATE.md"}, false},
		{"create a name that no system takes", all, host.Op{Kind: host.OpCreate, Path: "A/CON.md"}, false},
		{"modify a name that no system takes", all, host.Op{Kind: host.OpModify, Path: "A/what?.md"}, true},
		{"create a hidden file", all, host.Op{Kind: host.OpCreate, Path: "A/.x.md"}, false},
		{"rename", all, host.Op{Kind: host.OpRename, Path: "A/x.md", To: "A/y.md"}, true},
		{"rename out", all, host.Op{Kind: host.OpRename, Path: "A/x.md", To: "B/y.md"}, false},
		{"rename in", all, host.Op{Kind: host.OpRename, Path: "B/x.md", To: "A/y.md"}, false},
		{"renames off", Policy{AllowDeletes: true, Sandbox: box}, host.Op{Kind: host.OpRename, Path: "A/x.md", To: "A/y.md"}, false},
		{"trash", all, host.Op{Kind: host.OpTrash, Path: "A/x.md"}, true},
		{"deletes off", Policy{AllowRenames: true, Sandbox: box}, host.Op{Kind: host.OpTrash, Path: "A/x.md"}, false},
		{"deletes of folders off", Policy{AllowRenames: true, Sandbox: box}, host.Op{Kind: host.OpRmdir, Path: "A/F"}, false},
		{"removal for good", all, host.Op{Kind: host.OpRemove, Path: "A/x.md"}, false},
	} {
		err := c.policy.CheckOp(c.op)
		if (err == nil) != c.ok {
			t.Errorf("%s: want as in the case, got %v", c.name, err)
		}
		if err != nil && !fault.Is(err, fault.Denied) && !fault.Is(err, fault.Validation) {
			t.Errorf("%s: %v has no code of a guard", c.name, err)
		}
	}
}

func TestWhoIsAskedBeforeARun(t *testing.T) {
	for _, c := range []struct {
		confirm protocol.Confirm
		risk    tool.Risk
		far     bool
		want    bool
	}{
		{protocol.ConfirmAlways, tool.ReadOnly, false, true},
		{protocol.ConfirmWrites, tool.ReadOnly, false, false},
		{protocol.ConfirmWrites, tool.RiskWrites, false, true},
		{protocol.ConfirmNever, tool.RiskWrites, false, false},
		{protocol.ConfirmNever, tool.RiskWrites, true, true},
		{protocol.ConfirmNever, tool.RiskCommands, false, true},
		{"made up", tool.RiskWrites, false, true},
		{"", tool.ReadOnly, false, true},
	} {
		if got := (&Policy{Confirm: c.confirm}).Asks(c.risk, c.far); got != c.want {
			t.Errorf("%q, %s, far %v: asks %v", c.confirm, c.risk, c.far, got)
		}
	}
}
