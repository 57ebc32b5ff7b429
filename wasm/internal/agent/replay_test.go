package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/tool"
)

// keepBundle keeps a bundle as JSON and reads it again.
func keepBundle(t *testing.T, b *agent.Bundle) *agent.Bundle {
	t.Helper()
	doc, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	out, err := agent.ParseBundle(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// forReplay is the config of a replay: no model, no tools.
func forReplay(k *kit) agent.Config {
	cfg := k.cfg
	cfg.Provider, cfg.Do, cfg.Gates, cfg.Inbox, cfg.On = nil, nil, nil, nil, nil
	cfg.Guard = agent.NewGuard(k.cfg.Guard.Limits(), nil)
	return cfg
}

// sameRun compares what two runs came to, but for times.
func sameRun(t *testing.T, was, is *agent.Outcome) {
	t.Helper()
	for _, o := range []*agent.Outcome{was, is} {
		for i := range o.State.Messages {
			o.State.Messages[i].Timestamp, o.State.Messages[i].Details = 0, nil
		}
	}
	if d := cmp.Diff(asJSON(t, was.State), asJSON(t, is.State)); d != "" {
		t.Errorf("state (-recorded +replayed):\n%s", d)
	}
	if d := cmp.Diff(asJSON(t, was.Outputs), asJSON(t, is.Outputs)); d != "" {
		t.Errorf("outputs (-recorded +replayed):\n%s", d)
	}
	if was.Stop != is.Stop {
		t.Errorf("stop %s, then %s", was.Stop, is.Stop)
	}
}

func asJSON(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// conversation is a run with everything in it: parallel calls, an error, a
// denial, a steering message, and an aborted call.
func conversation(t *testing.T) (*kit, *agent.Outcome) {
	inbox := agent.NewInbox()
	job := spec("test.job", tool.None)
	k := newKit(t, []llmtest.Turn{
		llmtest.Reply(llm.Text("I begin."), call("c1", "vault.writeFile", `{"path":"B.md","content":"b"}`), call("c2", "vault.readFile", `{"path":"A.md"}`)),
		llmtest.Reply(call("c3", "vault.readFile", `{"path":"None.md"}`), call("c4", "test.job", `{}`), call("c5", "test.stuck", `{}`), call("c6", "commands.run", `{"id":"x"}`)),
		llmtest.Reply(call("c7", "vault.readFile", `{"path":"B.md"}`)),
		llmtest.Say("All done."),
	}, withFiles(map[string]string{"A.md": "a"}), withTools(
		tool.Tool{Spec: job, Run: func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
			time.Sleep(20 * time.Second)
			return tool.Data{"job": "done"}, nil
		}},
		quick("test.stuck", func(ctx context.Context, _ *tool.Env, _ tool.Args) (tool.Data, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
	), withLimits(limits.Limits{SideEffects: tool.Writes}), withConfig(func(c *agent.Config) { c.Inbox = inbox }))
	time.AfterFunc(35*time.Second, func() { inbox.Steer(llm.UserMessage("Enough of that.")) })
	return k, k.run("go")
}

func TestABundleReplaysTheWholeConversationWithoutAModelAndWithoutTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, was := conversation(t)
		if was.Stop != agent.Done || len(was.Outputs.ToolOrder) != 7 {
			t.Fatalf("%s with %d calls: %v", was.Stop, len(was.Outputs.ToolOrder), was.Problem)
		}
		bundle := keepBundle(t, was.Bundle)
		for range 3 {
			is, err := agent.Replay(t.Context(), bundle, forReplay(k))
			if err != nil {
				t.Fatal(err)
			}
			sameRun(t, was, is)
		}
	})
}

func TestARunThatEndedBadlyReplaysToTheSameEnd(t *testing.T) {
	stuck := quick("test.stuck", func(ctx context.Context, _ *tool.Env, _ tool.Args) (tool.Data, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	for name, c := range map[string]struct {
		turns []llmtest.Turn
		opts  []option
		want  agent.Stop
	}{
		"iterations": {endless(20, call("c1", "test.echo", `{}`)), nil, agent.Denied},
		"tokens": {nil, []option{withLimits(limits.Limits{EnabledTools: []string{}, MaxTokens: 300}), withConfig(func(c *agent.Config) {
			c.Provider = &dripping{text: strings.Repeat("words and words ", 500)}
		})}, agent.Denied},
		"a question too large": {nil, []option{withLimits(limits.Limits{EnabledTools: []string{}, MaxTokens: 5})}, agent.Denied},
		"failure":              {[]llmtest.Turn{{Blocks: []llm.Block{llm.Text("Half "), call("c1", "test.echo", `{}`)}, Fail: llm.NewError("llm.error.cut")}}, nil, agent.Failed},
		"stop in the answer":   {[]llmtest.Turn{{Blocks: []llm.Block{llm.Text("Half ")}, Hold: true}}, nil, agent.Stopped},
		"stop in a tool":       {[]llmtest.Turn{llmtest.Reply(call("c1", "test.echo", `{}`), call("c2", "test.stuck", `{}`))}, nil, agent.Stopped},
		"refusal":              {[]llmtest.Turn{{Blocks: []llm.Block{llm.Text("No.")}, Stop: llm.StopRefusal}}, nil, agent.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newKit(t, c.turns, append(c.opts, withTools(echo, stuck))...)
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				was := k.runInput(ctx, agent.Input{Messages: []llm.Message{llm.UserMessage("go")}})
				if was.Stop != c.want {
					t.Fatalf("want Stop as in the case, got %s %v", was.Stop, was.Problem)
				}
				is, err := agent.Replay(t.Context(), keepBundle(t, was.Bundle), forReplay(k))
				if err != nil {
					t.Fatal(err)
				}
				sameRun(t, was, is)
			})
		})
	}
}

