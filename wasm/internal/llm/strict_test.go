package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/openai"
)

func TestSchemasBecomeStrictWhereTheyCan(t *testing.T) {
	cases := []struct{ name, schema, want string }{
		{
			"optional properties become nullable", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","boolean"]}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","boolean","null"]}},"required":["a","b"],"additionalProperties":false}`,
		},
		{
			"what is nullable already stays", `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"null"},{"type":"string"}]}}}`,
			`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"null"},{"type":"string"}]}},"required":["a","b"],"additionalProperties":false}`,
		},
		{
			"choices get null as one more", `{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"integer"}]},"b":{"enum":["x"]},"c":{"const":"y"},"d":{"enum":["x",1]}}}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]},"b":{"type":["string","null"],"enum":["x",null]},"c":{"type":["string","null"],"enum":["y",null]},"d":{"anyOf":[{"enum":["x",1]},{"type":"null"}]}},"required":["a","b","c","d"],"additionalProperties":false}`,
		},
		{
			"nested objects and definitions", `{"type":"object","definitions":{"n":{"type":"object","properties":{"x":{"$ref":"#/definitions/n"}}}},"properties":{"list":{"type":"array","items":{"$ref":"#/definitions/n"}}},"required":["list"],"additionalProperties":false}`,
			`{"type":"object","definitions":{"n":{"type":"object","properties":{"x":{"anyOf":[{"$ref":"#/definitions/n"},{"type":"null"}]}},"required":["x"],"additionalProperties":false}},"properties":{"list":{"type":"array","items":{"$ref":"#/definitions/n"}}},"required":["list"],"additionalProperties":false}`,
		},
		{
			"annotations that are refused go", `{"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://x.example/y","title":"T","type":"object","properties":{"a":{"type":"string","default":"x","examples":["y"],"description":"d","minLength":1}},"required":["a"]}`,
			`{"title":"T","type":"object","properties":{"a":{"type":"string","description":"d","minLength":1}},"required":["a"],"additionalProperties":false}`,
		},
		{"no properties", `{"type":"object","properties":{},"additionalProperties":false}`, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`},
		{"a map is open", `{"type":"object","properties":{"a":{"type":"object"}},"required":["a"]}`, ""},
		{"a typed map is open", `{"type":"object","additionalProperties":{"type":"string"}}`, ""},
		{"additional properties may not stay", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, ""},
		{"anything", `{"type":"object","properties":{"a":{}}}`, ""},
		{"true", `{"type":"object","properties":{"a":true}}`, ""},
		{"a choice at the root", `{"type":"object","anyOf":[{"type":"object"}],"properties":{}}`, ""},
		{"not an object", `{"type":"array","items":{"type":"string"}}`, ""},
		{"not a schema", `[]`, ""},
		{"not JSON", `{`, ""},
		{"allOf", `{"type":"object","properties":{"a":{"type":"string","allOf":[]}}}`, ""},
		{"uniqueItems", `{"type":"object","properties":{"a":{"type":"array","uniqueItems":true}}}`, ""},
		{"patternProperties", `{"type":"object","properties":{"a":{"type":"string"}},"patternProperties":{}}`, ""},
		{"too deep", strings.Repeat(`{"type":"object","properties":{"a":`, 12) + `{"type":"string"}` + strings.Repeat(`}}`, 12), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, ok := llm.StrictSchema([]byte(c.schema))
			if ok != (c.want != "") {
				t.Fatalf("%v: want equal to (c.want != \"\"), got %s", ok, got)
			}
			if !ok {
				return
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error("it differs from what was wanted (-want +got):", diff)
			}
			again, ok := llm.StrictSchema(got)
			if !ok || !cmp.Equal(parsed(t, got), parsed(t, again)) {
				t.Errorf("a strict schema changes when it is made strict again: %s", again)
			}
		})
	}
}

func TestBoundsAreLeftOutWhereTheyAreRefused(t *testing.T) {
	got, ok := llm.StrictSchemaWithoutBounds([]byte(`{"type":"object","properties":{"a":{"type":"integer","minimum":1,"maximum":3},"b":{"type":"string","pattern":"x","maxLength":5}},"required":["a","b"]}`))
	if want := `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a","b"],"additionalProperties":false}`; !ok || string(got) != want {
		t.Errorf("want it to be found and equal to want, got %s", got)
	}
}

