package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/tool"
)

func TestFactsThatContradictEachOtherAreRefused(t *testing.T) {
	const url, id, none = `"url":{"type":"string"}`, `"id":{"type":"string"}`, ``
	for _, c := range []struct {
		name    string
		facts   tool.Facts
		effects tool.SideEffects
		takes   string
		problem string // "" where they are fine
	}{
		{"none", tool.Facts{}, tool.Writes, none, ""},
		{"deletes", tool.Facts{Deletes: true}, tool.Writes, none, ""},
		{"deletes without writing", tool.Facts{Deletes: true}, tool.Reads, none, "does not write"},
		{"deletes like a command", tool.Facts{Deletes: true}, tool.Commands, none, "does not write"},
		{"renames without writing", tool.Facts{Renames: true}, tool.None, none, "does not write"},
		{"writes with a word", tool.Facts{WritesWith: "apply"}, tool.Writes, `"apply":{"type":"boolean"}`, ""},
		{"only reads, whatever its word", tool.Facts{WritesWith: "apply"}, tool.Reads, `"apply":{"type":"boolean"}`, "does not write"},
		{"writes with a text", tool.Facts{WritesWith: "apply"}, tool.Writes, `"apply":{"type":"string"}`, "boolean"},
		{"writes with a word that it does not take", tool.Facts{WritesWith: "apply"}, tool.Writes, none, "boolean"},
		{"asks the web", tool.Facts{Requests: "GET", ReadsElsewhere: true}, tool.Reads, url, ""},
		{"sends", tool.Facts{Requests: "POST"}, tool.Commands, url, ""},
		{"requests and writes", tool.Facts{Requests: "GET"}, tool.Writes, url, "neither reads"},
		{"requests and computes", tool.Facts{Requests: "GET"}, tool.None, url, "neither reads"},
		{"requests nothing", tool.Facts{Requests: "GET"}, tool.Reads, id, `"url"`},
		{"requests what is no text", tool.Facts{Requests: "GET"}, tool.Reads, `"url":{"type":"integer"}`, `"url"`},
		{"requests and runs commands", tool.Facts{Requests: "GET", RunsCommand: true}, tool.Commands, url + "," + id, "runs commands"},
		{"runs commands", tool.Facts{RunsCommand: true}, tool.Commands, id, ""},
		{"runs commands harmlessly", tool.Facts{RunsCommand: true}, tool.Reads, id, "less"},
		{"runs no command that it names", tool.Facts{RunsCommand: true}, tool.Commands, url, `"id"`},
		{"computes", tool.Facts{RunsScript: true}, tool.None, none, ""},
		{"computes and reads", tool.Facts{RunsScript: true}, tool.Reads, none, "side effects"},
		{"asks a model and writes", tool.Facts{AsksModel: true}, tool.Writes, none, "does not read"},
		{"acts on the window and writes", tool.Facts{OnWindow: true}, tool.Writes, none, "does not read"},
		{"moves a window that it does not act on", tool.Facts{MovesWindow: true}, tool.Reads, none, "does not act on it"},
		{"opens a note without moving the window", tool.Facts{OnWindow: true, OpensNote: true}, tool.Reads, `"path":{"type":"string"}`, "window"},
		{"opens no note that it names", tool.Facts{OnWindow: true, MovesWindow: true, OpensNote: true}, tool.Reads, none, `"path"`},
		{"gives the selection and writes", tool.Facts{ReadsSelection: true}, tool.Writes, none, "does not read"},
		{"reads elsewhere and does what commands do", tool.Facts{ReadsElsewhere: true}, tool.Commands, none, "does not read"},
		{"reads on and writes", tool.Facts{ReadsOn: true}, tool.Writes, none, "does not read"},
	} {
		_, err := tool.NewRegistry(tool.Tool{Spec: tool.Spec{
			Name: "t.tool", Version: "1.0.0", Lifecycle: tool.Active, Description: "d", SideEffects: c.effects, Facts: c.facts,
			Input: json.RawMessage(`{"type":"object","properties":{` + c.takes + `}}`), Output: json.RawMessage(`{}`),
		}})
		switch {
		case c.problem == "" && err != nil:
			t.Errorf("a tool that %s is refused: %v", c.name, err)
		case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("a tool that %s: %v, want a refusal that says %q", c.name, err, c.problem)
		}
	}
}

func TestARequestHasTheMethodThatItsCallNames(t *testing.T) {
	for _, c := range []struct {
		requests string
		args     tool.Args
		want     string
	}{
		{"GET", tool.Args{}, "GET"},
		{"POST", tool.Args{}, "POST"},
		{"GET", tool.Args{"method": "HEAD"}, "HEAD"},
		{"", tool.Args{"method": "HEAD"}, ""},
	} {
		s := tool.Spec{Facts: tool.Facts{Requests: c.requests}}
		if got := s.MethodOf(c.args); got != c.want {
			t.Errorf("%q with %v: %q, want %q", c.requests, c.args, got, c.want)
		}
	}
}

func TestACallWithoutTheArgumentThatWritesReads(t *testing.T) {
	s := tool.Spec{SideEffects: tool.Writes, Facts: tool.Facts{WritesWith: "apply"}}
	for _, c := range []struct {
		args tool.Args
		want tool.SideEffects
	}{
		{nil, tool.Reads},
		{tool.Args{"apply": false}, tool.Reads},
		{tool.Args{"apply": nil}, tool.Reads},
		{tool.Args{"apply": true}, tool.Writes},
		{tool.Args{"apply": "$steps.a.flag"}, tool.Writes}, // not known yet
	} {
		if got := s.EffectsOf(c.args); got != c.want {
			t.Errorf("%v: %s, want %s", c.args, got, c.want)
		}
	}
	if got := (&tool.Spec{SideEffects: tool.Writes}).EffectsOf(nil); got != tool.Writes {
		t.Errorf("a tool without such an argument %s", got)
	}
}
