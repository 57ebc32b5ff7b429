package action

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/host/hosttest"
)

// imported gives a library after an import of so many actions of one name, what
// that and a list cost, and the list.
func imported(t *testing.T, n int) (uint64, []*Action) {
	t.Helper()
	l := NewLibrary(hosttest.New(hosttest.Options{}).Host().Store)
	l.Speak("en")
	one := `{"id":"a","name":"Same","prompt":"p"},`
	raw := []byte(`{"format":"embedded-agent/actions","version":2,"actions":[` + strings.TrimSuffix(strings.Repeat(one, n), ",") + `]}`)
	list, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	id := 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := l.Import(t.Context(), list, func() string { id++; return fmt.Sprint("id", id) }); err != nil {
		t.Fatal(err)
	}
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint("id", n-i)
	}
	if err := l.Order(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	all, err := l.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, all
}

func TestAnImportOfManyEqualNamesGivesEachItsNumberAtACostOfItsLength(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	small, _ := imported(t, 500)
	large, all := imported(t, 8*500)
	if large > 12*small {
		t.Errorf("%d bytes, and %d for eight times as many", small, large)
	}
	seen := map[string]bool{}
	for _, a := range all {
		if seen[strings.ToLower(a.Name)] {
			t.Errorf("%q is there twice", a.Name)
		}
		seen[strings.ToLower(a.Name)] = true
	}
	if all[0].ID != "id4000" || !seen["same"] || !seen["same (2)"] || !seen["same (4000)"] {
		t.Errorf("the first is %+v", all[0])
	}
	imported(t, 20_000) // 1 MB: the hang guard of the test run ends it otherwise
	if ctx.Err() != nil {
		t.Error("20000 equal names take longer than a minute")
	}
}

func TestNamesFoldAsEqualFoldDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letter := rapid.SampledFrom([]rune("aAkK\u212asSſßẞσςΣİiıIǅǆǄµμΜ"))
		a := string(rapid.SliceOfN(letter, 0, 3).Draw(t, "a"))
		b := string(rapid.SliceOfN(letter, 0, 3).Draw(t, "b"))
		if (fold(a) == fold(b)) != strings.EqualFold(a, b) {
			t.Errorf("%q and %q: fold %v, EqualFold %v", a, b, fold(a) == fold(b), strings.EqualFold(a, b))
		}
	})
}
