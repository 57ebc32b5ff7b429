package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/tool"
)

// work is done by every tool of a kit; name is the tool's.
type work func(ctx context.Context, name string, args tool.Args) (tool.Data, error)

// kit is a registry whose tools all do one function, and the real pipeline.
type kit struct {
	t   testing.TB
	reg *tool.Registry

	mu    sync.Mutex
	calls []*tool.Call // ended, in that order
}

// The kit's tools: t.pure touches nothing, t.read reads the vault, t.write
// claims its "path", t.all claims everything, t.blind writes without claims.
func newKit(t testing.TB, do work) *kit {
	t.Helper()
	path := func(a tool.Args) []string { return []string{a.String("path")} }
	spec := func(name string, s tool.SideEffects, claims func(tool.Args) []string) tool.Tool {
		return tool.Tool{
			Spec: tool.Spec{
				Name: name, Version: "1.0.0", Lifecycle: tool.Active, SideEffects: s, Simulable: true, Description: name,
				Input: json.RawMessage(`{"type":"object"}`), Output: json.RawMessage(`{}`),
			},
			Claims: claims,
			Run:    func(ctx context.Context, _ *tool.Env, args tool.Args) (tool.Data, error) { return do(ctx, name, args) },
		}
	}
	reg, err := tool.NewRegistry(
		spec("t.pure", tool.None, nil), spec("t.read", tool.Reads, nil), spec("t.write", tool.Writes, path),
		spec("t.all", tool.Writes, func(tool.Args) []string { return []string{"*"} }), spec("t.blind", tool.Writes, nil),
	)
	if err != nil {
		t.Fatal(err)
	}
	return &kit{t: t, reg: reg}
}

func (k *kit) graph(steps ...string) *plan.Graph {
	k.t.Helper()
	raw := `{"goal":"g","assumptions":[],"riskLevel":"writes","steps":[` + strings.Join(steps, ",") + `]}`
	p, problems := plan.Decode([]byte(raw), plan.Limits{})
	if p == nil || plan.Failed(problems) {
		k.t.Fatal(plan.Fault(problems))
	}
	g, problems := plan.Check(p, k.reg, plan.Rules{MaxSteps: 500, MaxAttempts: 50, MaxBackoffMs: 1 << 40, MaxTimeoutMs: 1 << 40})
	if g == nil || plan.Failed(problems) {
		k.t.Fatal(plan.Fault(problems))
	}
	return g
}

func (k *kit) config(steps ...string) Config {
	k.t.Helper()
	return Config{
		RunID: "0190a8b0-0000-7000-8000-000000000001", Graph: k.graph(steps...),
		Limits: tool.Limits{MaxConcurrency: 8, MaxAttempts: 10, MaxCalls: 1000},
		Call: pipeline.New(pipeline.Deps{
			Registry: k.reg, Guards: pipeline.Guards{Policy: &policy.Policy{}},
			Env: func(*tool.Call) (*tool.Env, *overlay.View) { return &tool.Env{}, nil },
			Events: pipeline.Events{Ended: func(c *tool.Call, _ *tool.Result) {
				k.mu.Lock()
				defer k.mu.Unlock()
				k.calls = append(k.calls, c)
			}},
		}),
	}
}

func echo(_ context.Context, _ string, args tool.Args) (tool.Data, error) {
	return tool.Data{"got": map[string]any(args)}, nil
}

