package agent_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/plugin/i18n"
	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/tool"
)

// receipts makes outputs out of calls written as "id tool value"; a value of !
// is a failure, of ? one that goes on.
func receipts(calls ...string) agent.Outputs {
	out := agent.Outputs{ToolsByID: map[string]tool.Envelope{}}
	for _, c := range calls {
		f := strings.Fields(c)
		e := tool.Envelope{CallID: f[0], Name: f[1], Version: "1.0.0", TEnd: "2026-01-01T00:00:00.000Z"}
		switch f[2] {
		case "!":
			e.Error = &tool.EnvelopeError{Code: "TIMEOUT"}
		case "?":
			e.TEnd = ""
		default:
			e.Output = f[2]
		}
		out.ToolOrder = append(out.ToolOrder, f[0])
		out.ToolsByID[f[0]] = e
	}
	return out
}

func TestAPinTakesTheCallThatItsStrategyChooses(t *testing.T) {
	out := receipts("1 w !", "2 w sun", "3 x other", "4 w rain", "5 v !")
	for _, c := range []struct {
		selector agent.Selector
		want     any
	}{
		{agent.Selector{Tool: "w"}, "rain"},
		{agent.Selector{Tool: "w", Strategy: agent.Latest}, "rain"},
		{agent.Selector{Tool: "w", Strategy: agent.FirstSuccess}, "sun"},
		{agent.Selector{Tool: "w@1.0.0", Strategy: agent.FirstSuccess}, "sun"},
		{agent.Selector{Tool: "w@2.0.0"}, nil},
		{agent.Selector{Tool: "w", Strategy: agent.ByCallID, CallID: "2"}, "sun"},
		{agent.Selector{Tool: "w", Strategy: agent.ByCallID, CallID: "3"}, nil},
		{agent.Selector{Tool: "w", Strategy: agent.ByCallID, CallID: "9"}, nil},
		{agent.Selector{Tool: "v"}, nil},
		{agent.Selector{Tool: "v", Strategy: agent.FirstSuccess}, nil},
		{agent.Selector{Tool: "gone"}, nil},
	} {
		got, err := agent.ResolvePins([]agent.Pin{{Name: "p", Selector: c.selector}}, out, nil)
		if value, there := got["p"]; err != nil || !there || value != c.want {
			t.Errorf("%+v gives %v, %v", c.selector, got, err)
		}
	}
}

func TestAPinWithoutAValueGivesNullAnErrorOrTheLastSuccess(t *testing.T) {
	last := &agent.MemoryValues{}
	pins := []agent.Pin{{Name: "w", Selector: agent.Selector{Tool: "w"}, OnMissing: agent.MissingStale}}
	for _, step := range []struct {
		out  agent.Outputs
		want any
	}{
		{receipts("1 w !"), nil}, // never anything
		{receipts("1 w sun"), "sun"},
		{receipts("1 w !"), "sun"},
		{receipts("1 w ?"), "sun"},
		{receipts("1 w rain"), "rain"},
		{receipts(), "rain"},
	} {
		got, err := agent.ResolvePins(pins, step.out, last)
		if err != nil || got["w"] != step.want {
			t.Errorf("%v gives %v, %v", step.out.ToolOrder, got, err)
		}
	}
	pins[0].OnMissing = agent.MissingError
	if _, err := agent.ResolvePins(pins, receipts("1 w !"), last); !fault.Is(err, fault.NotFound) {
		t.Errorf("error gives %v", err)
	}
	pins[0].OnMissing = agent.MissingNull
	if got, err := agent.ResolvePins(pins, receipts(), last); err != nil || got["w"] != nil {
		t.Errorf("null gives %v, %v", got, err)
	}
}

