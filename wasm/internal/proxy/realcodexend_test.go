//go:build codex && !js

package proxy

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm/codex/codextest"
)

func TestRealCodexEndsAsTheModelEnded(t *testing.T) {
	s, _, _ := realCodex(t, 2, func(int, []byte) codextest.Answer {
		return codextest.Answer{Chunks: []string{"As far as ", "it went"}, Incomplete: "max_output_tokens", Usage: [2]int{10, 3}}
	})
	res := s.streamed(`{"input":"x"}`)
	if short(res) != "As far as it went" || res["status"] != "incomplete" || res["incomplete_details"].(anyMap)["reason"] != "max_output_tokens" {
		t.Errorf("want \"As far as it went\", res[\"status\"] \"incomplete\" and [\"reason\"] \"max_output_tokens\", got %q, %v, %v", short(res), res["status"], res["incomplete_details"])
	}
	s, _, model := realCodex(t, 2, func(int, []byte) codextest.Answer { return codextest.Answer{Status: 400} })
	status, out := s.whole(`{"input":"x"}`)
	if status != 400 || code(out) != "invalid_prompt" || !strings.Contains(out["error"].(anyMap)["message"].(string), "scripted status 400") {
		t.Errorf("HTTP %d %v", status, out)
	}
	if n := len(model.Requests()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
