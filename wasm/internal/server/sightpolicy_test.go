package server

import (
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// boxedCall is a call of a tool on one path, and what it needs.
type boxedCall struct {
	tool, path, args string
	writes           bool
}

var boxedCalls = []boxedCall{
	{"vault.readFile", "Work/In.md", `{"path":"Work/In.md"}`, false},
	{"vault.readFile", "Private/Out.md", `{"path":"Private/Out.md"}`, false},
	{"vault.readFile", "Work/salary.md", `{"path":"Work/salary.md"}`, false},
	{"vault.appendFile", "Work/In.md", `{"path":"Work/In.md","content":"more"}`, true},
	{"vault.appendFile", "Private/Out.md", `{"path":"Private/Out.md","content":"more"}`, true},
	{"vault.createFile", "Private/New.md", `{"path":"Private/New.md","content":"new"}`, true},
	{"vault.createFile", "Work/New.md", `{"path":"Work/New.md","content":"new"}`, true},
}

// settingsBoxes are settings that say which paths there are.
var settingsBoxes = map[string]struct {
	set  protocol.Settings
	open func(path string) bool
}{
	"no box":          {protocol.Settings{}, func(string) bool { return true }},
	"allowed folders": {protocol.Settings{AllowedRoots: []string{"Work"}}, func(p string) bool { return strings.HasPrefix(p, "Work/") }},
	"a refused name":  {protocol.Settings{DenyPatterns: []string{"salary"}}, func(p string) bool { return !strings.Contains(p, "salary") }},
	"both": {protocol.Settings{AllowedRoots: []string{"Work"}, DenyPatterns: []string{"salary"}}, func(p string) bool {
		return strings.HasPrefix(p, "Work/") && !strings.Contains(p, "salary")
	}},
	"allowed folders, and a tool switched off": {
		protocol.Settings{AllowedRoots: []string{"Work"}, DisabledTools: []string{"vault.createFile"}},
		func(p string) bool { return strings.HasPrefix(p, "Work/") && p != "Work/New.md" },
	},
}

// organisations are policy files, and what each lets happen in the open.
var organisations = map[string]struct {
	doc string
	let func(c boxedCall) bool
}{
	"none":           {"", func(boxedCall) bool { return true }},
	"one of limits":  {`{"version":1,"max_iterations":5}`, func(boxedCall) bool { return true }},
	"reading alone":  {`{"version":1,"side_effects":"reads"}`, func(c boxedCall) bool { return !c.writes }},
	"writes":         {`{"version":1,"side_effects":"commands"}`, func(boxedCall) bool { return true }},
	"a tool refused": {`{"version":1,"blocked_tools":["vault.appendFile"]}`, func(c boxedCall) bool { return c.tool != "vault.appendFile" }},
	"tools allowed": {
		`{"version":1,"enabled_tools":["vault.readFile","vault.createFile","vault.listFiles","vault.searchText"]}`,
		func(c boxedCall) bool { return c.tool == "vault.readFile" || c.tool == "vault.createFile" },
	},
	// Names of folders are no part of a policy file: one that has them closes everything.
	"a box of its own": {`{"version":1,"allowed_roots":["Private"]}`, nil},
	"a broken one":     {`{"version":1,`, nil},
}

// TestAnOrganisationsPolicyAndTheAllowedFoldersHoldTogether tries each box of
// paths with each policy file: a call is made where both let it, and neither
// opens what the other closes.
func TestAnOrganisationsPolicyAndTheAllowedFoldersHoldTogether(t *testing.T) {
	for boxName, box := range settingsBoxes {
		for orgName, org := range organisations {
			t.Run(boxName+" and "+orgName, func(t *testing.T) {
				calls := []llm.Block{llm.Call("list", "vault.listFiles", []byte(`{}`)), llm.Call("find", "vault.searchText", []byte(`{"query":"word"}`))}
				for i, c := range boxedCalls {
					calls = append(calls, llm.Call(fmt.Sprint(i), c.tool, []byte(c.args)))
				}
				mem := hosttest.New(hosttest.Options{Files: map[string]string{
					"Work/In.md": "word", "Work/salary.md": "word SALARYTEXT", "Private/Out.md": "word OUTSIDETEXT",
				}})
				if org.doc != "" {
					putPolicy(t, mem, org.doc)
				}
				before := mem.Snapshot()
				r := newRig(t, mem, box.set, nil, llmtest.Reply(calls...), llmtest.Say("Done."))
				end := r.say("go")
				if org.let == nil {
					if end.Problem == nil || len(r.model.Requests()) != 0 {
						t.Errorf("the model was asked %d times under a policy that cannot be understood: %+v", len(r.model.Requests()), end.Problem)
					}
					return
				}
				told := r.results()
				if len(told) != len(calls) {
					t.Fatalf("%d results of %d calls: %+v", len(told), len(calls), end.Problem)
				}
				for i, c := range boxedCalls {
					want, result := box.open(c.path) && org.let(c), told[i+2]
					if denied := strings.Contains(result, "POLICY_DENIED"); denied == want || want && strings.Contains(result, `"error"`) {
						t.Errorf("%s of %s, let %v: %s", c.tool, c.path, want, result)
					}
				}
				all := strings.Join(told, "\n")
				for word, path := range map[string]string{"SALARYTEXT": "Work/salary.md", "OUTSIDETEXT": "Private/Out.md"} {
					if shown := strings.Contains(all, word); shown != box.open(path) {
						t.Errorf("the text of %s is shown: %v", path, shown)
					}
				}
				if diff := before.Diff(mem.Snapshot()); diff != "" {
					t.Errorf("written before any yes:\n%s", diff)
				}
			})
		}
	}
}