func TestAPinOnAToolThatIsSwitchedOffKeepsWorking(t *testing.T) {
	last := &agent.MemoryValues{}
	pins := []agent.Pin{
		{Name: "number", Selector: agent.Selector{Tool: "test.echo"}, OnMissing: agent.MissingStale},
		{Name: "plain", Selector: agent.Selector{Tool: "test.echo"}},
	}
	values := func(enabled ...string) map[string]any {
		k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.echo", `{"n":4}`), llmtest.Say("ok")}, withTools(echo), withLimits(agent.Limits{EnabledTools: enabled}))
		got, err := agent.ResolvePins(pins, k.run("go").Outputs, last)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	four := map[string]any{"n": 4}
	if d := cmp.Diff(map[string]any{"number": four, "plain": four}, values("test.echo")); d != "" {
		t.Errorf("enabled (-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string]any{"number": four, "plain": nil}, values("vault.readFile")); d != "" {
		t.Errorf("switched off (-want +got):\n%s", d)
	}
}

func TestPinsThatCannotWorkAreRefused(t *testing.T) {
	ok := agent.Selector{Tool: "w"}
	for name, pins := range map[string][]agent.Pin{
		"no name":          {{Selector: ok}},
		"name of words":    {{Name: "a b", Selector: ok}},
		"twice":            {{Name: "a", Selector: ok}, {Name: "a", Selector: ok}},
		"no tool":          {{Name: "a"}},
		"strategy":         {{Name: "a", Selector: agent.Selector{Tool: "w", Strategy: "best"}}},
		"by_call_id empty": {{Name: "a", Selector: agent.Selector{Tool: "w", Strategy: agent.ByCallID}}},
		"on_missing":       {{Name: "a", Selector: ok, OnMissing: "retry"}},
	} {
		if _, err := agent.ResolvePins(pins, receipts(), nil); !fault.Is(err, fault.Validation) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// cached is a tool with a cache policy that counts its runs.
func cached(name string, effects tool.SideEffects, policy tool.CachePolicy, runs *int) tool.Tool {
	s := spec(name, effects)
	s.Cache, s.CacheTTLS = policy, 60
	s.Flags.WorkspaceOnly = true
	return tool.Tool{Spec: s, Run: func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
		*runs++
		return tool.Data{"run": *runs}, nil
	}}
}

func TestResultsAreReusedByTheToolsPolicyAndShownAsCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var never, ttl, forever, reads, writes int
		generation := uint64(1)
		cache := agent.NewCache(0, func() uint64 { return generation }, func(*tool.Entry) string { return "" })
		tools := []tool.Tool{
			cached("test.never", tool.None, tool.CacheNone, &never), cached("test.ttl", tool.None, tool.CacheTTL, &ttl),
			cached("test.forever", tool.None, tool.CacheForever, &forever), cached("test.reads", tool.Reads, tool.CacheForever, &reads),
			cached("test.writes", tool.Writes, tool.CacheForever, &writes),
		}
		ask := func() *agent.Outcome {
			var calls []llm.Block
			for i, tl := range tools {
				calls = append(calls, call(fmt.Sprint("c", i), tl.Name, `{"n":1}`))
			}
			k := newKit(t, []llmtest.Turn{llmtest.Reply(calls...), llmtest.Say("ok")}, withTools(tools...), withDeps(func(d *pipeline.Deps) { d.Cache = cache }))
			return k.run("go")
		}
		runs := func(want ...int) {
			t.Helper()
			if got := []int{never, ttl, forever, reads, writes}; !slices.Equal(got, want) {
				t.Errorf("runs %v, want %v", got, want)
			}
		}
		ask()
		runs(1, 1, 1, 1, 1)
		out := ask()
		runs(2, 1, 1, 1, 2)
		for i, want := range []bool{false, true, true, true, false} {
			if e := envelope(t, out, i); e.Cached != want {
				t.Errorf("%s: cached %v", e.Name, e.Cached)
			}
		}
		generation++ // a note changed
		ask()
		runs(3, 1, 1, 2, 3)
		time.Sleep(61 * time.Second)
		ask()
		runs(4, 2, 1, 2, 4)
	})
}

func TestAVaultThatChangesWhileItIsReadLeavesNothingStaleInTheCache(t *testing.T) {
	generation := uint64(1)
	c := agent.NewCache(0, func() uint64 { return generation }, nil)
	s := spec("test.reads", tool.Reads)
	s.Cache = tool.CacheForever
	e := &tool.Entry{Tool: tool.Tool{Spec: s}}
	one := &tool.Call{CallID: "1", ArgsHash: "h"}
	if _, hit := c.Get(one, e); hit {
		t.Fatal("a hit in an empty cache")
	}
	generation++ // somebody writes meanwhile
	c.Put(one, e, tool.Data{"old": true})
	if d, hit := c.Get(&tool.Call{CallID: "2", ArgsHash: "h"}, e); hit {
		t.Errorf("the old result is reused: %v", d)
	}
}

