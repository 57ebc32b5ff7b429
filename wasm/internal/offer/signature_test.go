package offer

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

var update = flag.Bool("update", false, "write the goldens anew")

func entries(t testing.TB) []*tool.Entry {
	t.Helper()
	reg, err := tool.NewRegistry(builtin.All()...)
	if err != nil {
		t.Fatal(err)
	}
	var out []*tool.Entry
	for _, e := range reg.All() {
		if e.Lifecycle == tool.Active {
			out = append(out, e)
		}
	}
	return out
}

// Whatever a line leaves away, it never leaves away a parameter, an output
// field, or a value that is one of a few.
func TestALineNamesEveryFieldAndValue(t *testing.T) {
	for _, e := range entries(t) {
		what := brief(e.Description)
		in := strings.Replace(takes(e.Input, what), scopeText, "path?, paths?, folder?", 1)
		for raw, text := range map[string]string{string(e.Input): in, string(e.Output): gives(e.Output)} {
			var v any
			if err := json.Unmarshal([]byte(raw), &v); err != nil {
				t.Fatal(err)
			}
			inside(v, func(name string) {
				if !regexp.MustCompile(`(^|[{ ])` + regexp.QuoteMeta(name) + `\??([:,}]|$)`).MatchString(text) {
					t.Errorf("%s: %s is not in %s", e.Name, name, text)
				}
			}, func(value any) {
				if b, err := canon.Encode(value); err != nil || !strings.Contains(text+what, string(b)) {
					t.Errorf("%s: the value %v is not in %s: %s", e.Name, value, text, what)
				}
			})
		}
	}
}

// inside walks over a schema and tells its properties and values.
func inside(schema any, property func(string), value func(any)) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	each := func(v any) {
		list, _ := v.([]any)
		for _, one := range list {
			inside(one, property, value)
		}
	}
	of := func(v any, found func(string)) {
		all, _ := v.(map[string]any)
		for name, one := range all {
			if about, _ := one.(map[string]any); about["x-page"] == true {
				continue // of pages, which a plan does not have
			}
			found(name)
			inside(one, property, value)
		}
	}
	of(s["properties"], property)
	of(s["definitions"], func(string) {})
	inside(s["items"], property, value)
	inside(s["additionalProperties"], property, value)
	each(s["oneOf"])
	each(s["anyOf"])
	if values, ok := s["enum"].([]any); ok {
		for _, v := range values {
			value(v)
		}
	}
}

func TestTypesAreWrittenShort(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"array","items":{"type":"boolean"}}},"required":["a"]}`: `{a, b?: int, c?: bool[]}`,
		`{"type":"object","properties":{"o":{"enum":["x","y",1]},"l":{"type":"array","items":{"enum":["x","<"]}}}}`:                                      `{o?: "x"|"y"|1, l?: ("x"|"<")[]}`,
		`{"type":["string","number"]}`:                                             `string|number`,
		`{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`: `string|string[]`,
		`{"type":"object","additionalProperties":{"type":"integer"}}`:              `{[name]: int}`,
		`{"type":"object","additionalProperties":false}`:                           `object`,
		`{"type":"array"}`: `any[]`,
		`{}`:               `any`,
		`true`:             `any`,
		`{"definitions":{"n":{"type":"object","properties":{"in":{"type":"array","items":{"$ref":"#/definitions/n"}}}}},"$ref":"#/definitions/n"}`: `{in?: same[]}`,
	} {
		if got := gives(json.RawMessage(schema)); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

func TestADescriptionKeepsWhatTheSignatureDoesNotTell(t *testing.T) {
	for text, want := range map[string]string{
		"Gives the day. Gives `day`. Use it for days.":                                                                      "Gives the day. Use it for days.",
		"Reads it.\n\nFails with NOT_FOUND when it is not there. `part` reads a part. The rest stays byte for byte.":        "Reads it. `part` reads a part.",
		"Adds tags in one note (`path`), some (`paths`), a `folder` with those below, or the whole vault. Say which: a, b.": "Adds tags in scope. Say which: a, b.",
		"Reads it. A host that is not allowed is POLICY_DENIED. It is NOT_FOUND unless `ifMissing` is \"create\".":          "Reads it. It is NOT_FOUND unless `ifMissing` is \"create\".",
		"Two ways:\n- `a`: one.\n- `b`: \"two\". \"Three\" too.":                                                            "Two ways: - `a`: one. - `b`: \"two\". \"Three\" too.",
	} {
		if got := brief(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The catalogue as it is sent, to be read when it changes.
func TestTheCatalogueIsAsItWas(t *testing.T) {
	const file = "testdata/catalogue.txt"
	var keep []*tool.Entry
	for _, e := range entries(t) {
		if slices.Contains([]string{"tags.add", "tags.remove", "tags.rename", "util.parseMarkdownBullets", "vault.createFile", "vault.query"}, e.Name) {
			keep = append(keep, e)
		}
	}
	got := Catalogue(keep, Line)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%v\n%s\n-update writes it anew; read the difference", err, got)
	}
}
