package reach_test

import (
	"testing"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/reach"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

func TestTheRiskOfAPlanIsThatOfAllThatItMayTouch(t *testing.T) {
	tools, err := tool.NewRegistry(builtin.All()...)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[tool.Risk]bool{}
	for _, a := range action.Bundled("en") {
		p, err := a.Template()
		if err != nil {
			t.Fatal("want no error, got:", a.ID, err)
		}
		got, want := reach.RiskOf(p, tools), reach.Of(p, tools).Risk
		if got != want {
			t.Errorf("%s has the risk %v, and may do what is %v", a.ID, got, want)
		}
		seen[got] = true
	}
	if !seen[tool.RiskWrites] {
		t.Error("no action that writes was looked at")
	}
}