func TestACacheKeepsScopesApartAndItsOwnCopies(t *testing.T) {
	scope := "device"
	c := agent.NewCache(2, nil, func(*tool.Entry) string { return scope })
	s := spec("test.paid", tool.None)
	s.Cache, s.Secrets = tool.CacheForever, []string{"key"}
	e := &tool.Entry{Tool: tool.Tool{Spec: s}}
	get := func(id, hash string) (tool.Data, bool) { return c.Get(&tool.Call{CallID: id, ArgsHash: hash}, e) }
	put := func(id string, d tool.Data) { c.Put(&tool.Call{CallID: id}, e, d) }
	get("1", "h")
	data := tool.Data{"list": []any{"a"}}
	put("1", data)
	data["list"].([]any)[0] = "spoilt"
	got, hit := get("2", "h")
	if !hit || got["list"].([]any)[0] != "a" {
		t.Fatalf("%v %v", got, hit)
	}
	got["list"].([]any)[0] = "spoilt"
	if got, _ := get("3", "h"); got["list"].([]any)[0] != "a" {
		t.Error("a reader changed what is kept")
	}
	scope = "organisation"
	if _, hit := get("4", "h"); hit {
		t.Error("a result of another scope was reused")
	}
	scope = "device"
	for i := range 3 {
		get(fmt.Sprint("n", i), fmt.Sprint("h", i))
		put(fmt.Sprint("n", i), tool.Data{})
	}
	if _, hit := get("5", "h"); hit {
		t.Error("the cache grows without bound")
	}
	put("never looked for", tool.Data{})
}

func TestSecretsComeFromTheNearestScopeAndTheScopeIsShownButNeverTheValue(t *testing.T) {
	const value = "sk-very-secret-value"
	s := spec("test.paid", tool.None)
	s.Secrets = []string{"key"}
	for _, c := range []struct {
		stored map[string]string
		want   string
	}{
		{map[string]string{"key": value, "vault-key": "x", "org-key": "y"}, "device"},
		{map[string]string{"vault-key": value, "org-key": "y"}, "vault"},
		{map[string]string{"key": "", "org-key": value}, "organisation"},
		{map[string]string{}, ""},
	} {
		store := func(_ context.Context, name string) (string, bool, error) { v, ok := c.stored[name]; return v, ok, nil }
		secrets := agent.NewSecrets(store, map[string]string{"key": "vault-key"}, map[string]string{"key": "org-key"})
		used := ""
		paid := tool.Tool{Spec: s, Run: func(_ context.Context, env *tool.Env, _ tool.Args) (tool.Data, error) {
			used = env.Secrets["key"]
			return tool.Data{"ok": true}, nil
		}}
		k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.paid", `{}`), llmtest.Say("ok")}, withTools(paid),
			withDeps(func(d *pipeline.Deps) { d.Secrets = secrets.Resolve }))
		out := k.run("go")
		e := envelope(t, out, 0)
		if c.want == "" {
			if e.Error == nil || e.Error.Code != string(fault.Auth) || !strings.Contains(e.Error.Message, "settings") {
				t.Errorf("a missing key gave %+v", e.Error)
			}
			continue
		}
		if used != value {
			t.Errorf("%s: the tool got %q", c.want, used)
		}
		if end := k.events[slices.IndexFunc(k.events, func(e agent.Event) bool { return e.Type == agent.ToolEnd })]; end.SecretScope != c.want {
			t.Errorf("the shown scope is %q, want %q", end.SecretScope, c.want)
		}
		all, err := json.Marshal([]any{out.State, out.Outputs, out.Bundle, k.events})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(all), value) {
			t.Error("the value got out")
		}
	}
}

func TestASecretStoreThatFailsIsAuthRequiredWithoutItsWords(t *testing.T) {
	s := spec("test.paid", tool.None)
	s.Secrets = []string{"key"}
	e := &tool.Entry{Tool: tool.Tool{Spec: s}}
	secrets := agent.NewSecrets(func(context.Context, string) (string, bool, error) {
		return "", false, errors.New("keyring said sk-oops")
	}, nil, nil)
	_, err := secrets.Scope(t.Context(), e)
	if !fault.Is(err, fault.Auth) || strings.Contains(err.Error(), "oops") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := secrets.Resolve(ctx, e); !fault.Is(err, fault.Cancelled) {
		t.Errorf("stopped: %v", err)
	}
	none := &tool.Entry{Tool: echo}
	if values, scope, err := secrets.Resolve(t.Context(), none); err != nil || len(values) != 0 || scope != "" {
		t.Errorf("%v %q %v", values, scope, err)
	}
}

