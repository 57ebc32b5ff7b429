package agent_test

import (
	"fmt"
	"testing"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
)

// BenchmarkLoopOverheadPerCall is loop_overhead_per_call: one call of a tool
// that does nothing, through the whole pipeline, without the model. Ten calls
// an answer, a hundred a run.
func BenchmarkLoopOverheadPerCall(b *testing.B) {
	t := &testing.T{}
	var blocks []llm.Block
	for i := range 10 {
		blocks = append(blocks, call(fmt.Sprint("c", i), "test.echo", fmt.Sprintf(`{"n":%d,"text":"some text"}`, i)))
	}
	calls := 0
	for b.Loop() {
		b.StopTimer()
		turns := append(endless(10, blocks...), llmtest.Say("ok"))
		k := newKit(t, turns, withTools(echo), withLimits(limits.Limits{MaxIterations: 20, MaxToolCalls: 1000}),
			withConfig(func(c *agent.Config) { c.On = func(agent.Event) {} }))
		b.StartTimer()
		if _, err := agent.Run(b.Context(), k.cfg, agent.Input{Messages: []llm.Message{llm.UserMessage("go")}}); err != nil {
			b.Fatal(err)
		}
		calls += 100
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(calls), "µs/call")
}
