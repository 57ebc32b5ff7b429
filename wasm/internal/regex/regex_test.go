package regex

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// expressions look before and behind, match nothing, hold groups, or take the
// rest of a line to be known.
var expressions = []string{
	`a`, `a*`, `a+?`, ``, `a|b`, `(a)(b)?`, `(?P<x>a)|(b)`, `^a`, `a$`, `(?m)^a`, `(?m)a$`, `(?m)^`, `(?m)$`, `(?m)^$`, `\b`, `\B`, `\ba\b`, `\Ba`,
	`\Aa`, `a\z`, `\A`, `\z`, `(?m)^.*$`, `(?s).`, `(?s)a.*b`, `a(.*c)?`, `(?:a)([^\pL\pN\pM_]|\z)`, `é`, `[^a]`, `(?i)É`, `a{2,3}`, `(a|ab)(c|bcd)?`, `\pL+`,
}

// TestAllGivesWhatPackageRegexpGives holds for short and for long searches.
func TestAllGivesWhatPackageRegexpGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expr := rapid.SampledFrom(expressions).Draw(t, "expression")
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "b", "c", "\n", "\r\n", " ", "é", "É", "漢", "\xff", "\xe6\xbc", "_", "1", "\x00",
		}), 0, 30).Draw(t, "text"), ""))
		p, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "long") {
			p.size = longSearch + 1
		}
		got, err := p.All(context.Background(), text)
		if want := regexp.MustCompile(expr).FindAllSubmatchIndex(text, -1); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q in %q: %v %v, want %v", expr, text, got, err, want)
		}
	})
}

// counted is a context that ends when it was asked so often.
type counted struct {
	context.Context
	asked, most int
}

func (c *counted) Err() error {
	if c.asked++; c.asked > c.most {
		return context.Canceled
	}
	return nil
}

func (*counted) Deadline() (time.Time, bool) { return time.Time{}, false }

func TestItIsAskedBeforeEachMatchWhetherToGoOn(t *testing.T) {
	for _, expr := range []string{`a(.*b)?`, `(?m)^a|a(.*b)?`, `a(?s:.*b)?`} {
		for _, n := range []int{10, 20, 40} {
			p, err := Compile(expr)
			if err != nil {
				t.Fatal(err)
			}
			ctx := &counted{t.Context(), 0, 1 << 30}
			text := []byte(strings.Repeat("a", n))
			all, err := p.All(ctx, text)
			if err != nil || len(all) != n || ctx.asked < n {
				t.Errorf("%s: %d matches of %d, asked %d times, %v", expr, len(all), n, ctx.asked, err)
			}
			ctx = &counted{t.Context(), 0, n / 2}
			if all, err = p.All(ctx, text); !errors.Is(err, context.Canceled) || all != nil || ctx.asked > n/2+1 {
				t.Errorf("%s: ended after %d of %d: %v %v", expr, ctx.asked, n/2, all, err)
			}
		}
	}
}

// TestOneMatchThatTakesLongIsStoppedToo counts what is asked while nothing is
// found, in an expression that has thousands of states for each character.
func TestOneMatchThatTakesLongIsStoppedToo(t *testing.T) {
	p, err := Compile(fmt.Sprintf(`(?s)(%s)x`, strings.TrimSuffix(strings.Repeat(`.{900}y|`, 4), "|")))
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(strings.Repeat("a", 1<<20))
	ctx := &counted{t.Context(), 0, 3}
	m, err := p.Find(ctx, text, 0)
	if !errors.Is(err, context.Canceled) || m != nil {
		t.Fatalf("want the error context.Canceled and nothing, got %v %v", m, err)
	}
	// Natively a breath asks once, twice when it is due.
	if ctx.asked > 6 {
		t.Errorf("asked %d times after it had ended", ctx.asked-3)
	}
}

func TestABadExpressionIsTheErrorOfPackageRegexp(t *testing.T) {
	if _, err := Compile("("); err == nil || !strings.Contains(err.Error(), "missing closing") {
		t.Error(err)
	}
}
