package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/version"
)

// fieldsPlan has a call of every kind that the design tells apart
// (docs/design/tool-calls.md).
var fieldsPlan = planOf("fields",
	`{"id":"plain","tool":"vault.appendFile","args":{"path":"A.md","content":"x"},"preview":"Sign A"}`,
	`{"id":"loop","tool":"vault.createFile","args":{"path":"{it.p}.md","content":"{index}"},"foreach":{"from":[{"p":"one"},{"p":"two"}],"itemName":"it"},"preview":"Make {it.p}"}`,
	`{"id":"loop2","tool":"vault.createFile","args":{"path":"{p}.md","content":""},"foreach":{"from":["three"],"itemName":"p"},"timeoutMs":1500}`,
	`{"id":"again","tool":"workspace.shaky","args":{},"retry":{"maxAttempts":3,"backoffMs":1},"onError":"skip"}`,
	`{"id":"known","tool":"vault.readFile","args":{"path":"Nowhere.md"},"retry":{"maxAttempts":3,"backoffMs":1},"onError":"skip"}`,
	`{"id":"after","tool":"vault.createFile","args":{"path":"Never.md","content":"$steps.known.content"},"onError":"skip"}`,
	`{"id":"denied","tool":"vault.createFile","args":{"path":"{p}.md","content":""},"foreach":{"from":["Secret/x"],"itemName":"p"},"onError":"skip"}`,
	`{"id":"read","tool":"vault.readFile","args":{"path":"B.md"}}`,
	`{"id":"many","tool":"tags.rename","args":{"folder":"","from":"old","to":"new"}}`)

