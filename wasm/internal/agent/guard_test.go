package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/tool"
)

var echo = quick("test.echo", func(_ context.Context, _ *tool.Env, a tool.Args) (tool.Data, error) {
	return tool.Data{"n": a.Int("n")}, nil
})

// endless is a model that calls a tool for ever.
func endless(n int, blocks ...llm.Block) []llmtest.Turn {
	turns := make([]llmtest.Turn, n)
	for i := range turns {
		turns[i] = llmtest.Reply(blocks...)
	}
	return turns
}

func TestTheModelIsAskedAtMostTenTimesUnlessSettingsSayOtherwise(t *testing.T) {
	for limit, want := range map[int]int{0: 10, 3: 3, 12: 12} {
		k := newKit(t, endless(20, call("c1", "test.echo", `{}`)), withTools(echo), withLimits(limits.Limits{MaxIterations: limit, MaxToolCalls: 100}))
		out := k.run("go")
		if got := len(k.model.Requests()); got != want || out.Stop != agent.Denied || out.Problem.Key != "agent.limit.iterations" {
			t.Errorf("limit %d: asked %d times, %s %v", limit, got, out.Stop, out.Problem)
		}
	}
}

func TestAContinuedRunDoesNotGetNewIterationsUntilThePersonSpeaks(t *testing.T) {
	k := newKit(t, endless(20, call("c1", "test.echo", `{}`)), withTools(echo), withLimits(limits.Limits{MaxIterations: 2, MaxToolCalls: 100}))
	out := k.run("go")
	again := k.runInput(t.Context(), agent.Input{State: out.State})
	if again.Stop != agent.Denied || len(k.model.Requests()) != 2 {
		t.Errorf("%s after %d requests", again.Stop, len(k.model.Requests()))
	}
	k.runInput(t.Context(), agent.Input{State: again.State, Messages: []llm.Message{llm.UserMessage("go on")}})
	if got := len(k.model.Requests()); got != 4 {
		t.Errorf("%d requests after the person's word, want 4", got)
	}
}

func TestTheTwentySixthCallIsDeniedAndInTheOrderWithItsError(t *testing.T) {
	var blocks []llm.Block
	for i := range 27 {
		blocks = append(blocks, call(fmt.Sprint("c", i), "test.echo", fmt.Sprintf(`{"n":%d}`, i)))
	}
	k := newKit(t, []llmtest.Turn{llmtest.Reply(blocks...), llmtest.Say("enough")}, withTools(echo))
	out := k.run("go")
	if len(out.Outputs.ToolOrder) != 27 {
		t.Fatalf("%d calls in the order", len(out.Outputs.ToolOrder))
	}
	for i := range 27 {
		e := envelope(t, out, i)
		if denied := e.Error != nil && e.Error.Code == string(fault.Denied); denied != (i >= 25) {
			t.Errorf("call %d: %+v", i, e.Error)
		}
	}
	if n := strings.Count(strings.Join(k.audit, "\n"), "test.echo error"); n != 2 {
		t.Errorf("%d denials were recorded, want 2: %v", n, k.audit)
	}
	if out.Outputs.LastTool == nil || out.Outputs.LastTool.CallID != out.Outputs.ToolOrder[24] {
		t.Errorf("last_tool %+v", out.Outputs.LastTool)
	}
}

