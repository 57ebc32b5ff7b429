package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/tool"
)

// since is the time since start in whole milliseconds: as wasm, a breath between
// two calls sleeps for a microsecond.
func since(start time.Time) time.Duration {
	return time.Since(start).Truncate(time.Millisecond)
}

func TestCallsOfOneAnswerRunAtOnceUpToTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		meet := quick("test.meet", func(ctx context.Context, _ *tool.Env, a tool.Args) (tool.Data, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return tool.Data{"n": a.Int("n")}, nil
		})
		var calls []llm.Block
		for i := range 7 {
			calls = append(calls, call(fmt.Sprint("c", i), "test.meet", fmt.Sprintf(`{"n":%d}`, i)))
		}
		k := newKit(t, []llmtest.Turn{llmtest.Reply(calls...), llmtest.Say("ok")}, withTools(meet),
			withConfig(func(c *agent.Config) { c.Concurrency = 3 }))
		start := time.Now()
		out := k.run("go")
		if most != 3 {
			t.Errorf("%d ran at once, want 3", most)
		}
		if took := since(start); took != 3*time.Second {
			t.Errorf("7 calls of a second, three at once, took %v", took)
		}
		for i, text := range results(out.State.Messages) {
			if text != fmt.Sprintf(`{"n":%d}`, i) {
				t.Errorf("result %d is %s", i, text)
			}
		}
	})
}

func TestEndsAreToldInOrderOfCompletionAndResultsStayInSourceOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := quick("test.wait", func(_ context.Context, _ *tool.Env, a tool.Args) (tool.Data, error) {
			time.Sleep(time.Duration(a.Int("n")) * time.Second)
			return tool.Data{"n": a.Int("n")}, nil
		})
		k := newKit(t, []llmtest.Turn{
			llmtest.Reply(call("c1", "test.wait", `{"n":3}`), call("c2", "test.wait", `{"n":1}`), call("c3", "test.wait", `{"n":2}`)),
			llmtest.Say("ok"),
		}, withTools(wait))
		out := k.run("go")
		k.wantStory(`
			agent_start
			turn_start
			messages_joined 1
			message_end ""
			tool_execution_start c1 test.wait
			tool_execution_start c2 test.wait
			tool_execution_start c3 test.wait
			tool_execution_end c2 test.wait ok
			tool_execution_end c3 test.wait ok
			tool_execution_end c1 test.wait ok
			turn_end
			turn_start
			message_end "ok"
			turn_end
			agent_end done
			`)
		if got := results(out.State.Messages); !slices.Equal(got, []string{`{"n":3}`, `{"n":1}`, `{"n":2}`}) {
			t.Errorf("results %q", got)
		}
		if last := out.Outputs.LastTool; last == nil || last.CallID != out.Outputs.ToolOrder[2] {
			t.Errorf("last_tool %+v", last)
		}
	})
}

func TestChecksAndQuestionsComeInSourceOrderThoughTheCallsRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var checked []string
		wait := quick("test.wait", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
			time.Sleep(time.Second)
			return tool.Data{}, nil
		})
		k := newKit(t, []llmtest.Turn{
			llmtest.Reply(call("c1", "test.wait", `{"n":1}`), call("c2", "test.wait", `{"n":"bad"}`), call("c3", "test.wait", `{"n":3}`), call("c4", "test.wait", `{"n":4}`)),
			llmtest.Say("ok"),
		}, withTools(wait), withDeps(func(d *pipeline.Deps) {
			d.Guards.Check = func(_ context.Context, c *tool.Call) error {
				// The earlier the call, the longer its check.
				time.Sleep(time.Duration(10-c.Seq) * 100 * time.Millisecond)
				checked = append(checked, fmt.Sprint(c.Seq))
				return nil
			}
		}))
		start := time.Now()
		k.run("go")
		if got := strings.Join(checked, " "); got != "1 3 4" {
			t.Errorf("checks ran for %s", got)
		}
		if took := since(start); took != 900*time.Millisecond+700*time.Millisecond+600*time.Millisecond+time.Second {
			t.Errorf("it took %v: the calls did not run at once", took)
		}
	})
}

// writer is a tool that claims its path and takes a random time, and notes what
// it does.
func writer(name string, effects tool.SideEffects, claims func(tool.Args) []string, note func(string)) tool.Tool {
	return tool.Tool{
		Spec: spec(name, effects), Claims: claims,
		Run: func(_ context.Context, _ *tool.Env, a tool.Args) (tool.Data, error) {
			note(fmt.Sprint("+", a.Int("n")))
			time.Sleep(time.Duration(a.Int("n")*7919%13) * time.Millisecond)
			note(fmt.Sprint("-", a.Int("n")))
			return tool.Data{}, nil
		},
	}
}

