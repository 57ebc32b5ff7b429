// Package regex has regular expressions (RE2) of two kinds: the program's own,
// which are compiled when they are first used (Lazy), and those of strangers,
// which are looked for in the texts of strangers and can be stopped (Compile).
//
// One match is found in time linear in the text (RE2), but each may look at all
// of the rest before it is known: an expression such as `a(.*b)?` takes the
// square of a line's length. Package regexp finds all matches in one go, during
// which nothing can cancel it where there is one thread. Here they are found one
// by one, with a breath (package breath) before each, and within one where it
// may take long.
package regex

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"embedded-agent/wasm/internal/breath"
)

// Pattern is a compiled regular expression. It may be used by several at once.
type Pattern struct {
	// Regexp is the expression itself, for its groups and for replacements.
	*regexp.Regexp
	// behind is the expression after the one character that stands before the
	// place to search from. It is nil where the expression looks at nothing before
	// it, so that the rest of a text will do.
	behind *regexp.Regexp
	// size is how many instructions one character may take.
	size int
}

// Compile gives the pattern of a regular expression in Go's syntax, or the error
// of package regexp.
func Compile(expr string) (*Pattern, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	p := &Pattern{Regexp: re, size: len(program.Inst)}
	if looksBehind(program) {
		if p.behind, err = regexp.Compile(`\A(?s:.)(?s:.*?)(` + expr + `)`); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// looksBehind says whether what stands before a place may decide there.
func looksBehind(program *syntax.Prog) bool {
	const before = syntax.EmptyBeginLine | syntax.EmptyBeginText | syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
	for _, inst := range program.Inst {
		if inst.Op == syntax.InstEmptyWidth && syntax.EmptyOp(inst.Arg)&before != 0 {
			return true
		}
	}
	return false
}

// Find gives the first match in the text that begins at from or later, as pairs
// of offsets in the text for it and each of its groups (-1 for a group that took
// no part); nil where there is none. What stands before from counts for `^` and
// `\b`; from has to be where a character begins. Its error is the context's.
func (p *Pattern) Find(ctx context.Context, text []byte, from int) ([]int, error) {
	if err := breath.Take(ctx); err != nil {
		return nil, err
	}
	if from == 0 || p.behind == nil {
		m, err := p.search(ctx, p.Regexp, text[from:])
		return moved(m, from), err
	}
	_, width := utf8.DecodeLastRune(text[:from])
	m, err := p.search(ctx, p.behind, text[from-width:])
	if m != nil {
		m = m[2:] // the whole of it has the character before
	}
	return moved(m, from-width), err
}

func moved(m []int, by int) []int {
	for i := range m {
		if m[i] >= 0 {
			m[i] += by
		}
	}
	return m
}

// longSearch is how many steps a search for one match may take without a breath:
// a tenth of a second natively, half of one under wasm.
const longSearch = 1 << 24

func (p *Pattern) search(ctx context.Context, re *regexp.Regexp, text []byte) ([]int, error) {
	if len(text) <= longSearch/p.size {
		return re.FindSubmatchIndex(text), nil
	}
	r := &reader{Reader: bytes.NewReader(text), ctx: ctx}
	m := re.FindReaderSubmatchIndex(r)
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// breathe is how many characters are read between two breaths.
const breathe = 1 << 10

// reader reads a text, and ends it when the context has ended.
type reader struct {
	*bytes.Reader
	ctx  context.Context
	err  error
	read int
}

func (r *reader) ReadRune() (rune, int, error) {
	if r.read++; r.read%breathe == 0 && r.err == nil {
		r.err = breath.Take(r.ctx)
	}
	if r.err != nil {
		return 0, 0, io.EOF
	}
	return r.Reader.ReadRune()
}

// All gives every match, as regexp.FindAllSubmatchIndex does: in order, none
// within another, and no empty one right behind another. Its error is the
// context's.
func (p *Pattern) All(ctx context.Context, text []byte) ([][]int, error) {
	var all [][]int
	for from, end := 0, -1; from <= len(text); {
		m, err := p.Find(ctx, text, from)
		if err != nil {
			return nil, err
		}
		if m == nil {
			break
		}
		if m[1] > from || m[0] != end {
			all = append(all, m)
		}
		end = m[1]
		if from < end {
			from = end
			continue
		}
		_, width := utf8.DecodeRune(text[from:])
		from += max(width, 1)
	}
	return all, nil
}
