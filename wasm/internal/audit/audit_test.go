package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/tool"
)

func redactor(t *testing.T, patterns ...string) *audit.Redactor {
	t.Helper()
	r, err := audit.NewRedactor([]byte("key"), patterns)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestKeysAndTokensAreTakenOutOfTextAndTheRestIsKept(t *testing.T) {
	r := redactor(t, `\b[0-9]{4}-[0-9]{4}\b`)
	for text, secret := range map[string]string{
		"the key sk-abcdefgh12345678 is mine":    "sk-abcdefgh12345678",
		"Authorization: Bearer abc.def-ghi_jkl0": "Bearer abc.def-ghi_jkl0",
		"x-api-key: 0123456789abcdef, next":      "x-api-key: 0123456789abcdef",
		`{"api_key":"0123456789abcdef"}`:         `api_key":"0123456789abcdef`,
		"ghp_0123456789abcdefghijABCD":           "ghp_0123456789abcdefghijABCD",
		"AIza0123456789abcdefghij_- end":         "AIza0123456789abcdefghij_-",
		"card 1234-5678 and nothing else":        "1234-5678",
	} {
		got := r.Text(text)
		i := strings.Index(text, secret)
		if strings.Contains(got, secret) || !strings.HasPrefix(got, text[:i]+"[redacted:") || !strings.HasSuffix(got, "]"+text[i+len(secret):]) {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range []string{"", "a task-list", "sk-short", "monkey-business", "the risk-reward ratio", "1234-56789"} {
		if got := r.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestEqualSecretsHaveEqualMarkersUnderOneKeyAndOthersUnderAnother(t *testing.T) {
	a := redactor(t).Text("sk-abcdefgh12345678")
	if b := redactor(t).Text("sk-abcdefgh12345678"); a != b {
		t.Errorf("the two differ: %s, %s", a, b)
	}
	other, err := audit.NewRedactor([]byte("another"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if b := other.Text("sk-abcdefgh12345678"); a == b {
		t.Errorf("the marker %s can be guessed without the key", b)
	}
}

func TestAPatternThatDoesNotCompileIsRefused(t *testing.T) {
	if _, err := audit.NewRedactor(nil, []string{"("}); !fault.Is(err, fault.Validation) {
		t.Fatal(err)
	}
}

const dir = "runs/r"

// written is a log of a few calls, as it is in the store.
func written(t *testing.T, calls int) *hosttest.Memory {
	t.Helper()
	m := hosttest.New(hosttest.Options{})
	l := audit.New(m.Host().Store, dir, redactor(t).Text)
	if err := l.WriteRun(t.Context(), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for i := range calls {
		c := &tool.Call{RunID: "r", StepID: "s", Tool: "t.do", Version: "1.0.0", Seq: i, Attempt: 1, Args: tool.Args{
			"n": i, "secret": "sk-abcdefgh12345678", "long": strings.Repeat("long ", 200),
		}}
		if err := c.Identify(); err != nil {
			t.Fatal(err)
		}
		l.Call(c)
		l.Event(&audit.Event{Type: "step.started", RunID: "r", CallID: c.CallID})
		if i%2 == 0 {
			l.Result(c, &tool.Result{CallID: c.CallID, LogicalID: c.LogicalID, Status: tool.OK, OK: true, Data: tool.Data{"n": i}})
		}
	}
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWhatWasLoggedIsReadBackWithoutSecretsAndLongTexts(t *testing.T) {
	m := written(t, 3)
	pairs, err := audit.ReadCalls(t.Context(), m.Host().Store, dir)
	if err != nil || len(pairs) != 3 {
		t.Fatalf("want no error and 3 pairs, got %v %v", pairs, err)
	}
	for i, p := range pairs {
		if p.Call.Seq != i || (p.Result != nil) != (i%2 == 0) {
			t.Errorf("call %d: %+v %+v", i, p.Call, p.Result)
		}
		if s := p.Call.Args.String("secret"); !strings.HasPrefix(s, "[redacted:") {
			t.Errorf("kept: %s", s)
		}
		if !audit.Abridged(map[string]any(p.Call.Args)) || audit.Abridged(map[string]any{"n": 1.0, "l": []any{"x"}}) {
			t.Errorf("want the arguments marked as abridged, and short ones not, got %v", p.Call.Args)
		}
	}
	for name, data := range m.StoreFiles() {
		if strings.Contains(string(data), "sk-abcdefgh") {
			t.Errorf("%s holds the secret", name)
		}
	}
}

func TestALogIsAppendedAFewTimesAndNotForEachCall(t *testing.T) {
	m := hosttest.New(hosttest.Options{})
	l := audit.New(m.Host().Store, dir, nil)
	for i := range 2000 {
		l.Event(&audit.Event{Type: "step.started", RunID: fmt.Sprint(i)})
	}
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := l.Appends(); n == 0 || n > 4 {
		t.Errorf("%d appends", n)
	}
	if n, _, torn, err := audit.Head(t.Context(), m.Host().Store, dir, audit.EventsFile); n != 2000 || torn != 0 || err != nil {
		t.Errorf("%d records, %d bytes torn, %v", n, torn, err)
	}
}

func TestAFailedAppendIsToldByFlush(t *testing.T) {
	m := hosttest.New(hosttest.Options{})
	l := audit.New(m.Host().Store, dir, nil)
	l.Event(&audit.Event{Type: "run.started", RunID: "r"})
	m.FailAt(1, nil)
	if err := l.Flush(t.Context()); !fault.Is(err, fault.Internal) {
		t.Fatal(err)
	}
}

func TestASealKnowsATornTailFromAChange(t *testing.T) {
	m := written(t, 3)
	store := m.Host().Store
	heads, counts, torn, err := audit.Seal(t.Context(), store, dir, append(audit.Files(), "settled.jsonl")...)
	if err != nil || len(heads) != 4 || counts[audit.CallsFile] != 3 || counts[audit.ResultsFile] != 2 || len(torn) != 0 {
		t.Fatalf("want no error, 4 heads, counts[audit.CallsFile] 3, counts[audit.ResultsFile] 2 and no torn, got %v %v %v %v", heads, counts, torn, err)
	}
	whole := m.StoreFiles()[dir+"/"+audit.CallsFile]
	write := func(data []byte) {
		if err := store.Write(t.Context(), dir+"/"+audit.CallsFile, data); err != nil {
			t.Fatal(err)
		}
	}
	write(whole[:len(whole)-5])
	again, counts, torn, err := audit.Seal(t.Context(), store, dir, audit.Files()...)
	if err != nil || counts[audit.CallsFile] != 2 || torn[audit.CallsFile] == 0 || again[audit.CallsFile] == heads[audit.CallsFile] {
		t.Errorf("torn: %v %v %v", counts, torn, err)
	}
	changed := append([]byte(nil), whole...)
	changed[60] ^= 1
	write(changed)
	again, _, _, err = audit.Seal(t.Context(), store, dir, audit.Files()...)
	if err != nil || again[audit.CallsFile] != "" {
		t.Errorf("changed: %v %v", again, err)
	}
	if _, err := audit.ReadCalls(t.Context(), store, dir); !fault.Is(err, fault.Conflict) {
		t.Errorf("changed records were read: %v", err)
	}
}
