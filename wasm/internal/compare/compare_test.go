package compare_test

import (
	"testing"
	"time"

	"embedded-agent/wasm/internal/compare"
)

var now = time.Date(2026, 11, 20, 15, 30, 0, 0, time.UTC)

func TestNumbersDatesAndTextsAreComparedAsWhatTheyAre(t *testing.T) {
	for _, c := range []struct {
		have any
		op   string
		want any
		pass bool
	}{
		{"2026-11-01", "<", "today", true},
		{"2026-11-20", "<", "today", false},
		{"2026-11-20", "<=", "today", true},
		{"20 November 2026", ">=", "2026-11-20", true},
		{"[[2026-11-01]]", "<", "-1 days", true},
		{"2027-01-01T10:00", ">", "in two weeks", true},
		{[]any{"soon", "2026-01-01"}, "<", "today", true},
		{3.0, ">", "2", true},
		{"10", ">", 9.0, true},
		{"10", "<", "9", false},
		{"apple", "<", "Pear", true},
		{"", "<", "today", false},
		{nil, ">", 1.0, false},
		{[]any{}, "<", 1.0, false},
		{"Note", "=", "note", true},
		{"Note", "", "note", true},
		{5.0, "=", "5", true},
		{[]any{"a", "b"}, "=", "B", true},
		{[]any{"a", "b"}, "=", []any{"a", "b"}, true},
		{[]any{"a"}, "!=", "b", true},
		{"TBD", "!=", "2026-01-01", true},
		{"a long text", "contains", "LONG", true},
		{[]any{"one", "two"}, "contains", "w", true},
		{nil, "contains", "", false},
		{nil, "missing", nil, true},
		{"x", "exists", nil, true},
		{"", "exists", nil, false},
	} {
		pass, known := compare.New(c.op, c.want, now).Test(c.have)
		if pass != c.pass || !known {
			t.Errorf("%v %s %v: %v, known %v", c.have, c.op, c.want, pass, known)
		}
	}
}

func TestADateIsNotComparedWithWhatIsNone(t *testing.T) {
	for _, c := range []struct {
		have any
		op   string
		want any
	}{
		{"TBD", "<", "today"},
		{"soon", "<", "today"},
		{"December 2027", "<", "today"},
		{"next week", ">", "2026-11-20"},
		{"today", "<=", "today"},
		{"3/4/2026", "<", "2026-12-01"},
		{"2026-11-01", "<", "z"},
		{"TBD", ">", 3.0},
		{3.0, "<", "today"},
		{"TBD", "<", 3.0},
		{true, ">", "2026-01-01"},
		{[]any{"TBD", "soon"}, "<", "today"},
	} {
		if pass, known := compare.New(c.op, c.want, now).Test(c.have); pass || known {
			t.Errorf("%v %s %v: %v, known %v", c.have, c.op, c.want, pass, known)
		}
	}
}

func TestAFieldMayBeAPlaceInAList(t *testing.T) {
	element := map[string]any{"near": []any{"a", map[string]any{"path": "b"}}, "properties": map[string]any{"own[0]": "c", "tags": []any{"d"}}}
	for way, want := range map[string]any{
		"near[0]": "a", "near.0": "a", "near[1].path": "b", "near[2]": nil, "near[-1]": nil, "near[x]": nil, "near[0].x": nil, "own[0]": "c",
		"properties.tags[0]": "d", "tags.0": "d", "none[0]": nil,
	} {
		if got := compare.Field(element, way); got != want {
			t.Errorf("%s is %v, not %v", way, got, want)
		}
	}
}