func parsed(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNullsThatStandForNothingGo(t *testing.T) {
	schema := `{"type":"object","definitions":{"n":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":["string","null"]}}}},
		"properties":{"a":{"type":"string"},"b":{"type":"string"},"n":{"$ref":"#/definitions/n"},"list":{"type":"array","items":{"$ref":"#/definitions/n"}}},"required":["a"]}`
	got := llm.StripNulls([]byte(schema), []byte(`{"a":null,"b":null,"n":{"x":null,"y":null},"list":[{"x":1},{"x":null}],"other":null}`))
	// A required property stays null, so that validation can say so; so does one that may be null, and one nobody knows.
	if want := `{"a":null,"n":{"y":null},"list":[{"x":1},{}],"other":null}`; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := llm.StripNulls([]byte(`{`), []byte(`{"a":null}`)); string(got) != `{"a":null}` {
		t.Errorf("without a schema: %s", got)
	}
	if got := llm.StripNulls([]byte(`{"$ref":"#"}`), []byte(`{"a":null}`)); string(got) != `{"a":null}` {
		t.Errorf("with a schema that only points to itself: %s", got)
	}
}

// TestStrictArgumentsComeBackAsTheyWouldHaveBeen draws schemas and arguments: what a model must send under the strict
// schema is accepted by it, and without its nulls is what the tool's own schema accepts.
func TestStrictArgumentsComeBackAsTheyWouldHaveBeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema, strictValue, plain := drawObject(t, 0)
		strict, ok := llm.StrictSchema([]byte(schema))
		if !ok {
			t.Fatalf("not strict: %s", schema)
		}
		if err := compile(t, string(strict)).Validate(decode(t, strictValue)); err != nil {
			t.Fatalf("%s does not accept %s: %v", strict, strictValue, err)
		}
		stripped := llm.StripNulls([]byte(schema), []byte(strictValue))
		if diff := cmp.Diff(decode(t, plain), decode(t, string(stripped))); diff != "" {
			t.Fatalf("%s becomes %s, want %s", strictValue, stripped, plain)
		}
		if err := compile(t, schema).Validate(decode(t, plain)); err != nil {
			t.Fatalf("%s does not accept %s: %v", schema, plain, err)
		}
	})
}

// drawObject draws an object schema, a value for its strict form, and the same value without the nulls.
func drawObject(t *rapid.T, depth int) (schema, strictValue, plain string) {
	var properties, required, all, some []string
	for i := range rapid.IntRange(1, 4).Draw(t, "properties") {
		name := fmt.Sprintf("p%d", i)
		s, v, p := drawValue(t, depth)
		properties = append(properties, fmt.Sprintf("%q:%s", name, s))
		if rapid.Bool().Draw(t, "required") {
			required = append(required, fmt.Sprintf("%q", name))
		} else if rapid.Bool().Draw(t, "left out") {
			all = append(all, fmt.Sprintf("%q:null", name))
			continue
		}
		all = append(all, fmt.Sprintf("%q:%s", name, v))
		some = append(some, fmt.Sprintf("%q:%s", name, p))
	}
	schema = fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`,
		strings.Join(properties, ","), strings.Join(required, ","))
	return schema, "{" + strings.Join(all, ",") + "}", "{" + strings.Join(some, ",") + "}"
}

func drawValue(t *rapid.T, depth int) (schema, strictValue, plain string) {
	kinds := 5
	if depth > 2 {
		kinds = 3
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return `{"type":"string","default":"z"}`, `"x"`, `"x"`
	case 1:
		return `{"enum":["x","y"]}`, `"y"`, `"y"`
	case 2:
		return `{"oneOf":[{"type":"integer"},{"type":"boolean"}]}`, `3`, `3`
	case 3:
		s, v, p := drawObject(t, depth+1)
		return fmt.Sprintf(`{"type":"array","items":%s}`, s), "[" + v + "," + v + "]", "[" + p + "," + p + "]"
	}
	return drawObject(t, depth+1)
}

func compile(t *rapid.T, schema string) *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft7
	if err := c.AddResource("https://schema.example/s.json", strings.NewReader(schema)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("https://schema.example/s.json")
	if err != nil {
		t.Fatalf("%s: want no error, got %v", schema, err)
	}
	return s
}

func decode(t *rapid.T, text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: want no error, got %v", text, err)
	}
	return v
}

func TestTheCallsOfStrictFunctionsHaveNoExtraNulls(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"mode":{"type":"string"}},"required":["path"],"additionalProperties":false}`)
	for _, strict := range []bool{true, false} {
		r := llm.Request{Model: "m", Tools: []llm.Tool{{Name: "vault.createFile", Parameters: schema, Strict: strict}}}
		want := `{"path":"a.md","mode":null}`
		if strict {
			want = `{"path":"a.md"}`
		}
		answers := map[llm.Dialect]string{
			openai.Dialect{}: `{"status":"completed","output":[{"type":"function_call","call_id":"a","name":"vault__createFile","arguments":"{\"path\":\"a.md\",\"mode\":null}"}]}`,
			chat.Dialect{}:   `{"choices":[{"finish_reason":"stop","message":{"tool_calls":[{"id":"a","function":{"name":"vault__createFile","arguments":"{\"path\":\"a.md\",\"mode\":null}"}}]}}]}`,
		}
		for d, answer := range answers {
			events := llmtest.Decode(d, llm.Endpoint{BaseURL: "https://api.openai.com/v1"}, r, []byte(answer), 100)
			llmtest.CheckStream(t, events)
			if got := last(events).Calls(); len(got) != 1 || string(got[0].Arguments) != want {
				t.Errorf("%s, strict %v: %+v", d.Name(), strict, got)
			}
		}
	}
}
