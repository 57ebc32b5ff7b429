package agent

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
)

func TestAPolicyFileWithAnythingInItThatIsNotUnderstoodIsRefusedByName(t *testing.T) {
	for doc, names := range map[string]string{
		`{"version":1,"enabled_tools":[],"enabled_tools":["vault.delete"]}`:                              "enabled_tools",
		`{"version":1,"enabled_tools":[],"enabled\u005ftools":["x"]}`:                                    "enabled_tools",
		`{"version":1,"version":1}`:                                                                      "version",
		`{"version":1,"rate_limits":{"*":{"per_minute":1,"burst":1},"*":{"per_minute":1000,"burst":9}}}`: "rate_limits.*",
		`{"version":1,"secrets":{"a":"b","a":"c"}}`:                                                      "secrets.a",
		`{"version":1,"Enabled_Tools":[]}`:                                                               "enabled_tools",
		`{"version":1,"ENABLED_TOOLS":[]}`:                                                               "ENABLED_TOOLS",
		`{"Version":1}`:                                                                                  "Version",
		`{"version":1,"Side_Effects":"none"}`:                                                            "side_effects",
		`{"version":1,"enabledTools":[]}`:                                                                "enabledTools",
		`{"version":1,"enabled_tools":null}`:                                                             "enabled_tools",
		`{"version":1,"blocked_tools":null}`:                                                             "blocked_tools",
		`{"version":1,"blocked_tools":[null]}`:                                                           "blocked_tools[0]",
		`{"version":1,"max_tokens":null}`:                                                                "max_tokens",
		`{"version":1,"side_effects":null}`:                                                              "side_effects",
		`{"version":1,"rate_limits":null}`:                                                               "rate_limits",
		`{"version":1,"rate_limits":{"*":null}}`:                                                         "rate_limits.*",
		`{"version":1,"rate_limits":{"*":{"Burst":1,"per_minute":1}}}`:                                   "rate_limits.*.Burst",
		`{"version":1,"secrets":null}`:                                                                   "secrets",
		`{"version":1,"max_iterations":"5"}`:                                                             "max_iterations",
		`{"version":1,"max_iterations":1.5}`:                                                             "max_iterations",
		`{"version":"1"}`:                                                                                "version",
		`{"version":1,"enabled_tools":"vault.readFile"}`:                                                 "enabled_tools",
		`null`: "JSON object", `[]`: "JSON object", ``: "value", `{"version":1}{}`: "after the end",
	} {
		l, err := limits.Tighten(limits.Limits{}, []byte(doc))
		if !fault.Is(err, fault.Validation) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v does not name %s", doc, err, names)
		}
		if l.EnabledTools != nil || l.BlockedTools != nil {
			t.Errorf("%s: part of it was taken", doc)
		}
		if _, _, err := limits.OrganisationSecrets([]byte(doc)); err == nil {
			t.Errorf("%s: its secrets are taken", doc)
		}
	}
}

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
		_, err := argsOf(llm.ToolCall{Name: "vault.readFile", Arguments: []byte(args)})
		if !fault.Is(err, fault.Validation) || !strings.Contains(err.Error(), names) {
			t.Errorf("%.60s: %v", args, err)
		}
	}
	got, err := argsOf(llm.ToolCall{Name: "vault.readFile", Arguments: []byte(`{"path":"a.md","n":1}`)})
	if err != nil || got.String("path") != "a.md" || got.Int("n") != 1 {
		t.Errorf("%v %v", got, err)
	}
}
