package regex

import (
	"regexp"
	"sync"
)

// Lazy gives a regular expression of the program's own, which is compiled at its
// first use: what a program makes of itself before main, everybody waits for. It
// panics then if it is none, as regexp.MustCompile does.
func Lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