func TestOnlyEnabledToolsWithinTheCeilingAreOfferedAndRun(t *testing.T) {
	var mu sync.Mutex // calls run at once
	ran := ""
	mk := func(name string, effects tool.SideEffects) tool.Tool {
		return tool.Tool{Spec: spec(name, effects), Run: func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
			mu.Lock()
			defer mu.Unlock()
			ran += name
			return tool.Data{}, nil
		}}
	}
	old := mk("test.old", tool.None)
	old.Lifecycle = tool.Deprecated
	k := newKit(t, []llmtest.Turn{
		llmtest.Reply(
			call("c1", "test.pure", `{}`), call("c2", "test.writer", `{}`), call("c3", "test.other", `{}`),
			call("c4", "test.old", `{}`), call("c5", "no.such", `{}`),
		),
		llmtest.Say("ok"),
	}, withTools(mk("test.pure", tool.None), mk("test.writer", tool.Writes), mk("test.other", tool.None), old),
		withLimits(limits.Limits{EnabledTools: []string{"test.pure", "test.writer", "test.old"}, SideEffects: tool.Reads}))
	out := k.run("go")
	if ran != "test.puretest.old" && ran != "test.oldtest.pure" {
		t.Errorf("ran %s", ran)
	}
	var offered []string
	for _, o := range k.model.Requests()[0].Tools {
		offered = append(offered, o.Name)
	}
	if d := cmp.Diff([]string{"test.old", "test.pure"}, offered); d != "" {
		t.Errorf("offered (-want +got):\n%s", d)
	}
	for i, text := range results(out.State.Messages) {
		if blocked := strings.Contains(text, `"status":"blocked"`); blocked != (i == 1 || i == 2 || i == 4) {
			t.Errorf("call %d: %s", i, text)
		}
	}
}

func TestADeprecatedToolIsNotOfferedUnlessItIsNamed(t *testing.T) {
	old := echo
	old.Name, old.Lifecycle = "test.old", tool.Deprecated
	blocked := echo
	blocked.Name, blocked.Lifecycle = "test.blocked", tool.Blocked
	k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.blocked", `{}`), llmtest.Say("ok")}, withTools(old, blocked))
	out := k.run("go")
	for _, o := range k.model.Requests()[0].Tools {
		if o.Name == "test.old" || o.Name == "test.blocked" {
			t.Errorf("%s is offered", o.Name)
		}
	}
	if e := envelope(t, out, 0); e.Error == nil || e.Error.Code != string(fault.Denied) {
		t.Errorf("a blocked tool gave %+v", e)
	}
}

func TestAGuardThatFailsDenies(t *testing.T) {
	for name, judge := range map[string]func(context.Context, *tool.Call) error{
		"panics": func(context.Context, *tool.Call) error { panic("guard") },
		"errs":   func(context.Context, *tool.Call) error { return errors.New("disk full") },
	} {
		t.Run(name, func(t *testing.T) {
			bad := quick("test.bad", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
				t.Error("the call ran")
				return nil, nil
			})
			k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.bad", `{}`), llmtest.Say("ok")}, withTools(bad),
				func(s *setup) { s.guard = append(s.guard, agent.Also(judge)) })
			out := k.run("go")
			if e := envelope(t, out, 0); e.Error == nil || e.Error.Code != string(fault.Denied) {
				t.Errorf("want Error set and Error.Code equal to string(fault.Denied), got %+v", e)
			}
		})
	}
	t.Run("empty", func(t *testing.T) {
		k := newKit(t, []llmtest.Turn{llmtest.Say("no")}, withConfig(func(c *agent.Config) { c.Guard = &agent.Guard{} }))
		if out := k.run("go"); out.Stop != agent.Denied || len(k.model.Requests()) != 0 {
			t.Errorf("want Stop agent.Denied and no Requests, got %s", out.Stop)
		}
	})
}

func TestTokensAreAccruedWhileTheModelSpeaksAndStopItHard(t *testing.T) {
	long := strings.Repeat("all the words in the world ", 400)
	model := &dripping{text: long}
	k := newKit(t, nil, withTools(echo), withLimits(limits.Limits{EnabledTools: []string{"test.echo"}, MaxTokens: 500}),
		withConfig(func(c *agent.Config) { c.Provider = model }))
	out := k.run("go")
	if out.Stop != agent.Denied || out.Problem.Key != "agent.limit.tokens" {
		t.Fatalf("want Stop agent.Denied and Problem.Key \"agent.limit.tokens\", got %s %v", out.Stop, out.Problem)
	}
	if got := len(out.Outputs.Response); got == 0 || got > len(long)/2 {
		t.Errorf("%d of %d bytes had arrived at the stop", got, len(long))
	}
	if out.Usage.Output == 0 {
		t.Error("a stopped answer counts nothing")
	}
	again := k.runInput(t.Context(), agent.Input{State: out.State, Messages: []llm.Message{llm.UserMessage("go on")}})
	if again.Stop != agent.Denied || model.asked != 1 {
		t.Errorf("%s after %d requests: the budget was refilled", again.Stop, model.asked)
	}
}

