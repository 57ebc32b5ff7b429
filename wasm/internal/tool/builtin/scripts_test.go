package builtin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/sandbox"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

func TestThePlanCheckReadsTheScriptsOfAPlan(t *testing.T) {
	reg, err := tool.NewRegistry(builtin.All()...)
	if err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"def main(x):\n  return {\"n\": len(x)}": "",
		"def main(x):\n  return f'{x}'":          "line 2:",
		"def man(x):\n  return x":                "no function main(input)",
		"def main():\n  return 1":                "line 1: main has to take one value",
	} {
		for _, name := range []string{"script", "source"} {
			step := map[string]any{"id": "count", "tool": "code.run", "args": map[string]any{name: script, "input": "x"}}
			doc, err := json.Marshal(map[string]any{"goal": "x", "assumptions": []any{}, "steps": []any{step}})
			if err != nil {
				t.Fatal(err)
			}
			_, _, _, problems := plan.Accept(doc, reg, plan.Rules{Script: sandbox.Check})
			if want == "" {
				if len(problems) > 0 {
					t.Errorf("%s: want no problems, got %v", script, problems)
				}
				continue
			}
			if len(problems) != 1 || problems[0].Step != "count" || problems[0].Field != "args.script" || !strings.Contains(problems[0].Params["problem"], want) {
				t.Errorf("%s: %+v, want %q", script, problems, want)
			}
		}
	}
}
