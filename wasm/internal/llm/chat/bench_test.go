package chat_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
)

// BenchmarkDecode decodes an answer of 4,000 pieces of text.
func BenchmarkDecode(b *testing.B) {
	raw, err := os.ReadFile("testdata/answers/reasoning-content.sse")
	if err != nil {
		b.Fatal(err)
	}
	var more bytes.Buffer
	for i := range 4000 {
		fmt.Fprintf(&more, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"model-b\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" piece %d\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n", i)
	}
	llmtest.Bench(b, chat.Dialect{}, append(more.Bytes(), raw...))
}
