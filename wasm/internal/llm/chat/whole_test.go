package chat_test

import (
	"strings"
	"testing"
)

// inOnePiece is an answer with one choice.
func inOnePiece(choice string) string { return `{"id":"x","choices":[{"index":0,` + choice + `}]}` }

func TestAnAnswerOfOnePieceIsReadWhereItIs(t *testing.T) {
	for name, choice := range map[string]string{
		"the message":                            `"message":{"content":"Paris."},"finish_reason":"stop"`,
		"the message, beside an empty delta":     `"message":{"content":"Paris."},"delta":{"role":"assistant","content":""},"finish_reason":"stop"`,
		"a delta alone":                          `"delta":{"content":"Paris."},"finish_reason":"stop"`,
		"a delta beside no message":              `"message":null,"delta":{"content":"Paris."},"finish_reason":"stop"`,
		"beside an old call of nothing":          `"message":{"content":"Paris.","function_call":{"arguments":"","name":""}},"finish_reason":"stop"`,
		"beside an old call of null":             `"message":{"content":"Paris.","function_call":{"arguments":null,"name":null}},"finish_reason":"stop"`,
		"beside a call of nothing":               `"message":{"content":"Paris.","tool_calls":[{"id":"","type":"function","function":{"name":"","arguments":""}}]},"finish_reason":"stop"`,
		"beside no call":                         `"message":{"content":"Paris.","tool_calls":null,"function_call":null},"finish_reason":"stop"`,
		"with an old call of nothing and no end": `"message":{"content":"Paris.","function_call":{"arguments":"","name":""}}`,
	} {
		m := decodeText(t, inOnePiece(choice))
		if m.Error != nil || m.Text() != "Paris." || len(m.Calls()) > 0 {
			t.Errorf("%s: %q, %d calls, %+v", name, m.Text(), len(m.Calls()), m.Error)
		}
	}
	m := decodeText(t, inOnePiece(`"message":{"content":null,"function_call":{"arguments":"{\"a\":1}","name":"f"}},"finish_reason":"function_call"`))
	if calls := m.Calls(); len(calls) != 1 || calls[0].Name != "f" || string(calls[0].Arguments) != `{"a":1}` {
		t.Errorf("an old call: %+v", calls)
	}
}

func TestInAStreamTheMessageSoFarIsNotAPiece(t *testing.T) {
	m := decodeText(t, stream(
		`{"delta":{"content":"Pa"},"message":{"content":"Pa"}}`, `{"delta":{"content":"ris."},"message":{"content":"Paris."},"finish_reason":"stop"}`,
	))
	if m.Error != nil || m.Text() != "Paris." {
		t.Errorf("want no Error and Text \"Paris.\", got %q %+v", m.Text(), m.Error)
	}
}

func TestALineOfAnErrorIsToldInItsWords(t *testing.T) {
	const began = "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\n"
	for line, words := range map[string]string{
		`error: {"code":500,"message":"the request exceeds the available context size. try increasing the context size","type":"server_error"}`: "increasing the context size",
		`error: {"code":400,"message":"bad grammar","type":"invalid_request_error"}`:                                                            "bad grammar",
		`error: {"error":{"message":"out of memory"}}`:                                                                                          "out of memory",
		`error: out of memory`: "out of memory",
	} {
		for _, rest := range []string{"\n\n", "\n", "", "\n\ndata: [DONE]\n\n"} {
			m := decodeText(t, began+line+rest)
			if m.Error == nil || !strings.Contains(m.Error.Message, words) || m.Text() != "Hello" {
				t.Errorf("%q: want Error set, Error.Message with words and Text \"Hello\", got %q, %+v", line+rest, m.Text(), m.Error)
			}
		}
	}
}
