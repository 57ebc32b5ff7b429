// Package compare holds the comparisons of conditions: those of vault.query, of a
// step's when, and of lists. Numbers are compared as numbers, dates as dates, and
// other texts as texts. A date is never compared with what is none: "TBD" is not
// before today, and what cannot be compared is told apart from what does not pass.
package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Operators are those that a condition may have.
var Operators = []string{"=", "!=", "<", "<=", ">", ">=", "contains", "exists", "missing"}

// Condition compares values with one that is wanted. Make one with New.
type Condition struct {
	op   string
	want any
	now  time.Time
	date time.Time // the wanted value, which may be in words; zero where it is none
}

// New makes a condition. The operator "" is "=".
func New(op string, want any, now time.Time) *Condition {
	c := &Condition{op: op, want: want, now: now}
	if text, ok := want.(string); ok {
		if at, err := Date(text, now); err == nil {
			c.date = at
		}
	}
	return c
}

// Test says whether a value passes, and whether that is known: false where the two
// have no order. A list passes "=" when one of its elements does, "!=" when none is
// equal, and the rest when one passes.
func (c *Condition) Test(have any) (passes, known bool) {
	switch c.op {
	case "exists":
		return !Empty(have), true
	case "missing":
		return Empty(have), true
	case "contains":
		return contains(have, c.want), true
	case "", "=":
		return equalsAny(have, c.want), true
	case "!=":
		return !equalsAny(have, c.want), true
	}
	if list, ok := have.([]any); ok {
		known = true
		for _, e := range list {
			passes, sure := c.Test(e)
			if passes {
				return true, true
			}
			known = known && sure
		}
		return false, known
	}
	if Empty(have) {
		return false, true
	}
	n, known := c.order(have)
	return known && ordered(c.op, n), known
}

func ordered(op string, n int) bool {
	switch op {
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	}
	return n >= 0
}

// order compares numbers as numbers and dates as dates, and other texts as texts;
// false for what has no order. In words, a date says something about the wanted
// value alone: when a note's "next week" is, nobody knows.
func (c *Condition) order(have any) (int, bool) {
	x, isNumber := Number(have)
	if y, wanted := Number(c.want); isNumber || wanted {
		return cmp.Compare(x, y), isNumber && wanted
	}
	a, b := Text(have), Text(c.want)
	at, isDate := Day(strings.Trim(a, "[]"), c.now)
	if wanted := !c.date.IsZero(); isDate || wanted {
		return at.Compare(c.date), isDate && wanted
	}
	return strings.Compare(strings.ToLower(a), strings.ToLower(b)), true
}

func equalsAny(have, want any) bool {
	if list, ok := have.([]any); ok {
		if wants, ok := want.([]any); ok {
			return slices.EqualFunc(list, wants, Equal)
		}
		return slices.ContainsFunc(list, func(e any) bool { return Equal(e, want) })
	}
	return Equal(have, want)
}

// Equal compares texts without regard to case, numbers as numbers, and a text with
// a number by its words.
func Equal(a, b any) bool {
	if a == nil || b == nil {
		return Empty(a) && Empty(b)
	}
	if f, ok := Number(a); ok {
		if g, ok := Number(b); ok {
			return f == g
		}
	}
	return strings.EqualFold(Text(a), Text(b))
}

// Number gives a value as a number, if it is one or is written like one.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	f, err := strconv.ParseFloat(Text(v), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// Text gives a value without parts as text.
func Text(v any) string {
	s, ok := v.(string)
	if !ok {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(s)
}

func contains(have, want any) bool {
	w := strings.ToLower(Text(want))
	switch h := have.(type) {
	case nil:
		return false
	case []any:
		return slices.ContainsFunc(h, func(e any) bool { return strings.Contains(strings.ToLower(Text(e)), w) })
	}
	return strings.Contains(strings.ToLower(Text(have)), w)
}

// Empty says whether a property has no value.
func Empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	}
	return false
}

// Field gives a field of an element, by a way with dots and places in lists
// ("near[0]", "near.0"), or the property of that
// name where the element is a note that has its properties with it; "" is the
// element itself. Nil where there is none.
func Field(element any, way string) any {
	if way == "" {
		return element
	}
	v, ok := field(element, way)
	if !ok {
		v, ok = field(element, "properties."+way)
	}
	if !ok && strings.Contains(way, "[") {
		v, _ = field(element, strings.NewReplacer("[", ".", "]", "").Replace(way))
	}
	return v
}

func field(v any, way string) (any, bool) {
	for name := range strings.SplitSeq(way, ".") {
		switch in := v.(type) {
		case map[string]any:
			inner, ok := in[name]
			if !ok {
				return nil, false
			}
			v = inner
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n < 0 || n >= len(in) {
				return nil, false
			}
			v = in[n]
		default:
			return nil, false
		}
	}
	return v, true
}
