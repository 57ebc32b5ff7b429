package index

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/host/hosttest"
)

// valueGen draws what encoding/json may give.
func valueGen(depth int) *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"", "a", "b", "1", "true", "1:a", "[]", "n1", "ä"}), func(s string) any { return s }),
		rapid.Map(rapid.SampledFrom([]float64{0, 1, -1, 1.5, 1e300}), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	)
	if depth == 0 {
		return scalar
	}
	return rapid.OneOf(
		scalar,
		rapid.Map(rapid.SliceOfN(valueGen(depth-1), 0, 3), func(l []any) any { return append([]any{}, l...) }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b"}), valueGen(depth-1), 0, 2), func(m map[string]any) any { return m }),
	)
}

func TestARowSaysWhatItWasMadeOf(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "due", "true"})
	rapid.Check(t, func(r *rapid.T) {
		table := newTable()
		v := &Vault{}
		v.mu.table, v.mu.files = table, map[string]*file{}
		var all []facts
		for i := range rapid.IntRange(1, 6).Draw(r, "rows") {
			f := facts{
				tags:  rapid.SliceOfNDistinct(names, 0, 3, rapid.ID[string]).Draw(r, "tags"),
				links: rapid.SliceOfN(names, 0, 5).Draw(r, "links"),
				props: rapid.MapOfN(names, valueGen(2), 0, 3).Draw(r, "props"),
				tasks: rapid.IntRange(0, 3).Draw(r, "tasks"), flag: rapid.IntRange(0, 3).Draw(r, "flag"),
			}
			all = append(all, f)
			one := &file{row: table.row(&f)}
			v.mu.files[fmt.Sprint(i)], v.mu.order = one, append(v.mu.order, one)
		}
		before := table.now()
		if rapid.Bool().Draw(r, "tidy") {
			table.rows = 2*slackRows + 100
			v.tidy()
			if v.mu.table == table {
				r.Fatal("the table is the old one")
			}
		}
		for i, f := range all {
			check(r, Row{v.mu.table.now(), v.mu.order[i].row}, &f)
		}
		if v.mu.table == table {
			check(r, Row{before, v.mu.order[0].row}, &all[0])
		}
	})
}

func check(r *rapid.T, row Row, f *facts) {
	for _, name := range []string{"a", "b", "due", "true", "none"} {
		p := NewProperty(name, func(value any) bool { return cmp.Equal(value, f.props[name]) })
		for range 2 { // the second answer is the one that was kept
			if !p.Pass(row) || !cmp.Equal(p.Value(row), f.props[name]) {
				r.Fatalf("%s is %v, want %v", name, p.Value(row), f.props[name])
			}
		}
		if row.HasTag(NewTest(func(word any) bool { return word == name })) != slices.Contains(f.tags, name) {
			r.Fatalf("tag %s, of %q", name, f.tags)
		}
	}
	var links []string
	for _, l := range row.Links() {
		links = append(links, row.Text(l))
	}
	want := slices.Clone(f.links)
	slices.Sort(want)
	slices.Sort(links)
	if !slices.Equal(links, slices.Compact(want)) {
		r.Fatalf("links %q, want %q", links, want)
	}
	if row.Tasks() != f.tasks || row.Read() != (f.flag&flagRead != 0) || row.Empty() != (f.flag&flagEmpty != 0) {
		r.Fatalf("%v of %+v", row.cells, *f)
	}
}

func TestTheTableOfANoteThatChangesForeverIsBounded(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"still.md": "#still"}})
	v := over(m)
	var first Row
	for i := range 3 * slackRows {
		m.Put("changing.md", fmt.Sprintf("---\nn: value %d\n---\n#tag%d [[link%d]]", i, i, i))
		found, err := v.Select(t.Context(), Filter{Rows: true})
		if err != nil || len(found) != 2 {
			t.Fatal("want no error and 2 found, got:", found, err)
		}
		if i == 0 {
			first = found[0].Row
		}
		n := NewProperty("n", nil)
		if got := n.Value(found[0].Row); got != fmt.Sprintf("value %d", i) {
			t.Fatalf("%d: want equal to fmt.Sprintf(\"value %%d\", i), got %v", i, got)
		}
	}
	if n := len(v.mu.table.words); n > 5*slackRows {
		t.Errorf("%d words", n)
	}
	if got := NewProperty("n", nil).Value(first); got != "value 0" {
		t.Errorf("a row that was given out says %v", got)
	}
}