// num reads a number, also where a reference inside a text has made it text.
func num(args tool.Args, name string) int {
	text, ok := args[name].(string)
	if !ok {
		return args.Int(name)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

func status(r *Report) string {
	var out []string
	for _, s := range r.Steps {
		out = append(out, s.Node.Step.ID+" "+string(s.Status))
	}
	return strings.Join(out, ", ")
}

func TestValuesFlowThroughReferencesVariablesAndTheIndex(t *testing.T) {
	k := newKit(t, echo)
	r := Run(t.Context(), k.config(
		`{"id":"a","tool":"t.pure","args":{"list":["x","y"],"n":7},"captureAs":"first"}`,
		`{"id":"b","tool":"t.pure","args":{"text":"{index}: {w} of $vars.first.got.n","whole":"$vars.first.got.n"},"foreach":{"from":"$steps.a.got.list","itemName":"w"},"dependsOn":["a"]}`,
		`{"id":"c","tool":"t.pure","args":{"all":"$steps.b.items"}}`))
	if r.Stopped != nil {
		t.Fatal("want no Stopped, got:", r.Stopped)
	}
	b, err := json.Marshal(r.Steps[2].Output)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"got":{"all":[{"got":{"text":"0: x of 7","whole":7},"item":"x"},{"got":{"text":"1: y of 7","whole":7},"item":"y"}]}}`
	if string(b) != want {
		t.Fatalf("got  %s\nwant %s", b, want)
	}
}

func TestAStepHoldsItsCallsToItsSecretScope(t *testing.T) {
	k := newKit(t, echo)
	cfg := k.config(`{"id":"a","tool":"t.pure","args":{},"secretScope":"vault"}`, `{"id":"b","tool":"t.pure","args":{}}`)
	var scopes []string
	through := cfg.Call
	cfg.Call = func(ctx context.Context, r pipeline.Request) *tool.Result {
		scopes = append(scopes, r.Call.StepID+" "+r.SecretScope)
		return through(ctx, r)
	}
	cfg.Simulating = true // one call after the other
	Run(t.Context(), cfg)
	if got := strings.Join(scopes, ", "); got != "a vault, b " {
		t.Errorf("want \"a vault, b \", got %q", got)
	}
}

func TestAFailureStopsTheRunUnlessItsStepSaysSkip(t *testing.T) {
	fails := func(_ context.Context, _ string, args tool.Args) (tool.Data, error) {
		if args.Bool("fail") {
			return nil, fault.New(fault.NotFound, "error.vault.notFound", fault.P{"path": "x"})
		}
		return tool.Data{}, nil
	}
	for _, c := range []struct{ onError, want string }{
		{"stop", "a ok, b error, c skipped, d skipped, e skipped"},
		{"skip", "a ok, b error, c skipped, d skipped, e ok"},
	} {
		t.Run(c.onError, func(t *testing.T) {
			k := newKit(t, fails)
			r := Run(t.Context(), k.config(
				`{"id":"a","tool":"t.all","args":{}}`,
				`{"id":"b","tool":"t.all","args":{"fail":true},"onError":"`+c.onError+`"}`,
				`{"id":"c","tool":"t.all","args":{},"dependsOn":["b"]}`,
				`{"id":"d","tool":"t.all","args":{},"dependsOn":["c"]}`,
				`{"id":"e","tool":"t.all","args":{}}`))
			if got := status(r); got != c.want {
				t.Fatalf("got %s, want %s", got, c.want)
			}
			if (r.Stopped != nil) != (c.onError == "stop") {
				t.Errorf("stopped: %v", r.Stopped)
			}
			step, cause := r.Failure()
			if cause == nil || step.Node.Step.ID != "b" || cause.Code != fault.NotFound {
				t.Errorf("the failure is %v", cause)
			}
		})
	}
}

func TestASkippedStepNamesTheCauseAndNotItsEcho(t *testing.T) {
	k := newKit(t, func(_ context.Context, _ string, args tool.Args) (tool.Data, error) {
		if args.Bool("fail") {
			return nil, fault.New(fault.NotFound, "error.vault.notFound", fault.P{"path": "Lost.md"})
		}
		return tool.Data{}, nil
	})
	var told []*tool.Result
	c := k.config(
		`{"id":"a","tool":"t.pure","args":{"fail":true},"onError":"skip"}`,
		`{"id":"b","tool":"t.pure","args":{},"dependsOn":["a"]}`,
		`{"id":"c","tool":"t.pure","args":{},"dependsOn":["b"]}`)
	c.Events.Skipped = func(_ *plan.Node, r *tool.Result) { told = append(told, r) }
	r := Run(t.Context(), c)
	for _, s := range r.Steps[1:] {
		if s.Status != tool.Skipped || s.CauseStep != "a" || s.Cause.Params["path"] != "Lost.md" {
			t.Errorf("%s: %s because of %q: %v", s.Node.Step.ID, s.Status, s.CauseStep, s.Cause)
		}
		if m := s.Results[0].UserMessage; !strings.Contains(m, "Lost.md") {
			t.Errorf("%s says %q", s.Node.Step.ID, m)
		}
	}
	if len(told) != 2 {
		t.Errorf("told of %d skipped steps", len(told))
	}
	if step, _ := r.Failure(); step.Node.Step.ID != "a" {
		t.Errorf("the failure is said to be in %s", step.Node.Step.ID)
	}
}

func TestAnElementThatFailsIsLeftOutOfTheOutputAndTheOrderKept(t *testing.T) {
	k := newKit(t, func(_ context.Context, _ string, args tool.Args) (tool.Data, error) {
		if num(args, "n")%3 == 1 {
			return nil, errors.New("broken")
		}
		return tool.Data{"n": num(args, "n")}, nil
	})
	c := k.config(`{"id":"a","tool":"t.pure","args":{"n":"{item}"},"foreach":{"from":[0,1,2,3,4,5,6],"itemName":"item"},"onError":"skip"}`)
	r := Run(t.Context(), c)
	ok, failed, skipped := r.Counts()
	got := fmt.Sprint(r.Steps[0].Output.(map[string]any)["items"])
	if want := "[map[item:0 n:0] map[item:2 n:2] map[item:3 n:3] map[item:5 n:5] map[item:6 n:6]]"; got != want || ok != 5 || failed != 0 || skipped != 2 || r.Steps[0].Status != tool.OK {
		t.Fatalf("%d ok, %d failed, %d left out, %s: %s", ok, failed, skipped, r.Steps[0].Status, got)
	}
}

func TestEachAttemptIsACallOfItsOwnUnderOneLogicalName(t *testing.T) {
	n := 0
	k := newKit(t, func(context.Context, string, tool.Args) (tool.Data, error) {
		if n++; n < 3 {
			return nil, fault.New(fault.Network, "error.network", nil)
		}
		return tool.Data{}, nil
	})
	c := k.config(`{"id":"a","tool":"t.pure","args":{"x":1},"retry":{"maxAttempts":5,"backoffMs":1}}`)
	c.Limits.MaxBackoffMs = 1
	r := Run(t.Context(), c)
	if r.Steps[0].Status != tool.OK || len(k.calls) != 3 {
		t.Fatalf("%s after %d calls", status(r), len(k.calls))
	}
	ids := map[string]bool{}
	for i, c := range k.calls {
		ids[c.CallID] = true
		if c.Attempt != i+1 || c.LogicalID != k.calls[0].LogicalID {
			t.Errorf("attempt %d: number %d, call_id %s", i+1, c.Attempt, c.LogicalID)
		}
	}
	if len(ids) != 3 {
		t.Errorf("%d callIds", len(ids))
	}
}

func TestWhatCannotEndOtherwiseIsNotTriedAgain(t *testing.T) {
	for _, code := range fault.Codes() {
		n := 0
		k := newKit(t, func(context.Context, string, tool.Args) (tool.Data, error) {
			n++
			return nil, fault.New(code, "error.internal", nil)
		})
		c := k.config(`{"id":"a","tool":"t.pure","args":{},"retry":{"maxAttempts":2,"backoffMs":1}}`)
		c.Limits.MaxBackoffMs = 1
		Run(t.Context(), c)
		want := 2
		switch code {
		case fault.Validation, fault.Denied, fault.Cancelled, fault.Auth, fault.Conflict:
			want = 1
		}
		if n != want {
			t.Errorf("%s: %d attempts, want %d", code, n, want)
		}
	}
}

func TestARunKeepsWithinItsNumberOfCallsAndAttempts(t *testing.T) {
	n := 0
	var mu sync.Mutex
	k := newKit(t, func(context.Context, string, tool.Args) (tool.Data, error) {
		mu.Lock()
		defer mu.Unlock()
		n++
		return nil, fault.New(fault.Network, "error.network", nil)
	})
	c := k.config(`{"id":"a","tool":"t.pure","args":{},"foreach":{"from":[1,2,3,4,5,6],"itemName":"i"}}`)
	c.Limits.MaxCalls = 5
	if r := Run(t.Context(), c); n != 0 || r.Stopped == nil {
		t.Errorf("%d calls were made; stopped: %v", n, r.Stopped)
	}
	c = k.config(`{"id":"a","tool":"t.pure","args":{},"retry":{"maxAttempts":9,"backoffMs":1}}`)
	c.Limits.MaxAttempts, c.Limits.MaxBackoffMs = 2, 1
	if Run(t.Context(), c); n != 2 {
		t.Errorf("%d attempts, want the limit of 2", n)
	}
}

func TestPriorResultsAreTakenAndTheirCallsNotMade(t *testing.T) {
	n := 0
	k := newKit(t, func(_ context.Context, _ string, args tool.Args) (tool.Data, error) {
		n++
		return tool.Data{"v": "new"}, nil
	})
	steps := []string{`{"id":"a","tool":"t.pure","args":{}}`, `{"id":"b","tool":"t.pure","args":{"x":"$steps.a.v"}}`}
	c := k.config(steps...)
	c.Part.Prior = map[int]*tool.Result{Seq(0, 0): {Status: tool.OK, OK: true, Data: tool.Data{"v": "old"}}}
	r := Run(t.Context(), c)
	if n != 1 || r.Stopped != nil || k.calls[0].Args["x"] != "old" {
		t.Fatalf("%d calls, %v", n, r.Stopped)
	}
}

func TestASequenceNumberIsAPlaceAndNotAMoment(t *testing.T) {
	ids := func(simulating bool) map[string]bool {
		k := newKit(t, func(_ context.Context, _ string, args tool.Args) (tool.Data, error) {
			time.Sleep(time.Duration(args.Int("d")) * time.Microsecond)
			return tool.Data{}, nil
		})
		c := k.config(`{"id":"a","tool":"t.write","args":{"path":"{p}.md"},"foreach":{"from":["c","b","a","b"],"itemName":"p"}}`,
			`{"id":"b","tool":"t.write","args":{"path":"z.md"}}`)
		c.Simulating = simulating
		Run(t.Context(), c)
		out := map[string]bool{}
		for _, c := range k.calls {
			out[c.LogicalID] = true
		}
		return out
	}
	a, b := ids(true), ids(false)
	if len(a) != 5 || len(b) != 5 {
		t.Fatalf("%d and %d ids", len(a), len(b))
	}
	for id := range a {
		if !b[id] {
			t.Fatalf("a call has another call_id in the run than in its simulation")
		}
	}
}
