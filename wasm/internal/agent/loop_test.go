package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/tool"
)

func TestACallGoesThroughItsWholeLifecycleInOrder(t *testing.T) {
	var order []string
	note := func(s string) { order = append(order, s) }
	k := newKit(t, []llmtest.Turn{
		llmtest.Reply(llm.Text("I look."), call("c1", "test.echo", `{"n":1}`)),
		{Answer: func(r llm.Request) llmtest.Turn {
			note("model")
			return llmtest.Say("Done.")
		}},
	}, withTools(quick("test.echo", func(_ context.Context, env *tool.Env, a tool.Args) (tool.Data, error) {
		note("execute")
		env.Progress(tool.Progress{Done: 1, Total: 2})
		return tool.Data{"n": a.Int("n")}, nil
	})), withDeps(func(d *pipeline.Deps) {
		d.Guards.Check = func(context.Context, *tool.Call) error { note("check"); return nil }
		d.Events.Started = func(*tool.Call) { note("step.started") }
	}), withConfig(func(c *agent.Config) {
		on := c.On
		c.On = func(e agent.Event) {
			on(e)
			if strings.HasPrefix(string(e.Type), "tool_") {
				note(string(e.Type))
			}
		}
	}))
	out := k.run("Look, please.")

	want := []string{
		"tool_execution_start", "check", "step.started", "execute", "tool_execution_update",
		"tool_execution_end", "model",
	}
	if d := cmp.Diff(want, order); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
	k.wantStory(`
		agent_start
		turn_start
		messages_joined 1
		message_end "I look."
		tool_execution_start c1 test.echo
		tool_execution_update c1 test.echo 1/2
		tool_execution_end c1 test.echo ok
		turn_end
		turn_start
		message_end "Done."
		turn_end
		agent_end done
		`)
	if got := results(out.State.Messages); len(got) != 1 || got[0] != `{"n":1}` {
		t.Errorf("the model got %q", got)
	}
	if out.Outputs.Response != "Done." || out.Stop != agent.Done {
		t.Errorf("outcome %q %q", out.Outputs.Response, out.Stop)
	}
}

func TestAnEventOfACallHasTheSameCallIDAsItsStepEvent(t *testing.T) {
	var step string
	k := newKit(t, []llmtest.Turn{
		llmtest.Call("c1", "vault.readFile", `{"file_path":"A.md"}`), llmtest.Say("ok"),
	}, withFiles(map[string]string{"A.md": "a"}), withDeps(func(d *pipeline.Deps) {
		d.Events.Started = func(c *tool.Call) { step = c.CallID }
	}))
	out := k.run("go")
	for _, e := range k.events {
		if (e.Type == agent.ToolStart || e.Type == agent.ToolEnd) && (e.CallID != step || e.LogicalID != out.Outputs.ToolOrder[0]) {
			t.Errorf("%s has callId %s and call_id %s; step.started has %s", e.Type, e.CallID, e.LogicalID, step)
		}
	}
	want := tool.Call{Tool: "vault.readFile", Version: "1.0.0", Args: tool.Args{"path": "A.md"}, Seq: 1, RunID: runID, Attempt: 1}
	if err := want.Identify(); err != nil {
		t.Fatal(err)
	}
	if out.Outputs.ToolOrder[0] != want.LogicalID || step != want.CallID {
		t.Errorf("call_id %s, callId %s: not those of tool, arguments and number", out.Outputs.ToolOrder[0], step)
	}
}

