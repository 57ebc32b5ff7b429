package chat_test

import (
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
)

func TestAnswersBecomeMessages(t *testing.T) {
	llmtest.GoldenAnswers(t, chat.Dialect{}, llm.Request{Model: "m"}, "testdata/answers")
}

func TestAnswersMayBeCutAndDisordered(t *testing.T) {
	llmtest.Conform(t, chat.Dialect{}, llmtest.Answers(t, "testdata/answers"))
}

func FuzzDecode(f *testing.F) {
	llmtest.Fuzz(f, chat.Dialect{}, llmtest.Answers(f, "testdata/answers"))
}

func TestRequestsAreBuilt(t *testing.T) {
	llmtest.GoldenRequests(t, chat.Dialect{}, "testdata/requests")
}
