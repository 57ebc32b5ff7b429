package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/tool"
)

// rig is a pipeline around one tool, with every stage noted as it comes by.
type rig struct {
	d    Deps
	ran  int
	args tool.Args
	seen []string
}

func (r *rig) Call(*tool.Call)                 { r.seen = append(r.seen, "audit intent") }
func (r *rig) Result(*tool.Call, *tool.Result) { r.seen = append(r.seen, "audit result") }

// memo is a cache by arguments alone.
type memo struct {
	r    *rig
	data map[string]tool.Data
}

func (m memo) Get(c *tool.Call, _ *tool.Entry) (tool.Data, bool) {
	m.r.seen = append(m.r.seen, "cache")
	d, ok := m.data[c.ArgsHash]
	return d, ok
}

func (m memo) Put(c *tool.Call, _ *tool.Entry, d tool.Data) { m.data[c.ArgsHash] = d }

func newRig(t *testing.T, change func(s *tool.Tool)) *rig {
	t.Helper()
	r := &rig{}
	tl := tool.Tool{
		Spec: tool.Spec{
			Name: "t.tool", Version: "1.0.0", Lifecycle: tool.Active, SideEffects: tool.Writes, Simulable: true, Description: "d", Cache: tool.CacheForever,
			Input:  json.RawMessage(`{"type":"object","additionalProperties":false,"required":["n"],"properties":{"n":{"type":"integer"},"filePath":{"type":"string"}}}`),
			Output: json.RawMessage(`{"type":"object","required":["n"]}`), Flags: tool.Flags{Elevated: true}, Secrets: []string{"KEY"},
		},
		Run: func(_ context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			r.ran++
			r.args = args
			r.seen = append(r.seen, "execute")
			if env.Secrets["KEY"] != "value" {
				return nil, fault.New(fault.Auth, "error.secret.needed", nil)
			}
			return tool.Data{"n": args["n"]}, nil
		},
	}
	if change != nil {
		change(&tl)
	}
	reg, err := tool.NewRegistry(tl)
	if err != nil {
		t.Fatal(err)
	}
	note := func(s string) { r.seen = append(r.seen, s) }
	r.d = Deps{
		Registry: reg, Cache: memo{r, map[string]tool.Data{}},
		Env: func(*tool.Call) (*tool.Env, *overlay.View) { return &tool.Env{}, nil },
		Guards: Guards{
			Policy: &policy.Policy{},
			Check:  func(context.Context, *tool.Call) error { note("check"); return nil },
			Limit:  func(context.Context, *tool.Entry) error { note("rate limit"); return nil },
			Ask:    func(context.Context, *tool.Call, policy.Verdict) (bool, error) { note("ask"); return true, nil },
		},
		Secrets: func(context.Context, *tool.Entry, []string, string) (map[string]string, string, error) {
			note("secrets")
			return map[string]string{"KEY": "value"}, "device", nil
		},
		Records: Records{
			Audit:   r,
			Prepare: func(context.Context, *tool.Call) error { note("pre-image"); return nil },
			Redact:  func(*tool.Call, *tool.Result) { note("redact") },
			Cap:     func(context.Context, *tool.Call, *tool.Result) { note("cap") },
		},
		Events: Events{
			Started: func(*tool.Call) { note("started") },
			Ended:   func(*tool.Call, *tool.Result) { note("ended") },
		},
	}
	return r
}

func (r *rig) call(ctx context.Context, args tool.Args) *tool.Result {
	return New(r.d)(ctx, Request{Call: &tool.Call{RunID: "0190a8b0-0000-7000-8000-000000000001", StepID: "s", Tool: "t.tool", Attempt: 1, Args: args}})
}

func TestSecretsAreResolvedInTheScopeThatTheRequestNames(t *testing.T) {
	r := newRig(t, nil)
	scope := "none asked"
	resolve := r.d.Secrets
	r.d.Secrets = func(ctx context.Context, e *tool.Entry, names []string, only string) (map[string]string, string, error) {
		scope = only
		return resolve(ctx, e, names, only)
	}
	call := &tool.Call{RunID: "0190a8b0-0000-7000-8000-000000000001", StepID: "s", Tool: "t.tool", Attempt: 1, Args: tool.Args{"n": 1.0}}
	if res := New(r.d)(t.Context(), Request{Call: call, SecretScope: "vault"}); !res.OK || scope != "vault" {
		t.Errorf("want everything in order and scope \"vault\", got %q, %v", scope, res.Fault)
	}
}