func TestErrorsBlocksAndRefusalsReachTheModelInTheSpecifiedJSON(t *testing.T) {
	limited := quick("test.limited", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
		err := fault.New(fault.RateLimit, "agent.limit.rate", fault.P{"tool": "test.limited", "seconds": "7"})
		err.RetryAfterS = 7
		return nil, err
	})
	broken := quick("test.broken", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) { panic("oh") })
	k := newKit(t, []llmtest.Turn{
		llmtest.Reply(
			call("c1", "test.limited", `{}`), call("c2", "test.checked", `{}`), call("c3", "test.broken", `{}`),
			call("c4", "test.unknown", `{}`), call("c5", "test.limited", `{"n":"x"}`),
		),
		llmtest.Say("ok"),
	}, withTools(limited, broken, quick("test.checked", nil)), withDeps(func(d *pipeline.Deps) {
		d.Guards.Check = func(_ context.Context, c *tool.Call) error {
			if c.Tool == "test.checked" {
				return errors.New("safe-bin mode")
			}
			return nil
		}
	}))
	out := k.run("go")
	want := []map[string]any{
		{"status": "error", "tool": "test.limited", "code": "RATE_LIMIT", "retryable": true, "retry_after_s": 7.0},
		{"status": "blocked", "tool": "test.checked", "code": "POLICY_DENIED"},
		{"status": "error", "tool": "test.broken", "code": "INTERNAL_ERROR", "retryable": false},
		{"status": "error", "tool": "test.unknown", "code": "NOT_FOUND", "retryable": false},
		{"status": "error", "tool": "test.limited", "code": "VALIDATION_ERROR", "retryable": false},
	}
	for i, text := range results(out.State.Messages) {
		var got map[string]any
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		words := "error"
		if got["status"] == "blocked" {
			words = "reason"
		}
		if s, ok := got[words].(string); !ok || s == "" {
			t.Errorf("%s has no words", text)
		}
		delete(got, words)
		if d := cmp.Diff(want[i], got); d != "" {
			t.Errorf("result %d (-want +got):\n%s", i, d)
		}
	}
	if out.Outputs.LastTool != nil {
		t.Errorf("last_tool is %+v though nothing succeeded", out.Outputs.LastTool)
	}
	if e := envelope(t, out, 2); e.Error == nil || e.Error.Code != "UNKNOWN" {
		t.Errorf("an internal error is %+v in the agent's contract", e.Error)
	}
}

func TestACallThatWasCutOffIsAnErrorResultAndNotExecuted(t *testing.T) {
	ran := 0
	k := newKit(t, []llmtest.Turn{
		{
			Blocks: []llm.Block{
				call("c1", "test.echo", `{"n":1}`),
				{Type: llm.BlockToolCall, ToolCall: &llm.ToolCall{ID: "c2", Name: "test.echo", RawArguments: `{"n":`, Incomplete: true}},
			},
			Stop: llm.StopLength,
		},
		llmtest.Say("ok"),
	}, withTools(quick("test.echo", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
		ran++
		return tool.Data{}, nil
	})))
	out := k.run("go")
	got := results(out.State.Messages)
	if ran != 1 || len(got) != 2 || !strings.Contains(got[1], "VALIDATION_ERROR") || !strings.Contains(got[1], "broke off") {
		t.Errorf("%d ran; results %q", ran, got)
	}
}

func TestArgumentsThatAreNoObjectAreAnErrorResult(t *testing.T) {
	deep := strings.Repeat("[", 400) + strings.Repeat("]", 400)
	for name, args := range map[string]string{"list": `[1]`, "null": `null`, "text": `"x"`, "cut": `{"n":`, "deep": `{"text":` + deep + `}`} {
		t.Run(name, func(t *testing.T) {
			ran := false
			k := newKit(t, []llmtest.Turn{
				llmtest.Reply(call("c1", "test.echo", args)), llmtest.Say("ok"),
			}, withTools(quick("test.echo", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
				ran = true
				return tool.Data{}, nil
			})))
			out := k.run("go")
			if got := results(out.State.Messages); ran || len(got) != 1 || !strings.Contains(got[0], "VALIDATION_ERROR") {
				t.Errorf("ran %v, results %q", ran, got)
			}
		})
	}
}

func TestWritesAreStagedSeenByLaterReadsAndLeaveTheVaultAlone(t *testing.T) {
	k := newKit(t, []llmtest.Turn{
		llmtest.Call("c1", "vault.writeFile", `{"file_path":"New.md","content":"staged"}`),
		llmtest.Call("c2", "vault.readFile", `{"path":"New.md"}`),
		llmtest.Say("Written."),
	}, withFiles(map[string]string{"A.md": "a"}))
	out := k.run("write")
	if got := results(out.State.Messages); !strings.Contains(got[1], `"content":"staged"`) {
		t.Errorf("the model does not see its own work: %q", got)
	}
	changes, err := k.vault.Changes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) != 1 || changes[0].Path != "New.md" || string(changes[0].After) != "staged" {
		t.Errorf("staged: %+v", changes)
	}
	if out.Outputs.LastTool == nil || out.Outputs.LastTool.Name != "vault.readFile" {
		t.Errorf("last_tool %+v", out.Outputs.LastTool)
	}
}