// shaky acts on the window, so that a run executes it, and fails there, however
// often it is tried.
func shaky() tool.Tool {
	schema := json.RawMessage(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false}`)
	asked := false
	return tool.Tool{
		Spec: tool.Spec{
			Name: "workspace.shaky", Version: "1.0.0", Lifecycle: tool.Active, Category: "utility", SideEffects: tool.Reads,
			Simulable: true, Facts: tool.Facts{OnWindow: true}, Description: "Fails once it matters.", Input: schema, Output: schema,
		},
		Run: func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
			if !asked {
				asked = true
				return tool.Data{}, nil
			}
			return nil, fault.New(fault.NotFound, "error.vault.notFound", fault.P{"path": "x"})
		},
	}
}

// fields runs fieldsPlan and gives its calls and results by step, in order.
func fields(t *testing.T) (ui *panel, run string, calls, results map[string][]map[string]any) {
	t.Helper()
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a #old\n", "B.md": "b #old\n", "Secret/s.md": ""}})
	set := free
	set.DenyPatterns = []string{"Secret"}
	ui = &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: mem.Host(), Emit: ui.hear, Tools: []tool.Tool{shaky()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux"}})
	r, err := ui.s.tx.OpenPlan(t.Context(), []byte(fieldsPlan), nil, false)
	if err != nil || !r.Approvable {
		t.Fatalf("want no error and a review that can be approved, got %v %+v", err, r)
	}
	ui.approve(r)
	checkEnvelopes(t, mem, r.Run)
	calls, results = map[string][]map[string]any{}, map[string][]map[string]any{}
	for file, by := range map[string]map[string][]map[string]any{audit.CallsFile: calls, audit.ResultsFile: results} {
		for _, line := range recorded(t, mem, r.Run, file) {
			step := line["stepId"].(string)
			by[step] = append(by[step], line)
		}
	}
	for step, list := range calls { // calls of a loop are made beside each other
		slices.SortFunc(list, func(a, b map[string]any) int {
			return cmp.Or(cmp.Compare(a["seq"].(float64), b["seq"].(float64)), cmp.Compare(a["attempt"].(float64), b["attempt"].(float64)))
		})
		place := func(r map[string]any) int {
			return slices.IndexFunc(list, func(c map[string]any) bool { return c["callId"] == r["callId"] })
		}
		slices.SortFunc(results[step], func(a, b map[string]any) int { return place(a) - place(b) })
	}
	return ui, r.Run, calls, results
}

func TestEveryFieldOfACallIsWhatTheDesignSays(t *testing.T) {
	ui, run, calls, _ := fields(t)
	d, err := ui.s.history.Read(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	one := func(step string, i int) map[string]any {
		if len(calls[step]) <= i {
			t.Fatalf("%s has %d calls", step, len(calls[step]))
		}
		return calls[step][i]
	}
	seen := map[any]bool{}
	for step, list := range calls {
		for _, c := range list {
			if seen[c["callId"]] {
				t.Errorf("%s: callId %v twice", step, c["callId"])
			}
			seen[c["callId"]] = true
			if c["confirmationId"] != d.Confirmation.ID || c["executorVersion"] != version.Core || c["toolRegistryVersion"] != ui.s.registry.Version() || c["cancellable"] != true {
				t.Errorf("%s: want c[\"confirmationId\"] equal to d.Confirmation.ID, c[\"executorVersion\"] version.Core, c[\"toolRegistryVersion\"] equal to ui.s.registry.Version() and c[\"cancellable\"] true, got %v", step, c)
			}
			p := c["policy"].(map[string]any)
			box := p["sandbox"].(map[string]any)
			if !slices.Contains(box["denyPatterns"].([]any), any("Secret")) || len(box["allowedRoots"].([]any)) == 0 || p["limits"].(map[string]any)["maxConcurrency"].(float64) < 1 {
				t.Errorf("%s: policy %v", step, p)
			}
		}
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"tool", one("plain", 0)["tool"], "vault.appendFile"},
		{"category", one("plain", 0)["category"], "vault"},
		{"riskLevel of a write", one("plain", 0)["riskLevel"], "writes"},
		{"riskLevel of a read", one("read", 0)["riskLevel"], "read-only"},
		{"args", fmt.Sprint(one("plain", 0)["args"]), "map[content:x path:A.md]"},
		{"preview", one("plain", 0)["preview"], "Sign A"},
		{"preview of an iteration", one("loop", 1)["preview"], "Make two"},
		{"iteration", fmt.Sprint(one("loop", 1)["iteration"]), "map[index:1 itemName:it itemValue:map[p:two]]"},
		{"args of an iteration", fmt.Sprint(one("loop", 1)["args"]), "map[content:1 path:two.md]"},
		{"no iteration", one("plain", 0)["iteration"], nil},
		{"loopId of one loop", one("loop", 0)["loopId"], one("loop", 1)["loopId"]},
		{"no loopId", one("plain", 0)["loopId"], nil},
		{"timeoutMs", one("loop2", 0)["timeoutMs"], 1500.0},
		{"attempts", len(calls["again"]), 3},
		{"attempt", one("again", 2)["attempt"], 3.0},
		{"call_id of an attempt", one("again", 0)["call_id"], one("again", 2)["call_id"]},
		{"argsHash of an attempt", one("again", 0)["argsHash"], one("again", 2)["argsHash"]},
		{"attempts of a failure that was approved", len(calls["known"]), 1},
		{"calls of a skipped step", len(calls["after"]), 0},
		{"calls of a refused step", len(calls["denied"]), 1},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.what, c.got, c.want)
		}
	}
	if one("loop", 0)["loopId"] == one("loop2", 0)["loopId"] {
		t.Error("two loops have one loopId")
	}
	if at := one("plain", 0)["createdAt"].(string); at < d.Confirmation.At {
		t.Errorf("a call was created at %s, before the approval at %s", at, d.Confirmation.At)
	}
	created, err1 := time.Parse(time.RFC3339, one("loop2", 0)["createdAt"].(string))
	by, err2 := time.Parse(time.RFC3339, one("loop2", 0)["deadlineAt"].(string))
	if err1 != nil || err2 != nil || by.Sub(created) < 1500*time.Millisecond {
		t.Errorf("created %v, deadline %v: %v %v", created, by, err1, err2)
	}
}

func TestEveryFieldOfAResultIsWhatTheDesignSays(t *testing.T) {
	_, _, calls, results := fields(t)
	for step, list := range calls {
		if len(results[step]) != len(list) {
			t.Errorf("%s: %d calls, %d results", step, len(list), len(results[step]))
		}
	}
	text := func(v any) string { return regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllString(fmt.Sprint(v), "ETAG") }
	code := func(step string, i int) any { return results[step][i]["error"].(map[string]any)["code"] }
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"status", results["plain"][0]["status"], "ok"},
		{"effects of a change", text(results["plain"][0]["effects"]), "map[modified:[map[afterEtag:ETAG beforeEtag:ETAG kind:file path:A.md]] sideEffectsObserved:[modify-file]]"},
		{"effects of a creation", text(results["loop"][0]["effects"]), "map[created:[map[kind:file path:one.md]] sideEffectsObserved:[create-file]]"},
		{"no effects of a read", results["read"][0]["effects"], nil},
		{"no effects of a failure", results["again"][0]["effects"], nil},
		{"userMessage", results["plain"][0]["userMessage"], "Changed A.md"},
		{"userMessage of several", results["many"][0]["userMessage"], "2 changes"},
		{"status of a failure", results["again"][2]["status"], "error"},
		{"code", code("again", 0), "NOT_FOUND"},
		{"code of a refusal", code("denied", 0), "POLICY_DENIED"},
		{"data of a failure", results["again"][0]["data"], nil},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.what, c.got, c.want)
		}
	}
}

func TestARefusedCallIsNeverDispatched(t *testing.T) {
	ui, run, _, _ := fields(t)
	l := ui.mem.Snapshot()
	if _, there := l["Secret/x.md"]; there {
		t.Fatal("written")
	}
	events := recorded(t, ui.mem, run, audit.EventsFile)
	skipped := slices.ContainsFunc(events, func(e map[string]any) bool {
		p, _ := e["payload"].(map[string]any)
		return p["stepId"] == "after" && p["status"] == "skipped" && strings.Contains(e["message"].(string), "known")
	})
	if !skipped {
		t.Errorf("that a step was skipped, and why, is not told: %v", events)
	}
}

func TestARunCanBeReconstructedFromItsFolder(t *testing.T) {
	ui, run, calls, _ := fields(t)
	ui.s.Close()
	ui = begin(t, ui.mem, free)
	got := call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: run})
	n := 0
	for _, list := range calls {
		n += len(list)
	}
	if len(got.Calls) != n || !strings.Contains(got.Plan, `"loop2"`) || len(got.Files) == 0 {
		t.Fatalf("%d calls of %d; plan %s", len(got.Calls), n, got.Plan)
	}
	for _, c := range got.Calls {
		if c.Status == "unknown" || c.CallID == "" {
			t.Errorf("want Status other than \"unknown\" and CallID set, got %+v", c)
		}
	}
}