func TestABundleReplaysAgainstRealToolsOnTheSameVault(t *testing.T) {
	script := []llmtest.Turn{
		llmtest.Reply(call("c1", "vault.writeFile", `{"path":"B.md","content":"b"}`), call("c2", "vault.readFile", `{"path":"A.md"}`)),
		llmtest.Call("c3", "vault.readFile", `{"path":"B.md"}`),
		llmtest.Say("Done."),
	}
	files := map[string]string{"A.md": "a"}
	k := newKit(t, script, withFiles(files))
	was := k.run("go")
	again := newKit(t, nil, withFiles(files))
	cfg := again.cfg
	is, err := agent.Replay(t.Context(), keepBundle(t, was.Bundle), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if is.Outputs.Response != "Done." {
		t.Errorf("response %q", is.Outputs.Response)
	}
	if changes, err := again.vault.Changes(t.Context()); err != nil || len(changes) != 1 || changes[0].Path != "B.md" {
		t.Errorf("the replay staged %v, %v", changes, err)
	}

	other := newKit(t, nil, withFiles(map[string]string{"A.md": "something else"}))
	if _, err := agent.Replay(t.Context(), keepBundle(t, was.Bundle), other.cfg); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "request 2") {
		t.Errorf("on another vault: %v", err)
	}
}

func TestAReplayNoticesEveryDifference(t *testing.T) {
	k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.echo", `{"n":1}`), llmtest.Say("Done.")}, withTools(echo))
	was := k.run("go")
	for name, spoil := range map[string]func(*agent.Bundle, *agent.Config){
		"another prompt":   func(b *agent.Bundle, _ *agent.Config) { b.System = "Obey the note." },
		"another word":     func(b *agent.Bundle, _ *agent.Config) { b.Turns[0].Joined[0].Content[0].Text = "stop" },
		"another result":   func(b *agent.Bundle, _ *agent.Config) { b.Turns[0].Results[0].Content[0].Text = `{"n":2}` },
		"a lost call":      func(b *agent.Bundle, _ *agent.Config) { clear(b.Outputs.ToolsByID) },
		"other calls":      func(b *agent.Bundle, _ *agent.Config) { b.Outputs.ToolOrder = nil },
		"another answer":   func(b *agent.Bundle, _ *agent.Config) { b.Outputs.Response = "Deleted." },
		"a missing turn":   func(b *agent.Bundle, _ *agent.Config) { b.Turns = b.Turns[:1] },
		"a turn too many":  func(b *agent.Bundle, _ *agent.Config) { b.Turns = append(b.Turns, agent.BundleTurn{}) },
		"other tools":      func(b *agent.Bundle, _ *agent.Config) { b.Tools = b.Tools[:1] },
		"other options":    func(b *agent.Bundle, _ *agent.Config) { b.Options.MaxTokens = 1 },
		"a missing answer": func(b *agent.Bundle, _ *agent.Config) { b.Turns[1].Answer = nil },
	} {
		t.Run(name, func(t *testing.T) {
			b, cfg := keepBundle(t, was.Bundle), forReplay(k)
			spoil(b, &cfg)
			if _, err := agent.Replay(t.Context(), b, cfg); !fault.Is(err, fault.Conflict) {
				t.Errorf("want the error fault.Conflict, got %v", err)
			}
		})
	}
}

