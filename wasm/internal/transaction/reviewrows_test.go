package transaction

import (
	"maps"
	"slices"
	"testing"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// changing gives a draft of a review that changes notes: what it is to find, and the
// draft.
func changing(t *testing.T, files map[string]string, after string) (*Draft, Found) {
	t.Helper()
	mem := hosttest.New(hosttest.Options{Files: files})
	d := &Draft{
		ID: "r", Asked: Asked{Now: time.Unix(1, 0)}, decided: undecided(), Aids: Aids{Frozen: reuse.NewFrozen(nil)},
		program: program{plan: &plan.Plan{}, graph: &plan.Graph{}},
	}
	d.base = overlay.NewBase(mem.Host().Vault, nil, d.Now)
	v := overlay.New(d.base)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if _, err := v.For("c").Apply(t.Context(), host.Op{Kind: host.OpModify, Path: path, Before: []byte(files[path]), Data: []byte(after)}); err != nil {
			t.Fatal(err)
		}
	}
	changes, err := v.Changes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d, Found{Base: d.base, Vault: v, Report: &runner.Report{}, Called: map[string]*tool.Call{}, Changes: changes}
}

func TestTheRowsOfTheReviewBeforeAreTakenAlsoOfWhatIsLeftOut(t *testing.T) {
	d, found := changing(t, map[string]string{"A.md": "a\n", "B.md": "b\n", "C.md": "c\n"}, "x\n")
	none := func(*Review, *protocol.Review) {}
	first, err := d.finish(t.Context(), found, none)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.listed) != 3 {
		t.Fatalf("%d rows are remembered", len(first.listed))
	}
	for path, kept := range first.listed { // rows that nobody computes
		kept.Row.Added = 77
		first.listed[path] = kept
	}
	next := first.again()
	next.leaveOut(found.Changes[0])
	found.Changes = found.Changes[1:]
	second, err := next.finish(t.Context(), found, none)
	if err != nil {
		t.Fatal(err)
	}
	if len(second.listed) != 3 || len(second.View.Files) != 3 {
		t.Errorf("%d rows are remembered, %d files are shown", len(second.listed), len(second.View.Files))
	}
	for _, f := range second.View.Files {
		if f.Added != 77 || f.Dropped != (f.Path == "A.md") {
			t.Errorf("want Added 77 and Dropped equal to (f.Path == \"A.md\"), got %+v", f)
		}
	}
}
