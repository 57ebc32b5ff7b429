package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// stepKit runs plans with agent.run in them, as a server would.
type stepKit struct {
	t      *testing.T
	mem    *hosttest.Memory
	model  *llmtest.Provider
	budget *limits.Budget
	last   modelstep.MemoryValues
	limits limits.Limits
	frozen *reuse.Frozen
	vault  *overlay.Vault
}

func newStepKit(t *testing.T, files map[string]string, turns ...llmtest.Turn) *stepKit {
	return &stepKit{
		t: t, mem: hosttest.New(hosttest.Options{Files: files}), model: llmtest.NewProvider(turns...),
		budget: limits.NewBudget(), frozen: reuse.NewFrozen(nil),
	}
}

// simulate runs a plan on a fresh overlay.
func (k *stepKit) simulate(doc string) *runner.Report {
	k.t.Helper()
	h := k.mem.Host()
	pol := &policy.Policy{Limits: tool.Limits{MaxConcurrency: 4, MaxCalls: 100}}
	k.vault = overlay.New(overlay.NewBase(h.Vault, h.Editor, time.Now()), overlay.WithGuard(pol.CheckOp))
	gates := agent.NewGates()
	var reg *tool.Registry
	var do pipeline.Func
	start := func(_ context.Context, _ *tool.Env, a modelstep.Args) (agent.Step, error) {
		guard := agent.NewGuard(a.Tighten(k.limits), k.budget)
		return agent.Step{Last: &k.last, Config: agent.Config{
			Identity: agent.Identity{RunID: runID, StepID: "ask"}, Model: agent.Model{Provider: k.model, Request: llm.Request{Model: "script-1"}},
			Registry: reg, Do: do, Gates: gates, Guard: guard,
		}}, nil
	}
	reg, err := tool.NewRegistry(append(builtin.All(), modelstep.Tool())...)
	if err != nil {
		k.t.Fatal(err)
	}
	do = pipeline.New(gates.Fit(pipeline.Deps{
		Registry: reg, Guards: pipeline.Guards{Policy: pol}, Simulating: true, Cache: k.frozen.Over(nil),
		Env: func(c *tool.Call) (*tool.Env, *overlay.View) {
			w := k.vault.For(c.LogicalID)
			return &tool.Env{Vault: w, Editor: w, Platform: h.Platform, Progress: func(tool.Progress) {}, Model: tool.ForModel{Ask: agent.Steps(start)}}, w
		},
	}))
	p, problems := plan.Decode([]byte(doc), plan.Limits{})
	if plan.Failed(problems) {
		k.t.Fatal(plan.Fault(problems))
	}
	g, problems := plan.Check(p, reg, plan.Rules{})
	if plan.Failed(problems) {
		k.t.Fatal(plan.Fault(problems))
	}
	return runner.Run(k.t.Context(), runner.Config{RunID: runID, Graph: g, Call: do, Limits: pol.Limits, Simulating: true, Base: tool.Call{}})
}

const summaryPlan = `{"goal":"Sum up","assumptions":[],"steps":[
	{"id":"read","tool":"vault.readFile","args":{"path":"A.md"}},
	{"id":"ask","tool":"agent.run","args":{"prompt":"Sum it up.","context":"$steps.read.content","tools":["vault.readFile","vault.writeFile"],
		"pins":[{"name":"b","selector":{"tool":"vault.readFile"}}]}},
	{"id":"write","tool":"vault.writeFile","args":{"path":"Sum.md","content":"$steps.ask.response ($steps.ask.pins.b.content)"}}]}`

