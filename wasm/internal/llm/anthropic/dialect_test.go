package anthropic_test

import (
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/llmtest"
)

func TestAnswersBecomeMessages(t *testing.T) {
	llmtest.GoldenAnswers(t, anthropic.Dialect{}, llm.Request{Model: "m"}, "testdata/answers")
}

func TestAnswersMayBeCutAndDisordered(t *testing.T) {
	llmtest.Conform(t, anthropic.Dialect{}, llmtest.Answers(t, "testdata/answers"))
}

func FuzzDecode(f *testing.F) {
	llmtest.Fuzz(f, anthropic.Dialect{}, llmtest.Answers(f, "testdata/answers"))
}

func TestRequestsAreBuilt(t *testing.T) {
	llmtest.GoldenRequests(t, anthropic.Dialect{}, "testdata/requests")
}