func TestCallsThatTouchOnePathKeepTheirSourceOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		type asked struct{ tool, path string }
		n := rapid.IntRange(2, 12).Draw(rt, "calls")
		var all []asked
		for range n {
			all = append(all, asked{
				rapid.SampledFrom([]string{"test.write", "test.write", "test.read", "test.alone"}).Draw(rt, "tool"),
				rapid.SampledFrom([]string{"A.md", "a.md", "B/C.md", "B", "D.md"}).Draw(rt, "path"),
			})
		}
		places := rapid.IntRange(1, 6).Draw(rt, "places")
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var log []string
			note := func(s string) { mu.Lock(); log = append(log, s); mu.Unlock() }
			path := func(a tool.Args) []string { return []string{a.String("path")} }
			var calls []llm.Block
			for i, a := range all {
				calls = append(calls, call(fmt.Sprint("c", i), a.tool, fmt.Sprintf(`{"n":%d,"path":%q}`, i, a.path)))
			}
			k := newKit(t, []llmtest.Turn{llmtest.Reply(calls...), llmtest.Say("ok")}, withTools(
				writer("test.write", tool.Writes, path, note),
				writer("test.read", tool.Reads, nil, note),
				writer("test.alone", tool.Writes, func(tool.Args) []string { return []string{"*"} }, note),
			), withConfig(func(c *agent.Config) { c.Concurrency = places }))
			k.run("go")
			at := func(s string) int { return slices.Index(log, s) }
			for j := range all {
				for i := range j {
					if dependent(all[i].tool, all[i].path, all[j].tool, all[j].path) && at(fmt.Sprint("-", i)) > at(fmt.Sprint("+", j)) {
						rt.Errorf("%v ran into %v: %v", all[j], all[i], log)
					}
				}
			}
		})
	})
}

// dependent is the rule of docs/design/invocation.md#the-loop, as an oracle.
func dependent(t1, p1, t2, p2 string) bool {
	if t1 == "test.read" && t2 == "test.read" {
		return false
	}
	if t1 == "test.alone" || t2 == "test.alone" {
		return true
	}
	p1, p2 = strings.ToLower(p1), strings.ToLower(p2)
	return p1 == p2 || strings.HasPrefix(p1+"/", p2+"/") || strings.HasPrefix(p2+"/", p1+"/")
}

func TestReadsOfOneNoteAndWritesOfTwoRunAtOnce(t *testing.T) {
	wait := func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
		time.Sleep(time.Second)
		return tool.Data{}, nil
	}
	reads := tool.Tool{Spec: spec("test.reads", tool.Reads), Run: wait}
	writes := tool.Tool{Spec: spec("test.writes", tool.Writes), Run: wait, Claims: func(a tool.Args) []string { return []string{a.String("path")} }}
	careless := tool.Tool{Spec: spec("test.careless", tool.Writes), Run: wait}
	broken := tool.Tool{Spec: spec("test.broken", tool.Writes), Run: wait, Claims: func(tool.Args) []string { panic("claims") }}
	for _, c := range []struct {
		calls []llm.Block
		want  time.Duration
	}{
		{[]llm.Block{call("1", "test.reads", `{"path":"A.md"}`), call("2", "test.reads", `{"path":"A.md"}`), call("3", "test.reads", `{}`)}, time.Second},
		{[]llm.Block{call("1", "test.writes", `{"path":"A.md"}`), call("2", "test.writes", `{"path":"B.md"}`), call("3", "test.reads", `{"path":"C.md"}`)}, time.Second},
		{[]llm.Block{call("1", "test.writes", `{"path":"A.md"}`), call("2", "test.reads", `{}`)}, 2 * time.Second},
		{[]llm.Block{call("1", "test.careless", `{"path":"A.md"}`), call("2", "test.writes", `{"path":"B.md"}`)}, 2 * time.Second},
		{[]llm.Block{call("1", "test.broken", `{"path":"A.md"}`), call("2", "test.writes", `{"path":"B.md"}`)}, 2 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := newKit(t, []llmtest.Turn{llmtest.Reply(c.calls...), llmtest.Say("ok")}, withTools(reads, writes, careless, broken))
			start := time.Now()
			k.run("go")
			if took := since(start); took != c.want {
				t.Errorf("%s and %s took %v, want %v", c.calls[0].Name, c.calls[1].Name, took, c.want)
			}
		})
	}
}

func TestReadsBesideAWriteSeeWhatCameBeforeThemAndNothingElse(t *testing.T) {
	k := newKit(t, []llmtest.Turn{
		llmtest.Reply(
			call("c1", "vault.readFile", `{"path":"A.md"}`),
			call("c2", "vault.writeFile", `{"path":"A.md","content":"two"}`),
			call("c3", "vault.readFile", `{"path":"A"}`),
			call("c4", "vault.writeFile", `{"path":"A.md","content":"three"}`),
			call("c5", "vault.searchText", `{"query":"three"}`),
		),
		llmtest.Say("ok"),
	}, withFiles(map[string]string{"A.md": "one"}))
	for range 20 {
		out := k.run("go")
		got := results(out.State.Messages)
		if !strings.Contains(got[0], `"one"`) || !strings.Contains(got[2], `"two"`) || !strings.Contains(got[4], "A.md") {
			t.Fatalf("results %q", got)
		}
		k = newKit(t, []llmtest.Turn{k.again(), llmtest.Say("ok")}, withFiles(map[string]string{"A.md": "one"}))
	}
}

// again plays the first answer once more.
func (k *kit) again() llmtest.Turn {
	for _, e := range k.events {
		if e.Type == agent.MessageEnd {
			return llmtest.Reply(e.Messages[0].Content...)
		}
	}
	k.t.Fatal("no answer")
	return llmtest.Turn{}
}
