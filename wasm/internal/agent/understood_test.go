package agent

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
)

func TestArgumentsThatSayOneThingTwiceAreNotRun(t *testing.T) {
	for args, names := range map[string]string{
		`{"path":"Inbox/a.md","path":"Private/b.md"}`: "“path” is given twice",
		`{"path":"a.md","p\u0061th":"b.md"}`:          "“path” is given twice",
		`{"properties":{"a":1,"a":2}}`:                "“properties.a” is given twice",
		`{"items":[{"x":1},{"x":1,"x":2}]}`:           "“items[1].x” is given twice",
		`[]`:                                          "not a JSON object",
		`null`:                                        "not a JSON object",
		`"x"`:                                         "not a JSON object",
		`{"a":1} {"a":2}`:                             "after the end",
		`{"a":1e999}`:                                 "too large",
		`{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`: "deep",
	} {
		_, err := new(slot).argsOf(llm.ToolCall{Name: "vault.readFile", Arguments: []byte(args)})
		if !fault.Is(err, fault.Validation) || !strings.Contains(err.Error(), names) {
			t.Errorf("%.60s: want the error fault.Validation and Error with names, got %v", args, err)
		}
	}
	got, err := new(slot).argsOf(llm.ToolCall{Name: "vault.readFile", Arguments: []byte(`{"path":"a.md","n":1}`)})
	if err != nil || got.String("path") != "a.md" || got.Int("n") != 1 {
		t.Errorf("want no error, \"a.md\" and 1, got %v %v", got, err)
	}
}
