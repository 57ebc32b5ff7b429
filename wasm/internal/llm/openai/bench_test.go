package openai_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/openai"
)

// BenchmarkDecode decodes an answer of 4,000 pieces of text.
func BenchmarkDecode(b *testing.B) {
	raw, err := os.ReadFile("testdata/answers/unnumbered.sse")
	if err != nil {
		b.Fatal(err)
	}
	end := []byte("event: response.output_text.done\n")
	var more bytes.Buffer
	for i := range 4000 {
		fmt.Fprintf(&more, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"output_index\":1,\"content_index\":1,\"delta\":\" piece %d\",\"logprobs\":[],\"obfuscation\":\"ilkuWcchzis\"}\n\n", i)
	}
	if !bytes.Contains(raw, end) {
		b.Fatal("the recording has changed")
	}
	llmtest.Bench(b, openai.Dialect{}, bytes.Replace(raw, end, append(more.Bytes(), end...), 1))
}
