//go:build !js

package server

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox/child"
)

// TestMain is the sandbox's child, where this test was started as one.
func TestMain(m *testing.M) {
	child.Main()
	os.Exit(m.Run())
}

// counted counts the scripts that are run.
type counted struct {
	host.Sandbox
	n atomic.Int64
}

func (c *counted) Run(ctx context.Context, s host.Script) ([]byte, error) {
	c.n.Add(1)
	return c.Sandbox.Run(ctx, s)
}

// newCodePanel is a panel with a sandbox, and a model that plans once.
func newCodePanel(t *testing.T, mem *hosttest.Memory, set protocol.Settings, plan string) (*panel, *counted) {
	t.Helper()
	runner := child.New()
	t.Cleanup(runner.Close)
	box := &counted{Sandbox: runner}
	ui := &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	ports := mem.Host()
	ports.Sandbox = box
	s, err := New(Deps{Host: ports, Provider: llmtest.NewProvider(llmtest.Call("c1", "submit_plan", plan)), Emit: ui.hear})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	set.Provider, set.Streaming = "openai", true
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux"}})
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "do it", Mode: protocol.ModePlan})
	return ui, box
}

// countPlan writes into each note of a folder how many words it has: a function
// of its text.
const countPlan = `{"goal":"Count the words","assumptions":[],"riskLevel":"writes","steps":[
{"id":"find","tool":"vault.listFiles","args":{"folder":"Notes"}},
{"id":"read","tool":"vault.readFile","args":{"path":"{f.path}"},"foreach":{"from":"$steps.find.files","itemName":"f"}},
{"id":"count","tool":"code.run","args":{"script":"def main(note):\n    body = note[\"content\"]\n    return {\"path\": note[\"path\"], \"line\": \"%d words\" % len(body.split())}","input":"$item"},"foreach":{"from":"$steps.read.items","itemName":"item"}},
{"id":"write","tool":"vault.appendFile","args":{"path":"{c.value.path}","content":"{c.value.line}"},"foreach":{"from":"$steps.count.items","itemName":"c"}}]}`

func countedNotes(n int) *hosttest.Memory {
	files := map[string]string{"Other.md": "left alone\n"}
	for i := range n {
		files[fmt.Sprintf("Notes/%02d.md", i)] = strings.Repeat("word ", i+1) + "\n"
	}
	return hosttest.New(hosttest.Options{Files: files})
}

func TestAFunctionOfEachNotesTextIsShownWrittenAndTakenBack(t *testing.T) {
	mem := countedNotes(12)
	before := mem.Snapshot()
	ui, box := newCodePanel(t, mem, protocol.Settings{}, strings.ReplaceAll(countPlan, `"$item"`, `"{item}"`))
	r := ui.review()
	if !r.Approvable || len(r.Files) != 12 {
		t.Fatalf("%d files, %+v", len(r.Files), r.Problem)
	}
	if box.n.Load() != 12 {
		t.Errorf("%d scripts for 12 notes", box.n.Load())
	}
	shown := ""
	for _, st := range r.Steps {
		if st.Tool == "code.run" {
			shown = st.Args
		}
	}
	if !strings.Contains(shown, "def main(note)") {
		t.Errorf("the review does not show the script: %s", shown)
	}
	again := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: "Notes/03.md"})
	if box.n.Load() != 12 {
		t.Errorf("an amendment computed again: %d scripts", box.n.Load())
	}
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: again.Approval})
	if end := ui.finished(); end.Outcome != "ok" && end.Outcome != "partial" {
		t.Fatalf("want Outcome \"ok\" (or Outcome \"partial\"), got %+v", end)
	}
	if box.n.Load() != 12 {
		t.Errorf("the run computed again: %d scripts", box.n.Load())
	}
	if got, _ := mem.File("Notes/04.md"); !strings.HasSuffix(string(got), "5 words\n") && !strings.HasSuffix(string(got), "5 words") {
		t.Errorf("want a text ending in \"5 words\\n\" (or a text ending in \"5 words\"), got %q", got)
	}
	call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: r.Run})
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Error("want the vault as it was before; it differs:", d)
	}
}

func TestAScriptThatIsStoppedIsAProblemOfItsStepAndNothingElse(t *testing.T) {
	// It takes time, and no more memory the longer it goes on.
	plan := `{"goal":"x","assumptions":[],"riskLevel":"writes","steps":[
	{"id":"bad","tool":"code.run","args":{"script":"def main(x):\n  n = 3\n  for i in range(17): n = n * n\n  while True: m = n * n"},"onError":"skip"},
	{"id":"good","tool":"vault.createFile","args":{"path":"Made.md","content":"x"}}]}`
	ui, _ := newCodePanel(t, countedNotes(1), protocol.Settings{CodeMaxMs: 200}, plan)
	r := ui.review()
	if len(r.Files) != 1 || r.Files[0].Path != "Made.md" {
		t.Fatalf("want 1 Files and Files[0].Path \"Made.md\", got %+v", r.Files)
	}
	if p := r.Steps[0].Problem; p == nil || p.Code != "SANDBOX_ERROR" || p.Key != "tools.code.time" || p.Params["ms"] != "200" {
		t.Errorf("want something, Code \"SANDBOX_ERROR\", Key \"tools.code.time\" and Params[\"ms\"] \"200\", got %+v", p)
	}
}

func TestWithoutASandboxNoScriptRuns(t *testing.T) {
	mem := countedNotes(1)
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai"}, llmtest.Call("c1", "submit_plan",
		`{"goal":"x","assumptions":[],"riskLevel":"read-only","steps":[{"id":"a","tool":"code.run","args":{"script":"def main(x): return 1"}}]}`))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "do it", Mode: protocol.ModePlan})
	if p := ui.review().Steps[0].Problem; p == nil || p.Code != "SANDBOX_ERROR" || p.Key != "tools.code.none" {
		t.Errorf("want something, Code \"SANDBOX_ERROR\" and Key \"tools.code.none\", got %+v", p)
	}
}
