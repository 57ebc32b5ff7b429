package server

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// doubling is a plan whose every step puts what the one before gave into a text
// twice.
func doubling(steps int) string {
	out := []string{fmt.Sprintf(`{"id":"s0","tool":"util.joinLines","args":{"items":[%q]}}`, strings.Repeat("x", 1000))}
	for i := 1; i < steps; i++ {
		out = append(out, fmt.Sprintf(`{"id":"s%d","tool":"util.joinLines","args":{"items":["$steps.s%[2]d.text","$steps.s%[2]d.text"]}}`, i, i-1))
	}
	return planOf("double", append(out, fmt.Sprintf(`{"id":"w","tool":"vault.createFile","args":{"path":"N.md","content":"$steps.s%d.text"}}`, steps-1))...)
}

// makers are plans that would make gigabytes, on a note of 20 kB.
var makers = map[string]string{
	"texts that double": doubling(30),
	"texts that double within a text": planOf("double", append(func() []string {
		out := []string{fmt.Sprintf(`{"id":"s0","tool":"util.joinLines","args":{"items":[%q]}}`, strings.Repeat("x", 1000))}
		for i := 1; i < 30; i++ {
			out = append(out, fmt.Sprintf(`{"id":"s%d","tool":"util.joinLines","args":{"items":["${steps.s%[2]d.text}${steps.s%[2]d.text}"]}}`, i, i-1))
		}
		return out
	}(), `{"id":"w","tool":"vault.createFile","args":{"path":"N.md","content":"x"}}`)...),
	"a long replacement of each letter": planOf("replace",
		fmt.Sprintf(`{"id":"r","tool":"vault.replaceText","args":{"path":"Note.md","find":"x","replace":%q}}`, strings.Repeat("y", 60_000))),
	"the whole match again and again": planOf("replace",
		fmt.Sprintf(`{"id":"r","tool":"vault.replaceText","args":{"path":"Note.md","regex":true,"find":"x+","replace":%q}}`, strings.Repeat("$0", 30_000))),
	"a long value of a template's every field": planOf("template",
		fmt.Sprintf(`{"id":"t","tool":"template.apply","args":{"template":"Template.md","path":"N.md","variables":{"x":%q}}}`, strings.Repeat("y", 60_000))),
	"a long text for each of many": planOf("loop",
		`{"id":"read","tool":"vault.readFile","args":{"path":"Note.md"}}`,
		`{"id":"words","tool":"util.parseMarkdownBullets","args":{"text":"`+strings.Repeat(`- a\n`, 15_000)+`"}}`,
		`{"id":"w","tool":"vault.appendFile","foreach":{"from":"$steps.words.items"},"args":{"path":"Note.md","content":"${steps.read.content}"}}`),
}

func TestAPlanThatWouldFillTheMemoryIsRefusedBeforeItDoes(t *testing.T) {
	for name, plan := range makers {
		t.Run(name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: map[string]string{
				"Note.md": strings.Repeat("x", 20_000), "Template.md": strings.Repeat("{{x}}", 20_000),
			}})
			ui := begin(t, mem, protocol.Settings{MaxPlanMB: 20})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := opened(ui, plan)
			runtime.ReadMemStats(&after)
			if r.Problem == nil || r.Problem.Code != protocol.ProblemCode(fault.Denied) || r.Problem.Key != "error.plan.tooMuch" || r.Problem.Params["max"] != "20" {
				t.Fatalf("want Problem set, Problem.Code fault.Denied, Problem.Key \"error.plan.tooMuch\" and Problem.Params[\"max\"] \"20\", got %+v", r.Problem)
			}
			if r.Approvable {
				t.Error("it can be approved")
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 1<<30 {
				t.Errorf("%d MB were allocated on the way", got>>20)
			}
		})
	}
}

func TestAPlanWithinTheLimitRuns(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"Note.md": strings.Repeat("x", 20_000)}})
	ui := begin(t, mem, protocol.Settings{MaxPlanMB: 20})
	if r := ui.open(doubling(13)); r.Problem != nil {
		t.Fatalf("want no Problem, got %+v", r.Problem)
	}
}

func TestTheLimitOfAPlanIsWhatTheSettingsSay(t *testing.T) {
	plan := planOf("write", fmt.Sprintf(`{"id":"w","tool":"vault.createFile","args":{"path":"N.md","content":%q}}`, strings.Repeat("x", 1_500_000)))
	for mb, refused := range map[int]bool{0: false, 1: true, 2: false} {
		ui := begin(t, hosttest.New(hosttest.Options{}), protocol.Settings{MaxPlanMB: mb})
		if r := opened(ui, plan); (r.Problem != nil) != refused {
			t.Errorf("%d MB: got %+v, want %+v", mb, r.Problem, refused)
		}
	}
}

// opened simulates a plan, which may fail.
func opened(ui *panel, plan string) *protocol.Review {
	ui.t.Helper()
	r, err := ui.s.tx.OpenPlan(ui.t.Context(), []byte(plan), nil, false)
	if err != nil {
		ui.t.Fatal(err)
	}
	return r
}