func TestAnAnswerThatUsedUpTheBudgetHasItsCallsRefused(t *testing.T) {
	turn := llmtest.Reply(llm.Text("Here."), call("c1", "test.no", `{}`))
	turn.Usage = price.Usage{Input: 100, Output: 5000}
	k := newKit(t, []llmtest.Turn{turn}, withTools(quick("test.no", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
		t.Error("the call ran")
		return nil, nil
	})), withLimits(limits.Limits{EnabledTools: []string{"test.no"}, MaxTokens: 1000}))
	out := k.run("go")
	if e := envelope(t, out, 0); out.Stop != agent.Denied || e.Error == nil || e.Error.Code != string(fault.Denied) {
		t.Errorf("want Stop agent.Denied, Error set and Error.Code equal to string(fault.Denied), got %s, %+v", out.Stop, e.Error)
	}
}

// dripping is a model that says a text piece by piece, and a call at its end,
// until it is stopped.
type dripping struct {
	text  string
	asked int
}

func (d *dripping) Stream(ctx context.Context, _ llm.Request) llm.Stream {
	d.asked++
	s := &drip{ctx: ctx, rest: d.text}
	s.b = llm.NewBuilder(llm.Message{}, func(e llm.Event) { s.queue = append(s.queue, e) })
	s.at = s.b.Open(llm.Block{Type: llm.BlockText})
	return s
}

type drip struct {
	ctx   context.Context
	b     *llm.Builder
	at    int
	rest  string
	queue []llm.Event
}

func (s *drip) Next() (llm.Event, bool) {
	for len(s.queue) == 0 {
		switch {
		case s.b.Ended():
			return llm.Event{}, false
		case s.ctx.Err() != nil:
			s.b.FailWith(s.ctx.Err(), "")
		case s.rest == "":
			llmtest.Play(s.b, call("c1", "test.echo", `{}`), 0)
			s.b.Done(llm.StopToolUse, "")
		default:
			n := min(5, len(s.rest))
			s.b.Delta(s.at, s.rest[:n])
			s.rest = s.rest[n:]
		}
	}
	e := s.queue[0]
	s.queue = s.queue[1:]
	return e, true
}

func (s *drip) Close() {}

func TestAQuestionLargerThanTheBudgetIsNotAsked(t *testing.T) {
	budget := limits.NewBudget()
	k := newKit(t, []llmtest.Turn{llmtest.Say("x")}, withLimits(limits.Limits{MaxTokens: 500, EnabledTools: []string{}}), func(s *setup) { s.budget = budget })
	out := k.run(strings.Repeat("word ", 2000))
	if out.Stop != agent.Denied || len(k.model.Requests()) != 0 || out.Usage.Total() != 0 {
		t.Errorf("%s, %d requests, %d tokens", out.Stop, len(k.model.Requests()), out.Usage.Total())
	}
	if _, tokens, _ := budget.Used(); tokens != 0 {
		t.Errorf("%d tokens are gone for a question that was not asked", tokens)
	}
}

func TestAQuestionThatWasRefusedCostsNothingAndOneThatBeganCostsItsInput(t *testing.T) {
	// fails is an answer that fails as it comes, without a count.
	fails := func(key string, content ...llm.Block) llmtest.Turn {
		err := llm.NewError(key)
		m := &llm.Message{Role: llm.RoleAssistant, Content: content, StopReason: llm.StopError, Error: err}
		return llmtest.Turn{Events: []llm.Event{uncounted[0], {Type: llm.EventError, Message: m, Error: err}}}
	}
	for name, c := range map[string]struct {
		turn  llmtest.Turn
		costs bool
	}{
		"refused":               {fails("llm.error.request"), false},
		"with a wrong key":      {fails("llm.error.auth"), false},
		"never reached":         {fails("llm.error.network"), false},
		"overloaded":            {fails("llm.error.overloaded"), false},
		"waited for too long":   {fails("llm.error.timeout"), true},
		"broken off":            {fails("llm.error.cut", llm.Text("I was just")), true},
		"answered, not counted": {llmtest.Turn{Events: uncounted}, true},
	} {
		budget := limits.NewBudget()
		k := newKit(t, []llmtest.Turn{c.turn}, withLimits(limits.Limits{MaxTokens: 500_000}), func(s *setup) { s.budget = budget })
		out := k.run("Do it.")
		if _, tokens, _ := budget.Used(); (tokens > 0) != c.costs || (out.Usage.Total() > 0) != c.costs {
			t.Errorf("%s: %d tokens, told %+v", name, tokens, out.Usage)
		}
	}
}

