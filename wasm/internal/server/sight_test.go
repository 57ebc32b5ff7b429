package server

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestToolsThatWalkTheVaultSeeOnlyTheAllowedFolders(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{
		"Work/Plan.md": "the word\n", "Private/Diary.md": "the word, and a secret\n", "Work/salary.md": "the word\n",
	}})
	sh := newShell(t, mem, protocol.Settings{Provider: "openai", AllowedRoots: []string{"Work"}, DenyPatterns: []string{"salary"}})
	r, err := sh.s.OpenPlan(t.Context(), []byte(`{"goal":"look","assumptions":[],"steps":[
{"id":"list","tool":"vault.listFiles","args":{}},
{"id":"find","tool":"vault.searchText","args":{"query":"the word"},"dependsOn":["list"]}]}`), nil, true)
	if err != nil {
		t.Fatal(err)
	}
	se, err := sh.s.open(r.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range se.report.Steps {
		out := shortJSON(st.Results[0].Data)
		if !strings.Contains(out, "Work/Plan.md") || strings.Contains(out, "Private") || strings.Contains(out, "salary") {
			t.Errorf("%s saw %s", st.Node.Step.ID, out)
		}
	}
}
