package action

import (
	"strconv"
	"strings"
	"unicode"
)

// names are the names of many actions, for giving others that are free.
type names struct {
	taken map[string]bool // by fold
	// next is the first number behind a name that was not tried yet: an import of
	// a thousand equal names tries each number once.
	next map[string]int
}

func (n *names) take(name string) { n.taken[fold(name)] = true }

// free gives a name, with a number behind it where it is taken.
func (n *names) free(name string) string {
	key := fold(name)
	if !n.taken[key] {
		return name
	}
	for i := max(2, n.next[key]); ; i++ {
		if try := name + " (" + strconv.Itoa(i) + ")"; !n.taken[fold(try)] {
			n.next[key] = i
			return try
		}
	}
}

// fold makes names equal that strings.EqualFold finds equal.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII {
			return unicode.ToLower(r)
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		if least < unicode.MaxASCII {
			return unicode.ToLower(least)
		}
		return least // ToLower makes an i of İ, which EqualFold tells apart
	}, name)
}
