// Package lazy makes what takes a moment when it is first needed: what a program
// makes of itself before main, everybody waits for.
package lazy

import (
	"regexp"
	"sync"
)

// Pattern gives a regular expression (RE2) that is compiled at its first use; it
// panics then if it is none, as regexp.MustCompile does.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
