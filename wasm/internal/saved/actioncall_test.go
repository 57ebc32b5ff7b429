package saved

import (
	"testing"

	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/tool"
)

func TestAPinBecomesTheStepOfTheCallThatItTakesItsValueFrom(t *testing.T) {
	envelope := func(id, path string) tool.Envelope {
		return tool.Envelope{CallID: id, Name: "vault.readFile", Version: "1.0.0", Input: map[string]any{"path": path}, Output: map[string]any{"content": path}, TEnd: "2026-11-20T09:30:00.000Z"}
	}
	out := modelstep.Outputs{
		ToolsByID: map[string]tool.Envelope{"one": envelope("one", "A.md"), "two": envelope("two", "B.md")}, ToolOrder: []string{"one", "two"},
	}
	var data tool.Data
	if !convert(out, &data) {
		t.Fatal("no data")
	}
	step := Call{ids: []string{"step"}, tool: "agent.run", data: data, args: map[string]any{"prompt": "p", "pins": []any{
		map[string]any{"name": "last", "selector": map[string]any{"tool": "vault.readFile"}},
		map[string]any{"name": "first", "selector": map[string]any{"tool": "vault.readFile", "strategy": "first_success"}},
		map[string]any{"name": "none", "selector": map[string]any{"tool": "vault.query"}},
	}}}
	for pin, want := range map[string]string{"last": "B.md", "first": "A.md", "none": "", "unknown": ""} {
		got := ""
		if m := pinnedCall(&step, pin); m != nil {
			got, _ = m.args["path"].(string)
		}
		if got != want {
			t.Errorf("%s is a call with %q, want %q", pin, got, want)
		}
	}
	if m := findCall([]Call{step}, "two", ""); m == nil || m.args["path"] != "B.md" || m.version != "1.0.0" {
		t.Errorf("a call that a model made in a step: %+v", m)
	}
}