func TestTheOrderOfTheStagesIsPinned(t *testing.T) {
	want := []string{
		"look up", "normalise parameter names", "materialize arguments", "validate", "check",
		"policy", "rate limit", "read cache", "ask", "resolve secrets", "audit intent", "journal pre-image", "execute", "validate output",
		"observe effects", "write cache", "cap output", "redact", "audit result", "events",
	}
	if d := cmp.Diff(want, Stages()); d != "" {
		t.Fatalf("the order of the stages has changed; docs/design/invocation.md#stages and docs/ARCHITECTURE.md list it:\n%s", d)
	}
	r := newRig(t, nil)
	if res := r.call(t.Context(), tool.Args{"n": 1.0}); !res.OK {
		t.Fatal("want everything in order, got:", res.Fault)
	}
	ran := []string{"check", "rate limit", "cache", "ask", "secrets", "audit intent", "started", "pre-image", "execute", "cap", "redact", "audit result", "ended"}
	if d := cmp.Diff(ran, r.seen); d != "" {
		t.Fatalf("the stages came in another order:\n%s", d)
	}
}

func TestEachGuardThatFailsKeepsTheToolFromRunning(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name  string
		spoil func(r *rig)
		args  tool.Args
		code  fault.Code
	}{
		{name: "unknown tool", spoil: func(r *rig) { r.d.Registry = empty(t) }, code: fault.NotFound},
		{name: "bad arguments", args: tool.Args{"n": "x"}, code: fault.Validation},
		{name: "an unknown argument", args: tool.Args{"n": 1.0, "zzz": 1.0}, code: fault.Validation},
		{name: "two spellings with two values", args: tool.Args{"n": 1.0, "filePath": "a", "file_path": "b"}, code: fault.Validation},
		{name: "the check fails", spoil: func(r *rig) {
			r.d.Guards.Check = func(context.Context, *tool.Call) error { return boom }
		}, code: fault.Denied},
		{name: "the check refuses", spoil: func(r *rig) {
			r.d.Guards.Check = func(context.Context, *tool.Call) error {
				return fault.New(fault.RateLimit, "error.network", nil)
			}
		}, code: fault.RateLimit},
		{name: "the check panics", spoil: func(r *rig) {
			r.d.Guards.Check = func(context.Context, *tool.Call) error { panic("x") }
		}, code: fault.Denied},
		{name: "the policy panics", spoil: func(r *rig) { r.d.Guards.Policy = nil }, code: fault.Denied},
		{name: "the policy denies", spoil: func(r *rig) { r.d.Guards.Policy = &policy.Policy{EnabledTools: map[string]bool{}} }, code: fault.Denied},
		{name: "the limit is reached", spoil: func(r *rig) {
			r.d.Guards.Limit = func(context.Context, *tool.Entry) error { return fault.New(fault.RateLimit, "error.network", nil) }
		}, code: fault.RateLimit},
		{name: "the limit panics", spoil: func(r *rig) { r.d.Guards.Limit = func(context.Context, *tool.Entry) error { panic(boom) } }, code: fault.Internal},
		{name: "nobody can be asked", spoil: func(r *rig) { r.d.Guards.Ask = nil }, code: fault.Denied},
		{name: "the answer is no", spoil: func(r *rig) {
			r.d.Guards.Ask = func(context.Context, *tool.Call, policy.Verdict) (bool, error) { return false, nil }
		}, code: fault.Denied},
		{name: "asking fails", spoil: func(r *rig) {
			r.d.Guards.Ask = func(context.Context, *tool.Call, policy.Verdict) (bool, error) { return true, boom }
		}, code: fault.Internal},
		{name: "no secrets", spoil: func(r *rig) { r.d.Secrets = nil }, code: fault.Auth},
		{name: "secrets fail", spoil: func(r *rig) {
			r.d.Secrets = func(context.Context, *tool.Entry, []string, string) (map[string]string, string, error) {
				return nil, "", fault.New(fault.Auth, "error.secret.needed", nil)
			}
		}, code: fault.Auth},
		{name: "the journal fails", spoil: func(r *rig) { r.d.Records.Prepare = func(context.Context, *tool.Call) error { return boom } }, code: fault.Internal},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			if c.spoil != nil {
				c.spoil(r)
			}
			if c.args == nil {
				c.args = tool.Args{"n": 1.0}
			}
			res := r.call(t.Context(), c.args)
			if r.ran != 0 {
				t.Fatal("the tool ran")
			}
			if res.OK || res.Fault == nil || res.Fault.Code != c.code || res.Error == nil || res.Data != nil {
				t.Fatalf("want OK false, Fault set, Fault.Code as in the case, Error set and no Data, got %+v %v", res, res.Fault)
			}
			for _, s := range []string{"audit intent", "audit result", "ended"} {
				if n := count(r.seen, s); n != 1 {
					t.Errorf("%s: %d times", s, n)
				}
			}
			if res.CallID == "" || res.LogicalID == "" {
				t.Error("a refused call has no name")
			}
		})
	}
}

func count(list []string, s string) int {
	n := 0
	for _, e := range list {
		if e == s {
			n++
		}
	}
	return n
}

