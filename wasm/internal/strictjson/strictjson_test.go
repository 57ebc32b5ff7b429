package strictjson

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

type inner struct {
	N    int    `json:"n"`
	Deep *inner `json:"deep,omitempty"`
}

type outer struct {
	Name    string           `json:"name"`
	List    []string         `json:"enabled_tools"`
	Maybe   *[]string        `json:"maybe"`
	Inner   inner            `json:"inner"`
	Map     map[string]inner `json:"map"`
	Raw     json.RawMessage  `json:"raw"`
	Any     any              `json:"any"`
	Yes     bool             `json:"yes"`
	Amount  *float64         `json:"amount"`
	private int
	Skipped int `json:"-"`
}

var _ = outer{}.private // it is there to be passed over

func TestNothingIsTakenThatIsNotUnderstood(t *testing.T) {
	for src, want := range map[string]string{
		`{}`: "", `{"name":"x","inner":{"n":1,"deep":{"n":2}},"map":{"Any Key":{"n":1}},"raw":{"X":null},"any":[null],"yes":true,"amount":1.5,"maybe":[]}`: "",
		`{"name":"a","name":"a"}`:               "“name” is given twice",
		`{"na\u006de":"a","name":"b"}`:          "“name” is given twice",
		`{"inner":{"n":1,"n":2}}`:               "“inner.n” is given twice",
		`{"raw":{"x":[{"k":1,"k":1}]}}`:         "“raw.x[0].k” is given twice",
		`{"any":{"k":1,"k":1}}`:                 "“any.k” is given twice",
		`{"map":{"a":{"n":1},"a":{"n":2}}}`:     "“map.a” is given twice",
		`{"Enabled_Tools":[]}`:                  "“Enabled_Tools” is not known: it is written “enabled_tools”",
		`{"enabled_tool\u017f":[]}`:             "“enabled_toolſ” is not known: it is written “enabled_tools”",
		`{"NAME":"x"}`:                          "“NAME” is not known: it is written “name”",
		`{"inner":{"N":1}}`:                     "“inner.N” is not known: it is written “n”",
		`{"map":{"a":{"Deep":{}}}}`:             "“map.a.Deep” is not known: it is written “deep”",
		`{"enabledTools":[]}`:                   "“enabledTools” is not known",
		`{"Skipped":1}`:                         "“Skipped” is not known",
		`{"private":1}`:                         "“private” is not known",
		`{"":1}`:                                "“” is not known",
		`{"enabled_tools":null}`:                "“enabled_tools” is not a list",
		`{"maybe":null}`:                        "“maybe” is not a list",
		`{"enabled_tools":["a",null]}`:          "“enabled_tools[1]” is not a text",
		`{"enabled_tools":{}}`:                  "“enabled_tools” is not a list",
		`{"name":1}`:                            "“name” is not a text",
		`{"name":null}`:                         "“name” is not a text",
		`{"yes":"true"}`:                        "“yes” is not true or false",
		`{"amount":"1"}`:                        "“amount” is not a number",
		`{"inner":null}`:                        "“inner” is not a JSON object",
		`{"inner":{"deep":{"deep":{"n":"x"}}}}`: "“inner.deep.deep.n” is not a number",
		`{"map":[]}`:                            "“map” is not a JSON object",
		`[]`:                                    "it is not a JSON object",
		`null`:                                  "it is not a JSON object",
		``:                                      "a value is missing (at byte 0)",
		`{"name":"x"} {}`:                       "there is text after the end (at byte 13)",
		`{"name":"x",}`:                         "a name in quotes is missing (at byte 12)",
		"\ufeff{}":                              "a value is missing (at byte 0)",
		`{"any":` + strings.Repeat("[", 200) + `}`: "nested too deeply (at byte 134)",
	} {
		var o outer
		got := ""
		if err := Into([]byte(src), &o); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%.80s\n got %s\nwant %s", src, got, want)
		}
		if want != "" && !reflect.DeepEqual(o, outer{}) {
			t.Errorf("%.80s: something was taken: %+v", src, o)
		}
	}
}

func FuzzInto(f *testing.F) {
	for _, s := range []string{`{"name":"x"}`, `{"inner":{"n":1}}`, `{"inner":{"n":1.5}}`, `{"map":{"a":{}}}`, `{"a":1,"a":2}`, `{"Name":1}`, `{"maybe":null}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var strict, loose outer
		if Into(src, &strict) != nil {
			return
		}
		// What it takes, the standard library takes to mean the same.
		if err := json.Unmarshal(src, &loose); err != nil || !reflect.DeepEqual(strict, loose) {
			t.Fatalf("%q: %v, %+v and %+v", src, err, strict, loose)
		}
	})
}
