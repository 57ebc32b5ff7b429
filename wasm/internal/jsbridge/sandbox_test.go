package jsbridge

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
		var blobs [][]byte
		beside := func(b []byte) int { blobs = append(blobs, b); return len(blobs) + 4 }
		d := json.NewDecoder(strings.NewReader(string(sandboxParams(s)(nil, beside))))
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		want := protocol.Sandbox{
			Script: s.Source, Input: 5, Now: "2026-11-20T09:30:00+01:00", MaxSteps: 5, MaxMs: 6, MaxMB: 7,
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal("it differs from what was wanted (-want +got):", d)
		}
		if d := cmp.Diff([][]byte{s.Input}, blobs, cmpopts.EquateEmpty()); d != "" {
			t.Fatal("it differs from what was wanted (-want +got):", d)
		}
	})
}

func TestTheSandboxAnswersOneMethod(t *testing.T) {
	s := NewSandbox()
	ask := func(script string) (r protocol.Sandboxed) {
		t.Helper()
		input := [][]byte{nil}
		params := sandboxParams(host.Script{Source: script, Input: []byte(`"ü\n"`)})(nil, func(b []byte) int { input[0] = b; return 0 })
		out, err := s.HandleBlobs(t.Context(), "sandbox.run", params, input)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatalf("%s: want no error, got %v", out, err)
		}
		return r
	}
	if r := ask("def main(x): return x + '\"'"); r.Output != `"ü\n\""` || r.Error != "" || r.Steps == 0 {
		t.Errorf("want Output \"\\\"ü\\\\n\\\\\\\"\\\"\", no Error and Steps other than 0, got %+v", r)
	}
	if r := ask("def main(x): return y"); r.Output != "" || !strings.Contains(r.Error, "undefined: y") {
		t.Errorf("want no Output and Error with \"undefined: y\", got %+v", r)
	}
	if _, err := s.Handle(t.Context(), "vault.read", []byte(`{}`)); !fault.Is(err, fault.NotFound) {
		t.Errorf("want the error fault.NotFound, got %v", err)
	}
	for _, payload := range []string{`{`, `{"script":"","input":0}`, `{"script":"","input":-1}`} {
		if _, err := s.Handle(t.Context(), "sandbox.run", []byte(payload)); !fault.Is(err, fault.Internal) {
			t.Errorf("%s: want the error fault.Internal, got %v", payload, err)
		}
	}
}
