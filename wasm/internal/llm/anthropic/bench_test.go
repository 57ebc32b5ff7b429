package anthropic_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/llmtest"
)

// BenchmarkDecode decodes an answer of 4,000 pieces of text.
func BenchmarkDecode(b *testing.B) {
	raw, err := os.ReadFile("testdata/answers/tools.sse")
	if err != nil {
		b.Fatal(err)
	}
	end := []byte("event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n")
	if !bytes.Contains(raw, end) {
		b.Fatal("the recording has changed")
	}
	var more bytes.Buffer
	for i := range 4000 {
		fmt.Fprintf(&more, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\" piece %d\"}}\n\n", i)
	}
	llmtest.Bench(b, anthropic.Dialect{}, bytes.Replace(raw, end, append(more.Bytes(), end...), 1))
}
