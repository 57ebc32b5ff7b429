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

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/shorten"
	"embedded-agent/wasm/internal/tool"
)

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
		withDeps(func(d *pipeline.Deps) { d.Records.Cap = shorten.Cap(store, 20_000) }))
	out := k.run("go")
	e := envelope(t, out, 0)
	if !e.Truncated || len(e.Attachments) != 1 || e.Attachments[0].Kind != "blob" {
		t.Fatalf("want Truncated true, 1 Attachments and Attachments[0].Kind \"blob\", got %v %+v", e.Truncated, e.Attachments)
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
	for _, store := range []shorten.Store{nil, func(context.Context, string, string, []byte) (string, error) { return "", errors.New("disk full") }} {
		r := &tool.Result{OK: true, Data: tool.Data{"text": strings.Repeat("x", 1000)}}
		shorten.Cap(store, 100)(t.Context(), &tool.Call{}, r)
		if !r.OK || !r.Truncated || len(r.Attachments) != 0 || !strings.Contains(r.UserMessage, "could not be kept") {
			t.Errorf("want everything in order, Truncated true, no Attachments and UserMessage with \"could not be kept\", got %+v", r)
		}
	}
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
		t.Errorf("want 3 blocks, blocks[1].Data \"fit:one77\", blocks[2].Type llm.BlockText and blocks[2].Text with \"left out\", got %+v", blocks)
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
		"agent.step.context", "agent.step.unfinished", "agent.continue", "agent.organisation.invalid", "agent.pin.invalid", "agent.pin.missing",
		"agent.replay.diverged", "agent.replay.version", "agent.attachment.lost", "agent.image.unreadable", "agent.image.tooLarge",
		"agent.secret.store", "agent.config",
	} {
		if !i18n.Has(key) {
			t.Errorf("no words for %s", key)
		}
	}
}
