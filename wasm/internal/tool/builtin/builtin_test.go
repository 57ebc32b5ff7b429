package builtin_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// now is the run's clock in all tests: Friday, 20 November 2026.
var now = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

var shared = sync.OnceValues(func() (*tool.Registry, error) { return tool.NewRegistry(builtin.All()...) })

func registry(t testing.TB) *tool.Registry {
	t.Helper()
	r, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func envOf(h host.Host) *tool.Env {
	return &tool.Env{
		Vault: h.Vault, Editor: h.Editor, Workspace: h.Workspace, Commands: h.Commands,
		Platform: h.Platform, Now: now, Progress: func(tool.Progress) {},
		Sandbox: scripts, Script: host.ScriptLimits{Steps: 1_000_000}, HTTP: &web{}, Plugins: plugins{},
	}
}

// call runs a tool as the pipeline does: names normalised, both schemas
// checked.
func call(t *testing.T, env *tool.Env, name string, args map[string]any) (tool.Data, error) {
	t.Helper()
	e, err := registry(t).Get(name, "")
	if err != nil {
		t.Fatal(err)
	}
	args, err = e.NormaliseArgs(args)
	if err != nil {
		return nil, err
	}
	if err := e.CheckInput(args); err != nil {
		return nil, err
	}
	data, err := e.Run(t.Context(), env, args)
	if err != nil {
		checkError(t, err)
		return nil, err
	}
	if err := e.CheckOutput(data); err != nil {
		t.Errorf("%s: want no error, got %v", name, err)
	}
	return asJSON(t, data), nil
}

// asJSON gives data as its reader will see it.
func asJSON(t *testing.T, data tool.Data) tool.Data {
	t.Helper()
	b, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	var out tool.Data
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// checkError proves that an error has a code, words, and all its parameters.
func checkError(t *testing.T, err error) {
	t.Helper()
	f := fault.From(err)
	if f.Code == fault.Internal {
		t.Errorf("an internal error: %v", err)
	}
	if !i18n.Has(f.Key) {
		t.Errorf("no words for %s", f.Key)
	}
	if strings.Contains(strings.ReplaceAll(f.Error(), "{{", ""), "{") {
		t.Errorf("a parameter is missing: %s", f.Error())
	}
}

func TestEveryExampleDoesWhatItSays(t *testing.T) {
	for _, tl := range builtin.All() {
		if len(builtin.Examples(tl.Name)) < 2 {
			t.Errorf("%s has %d examples, want at least 2", tl.Name, len(builtin.Examples(tl.Name)))
		}
		for _, ex := range builtin.Examples(tl.Name) {
			t.Run(tl.Name+"/"+ex.Name, func(t *testing.T) { runExample(t, tl.Name, ex) })
		}
	}
}

func runExample(t *testing.T, name string, ex tool.Example) {
	m := hosttest.New(hosttest.Options{Files: ex.Given, Active: ex.Active, Commands: []hosttest.Command{
		{ID: "editor:toggle-bold", Name: "Toggle bold"},
		{ID: "daily-notes", Name: "Daily notes: Open today's daily note"},
		{ID: "graph:open", Name: "Graph view: Open graph view", Run: func(*hosttest.Memory) (bool, error) { return false, nil }},
	}})
	before := m.Snapshot()
	data, err := call(t, envOf(m.Host()), name, ex.Args)
	if ex.Error != "" {
		if !fault.Is(err, ex.Error) {
			t.Fatalf("got %v, want %s", err, ex.Error)
		}
		if d := before.Diff(m.Snapshot()); d != "" {
			t.Errorf("a refused call changed the vault:\n%s", d)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range ex.Output {
		if d := cmp.Diff(want, data[k]); d != "" {
			t.Errorf("%s (-want +got):\n%s", k, d)
		}
	}
	for path, want := range ex.Then {
		got, ok := m.File(path)
		switch {
		case want == nil && ok:
			t.Errorf("%s is still there: %q", path, got)
		case want != nil && !ok:
			t.Errorf("%s is not there", path)
		case want != nil && string(got) != *want:
			t.Errorf("%s (-want +got):\n%s", path, cmp.Diff(*want, string(got)))
		}
	}
	if tl, _ := registry(t).Get(name, ""); tl.SideEffects != tool.Writes && tl.SideEffects != tool.Commands {
		if d := before.Diff(m.Snapshot()); d != "" {
			t.Errorf("a tool that only reads changed the vault:\n%s", d)
		}
	}
}

func TestEverySchemaIsClosedAndDraft07(t *testing.T) {
	for _, e := range registry(t).All() {
		if _, err := e.InputSchema(); err != nil {
			t.Errorf("%s: want no error, got %v", e.Name, err)
		}
		if _, err := e.OutputSchema(); err != nil {
			t.Errorf("%s: want no error, got %v", e.Name, err)
		}
		var in struct {
			Schema     string         `json:"$schema"`
			Additional *bool          `json:"additionalProperties"`
			Properties map[string]any `json:"properties"`
		}
		if err := json.Unmarshal(e.Input, &in); err != nil {
			t.Fatalf("%s: want no error, got %v", e.Name, err)
		}
		if in.Schema != "http://json-schema.org/draft-07/schema#" || in.Additional == nil || *in.Additional {
			t.Errorf("%s: the input schema is not closed draft-07", e.Name)
		}
		for alias, own := range e.Aliases {
			if in.Properties[own] == nil {
				t.Errorf("%s: alias %s names no parameter: %s", e.Name, alias, own)
			}
			if in.Properties[alias] != nil {
				t.Errorf("%s: alias %s is a parameter itself", e.Name, alias)
			}
		}
	}
}

func TestEveryDescriptionIsShortEnoughForAModel(t *testing.T) {
	for _, tl := range builtin.All() {
		if n := len(tl.Description); n < 80 || n > 2500 {
			t.Errorf("%s: a description of %d bytes", tl.Name, n)
		}
	}
}

func TestEveryKeyOfTheToolsIsUsedAndHasWords(t *testing.T) {
	for _, k := range i18n.Keys() {
		if strings.HasPrefix(k, "tools.") && strings.TrimSpace(i18n.English(k, fault.P{"n": "2"})) == "" {
			t.Errorf("%s has no words", k)
		}
	}
}
