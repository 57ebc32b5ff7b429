package openai_test

import (
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/openai"
)

func TestAnswersBecomeMessages(t *testing.T) {
	llmtest.GoldenAnswers(t, openai.Dialect{}, llm.Request{Model: "m"}, "testdata/answers")
}

func TestAnswersMayBeCutAndDisordered(t *testing.T) {
	llmtest.Conform(t, openai.Dialect{}, llmtest.Answers(t, "testdata/answers"))
}

func FuzzDecode(f *testing.F) {
	llmtest.Fuzz(f, openai.Dialect{}, llmtest.Answers(f, "testdata/answers"))
}

func TestRequestsAreBuilt(t *testing.T) {
	llmtest.GoldenRequests(t, openai.Dialect{}, "testdata/requests")
}
