package index

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// Need describes a text that is worth reading. The zero Need describes
// every text.
type Need struct {
	grams []uint16 // all of these
	any   [][]Need // of each list, at least one
}

// Literal is the need of a search for a text, in any case. A text of fewer than
// three bytes needs nothing.
func Literal(text string) Need {
	var f folder
	return f.holds(text)
}

// holds is the need of a text. The end of a line may be written in two ways, so
// nothing is asked of it.
func (f *folder) holds(text string) (n Need) {
	for line := range strings.SplitSeq(text, "\n") {
		n.grams = append(n.grams, gramsOf(f.appendFolded(nil, line))...)
	}
	n.grams = unique(n.grams)
	return n
}

// Pattern is the need of a search for a regular expression (RE2, flags inside):
// the literal texts that every match holds. One that has none, or that cannot
// be read, needs nothing.
func Pattern(pattern string) Need {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return Need{}
	}
	var f folder
	return f.needOf(re)
}

func (f *folder) needOf(re *syntax.Regexp) Need {
	switch re.Op {
	case syntax.OpLiteral:
		return f.holds(string(re.Rune))
	case syntax.OpCapture, syntax.OpPlus:
		return f.needOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return f.needOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var n Need
		for _, sub := range re.Sub {
			one := f.needOf(sub)
			n.grams = append(n.grams, one.grams...)
			n.any = append(n.any, one.any...)
		}
		n.grams = unique(n.grams)
		return n
	case syntax.OpAlternate:
		list := make([]Need, 0, len(re.Sub))
		for _, sub := range re.Sub {
			one := f.needOf(sub)
			if one.Nothing() {
				return Need{} // one way needs nothing
			}
			list = append(list, one)
		}
		return Need{any: [][]Need{list}}
	}
	return Need{}
}

func unique(grams []uint16) []uint16 {
	slices.Sort(grams)
	return slices.Compact(grams)
}

// Nothing says whether every text holds the need.
func (n *Need) Nothing() bool { return len(n.grams) == 0 && len(n.any) == 0 }

// mayHold says whether the text of a signature may hold the need. It is wrong
// in one way only: a text that does not may pass.
func (n *Need) mayHold(sig []byte) bool {
	if len(sig) == 0 { // everything
		return true
	}
	for _, g := range n.grams {
		if !has(sig, g) {
			return false
		}
	}
	for _, list := range n.any {
		if !slices.ContainsFunc(list, func(one Need) bool { return one.mayHold(sig) }) {
			return false
		}
	}
	return true
}