func TestAStepAsksAModelOnceAndItsResultIsFrozenForEveryLaterSimulation(t *testing.T) {
	k := newStepKit(t, map[string]string{"A.md": "alpha", "B.md": "beta"},
		llmtest.Reply(call("c1", "vault.readFile", `{"path":"B.md"}`), call("c2", "vault.writeFile", `{"path":"Evil.md","content":"x"}`)),
		llmtest.Say("Alpha it is."))
	for i := range 3 {
		rep := k.simulate(summaryPlan)
		if rep.Stopped != nil {
			t.Fatal("want no Stopped, got:", rep.Stopped)
		}
		changes, err := k.vault.Changes(t.Context())
		if err != nil || len(changes) != 1 || string(changes[0].After) != "Alpha it is. (beta)" {
			t.Errorf("simulation %d staged %v, %v", i, changes, err)
		}
		if n := len(k.model.Requests()); n != 2 {
			t.Errorf("simulation %d: the model was asked %d times", i, n)
		}
		// Kept with the approval and taken back.
		doc, err := json.Marshal(k.frozen.Results())
		if err != nil {
			t.Fatal(err)
		}
		var results map[string]tool.Data
		if err := json.Unmarshal(doc, &results); err != nil || len(results) != 1 {
			t.Fatalf("%d frozen results, %v", len(results), err)
		}
		k.frozen = reuse.NewFrozen(results)
	}
	first := k.model.Requests()[0]
	if len(first.Tools) != 1 || first.Tools[0].Name != "vault.readFile" {
		t.Errorf("the step was offered %v", first.Tools)
	}
	if m := first.Messages[0]; m.Content[0].Text != "Sum it up." || !strings.Contains(m.Content[1].Text, "not words of the person") || !strings.Contains(m.Content[1].Text, `"alpha"`) {
		t.Errorf("it was asked %+v", m.Content)
	}
}

func TestAStepThatAsksForMoreThanTheSettingsGetsTheSettings(t *testing.T) {
	have := limits.Limits{EnabledTools: []string{"vault.readFile", "vault.writeFile"}, MaxIterations: 4, MaxToolCalls: 5, SideEffects: tool.Commands}
	got := modelstep.Args{Tools: []string{"vault.readFile", "commands.run"}, MaxIterations: 100, MaxToolCalls: 2}.Tighten(have)
	want := limits.Limits{EnabledTools: []string{"vault.readFile"}, MaxIterations: 4, MaxToolCalls: 2, SideEffects: tool.Reads}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if l := (modelstep.Args{}).Tighten(limits.Limits{SideEffects: tool.None}); l.SideEffects != tool.None || l.EnabledTools == nil {
		t.Errorf("want SideEffects tool.None and EnabledTools set, got %+v", l)
	}
}

func TestAStepWithAGuardThatLetsItWriteDoesNotRun(t *testing.T) {
	for _, limits := range []limits.Limits{{}, {EnabledTools: []string{}}, {EnabledTools: []string{}, SideEffects: tool.Writes}, {SideEffects: tool.Reads}} {
		ask := agent.Steps(func(context.Context, *tool.Env, modelstep.Args) (agent.Step, error) {
			return agent.Step{Config: agent.Config{Guard: agent.NewGuard(limits, nil)}}, nil
		})
		if _, err := modelstep.Tool().Run(t.Context(), &tool.Env{Model: tool.ForModel{Ask: ask}}, tool.Args{"prompt": "x"}); !fault.Is(err, fault.Internal) {
			t.Errorf("%+v: want the error fault.Internal, got %v", limits, err)
		}
	}
}

func TestTheAgentsOfAForeachShareOneBudgetAndAFailureIsTheSteps(t *testing.T) {
	k := newStepKit(t, map[string]string{"A.md": "a"})
	k.limits = limits.Limits{MaxTokens: 3000}
	var turns []llmtest.Turn
	for i := range 6 {
		turn := llmtest.Say(fmt.Sprint("answer ", i))
		turn.Usage = price.Usage{Input: 900, Output: 100}
		turns = append(turns, turn)
	}
	k.model = llmtest.NewProvider(turns...)
	rep := k.simulate(`{"goal":"x","assumptions":[],"steps":[{"id":"ask","tool":"agent.run","foreach":{"from":["1","2","3","4","5"],"itemName":"item","concurrency":1},"args":{"prompt":"Say {item}"},"onError":"skip"}]}`)
	ok, failed, skipped := rep.Counts()
	if ok != 3 || failed != 0 || skipped != 2 || len(k.model.Requests()) != 3 {
		t.Errorf("%d ok, %d failed, %d left out, asked %d times", ok, failed, skipped, len(k.model.Requests()))
	}
	if cause := rep.Steps[0].Cause; cause == nil || cause.Key != "agent.limit.tokens" {
		t.Errorf("the cause is %v", cause)
	}
}

