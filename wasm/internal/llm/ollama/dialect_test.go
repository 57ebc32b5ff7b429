package ollama_test

import (
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/ollama"
)

func TestAnswersBecomeMessages(t *testing.T) {
	llmtest.GoldenAnswers(t, ollama.Dialect{}, llm.Request{Model: "m"}, "testdata/answers")
}

func TestAnswersMayBeCutAndDisordered(t *testing.T) {
	llmtest.Conform(t, ollama.Dialect{}, llmtest.Answers(t, "testdata/answers"))
}

func FuzzDecode(f *testing.F) {
	llmtest.Fuzz(f, ollama.Dialect{}, llmtest.Answers(f, "testdata/answers"))
}

func TestRequestsAreBuilt(t *testing.T) {
	llmtest.GoldenRequests(t, ollama.Dialect{}, "testdata/requests")
}