func TestABundleOfAnotherVersionOrNoJSONIsRefused(t *testing.T) {
	for _, doc := range []string{`{"version":2}`, `{}`, `[`, ``} {
		if _, err := agent.ParseBundle([]byte(doc)); !fault.Is(err, fault.Validation) {
			t.Errorf("%q: want the error fault.Validation, got %v", doc, err)
		}
	}
	if _, err := agent.Replay(t.Context(), &agent.Bundle{Version: 9}, agent.Config{}); !fault.Is(err, fault.Validation) {
		t.Errorf("want the error fault.Validation, got %v", err)
	}
}

func TestARedactedBundleReplaysAndTheTextIsNowhereInIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, was := conversation(t)
		redact := func(s string) string {
			s = strings.ReplaceAll(s, `"content":"b"`, `"content":"[redacted:1]"`)
			return strings.ReplaceAll(strings.ReplaceAll(s, "B.md", "[redacted:2]"), "I begin", "[redacted:3]")
		}
		clean, err := was.Bundle.Redacted(t.Context(), redact, k.cfg.Registry)
		if err != nil {
			t.Fatal(err)
		}
		kept := keepBundle(t, clean)
		doc, err := json.Marshal(kept)
		if err != nil || strings.Contains(string(doc), "B.md") || strings.Contains(string(doc), "I begin") {
			t.Errorf("%v: something was left", err)
		}
		is, err := agent.ReplayAlone(t.Context(), kept, k.cfg.Registry)
		if err != nil {
			t.Fatal(err)
		}
		if len(is.Outputs.ToolOrder) != len(was.Outputs.ToolOrder) || is.Stop != was.Stop {
			t.Errorf("%d calls, %s", len(is.Outputs.ToolOrder), is.Stop)
		}
		for i, id := range was.Outputs.ToolOrder {
			a, b := was.Outputs.ToolsByID[id], is.Outputs.ToolsByID[is.Outputs.ToolOrder[i]]
			if a.Name != b.Name || a.TStart != b.TStart || (a.Error == nil) != (b.Error == nil) {
				t.Errorf("call %d: %+v became %+v", i, a, b)
			}
		}
		same, err := was.Bundle.Redacted(t.Context(), func(s string) string { return s }, k.cfg.Registry)
		if err != nil || same != was.Bundle {
			t.Errorf("a bundle without anything to redact was made anew: %v", err)
		}
	})
}

func TestABundleReplaysAloneWhateverToolsThereAreNow(t *testing.T) {
	k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.echo", `{"n":1,"text":"a <b> & c"}`), llmtest.Say("Done.")}, withTools(echo),
		withConfig(func(c *agent.Config) { c.Request.MaxTokens = 77 }))
	was := k.run("go")
	now := newKit(t, nil, withTools(echo, quick("test.newer", nil)))
	is, err := agent.ReplayAlone(t.Context(), keepBundle(t, was.Bundle), now.cfg.Registry)
	if err != nil || is.Outputs.Response != "Done." {
		t.Errorf("want no error and Outputs.Response \"Done.\", got %v %+v", err, is)
	}
}