// bigTool gives a long output.
var bigTool = quick("test.big", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
	rows := make([]any, 3000)
	for i := range rows {
		rows[i] = map[string]any{"title": "é" + strings.Repeat("x", 50), "n": i}
	}
	return tool.Data{"rows": rows, "text": strings.Repeat("ü", 100_000)}, nil
})

func TestAnOutputOverTheCapIsMarkedAndTheWholeIsAnAttachment(t *testing.T) {
	kept := map[string][]byte{}
	store := func(_ context.Context, name, contentType string, data []byte) (string, error) {
		kept[name] = data
		return "run:" + name, nil
	}
	k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.big", `{}`), llmtest.Say("ok")}, withTools(bigTool),
		withDeps(func(d *pipeline.Deps) { d.Cap = agent.Cap(store, 20_000) }))
	out := k.run("go")
	e := envelope(t, out, 0)
	if !e.Truncated || len(e.Attachments) != 1 || e.Attachments[0].Kind != "blob" {
		t.Fatalf("%v %+v", e.Truncated, e.Attachments)
	}
	small, err := json.Marshal(e.Output)
	if err != nil || len(small) > 20_000 || len(small) < 5_000 {
		t.Errorf("%d bytes, %v", len(small), err)
	}
	var whole struct{ Rows []any }
	data := kept[strings.TrimPrefix(e.Attachments[0].URL, "run:")]
	if err := json.Unmarshal(data, &whole); err != nil || len(whole.Rows) != 3000 || e.Attachments[0].Bytes != int64(len(data)) {
		t.Errorf("the whole has %d rows in %d bytes, %v", len(whole.Rows), len(data), err)
	}
	if text := results(out.State.Messages)[0]; !strings.Contains(text, `"truncated":true`) || !strings.Contains(text, e.Attachments[0].URL) {
		t.Error("the model is not told")
	}
}

func TestAResultTooLongForTheConversationIsShortenedThereAndWholeInTheReceipt(t *testing.T) {
	var url string
	k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.big", `{}`), llmtest.Say("ok")}, withTools(bigTool), withConfig(func(c *agent.Config) {
		c.ResultBytes = 4000
		c.Store = func(_ context.Context, name, _ string, _ []byte) (string, error) {
			url = "run:" + name
			return url, nil
		}
	}))
	out := k.run("go")
	text := results(out.State.Messages)[0]
	if len(text) > 4300 || !strings.Contains(text, `"truncated":true`) || url == "" || !strings.Contains(text, url) {
		t.Errorf("%d bytes, attachment %q", len(text), url)
	}
	if e := envelope(t, out, 0); e.Truncated || len(e.Output.(map[string]any)["rows"].([]any)) != 3000 {
		t.Error("the receipt was shortened")
	}
}

func TestAStoreThatFailsIsSaidAndTheResultStands(t *testing.T) {
	for _, store := range []agent.Store{nil, func(context.Context, string, string, []byte) (string, error) { return "", errors.New("disk full") }} {
		r := &tool.Result{OK: true, Data: tool.Data{"text": strings.Repeat("x", 1000)}}
		agent.Cap(store, 100)(t.Context(), &tool.Call{}, r)
		if !r.OK || !r.Truncated || len(r.Attachments) != 0 || !strings.Contains(r.UserMessage, "could not be kept") {
			t.Errorf("%+v", r)
		}
	}
}

