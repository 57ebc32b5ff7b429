package fileview

import (
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/costtest"
)

// halves makes a text of two, which a NUL parts: before and after a change.
func halves(n int, line func(i int, after bool) string) string {
	var both [2]strings.Builder
	for i := 0; both[0].Len() < n/2; i++ {
		both[0].WriteString(line(i, false))
		both[1].WriteString(line(i, true))
	}
	return both[0].String() + "\x00" + both[1].String()
}

var twoSides = map[string]func(i int, after bool) string{
	"nothing in common": func(i int, after bool) string { return fmt.Sprintf("%d %v\n", i, after) },
	"every second line": func(i int, after bool) string { return fmt.Sprintf("%d %v\n", i, after && i%2 == 0) },
	"every tenth line":  func(i int, after bool) string { return fmt.Sprintf("a line %d %v\n", i, after && i%10 == 0) },
	"another order": func(i int, after bool) string {
		if after {
			i = i * 7919 % 100003
		}
		return fmt.Sprintf("%d\n", i)
	},
	"the other way round": func(i int, after bool) string {
		if after {
			i = 512<<10 - i
		}
		return fmt.Sprintf("%08d\n", i)
	},
	"equal lines, other ends": func(_ int, after bool) string {
		if after {
			return "a\r\n"
		}
		return "a\n"
	},
	"equal lines, some more": func(i int, after bool) string {
		if after && i%3 == 0 {
			return "a\nb\n"
		}
		return "a\n"
	},
	"empty lines between": func(i int, after bool) string { return fmt.Sprintf("%d %v\n\n", i/2, after && i%2 == 0) },
	"one line":            func(i int, after bool) string { return fmt.Sprintf("%d %v ", i, after && i%2 == 0) },
	"a pattern, another one": func(i int, after bool) string {
		return map[bool]string{false: "ab\n", true: "abc\n"}[after && i%2 == 0]
	},
}

func TestTheDifferenceOfTwoFilesCostsTimeByTheirLength(t *testing.T) {
	for name, line := range twoSides {
		t.Run(name, func(t *testing.T) {
			costtest.Linear(t, 512<<10, func(n int) string { return halves(n, line) }, func(text string) {
				before, after, _ := strings.Cut(text, "\x00")
				Hunks(before, after)
			})
		})
	}
}
