package taint_test

import (
	"testing"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/taint"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// Every tool of the registry: what it gives is text of notes, unless it is known
// to compute or to ask the web.
func TestWhatAToolGivesIsTakenForTextOfNotesUnlessItIsKnownNotToBe(t *testing.T) {
	reg, err := tool.NewRegistry(builtin.All()...)
	if err != nil {
		t.Fatal(err)
	}
	clean := map[string]bool{"http.request": true, "plugins.search": true}
	for _, e := range reg.All() {
		g := &plan.Graph{Nodes: []*plan.Node{
			{Step: &plan.Step{ID: "first"}, Tool: e},
			{Step: &plan.Step{ID: "ask"}, Tool: e, DependsOn: []string{"first"}},
			{Step: &plan.Step{ID: "far"}, Tool: e, DependsOn: []string{"ask"}},
			{Step: &plan.Step{ID: "alone"}, Tool: e},
		}}
		held := taint.Steps(g)
		want := e.SideEffects != tool.None && !clean[e.Name]
		if held["ask"] != want || held["far"] != want || held["first"] || held["alone"] {
			t.Errorf("%s (%s): want held[\"ask\"] equal to want and held[\"far\"] equal to want, got %v", e.Name, e.SideEffects, held)
		}
	}
}
