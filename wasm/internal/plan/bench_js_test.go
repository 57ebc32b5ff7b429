package plan_test

import (
	"syscall/js"
	"testing"

	"embedded-agent/wasm/internal/plan/plantest"
)

// What the engine itself takes to read the same plan and to look at each of its
// values: the least that checking it could cost.
func BenchmarkParseAndWalk1000(b *testing.B) {
	raw := plantest.Steps(1000)
	text := js.ValueOf(string(raw))
	parse := js.Global().Get("Function").New("text", `
		let strings = 0;
		const walk = (x) => {
			if (typeof x === "string") strings += x.length;
			else if (x !== null && typeof x === "object") for (const key of Object.keys(x)) walk(x[key]);
		};
		walk(JSON.parse(text));
		return strings;
	`)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if parse.Invoke(text).Int() == 0 {
			b.Fatal("no text was seen")
		}
	}
}
