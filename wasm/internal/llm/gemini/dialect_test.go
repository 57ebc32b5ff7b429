package gemini_test

import (
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/gemini"
	"embedded-agent/wasm/internal/llm/llmtest"
)

func TestAnswersBecomeMessages(t *testing.T) {
	llmtest.GoldenAnswers(t, gemini.Dialect{}, llm.Request{Model: "m"}, "testdata/answers")
}

func TestAnswersMayBeCutAndDisordered(t *testing.T) {
	llmtest.Conform(t, gemini.Dialect{}, llmtest.Answers(t, "testdata/answers"))
}

func FuzzDecode(f *testing.F) {
	llmtest.Fuzz(f, gemini.Dialect{}, llmtest.Answers(f, "testdata/answers"))
}

func TestRequestsAreBuilt(t *testing.T) {
	llmtest.GoldenRequests(t, gemini.Dialect{}, "testdata/requests")
}
