package jsontree

import (
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/costtest"
)

func TestJSONCostsTimeByItsLength(t *testing.T) {
	for name, text := range map[string]func(n int) string{
		"numbers":          func(n int) string { return "[" + strings.Repeat("1,", n/2) + "1]" },
		"one number":       func(n int) string { return strings.Repeat("1", n) },
		"texts":            func(n int) string { return "[" + strings.Repeat(`"a",`, n/4) + `"a"]` },
		"one text":         func(n int) string { return `"` + strings.Repeat("a", n) + `"` },
		"escapes":          func(n int) string { return `"` + strings.Repeat(`\u0041\n`, n/8) + `"` },
		"halves":           func(n int) string { return `"` + strings.Repeat(`\ud83d`, n/6) + `"` },
		"one open text":    func(n int) string { return `"` + strings.Repeat(`\"`, n/2) },
		"lists in lists":   func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) },
		"open lists":       func(n int) string { return strings.Repeat("[", n) },
		"lists":            func(n int) string { return "[" + strings.Repeat("[],", n/3) + "[]]" },
		"spaces":           func(n int) string { return strings.Repeat(" ", n) + "1" },
		"equal keys":       func(n int) string { return "{" + strings.Repeat(`"a":1,`, n/6) + `"a":1}` },
		"different keys":   func(n int) string { return object(n) },
		"objects":          func(n int) string { return "[" + strings.Repeat(`{"a":{"b":1}},`, n/14) + "1]" },
		"objects, unended": func(n int) string { return strings.Repeat(`{"a":`, n/5) },
	} {
		t.Run(name, func(t *testing.T) {
			costtest.Linear(t, 128<<10, text, func(s string) {
				if v, err := Parse([]byte(s)); err == nil {
					walk(v)
				}
			})
		})
	}
}

func object(n int) string {
	var b strings.Builder
	b.WriteString("{")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	return b.String() + `"z":0}`
}

// walk reads all of a value, in the two ways that there are.
func walk(v Value) {
	for e := range v.Elements() {
		walk(e)
	}
	for _, m := range v.Members() {
		walk(m)
	}
	v.Get("no such key")
	v.Str()
}
