package action_test

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/seal"
)

// sealedLibrary opens the library of a vault on its present device.
func sealedLibrary(t *testing.T, m *hosttest.Memory) *action.Library {
	t.Helper()
	s := seal.Over(m.Host().Store, m.Host().Device)
	if err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return action.NewLibrary(s)
}

func TestOnlyWhatThisDeviceHasSeenInARunNeedNotAsk(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(t *testing.T, m *hosttest.Memory)
		trusted bool
	}{
		"as it was saved":       {func(*testing.T, *hosttest.Memory) {}, true},
		"on another device":     {func(_ *testing.T, m *hosttest.Memory) { m.MoveTo("other") }, false},
		"another plan":          {replaced("vault.createFile", "vault.appendFile"), false},
		"another path":          {replaced("x.md", "y.md"), false},
		"another name":          {replaced(`"One"`, `"Two"`), false},
		"another id":            {replaced(`"id": "1"`, `"id": "9"`), false},
		"trusted by nobody":     {replaced(`"seal": "`, `"seal": "0`), false},
		"without the seal":      {replaced(`"seal"`, `"sealed"`), false},
		"a parameter's value":   {replaced(`"value": "v"`, `"value": "w"`), false},
		"of an earlier version": {func(t *testing.T, m *hosttest.Memory) { rewrite(t, m, oldTrusted) }, false},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			m := hosttest.New(hosttest.Options{})
			a := own("1", "One")
			a.Params = []action.Param{{Name: "what", Kind: "text", Value: "v"}}
			put(t, sealedLibrary(t, m), a)
			c.change(t, m)
			list, err := sealedLibrary(t, m).List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := list[0]; got.Bundled() || got.Trusted != c.trusted {
				t.Errorf("%s trusted %v, want %v", got.Name, got.Trusted, c.trusted)
			}
		})
	}
}

func TestARenamedActionIsStillTrusted(t *testing.T) {
	m := hosttest.New(hosttest.Options{})
	put(t, sealedLibrary(t, m), own("1", "One"))
	if err := sealedLibrary(t, m).Rename(t.Context(), "1", "Other"); err != nil {
		t.Fatal(err)
	}
	if a, err := sealedLibrary(t, m).Get(t.Context(), "1"); err != nil || a.Name != "Other" || !a.Trusted {
		t.Errorf("want no error, Name \"Other\" and Trusted true, got %+v, %v", a, err)
	}
}

const oldTrusted = `{"format":"embedded-agent/actions","version":1,"actions":[{"id":"1","name":"Old","plan":` + onePlan + `,"trusted":true}]}`

func rewrite(t *testing.T, m *hosttest.Memory, text string) {
	t.Helper()
	if err := m.Host().Store.Remove(t.Context(), "actions"); err != nil {
		t.Fatal(err)
	}
	if err := m.Host().Store.Write(t.Context(), "actions.json", []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func replaced(old, new string) func(t *testing.T, m *hosttest.Memory) {
	return func(t *testing.T, m *hosttest.Memory) {
		t.Helper()
		b, err := m.Host().Store.Read(t.Context(), "actions/1.json")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), old) {
			t.Fatalf("%s is not in\n%s", old, b)
		}
		if err := m.Host().Store.Write(t.Context(), "actions/1.json", []byte(strings.ReplaceAll(string(b), old, new))); err != nil {
			t.Fatal(err)
		}
	}
}
