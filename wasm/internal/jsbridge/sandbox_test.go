package jsbridge

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

func TestAScriptCrossesAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := host.Script{
			Source: rapid.String().Draw(t, "source"), Input: []byte(rapid.String().Draw(t, "input")),
			Now:    time.Date(2026, 11, 20, 9, 30, 0, 0, time.FixedZone("", 3600)),
			Limits: host.ScriptLimits{Steps: 5, Time: 6 * time.Millisecond, MB: 7},
		}
		var got protocol.Sandbox
		d := json.NewDecoder(strings.NewReader(string(sandboxParams(s)(nil, nil))))
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		want := protocol.Sandbox{
			Script: s.Source, Input: string(s.Input), Now: "2026-11-20T09:30:00+01:00", MaxSteps: 5, MaxMs: 6, MaxMB: 7,
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

func TestTheSandboxAnswersOneMethod(t *testing.T) {
	s := NewSandbox()
	ask := func(script string) (r protocol.Sandboxed) {
		t.Helper()
		out, err := s.Handle(t.Context(), "sandbox.run", sandboxParams(host.Script{Source: script, Input: []byte(`"ü\n"`)})(nil, nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		return r
	}
	if r := ask("def main(x): return x + '\"'"); r.Output != `"ü\n\""` || r.Error != "" || r.Steps == 0 {
		t.Errorf("%+v", r)
	}
	if r := ask("def main(x): return y"); r.Output != "" || !strings.Contains(r.Error, "undefined: y") {
		t.Errorf("%+v", r)
	}
	if _, err := s.Handle(t.Context(), "vault.read", []byte(`{}`)); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	if _, err := s.Handle(t.Context(), "sandbox.run", []byte(`{`)); !fault.Is(err, fault.Internal) {
		t.Errorf("%v", err)
	}
}
