package offer

import (
	"encoding/json"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/tool"
)

func TestASlimSchemaKeepsWhatACallIsMadeBy(t *testing.T) {
	told, got := Slim("Adds a `day`. Gives `x`.", json.RawMessage(`{"$schema":"s","type":"object","additionalProperties":false,"required":["day"],"properties":{
		"day":{"type":"string","x-path":"existing","minLength":1,"description":"The day."},
		"more":{"type":"array","items":{"enum":["a","b"],"description":"One."},"description":"More."},
		"type":{"type":"object","additionalProperties":{"type":"integer","minimum":1}},
		"one":{"oneOf":[{"type":"string","pattern":"x"},{"type":"null"}]}}}`))
	const want = `{"properties":{"day":{"type":"string"},"more":{"description":"More.","items":{"description":"One.","enum":["a","b"]},"type":"array"},"one":{"oneOf":[{"type":"string"},{"type":"null"}]},"type":{"additionalProperties":{"type":"integer"},"type":"object"}},"required":["day"],"type":"object"}`
	if told != "Adds a `day`." || strings.TrimSpace(string(got)) != want {
		t.Errorf("want told \"Adds a `day`.\" and equal to want, got %q %s", told, got)
	}
}

// Whatever a slim schema leaves out, every call that the tool takes is one by it too, and no field is lost.
func TestASlimSchemaHasEveryFieldOfTheTool(t *testing.T) {
	for _, e := range entries(t) {
		_, got := Slim(e.Description, e.Input)
		if _, err := tool.CompileSchema(e.Name+"/slim", got); err != nil {
			t.Errorf("%s: want no error, got %v", e.Name, err)
		}
		for name := range e.InputProperties() {
			if !strings.Contains(string(got), `"`+name+`":`) {
				t.Errorf("%s: %s is not in %s", e.Name, name, got)
			}
		}
	}
}
