package limits_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/tool"
)

func TestAnOrganisationsPolicyCanOnlyTighten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tools := []string{"a.a", "b.b", "c.c"}
		subset := rapid.SliceOfDistinct(rapid.SampledFrom(tools), func(s string) string { return s })
		have := limits.Limits{
			MaxIterations: rapid.IntRange(0, 40).Draw(t, "iterations"),
			MaxToolCalls:  rapid.IntRange(0, 80).Draw(t, "calls"),
			MaxTokens:     rapid.Int64Range(0, 5000).Draw(t, "tokens"),
			MaxCost:       price.Nano(rapid.Int64Range(0, 5e9).Draw(t, "cost")),
			SideEffects:   rapid.SampledFrom([]tool.SideEffects{"", tool.None, tool.Reads, tool.Writes, tool.Commands}).Draw(t, "effects"),
		}
		if rapid.Bool().Draw(t, "list") {
			have.EnabledTools = append([]string{}, subset.Draw(t, "enabled")...)
		}
		doc := fmt.Sprintf(`{"version":1,"max_iterations":%d,"max_tool_calls":%d,"max_tokens":%d,"max_cost":%d,"side_effects":%q,"enabled_tools":["a.a","b.b"],"blocked_tools":["b.b"],"rate_limits":{"a.a":{"per_minute":5,"burst":1}}}`,
			rapid.IntRange(1, 50).Draw(t, "o iterations"), rapid.IntRange(1, 90).Draw(t, "o calls"), rapid.IntRange(1, 6000).Draw(t, "o tokens"),
			rapid.IntRange(1, 6).Draw(t, "o cost"), rapid.SampledFrom([]string{"none", "reads", "writes", "commands"}).Draw(t, "o effects"))
		got, err := limits.Tighten(have, []byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		was, now := inForce(have), inForce(got)
		if now.MaxIterations > was.MaxIterations || now.MaxToolCalls > was.MaxToolCalls || now.MaxTokens > was.MaxTokens || now.MaxCost > was.MaxCost || order(now.SideEffects) > order(was.SideEffects) {
			t.Fatalf("looser: %+v, then %+v", was, now)
		}
		for _, name := range got.EnabledTools {
			if have.EnabledTools != nil && !strings.Contains(fmt.Sprint(have.EnabledTools), name) {
				t.Fatalf("%s was enabled", name)
			}
		}
		if got.EnabledTools == nil || len(got.BlockedTools) != 1 {
			t.Fatalf("lists %v %v", got.EnabledTools, got.BlockedTools)
		}
	})
}

// inForce fills in what zero stands for.
func inForce(l limits.Limits) limits.Limits {
	if l.MaxIterations == 0 {
		l.MaxIterations = limits.DefaultMaxIterations
	}
	if l.MaxToolCalls == 0 {
		l.MaxToolCalls = limits.DefaultMaxToolCalls
	}
	if l.MaxTokens == 0 {
		l.MaxTokens = 1 << 60
	}
	if l.MaxCost == 0 {
		l.MaxCost = 1 << 60
	}
	return l
}

func order(s tool.SideEffects) int {
	return map[tool.SideEffects]int{tool.None: 0, tool.Reads: 1, tool.Writes: 2, tool.Commands: 3, "": 3}[s]
}

func TestAnOrganisationsPolicyThatIsNotUnderstoodLetsNothingRun(t *testing.T) {
	for name, doc := range map[string]string{
		"empty": ``, "not JSON": `{`, "a list": `[]`, "null": `null`, "no version": `{}`, "other version": `{"version":2}`,
		"unknown field": `{"version":1,"max_iteration":3}`, "zero": `{"version":1,"max_tool_calls":0}`,
		"negative": `{"version":1,"max_tokens":-1}`, "no amount": `{"version":1,"max_cost":0}`,
		"wrong effect": `{"version":1,"side_effects":"all"}`, "wrong type": `{"version":1,"max_iterations":"3"}`,
		"no rate": `{"version":1,"rate_limits":{"a.a":{"per_minute":0,"burst":1}}}`,
	} {
		if _, err := limits.Tighten(limits.Limits{}, []byte(doc)); !fault.Is(err, fault.Validation) {
			t.Errorf("%s: want the error fault.Validation, got %v", name, err)
		}
	}
	names, hosts, err := limits.OrganisationSecrets([]byte(`{"version":1,"secrets":{"search":"org-search"},"secret_hosts":{"search":["api.example.com"]}}`))
	if err != nil || names["search"] != "org-search" || hosts["search"][0] != "api.example.com" {
		t.Errorf("want no error, names[\"search\"] \"org-search\" and hosts[\"search\"][0] \"api.example.com\", got %v %v %v", names, hosts, err)
	}
}

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

// FuzzTighten: whatever an organisation's file holds, it loosens nothing.
func FuzzTighten(f *testing.F) {
	for _, doc := range []string{
		`{"version":1}`, `{"version":1,"enabled_tools":[]}`, `{"version":1,"max_cost":1e308}`, `{"version":1,"max_tokens":1e3}`,
		`{"version":1,"side_effects":"commands","max_iterations":99999999,"enabled_tools":["vault.delete"]}`,
		`{"version":1,"version":1,"rate_limits":{"*":{"per_minute":1e-300,"burst":1}}}`,
	} {
		f.Add([]byte(doc))
	}
	have := limits.Limits{EnabledTools: []string{"a.a"}, MaxIterations: 3, MaxToolCalls: 4, MaxTokens: 500, MaxCost: 600, SideEffects: tool.Reads}
	f.Fuzz(func(t *testing.T, doc []byte) {
		got, err := limits.Tighten(have, doc)
		if err != nil {
			if !fault.Is(err, fault.Validation) {
				t.Fatal(err)
			}
			return
		}
		if got.MaxIterations > 3 || got.MaxToolCalls > 4 || got.MaxTokens > 500 || got.MaxCost > 600 || order(got.SideEffects) > 1 ||
			got.MaxIterations < 1 || got.MaxToolCalls < 1 || got.MaxTokens < 1 || got.MaxCost < 1 {
			t.Fatalf("want MaxIterations at most 3, MaxToolCalls at most 4, MaxTokens at most 500, MaxCost at most 600, at most 1, MaxIterations at least 1, MaxToolCalls at least 1, MaxTokens at least 1 and MaxCost at least 1, got %+v", got)
		}
		if slices.ContainsFunc(got.EnabledTools, func(s string) bool { return s != "a.a" }) || got.EnabledTools == nil {
			t.Fatalf("want EnabledTools set, got %v", got.EnabledTools)
		}
	})
}
