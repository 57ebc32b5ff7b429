package llm_test

import (
	"fmt"
	"slices"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
)

func refuses(words string) llmtest.Turn {
	return llmtest.Fail(llm.HTTPError("model.example", 400, 0, []byte(`{"error":{"message":"`+words+`"}}`)))
}

func TestWhatAnEndpointRefusesIsLeftOutAndAskedAgain(t *testing.T) {
	warm := 0.5
	asked := llm.Request{
		Model: "m", Temperature: &warm, Messages: []llm.Message{llm.UserMessage("What is this?", llm.Image("image/png", "AAAA"))},
		Tools: []llm.Tool{{Name: "vault.list"}},
	}
	script := llmtest.NewProvider(
		refuses("Unsupported parameter: 'temperature'"), refuses("streaming is not supported"), refuses("image input is not supported"),
		refuses("this model does not support tools"), llmtest.Say("A square."), llmtest.Say("Still one."),
	)
	var told []llm.Feature
	var toolless int
	p := llm.Adapting(script, llm.Adaptation{
		Refused: func(f llm.Feature, why *llm.Error) {
			if why == nil {
				t.Error("refused without a reason")
			}
			told = append(told, f)
		},
		WithoutTools: func(p llm.Provider) llm.Provider { toolless++; return p },
	})
	var events []llm.Event
	m, err := llm.Collect(p.Stream(t.Context(), asked), func(e llm.Event) { events = append(events, e) })
	if err != nil || m.Text() != "A square." {
		t.Fatalf("want no error and Text \"A square.\", got %v %q", err, m.Text())
	}
	llmtest.CheckStream(t, events)
	if want := []llm.Feature{llm.FeatureTemperature, llm.FeatureStreaming, llm.FeatureImages, llm.FeatureTools}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	last := script.Requests()[4]
	if last.Temperature != nil || !last.Whole || toolless != 1 {
		t.Errorf("%+v, without tools %d times", last, toolless)
	}
	for _, b := range last.Messages[0].Content {
		if b.Type == llm.BlockImage {
			t.Error("the image went along")
		}
	}
	if asked.Messages[0].Content[1].Type != llm.BlockImage {
		t.Error("the caller's own request was changed")
	}
	// It is known now: the next question is asked once, and nothing is told.
	if m, err := llm.Collect(p.Stream(t.Context(), asked), nil); err != nil || m.Text() != "Still one." || len(told) != 4 {
		t.Errorf("%v %q, told %v", err, m.Text(), told)
	}
}

func TestAnEffortThatIsRefusedIsLeftOutAndAnotherOneIsNot(t *testing.T) {
	script := llmtest.NewProvider(
		refuses("Your organization must be verified to generate reasoning summaries."), llmtest.Say("low"),
		refuses("Unsupported value: 'none' (reasoning.effort)"), llmtest.Say("as it likes"), llmtest.Say("high"), llmtest.Say("again"),
	)
	var told []llm.Feature
	p := llm.Adapting(script, llm.Adaptation{Refused: func(f llm.Feature, _ *llm.Error) { told = append(told, f) }})
	for _, effort := range []llm.Effort{llm.EffortLow, llm.EffortNone, llm.EffortHigh, llm.EffortNone} {
		if _, err := llm.Collect(p.Stream(t.Context(), llm.Request{Model: "m", Reasoning: effort}), nil); err != nil {
			t.Error("want no error, got:", effort, err)
		}
	}
	if want := []llm.Feature{llm.FeatureSummaries, "effort.none"}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	var asked []string
	for _, r := range script.Requests() {
		asked = append(asked, fmt.Sprintf("%s %v", r.Reasoning, r.NoSummary))
	}
	if want := []string{"low false", "low true", "none false", " false", "high true", " false"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

func TestAnErrorThatIsNoRefusalOrComesTooLateIsTheEnd(t *testing.T) {
	late := refuses("streaming is not supported")
	late.Blocks = []llm.Block{llm.Text("I was just")}
	for name, turn := range map[string]llmtest.Turn{
		"another error":                                   llmtest.Fail(llm.NewError("llm.error.auth", "detail", "streaming is not supported")),
		"a refusal after the beginning":                   late,
		"a refusal of tools, which the caller deals with": refuses("tools are not supported"),
		"a refusal of what was not asked for":             refuses("response_format is not supported"),
	} {
		script := llmtest.NewProvider(turn, llmtest.Say("never"))
		p := llm.Adapting(script, llm.Adaptation{})
		var events []llm.Event
		_, err := llm.Collect(p.Stream(t.Context(), llm.Request{Model: "m", Tools: []llm.Tool{{Name: "vault.list"}}}), func(e llm.Event) { events = append(events, e) })
		if err == nil || script.Left() != 1 {
			t.Errorf("%s: %v, asked again: %v", name, err, script.Left() == 0)
		}
		llmtest.CheckStream(t, events)
	}
}

func TestAnEndpointThatRefusesForEverIsNotAskedForEver(t *testing.T) {
	var turns []llmtest.Turn
	for range 9 {
		turns = append(turns, refuses("streaming is not supported"))
	}
	script := llmtest.NewProvider(turns...)
	_, err := llm.Collect(llm.Adapting(script, llm.Adaptation{}).Stream(t.Context(), llm.Request{Model: "m"}), nil)
	if err == nil || len(script.Requests()) != 2 {
		t.Errorf("%v after %d requests", err, len(script.Requests()))
	}
}

func TestPlansAreAskedForByWhatIsKnown(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		tools, schema *bool
		want          []llm.PlanMode
	}{
		{nil, nil, []llm.PlanMode{llm.PlanByCall, llm.PlanBySchema, llm.PlanByText}},
		{&yes, &no, []llm.PlanMode{llm.PlanByCall, llm.PlanByText}},
		{&no, &yes, []llm.PlanMode{llm.PlanBySchema, llm.PlanByText}},
		{&no, nil, []llm.PlanMode{llm.PlanBySchema, llm.PlanByText}},
		{&no, &no, []llm.PlanMode{llm.PlanByText}},
	} {
		known := map[llm.Feature]bool{}
		if c.tools != nil {
			known[llm.FeatureTools] = *c.tools
		}
		if c.schema != nil {
			known[llm.FeatureSchema] = *c.schema
		}
		if got := llm.PlanModes(known); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", known, got, c.want)
		}
	}
}
