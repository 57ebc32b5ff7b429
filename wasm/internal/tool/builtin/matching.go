package builtin

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/regex"
)

var errEnough = errors.New("enough")

// finder gives the first match in a text from an offset on, or -1. Its error is
// that the call has ended.
type finder func(ctx context.Context, text []byte, from int) (int, error)

// matcher gives the search that the arguments ask for.
func matcher(query string, isRegex, caseSensitive bool) (finder, error) {
	if !isRegex && caseSensitive {
		needle := []byte(query)
		return found(func(text []byte, from int) int { return indexFrom(text, needle, from) }), nil
	}
	if !isRegex && isASCII(query) {
		low := []byte(strings.ToLower(query))
		return found(func(text []byte, from int) int { return indexFold(text, low, from) }), nil
	}
	re, err := regex.Compile(patternOf(query, isRegex, caseSensitive))
	if err != nil {
		return nil, fault.New(fault.Validation, "tools.search.regex", fault.P{"query": query}).With(err)
	}
	return func(ctx context.Context, text []byte, from int) (int, error) {
		m, err := re.Find(ctx, text, from)
		switch {
		case err != nil:
			return -1, fault.From(err)
		case m == nil:
			return -1, nil
		}
		return m[0], nil
	}, nil
}

// needOf gives what a text must hold for a search to find something in it.
func needOf(query string, isRegex bool) index.Need {
	if !isRegex {
		return index.Literal(query)
	}
	return index.Pattern(patternOf(query, true, false))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

var newline, carriageReturn, lineEnd = []byte("\n"), []byte("\r"), []byte("\r\n")

// found is a finder for what takes one pass over the text.
func found(in func(text []byte, from int) int) finder {
	return func(_ context.Context, text []byte, from int) (int, error) { return in(text, from), nil }
}

// patternOf gives the regular expression of a search.
func patternOf(query string, isRegex, caseSensitive bool) string {
	if !isRegex {
		query = regexp.QuoteMeta(query)
	}
	if !caseSensitive {
		query = "(?i)" + query
	}
	return "(?m)" + query
}

func indexFrom(text, query []byte, from int) int {
	i := bytes.Index(text[from:], query)
	if i < 0 {
		return -1
	}
	return from + i
}

// indexFold finds a lower-case ASCII text in any case: it jumps to the places
// of its first letter in either case.
func indexFold(text, low []byte, from int) int {
	up := low[0]
	if up >= 'a' && up <= 'z' {
		up -= 'a' - 'A'
	}
	nextLow, nextUp := -2, -2
	for i := from; i+len(low) <= len(text); i++ {
		if nextLow != -1 && nextLow < i {
			nextLow = byteFrom(text, low[0], i)
		}
		if nextUp != -1 && nextUp < i {
			nextUp = byteFrom(text, up, i)
		}
		switch {
		case nextLow < 0 && nextUp < 0:
			return -1
		case nextLow < 0:
			i = nextUp
		case nextUp < 0:
			i = nextLow
		default:
			i = min(nextLow, nextUp)
		}
		if i+len(low) <= len(text) && bytes.EqualFold(text[i:i+len(low)], low) {
			return i
		}
	}
	return -1
}

func byteFrom(text []byte, c byte, from int) int {
	i := bytes.IndexByte(text[from:], c)
	if i < 0 {
		return -1
	}
	return from + i
}
