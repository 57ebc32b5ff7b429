package llmtest

import (
	"regexp"

	"embedded-agent/wasm/internal/text"
)

// marks are the marks by which Anthropic is told what to keep. They move on with a conversation, and are no part of
// what is compared with what was kept.
const marks = `"cache_control":\{"type":"ephemeral"\},?`

// PrefixShare tells how much of requests an endpoint may have in its cache: of each but the first, the bytes with which
// the one before begins too, as a part of the one before. Bodies must have what the model reads first at their beginning.
func PrefixShare(bodies [][]byte) float64 {
	alike, all := 0, 0
	marks := regexp.MustCompile(marks)
	for i := 1; i < len(bodies); i++ {
		before, now := marks.ReplaceAllString(string(bodies[i-1]), ""), marks.ReplaceAllString(string(bodies[i]), "")
		alike += text.CommonPrefix(before, now)
		all += len(before)
	}
	return float64(alike) / float64(all)
}