func TestAllFiveOutputsAreAlwaysPresent(t *testing.T) {
	k := newKit(t, []llmtest.Turn{llmtest.Say("Hello.")})
	out := k.run("hi")
	b, err := json.Marshal(out.Outputs)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"response":"Hello.","tools_by_id":{},"tool_order":[],"last_tool":null,"traces_url":"obsidian://embedded-agent?run=` + runID + `"}`
	if string(b) != want {
		t.Errorf("outputs %s", b)
	}
}

func TestAModelThatFailsEndsTheRunAndKeepsWhatHadArrived(t *testing.T) {
	k := newKit(t, []llmtest.Turn{
		{Blocks: []llm.Block{llm.Text("I will "), call("c1", "test.echo", `{}`)}, Fail: llm.NewError("llm.error.cut", "host", "h")},
		llmtest.Say("Here I am again."),
	}, withTools(quick("test.echo", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
		t.Error("a call of a broken answer ran")
		return nil, nil
	})))
	out := k.run("go")
	if out.Stop != agent.Failed || out.Problem == nil || out.Problem.Code != fault.Network || out.Outputs.Response != "I will " {
		t.Fatalf("stop %s, problem %v, response %q", out.Stop, out.Problem, out.Outputs.Response)
	}
	again := k.runInput(t.Context(), agent.Input{State: roundTrip(t, out.State)})
	if again.Stop != agent.Done || again.Outputs.Response != "Here I am again." {
		t.Errorf("it does not go on: %s %v", again.Stop, again.Problem)
	}
}

// roundTrip keeps a state as JSON and reads it again.
func roundTrip(t *testing.T, s agent.State) agent.State {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var out agent.State
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAPausedAnswerIsSentBackUnchanged(t *testing.T) {
	k := newKit(t, []llmtest.Turn{
		{Blocks: []llm.Block{llm.Text("thinking")}, Stop: llm.StopPause},
		{Answer: func(r llm.Request) llmtest.Turn {
			if last := r.Messages[len(r.Messages)-1]; last.Role != llm.RoleAssistant || last.Text() != "thinking" {
				t.Errorf("the last message is %+v", last)
			}
			return llmtest.Say("done")
		}},
	})
	if out := k.run("go"); out.Stop != agent.Done {
		t.Errorf("stop %s", out.Stop)
	}
}

func TestTheStopReasonOfTheLastAnswerIsTheOutcomes(t *testing.T) {
	for reason, want := range map[llm.StopReason]agent.Stop{
		llm.StopLength: agent.Length, llm.StopRefusal: agent.Refused, llm.StopContextWindow: agent.ContextWindow, llm.StopStop: agent.Done,
	} {
		k := newKit(t, []llmtest.Turn{{Blocks: []llm.Block{llm.Text("x")}, Stop: reason}})
		if out := k.run("go"); out.Stop != want {
			t.Errorf("%s gives %s", reason, out.Stop)
		}
	}
}

func TestAStopEndsTheRunningToolAndTheConversationGoesOnFromItsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := quick("test.slow", func(ctx context.Context, _ *tool.Env, _ tool.Args) (tool.Data, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		k := newKit(t, []llmtest.Turn{
			llmtest.Reply(call("c1", "test.slow", `{}`), call("c2", "test.echo", `{}`)),
			llmtest.Say("Going on."),
		}, withTools(slow, quick("test.echo", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
			return tool.Data{"kept": true}, nil
		})))
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		out := k.runInput(ctx, agent.Input{Messages: []llm.Message{llm.UserMessage("go")}})
		if out.Stop != agent.Stopped || out.Problem.Code != fault.Cancelled {
			t.Fatalf("stop %s %v", out.Stop, out.Problem)
		}
		got := results(out.State.Messages)
		if len(got) != 2 || !strings.Contains(got[0], "CANCELLED") || got[1] != `{"kept":true}` {
			t.Errorf("results %q", got)
		}
		on := k.runInput(t.Context(), agent.Input{State: roundTrip(t, out.State)})
		if on.Stop != agent.Done || len(on.Outputs.ToolOrder) != 2 || on.Outputs.Response != "Going on." {
			t.Errorf("it does not go on: %s, %d calls", on.Stop, len(on.Outputs.ToolOrder))
		}
	})
}

func TestAConfigThatCannotWorkIsRefused(t *testing.T) {
	k := newKit(t, nil)
	for name, spoil := range map[string]func(*agent.Config){
		"no model":    func(c *agent.Config) { c.Provider = nil },
		"no guard":    func(c *agent.Config) { c.Guard = nil },
		"no tools":    func(c *agent.Config) { c.Registry = nil },
		"no pipeline": func(c *agent.Config) { c.Do = nil },
		"not fitted":  func(c *agent.Config) { c.Gates = agent.NewGates() },
	} {
		cfg := k.cfg
		spoil(&cfg)
		if _, err := agent.Run(t.Context(), cfg, agent.Input{}); !fault.Is(err, fault.Internal) {
			t.Errorf("%s: want the error fault.Internal, got %v", name, err)
		}
	}
}
