package action_test

import (
	"encoding/json"
	"slices"
	"testing"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/host/hosttest"
)

func TestActionsThatTwoDevicesSaveAreAllKeptOnBoth(t *testing.T) {
	a, b := hosttest.New(hosttest.Options{}), hosttest.New(hosttest.Options{})
	la, lb := action.NewLibrary(a.Host().Store), action.NewLibrary(b.Host().Store)
	put(t, la, own("1", "Shared"), own("2", "Deleted on A"), own("3", "Renamed on both"))
	a.Sync(b, nil)
	if got := names(t, lb)[:3]; !slices.Equal(got, []string{"Shared", "Deleted on A", "Renamed on both"}) {
		t.Fatalf("want {\"Shared\", \"Deleted on A\", \"Renamed on both\"}, got %v", got)
	}
	base := a.StoreFiles()
	ctx := t.Context()
	for _, err := range []error{
		la.Put(ctx, own("4", "From A")), lb.Put(ctx, own("5", "From B")), la.Remove(ctx, "2"), lb.Remove(ctx, "bundled.renameTag"),
		la.Rename(ctx, "3", "Name of A"), lb.Rename(ctx, "3", "A longer name of B"), la.Rename(ctx, "3", "A's last word"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	a.Sync(b, base)
	b.Sync(a, base)
	for _, l := range []*action.Library{la, lb, action.NewLibrary(a.Host().Store), action.NewLibrary(b.Host().Store)} {
		got := names(t, l)
		for _, want := range []string{"Shared", "From A", "From B"} {
			if !slices.Contains(got, want) {
				t.Errorf("%q is lost: %v", want, got)
			}
		}
		if slices.Contains(got, "Deleted on A") || slices.Contains(got, "renameTag") {
			t.Errorf("a deletion is forgotten: %v", got)
		}
	}
	if x, y := names(t, la), names(t, lb); !slices.Equal(x, y) {
		t.Errorf("the devices do not agree:\n%v\n%v", x, y)
	}
}

func TestTheOneFileOfEarlierVersionsIsTakenOverWholeAlsoWhereACrashCutsItShort(t *testing.T) {
	type file struct {
		Format  string           `json:"format"`
		Version int              `json:"version"`
		Actions []*action.Action `json:"actions"`
		Order   []string         `json:"order"`
		Hidden  []string         `json:"hidden"`
	}
	doc, err := json.Marshal(file{"embedded-agent/actions", 2, []*action.Action{own("1", "One"), own("2", "Two")}, []string{"2", "1"}, []string{"bundled.renameTag"}})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		m := hosttest.New(hosttest.Options{})
		if err := m.Host().Store.Write(t.Context(), "actions.json", doc); err != nil {
			t.Fatal(err)
		}
		m.ResetCounts()
		m.KillAt(n, uint64(n)*0x9E3779B97F4A7C15, false)
		_, err := action.NewLibrary(m.Host().Store).List(t.Context())
		found := m.CrashClone()
		l := action.NewLibrary(found.Host().Store)
		if got := names(t, l); !slices.Equal(got[:2], []string{"Two", "One"}) || slices.Contains(got, "renameTag") {
			t.Fatalf("cut short at %d: %v", n, got)
		}
		if _, left := found.StoreFiles()["actions.json"]; left {
			t.Fatalf("cut short at %d: the old file is still there", n)
		}
		if err == nil {
			return
		}
	}
}

func TestADeletionHoldsAgainstAnOldFileThatComesBack(t *testing.T) {
	m := hosttest.New(hosttest.Options{})
	l := action.NewLibrary(m.Host().Store)
	put(t, l, own("1", "One"))
	old := m.StoreFiles()
	if err := l.Remove(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	restored(t, old).Sync(m, nil)
	if got := names(t, l); slices.Contains(got, "One") {
		t.Errorf("want a text without \"One\", got %v", got)
	}
}

func restored(t *testing.T, files map[string][]byte) *hosttest.Memory {
	t.Helper()
	m := hosttest.New(hosttest.Options{})
	for path, data := range files {
		if err := m.Host().Store.Write(t.Context(), path, data); err != nil {
			t.Fatal(err)
		}
	}
	return m
}