// uncounted is an answer of an endpoint that counts no tokens.
var uncounted = []llm.Event{
	{Type: llm.EventStart, Message: &llm.Message{Role: llm.RoleAssistant}},
	{Type: llm.EventDone, Message: &llm.Message{Role: llm.RoleAssistant, Content: []llm.Block{llm.Text("Done.")}, StopReason: llm.StopStop}},
}

func TestCostStopsTheRunAndALimitWithoutAPriceDenies(t *testing.T) {
	prices := func(model string) (price.Price, bool) {
		return price.Price{Input: 1, Output: 10}, model == "script-1"
	}
	turn := llmtest.Reply(call("c1", "test.echo", `{}`))
	turn.Usage = price.Usage{Input: 1000, Output: 100} // 0.002
	turns := []llmtest.Turn{turn, turn, turn, turn, turn}
	bounds := limits.Limits{EnabledTools: []string{"test.echo"}, MaxCost: 3_500_000}
	k := newKit(t, turns, withTools(echo), withLimits(bounds), func(s *setup) { s.guard = append(s.guard, agent.WithPrices(prices)) })
	if out := k.run("go"); out.Stop != agent.Denied || out.Problem.Key != "agent.limit.cost" || len(k.model.Requests()) != 2 {
		t.Errorf("%s %v after %d requests", out.Stop, out.Problem, len(k.model.Requests()))
	}
	k = newKit(t, turns, withTools(echo), withLimits(bounds))
	if out := k.run("go"); out.Stop != agent.Denied || out.Problem.Key != "agent.limit.noPrice" || len(k.model.Requests()) != 0 {
		t.Errorf("without a price: %s %v", out.Stop, out.Problem)
	}
}

func TestOneBudgetHoldsOverTheAgentsOfAForeach(t *testing.T) {
	budget := limits.NewBudget()
	total := 0
	for range 4 {
		k := newKit(t, endless(20, call("c1", "test.echo", `{}`)), withTools(echo),
			withLimits(limits.Limits{MaxIterations: 3, MaxToolCalls: 7}), func(s *setup) { s.budget = budget })
		out := k.run("go")
		for i := range out.Outputs.ToolOrder {
			if e := envelope(t, out, i); e.Error == nil {
				total++
			}
		}
	}
	if calls, tokens, _ := budget.Used(); total != 7 || calls != 7 || tokens == 0 {
		t.Errorf("%d calls ran, %d counted, %d tokens", total, calls, tokens)
	}
}

func TestAToolOverItsRateIsRefusedWithTheTimeToWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, []llmtest.Turn{
			llmtest.Reply(call("c1", "test.echo", `{}`), call("c2", "test.echo", `{}`), call("c3", "test.echo", `{}`)),
			llmtest.Say("ok"),
		}, withTools(echo), withLimits(limits.Limits{Rates: map[string]limits.Rate{"test.echo": {PerMinute: 6, Burst: 2}}}))
		out := k.run("go")
		got := results(out.State.Messages)
		if got[0] != `{"n":0}` || got[1] != `{"n":0}` || !strings.Contains(got[2], `"retry_after_s":10`) || !strings.Contains(got[2], "RATE_LIMIT") {
			t.Errorf("results %q", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		lim := limits.NewRateLimiter(map[string]limits.Rate{"*": {PerMinute: 60, Burst: 1}}, 5*time.Second)
		e := &tool.Entry{Tool: echo}
		start := time.Now()
		for range 3 {
			if err := lim.Limit(t.Context(), e); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("three calls, one a second, took %v", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := lim.Limit(ctx, e); !fault.Is(err, fault.Cancelled) {
			t.Errorf("a stopped wait gave %v", err)
		}
	})
}
