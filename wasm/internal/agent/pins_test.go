package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/modelstep"
)

func TestAPinOnAToolThatIsSwitchedOffKeepsWorking(t *testing.T) {
	last := &modelstep.MemoryValues{}
	pins := []modelstep.Pin{
		{Name: "number", Selector: modelstep.Selector{Tool: "test.echo"}, OnMissing: modelstep.MissingStale},
		{Name: "plain", Selector: modelstep.Selector{Tool: "test.echo"}},
	}
	values := func(enabled ...string) map[string]any {
		k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.echo", `{"n":4}`), llmtest.Say("ok")}, withTools(echo), withLimits(limits.Limits{EnabledTools: enabled}))
		got, err := modelstep.ResolvePins(pins, k.run("go").Outputs, last)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	four := map[string]any{"n": 4}
	if d := cmp.Diff(map[string]any{"number": four, "plain": four}, values("test.echo")); d != "" {
		t.Errorf("enabled (-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string]any{"number": four, "plain": nil}, values("vault.readFile")); d != "" {
		t.Errorf("switched off (-want +got):\n%s", d)
	}
}