func TestACutOutputIsValidJSONOfTheSameFormWithinTheCap(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return strings.Repeat(rapid.SampledFrom([]string{"a", "é", "\"", "\n", "😀", "\u2028"}).Draw(t, "char"), rapid.IntRange(0, 3000).Draw(t, "len"))
		case 1:
			return slices.Repeat([]string{"word"}, rapid.IntRange(0, 400).Draw(t, "len"))
		case 2:
			return slices.Repeat([]any{map[string]any{"a": "b"}}, rapid.IntRange(0, 400).Draw(t, "len"))
		}
		return rapid.Float64().Draw(t, "number")
	})
	rapid.Check(t, func(t *rapid.T) {
		data := tool.Data(rapid.MapOfN(rapid.StringN(1, 9, 20), value, 1, 8).Draw(t, "data"))
		limit := rapid.IntRange(200, 4000).Draw(t, "limit")
		before, err := llm.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		r := &tool.Result{OK: true, Data: data}
		agent.Cap(nil, limit)(context.Background(), &tool.Call{}, r)
		after, err := llm.Marshal(r.Data)
		if err != nil || len(after) > limit || r.Truncated != (len(before) > limit) ||
			strings.Contains(string(after), "\ufffd") && !strings.Contains(string(before), "\ufffd") {
			t.Fatalf("%d bytes of %d with limit %d, truncated %v, %v", len(after), len(before), limit, r.Truncated, err)
		}
		if !r.Truncated && string(before) != string(after) {
			t.Fatal("what fits was changed")
		}
	})
}

// tinyFitter counts what it is asked to fit.
type tinyFitter struct{ asked []string }

func (f *tinyFitter) Fit(_ context.Context, b llm.Block, l agent.ImageLimits) (llm.Block, error) {
	f.asked = append(f.asked, b.Data)
	if b.Data == "broken" {
		return b, fault.New(fault.Validation, "agent.image.unreadable", fault.P{"problem": "no image"})
	}
	return llm.Image("image/jpeg", fmt.Sprint("fit:", b.Data, l.MaxWidth)), nil
}

func TestImagesOfToolsAndPersonsAreBoundedBeforeAModelSeesThem(t *testing.T) {
	shot := quick("test.shot", func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
		image := func(data string) map[string]any {
			return map[string]any{"type": "image", "mimeType": "image/png", "data": data}
		}
		return tool.Data{"path": "a.png", "pages": []any{image("one"), image("broken")}}, nil
	})
	fitter := &tinyFitter{}
	k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.shot", `{}`), llmtest.Say("I see.")}, withTools(shot), withConfig(func(c *agent.Config) {
		c.Images, c.ImageLimits = fitter, agent.ImageLimits{MaxWidth: 77}
	}))
	out := k.runInput(t.Context(), agent.Input{Messages: []llm.Message{llm.UserMessage("Look.", llm.Image("image/png", "mine"))}})
	ms := out.State.Messages
	if ms[0].Content[1].Data != "fit:mine77" {
		t.Errorf("the person's image went out as %q", ms[0].Content[1].Data)
	}
	blocks := ms[2].Content
	if len(blocks) != 3 || blocks[1].Data != "fit:one77" || blocks[2].Type != llm.BlockText || !strings.Contains(blocks[2].Text, "left out") {
		t.Errorf("%+v", blocks)
	}
	if strings.Contains(blocks[0].Text, "broken") || !strings.Contains(blocks[0].Text, `"number":2`) {
		t.Errorf("the text is %s", blocks[0].Text)
	}
	if !slices.Equal(fitter.asked, []string{"mine", "one", "broken"}) {
		t.Errorf("fitted %q", fitter.asked)
	}
}

func TestWithoutAFitterNoImageReachesAModel(t *testing.T) {
	k := newKit(t, []llmtest.Turn{llmtest.Say("I see nothing.")})
	raw := base64.StdEncoding.EncodeToString([]byte("image"))
	k.runInput(t.Context(), agent.Input{Messages: []llm.Message{llm.UserMessage("Look.", llm.Image("image/png", raw))}})
	for _, m := range k.model.Requests()[0].Messages {
		for _, b := range m.Content {
			if b.Type == llm.BlockImage {
				t.Error("an image went out")
			}
		}
	}
}

func TestEveryMessageOfTheAgentHasWords(t *testing.T) {
	for _, key := range []string{
		"agent.limit.iterations", "agent.limit.calls", "agent.limit.tokens", "agent.limit.cost", "agent.limit.noPrice", "agent.limit.rate",
		"agent.tool.notAllowed", "agent.call.cut", "agent.call.args", "agent.call.steered", "agent.call.stopped", "agent.call.late",
		"agent.call.pending", "agent.background.ended", "agent.continue", "agent.organisation.invalid", "agent.pin.invalid", "agent.pin.missing",
		"agent.replay.diverged", "agent.replay.version", "agent.attachment.lost", "agent.image.unreadable", "agent.image.tooLarge",
		"agent.secret.store", "agent.config",
	} {
		if !i18n.Has(key) {
			t.Errorf("no words for %s", key)
		}
	}
}