func TestAPinOfAStepThatMustHaveAValueFailsTheStepWithoutOne(t *testing.T) {
	k := newStepKit(t, map[string]string{"A.md": "a"}, llmtest.Say("no tool used"))
	rep := k.simulate(`{"goal":"x","assumptions":[],"steps":[{"id":"ask","tool":"agent.run","args":{"prompt":"x","pins":[{"name":"b","selector":{"tool":"vault.readFile"},"on_missing":"error"}]}}]}`)
	if rep.Stopped == nil || rep.Stopped.Code != fault.NotFound {
		t.Errorf("want Stopped set and Stopped.Code fault.NotFound, got %v", rep.Stopped)
	}
}

func TestTheCallsOfTwoIterationsHaveIdsOfTheirOwn(t *testing.T) {
	read := llmtest.Call("c1", "vault.readFile", `{"path":"A.md"}`)
	k := newStepKit(t, map[string]string{"A.md": "a"}, read, llmtest.Say("one"), read, llmtest.Say("two"))
	rep := k.simulate(`{"goal":"x","assumptions":[],"steps":[{"id":"ask","tool":"agent.run","foreach":{"from":["1","2"],"itemName":"item","concurrency":1},"args":{"prompt":"Say it","tools":["vault.readFile"]}}]}`)
	if rep.Stopped != nil || len(rep.Steps[0].Results) != 2 {
		t.Fatalf("want no Stopped and 2 Steps[0].Results, got %v", rep.Stopped)
	}
	one, two := rep.Steps[0].Results[0].Data["tool_order"], rep.Steps[0].Results[1].Data["tool_order"]
	if len(one.([]any)) != 1 || len(two.([]any)) != 1 || cmp.Equal(one, two) {
		t.Errorf("ids %v and %v", one, two)
	}
}

func TestHalfAnAnswerIsNotFrozen(t *testing.T) {
	for _, stop := range []llm.StopReason{llm.StopLength, llm.StopRefusal, llm.StopContextWindow} {
		k := newStepKit(t, nil, llmtest.Turn{Blocks: []llm.Block{llm.Text("Half")}, Stop: stop})
		rep := k.simulate(`{"goal":"x","assumptions":[],"steps":[{"id":"ask","tool":"agent.run","args":{"prompt":"x"}}]}`)
		if rep.Stopped == nil || rep.Stopped.Code != fault.Provider || len(k.frozen.Results()) != 0 {
			t.Errorf("%s: %v, frozen %v", stop, rep.Stopped, k.frozen.Results())
		}
	}
}

func TestAnAgentNeverStartsAgents(t *testing.T) {
	k := newStepKit(t, nil, llmtest.Call("c1", "agent.run", `{"prompt":"And again."}`), llmtest.Say("I may not."))
	rep := k.simulate(`{"goal":"x","assumptions":[],"steps":[{"id":"ask","tool":"agent.run","args":{"prompt":"Start another.","tools":["agent.run"]}}]}`)
	if rep.Stopped != nil || len(k.model.Requests()) != 2 || len(k.model.Requests()[0].Tools) != 0 {
		t.Fatalf("%v after %d requests", rep.Stopped, len(k.model.Requests()))
	}
	ms := k.model.Requests()[1].Messages
	if last := ms[len(ms)-1].Text(); !strings.Contains(last, `"status":"blocked"`) {
		t.Errorf("it got %s", last)
	}
}
