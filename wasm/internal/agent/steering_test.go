package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/tool"
)

func TestASteeringMessageAbortsRunningToolsKeepsFinishedResultsAndJoinsTheNextTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inbox := agent.NewInbox()
		stuck := quick("test.stuck", func(ctx context.Context, _ *tool.Env, _ tool.Args) (tool.Data, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		k := newKit(t, []llmtest.Turn{
			llmtest.Reply(call("c1", "test.fast", `{}`), call("c2", "test.stuck", `{}`), call("c3", "test.write", `{}`), call("c4", "test.write", `{}`)),
			{Check: func(r llm.Request) error {
				if last := r.Messages[len(r.Messages)-1]; last.Text() != "Rather the other folder." {
					return fmt.Errorf("the last message is %q", last.Text())
				}
				return nil
			}, Blocks: []llm.Block{llm.Text("As you like.")}},
		}, withTools(stuck,
			quick("test.fast", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) { return tool.Data{"kept": true}, nil }),
			tool.Tool{Spec: spec("test.write", tool.Writes), Run: func(ctx context.Context, _ *tool.Env, _ tool.Args) (tool.Data, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}},
		), withConfig(func(c *agent.Config) { c.Inbox = inbox }))
		time.AfterFunc(time.Second, func() { inbox.Steer(llm.UserMessage("Rather the other folder.")) })
		out := k.run("go")
		if out.Stop != agent.Done || out.Outputs.Response != "As you like." {
			t.Fatalf("%s: want Stop agent.Done and Outputs.Response \"As you like.\", got %v", out.Stop, out.Problem)
		}
		got := results(out.State.Messages)
		if got[0] != `{"kept":true}` {
			t.Errorf("the finished result became %s", got[0])
		}
		for _, text := range got[1:] {
			if !strings.Contains(text, "CANCELLED") || !strings.Contains(text, "sent a message") {
				t.Errorf("an aborted call gave %s", text)
			}
		}
	})
}

func TestAMessageSentWhileTheModelSpeaksStopsItsCallsBeforeTheyBegin(t *testing.T) {
	inbox := agent.NewInbox()
	k := newKit(t, []llmtest.Turn{
		{Answer: func(llm.Request) llmtest.Turn {
			inbox.Steer(llm.UserMessage("Wait."))
			return llmtest.Call("c1", "test.no", `{}`)
		}},
		llmtest.Say("I wait."),
	}, withTools(quick("test.no", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
		t.Error("the call ran")
		return nil, nil
	})), withConfig(func(c *agent.Config) { c.Inbox = inbox }))
	out := k.run("go")
	if got := results(out.State.Messages); len(got) != 1 || !strings.Contains(got[0], "CANCELLED") || out.Outputs.Response != "I wait." {
		t.Errorf("results %q, response %q", got, out.Outputs.Response)
	}
	if e := envelope(t, out, 0); e.Error == nil || e.Error.Code != "CANCELLED" {
		t.Errorf("the receipt says %+v", e.Error)
	}
}

func TestQueuedMessagesRunOneByOneAfterThePresentWork(t *testing.T) {
	inbox := agent.NewInbox()
	inbox.Queue(llm.UserMessage("second"))
	inbox.Queue(llm.UserMessage("third"))
	k := newKit(t, []llmtest.Turn{
		llmtest.Call("c1", "test.echo", `{}`), llmtest.Say("one"), llmtest.Say("two"), llmtest.Say("three"),
	}, withTools(quick("test.echo", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) { return tool.Data{}, nil })),
		withConfig(func(c *agent.Config) { c.Inbox = inbox }))
	out := k.run("first")
	var got []string
	for _, m := range out.State.Messages {
		if m.Role != llm.RoleToolResult && m.Text() != "" {
			got = append(got, m.Text())
		}
	}
	if want := []string{"first", "one", "second", "two", "third", "three"}; !slices.Equal(got, want) {
		t.Errorf("the conversation is %q", got)
	}
	if left := inbox.Left(); len(left) != 0 {
		t.Errorf("%d messages are left", len(left))
	}
}

func TestACallEndsAtItsTimeoutAndOneThatDoesNotReturnIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		good := quick("test.good", func(ctx context.Context, _ *tool.Env, _ tool.Args) (tool.Data, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		deaf := quick("test.deaf", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
			<-release
			return tool.Data{}, nil
		})
		k := newKit(t, []llmtest.Turn{
			llmtest.Reply(call("c1", "test.good", `{}`), call("c2", "test.deaf", `{}`)), llmtest.Say("ok"),
		}, withTools(good, deaf), withConfig(func(c *agent.Config) {
			c.Timing = agent.Timing{Timeout: 10 * time.Second, Cleanup: 2 * time.Second}
		}))
		start := time.Now()
		out := k.run("go")
		if took := time.Since(start); took != 12*time.Second {
			t.Errorf("it took %v", took)
		}
		for i, e := range []string{"test.good", "test.deaf"} {
			if got := envelope(t, out, i); got.Error == nil || got.Error.Code != string(fault.Timeout) {
				t.Errorf("%s: want Error set and Error.Code equal to string(fault.Timeout), got %+v", e, got.Error)
			}
		}
		if got := results(out.State.Messages); !strings.Contains(got[0], `"retryable":true`) {
			t.Errorf("results %q", got)
		}
	})
}

func TestACallThatComesFurtherIsNotLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := quick("test.far", func(ctx context.Context, env *tool.Env, _ tool.Args) (tool.Data, error) {
			for i := range 100 {
				select {
				case <-time.After(9 * time.Second):
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				env.Progress(tool.Progress{Done: i + 1, Total: 100})
			}
			return tool.Data{}, nil
		})
		k := newKit(t, []llmtest.Turn{llmtest.Reply(call("c1", "test.far", `{}`)), llmtest.Say("ok")},
			withTools(far), withConfig(func(c *agent.Config) {
				c.Timing = agent.Timing{Timeout: 10 * time.Second, Cleanup: 2 * time.Second}
			}))
		out := k.run("go")
		if got := envelope(t, out, 0); got.Error != nil {
			t.Errorf("want no Error, got %+v", got.Error)
		}
	})
}

func TestAStopWhileTheModelSpeaksKeepsItsWordsAndGoingOnAsksItToContinue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		k := newKit(t, []llmtest.Turn{
			{Blocks: []llm.Block{llm.Text("I was about to ")}, Hold: true, Held: held},
			{Check: func(r llm.Request) error {
				if last := r.Messages[len(r.Messages)-1]; last.Role != llm.RoleUser || last.Text() != "Continue where you stopped." {
					return fmt.Errorf("the last message is %q of the %s", last.Text(), last.Role)
				}
				return nil
			}, Blocks: []llm.Block{llm.Text("say this.")}},
		})
		ctx, stop := context.WithCancel(t.Context())
		go func() { <-held; stop() }()
		out := k.runInput(ctx, agent.Input{Messages: []llm.Message{llm.UserMessage("go")}})
		if out.Stop != agent.Stopped || out.Outputs.Response != "I was about to " {
			t.Fatalf("want Stop agent.Stopped and Outputs.Response \"I was about to \", got %s, %q", out.Stop, out.Outputs.Response)
		}
		on := k.runInput(t.Context(), agent.Input{State: roundTrip(t, out.State)})
		if on.Stop != agent.Done || on.Outputs.Response != "say this." {
			t.Errorf("%s, %q: want Stop agent.Done and Outputs.Response \"say this.\", got %v", on.Stop, on.Outputs.Response, on.Problem)
		}
	})
}

func TestMessagesThatComeAfterTheEndAreLeftInTheInbox(t *testing.T) {
	inbox := agent.NewInbox()
	k := newKit(t, []llmtest.Turn{llmtest.Say("done")}, withConfig(func(c *agent.Config) {
		c.Inbox = inbox
		on := c.On
		c.On = func(e agent.Event) {
			on(e)
			if e.Type == agent.AgentEnd {
				inbox.Steer(llm.UserMessage("one more"))
			}
		}
	}))
	k.run("go")
	if left := inbox.Left(); len(left) != 1 || left[0].Text() != "one more" {
		t.Errorf("left: %v", left)
	}
}

func TestAToolThatMakesCallsOfItsOwnThroughTheSamePipelineDoesNotDisturbTheOrder(t *testing.T) {
	var k *kit
	inner := quick("test.outer", func(ctx context.Context, _ *tool.Env, a tool.Args) (tool.Data, error) {
		r := k.cfg.Do(ctx, pipeline.Request{Call: &tool.Call{RunID: runID, StepID: "inner", Tool: "test.echo", Args: tool.Args{"n": a["n"]}, Attempt: 1, Seq: 100 + a.Int("n")}})
		return r.Data, nil
	})
	k = newKit(t, []llmtest.Turn{
		llmtest.Reply(call("c1", "test.outer", `{"n":1}`), call("c2", "test.outer", `{"n":2}`)), llmtest.Say("ok"),
	}, withTools(inner, echo), withConfig(func(c *agent.Config) { c.Concurrency = 1 }))
	out := k.run("go")
	if got := results(out.State.Messages); !slices.Equal(got, []string{`{"n":1}`, `{"n":2}`}) {
		t.Errorf("results %q", got)
	}
}

func TestASteeredToolThatDoesNotReturnIsLeftBehindAfterItsCleanupTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inbox := agent.NewInbox()
		release := make(chan struct{})
		defer close(release)
		k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.deaf", `{}`), llmtest.Say("ok")}, withTools(
			quick("test.deaf", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) { <-release; return tool.Data{}, nil }),
		), withConfig(func(c *agent.Config) { c.Inbox = inbox }))
		time.AfterFunc(time.Second, func() { inbox.Steer(llm.UserMessage("Never mind.")) })
		start := time.Now()
		out := k.run("go")
		if took := time.Since(start); took != time.Second+agent.DefaultTiming.Cleanup || out.Stop != agent.Done {
			t.Errorf("%s after %v", out.Stop, took)
		}
		if e := envelope(t, out, 0); e.Error == nil || e.Error.Code != string(fault.Cancelled) {
			t.Errorf("want Error set and Error.Code equal to string(fault.Cancelled), got %+v", e.Error)
		}
	})
}