func empty(t *testing.T) *tool.Registry {
	r, err := tool.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAToolThatPanicsOrGivesNonsenseIsAFailedCall(t *testing.T) {
	for name, run := range map[string]func(context.Context, *tool.Env, tool.Args) (tool.Data, error){
		"a panic": func(context.Context, *tool.Env, tool.Args) (tool.Data, error) { panic("x") },
		"a nil pointer": func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
			var p *tool.Call
			return nil, errors.New(p.Tool)
		},
		"output out of schema": func(context.Context, *tool.Env, tool.Args) (tool.Data, error) { return tool.Data{}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(tl *tool.Tool) { tl.Run = run })
			res := r.call(t.Context(), tool.Args{"n": 1.0})
			if res.OK || res.Fault.Code != fault.Internal || res.Data != nil || count(r.seen, "ended") != 1 {
				t.Fatalf("want OK false, Fault.Code fault.Internal, no Data and 1, got %+v", res)
			}
		})
	}
}

func TestAnotherSpellingOfAParameterIsTheSameParameter(t *testing.T) {
	r := newRig(t, nil)
	if res := r.call(t.Context(), tool.Args{"n": 1.0, "file_path": "a"}); !res.OK || r.args["filePath"] != "a" {
		t.Fatalf("want everything in order and args[\"filePath\"] \"a\", got %+v %v", res.Fault, r.args)
	}
}

func TestACachedResultIsGivenWithoutAskingOrRunning(t *testing.T) {
	r := newRig(t, nil)
	r.call(t.Context(), tool.Args{"n": 1.0})
	r.seen = nil
	res := r.call(t.Context(), tool.Args{"n": 1.0})
	if !res.OK || !res.Cached || r.ran != 1 || slices.Contains(r.seen, "ask") || slices.Contains(r.seen, "secrets") {
		t.Fatalf("%+v; ran %d times; %v", res, r.ran, r.seen)
	}
	if r.call(t.Context(), tool.Args{"n": 2.0}); r.ran != 2 {
		t.Error("other arguments had the cached result")
	}
	r.d.Guards.Policy = &policy.Policy{EnabledTools: map[string]bool{}}
	if res := r.call(t.Context(), tool.Args{"n": 1.0}); res.OK {
		t.Error("a cached result came past the policy")
	}
}

func TestAStageAfterTheToolThatFailsMakesTheResultAnErrorAndIsStillTold(t *testing.T) {
	for name, spoil := range map[string]func(r *rig){
		"redact": func(r *rig) { r.d.Records.Redact = func(*tool.Call, *tool.Result) { panic("x") } },
		"cap":    func(r *rig) { r.d.Records.Cap = func(context.Context, *tool.Call, *tool.Result) { panic("x") } },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			spoil(r)
			res := r.call(t.Context(), tool.Args{"n": 1.0})
			if res.OK || res.Data != nil || count(r.seen, "audit result") != 1 || count(r.seen, "ended") != 1 {
				t.Fatalf("want OK false, no Data, 1 and 1, got %+v %v", res, r.seen)
			}
		})
	}
}

func TestWhatCannotBeSimulatedIsNotRunInASimulation(t *testing.T) {
	r := newRig(t, func(tl *tool.Tool) {
		tl.Simulable = false
		tl.Pretend = func(tool.Args) tool.Data { return tool.Data{"n": 9} }
	})
	r.d.Simulating, r.d.Guards.Ask = true, nil
	res := r.call(t.Context(), tool.Args{"n": 1.0})
	if !res.OK || r.ran != 0 || res.Data["n"] != 9 {
		t.Fatalf("%+v; ran %d times", res, r.ran)
	}
}

func TestARecordedCallMakesItsWritesInOrderAndHasItsRecordedEnd(t *testing.T) {
	failed := fault.New(fault.NotFound, "error.vault.notFound", fault.P{"path": "x"})
	for _, c := range []struct {
		name   string
		failed *fault.Error
		write  error
		want   int
		ok     bool
	}{
		{"ok", nil, nil, 3, true},
		{"a failure that was simulated, after its writes", failed, nil, 3, false},
		{"a write that fails", nil, fault.New(fault.Conflict, "error.vault.changed", fault.P{"path": "x"}), 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			var made []int
			r.d.Approved = func(int) (*Recorded, bool) {
				return &Recorded{
					Args: tool.Args{"n": 1.0}, ArgsHash: "h", LogicalID: "call_x", Data: tool.Data{"n": 5.0}, Failed: c.failed, Writes: make([]overlay.Write, 3),
					Write: func(_ context.Context, i int) error { made = append(made, i); return c.write },
				}, true
			}
			res := r.call(t.Context(), nil)
			if r.ran != 0 || len(made) != c.want || !slices.IsSorted(made) || res.OK != c.ok {
				t.Fatalf("%+v, writes %v, the tool ran %d times", res, made, r.ran)
			}
		})
	}
}
