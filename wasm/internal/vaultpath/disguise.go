package vaultpath

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"embedded-agent/wasm/internal/fault"
)

// refuseDisguised looks at the path as a careless reader would: escapes
// decoded, look-alike characters as what they look like. Such a path is never
// changed into its plain form, only refused: nobody writes "%2e%2e" by chance.
func refuseDisguised(whole, clean string) error {
	if isPlainASCII(clean) {
		return nil
	}
	plain := clean
	for range 4 { // an escape of an escape of an escape
		next := undisguise(plain)
		if next == plain {
			break
		}
		plain = next
	}
	if plain == clean {
		return nil
	}
	if r, bad := firstControl(plain); bad && r != utf8.RuneError {
		return refuse("error.path.illegal", whole, fault.P{"char": describe(r)})
	}
	for part := range strings.SplitSeq(plain, "/") {
		bare := strings.Map(visible, part)
		switch {
		case bare == "" || bare == ".":
		case strings.Trim(bare, ". ") == "":
			return refuse("error.path.outside", whole, nil)
		case strings.TrimLeft(bare, " ")[0] == '.':
			return refuse("error.path.hidden", whole, nil)
		}
	}
	return nil
}

// Look-alikes of the dot and of the two slashes. The ellipsis U+2026 counts
// only where it is the whole name: "…and then.md" is a fine title.
const (
	dotAlikes   = "\uFF0E\u2024\uFE52"
	slashAlikes = "\\\uFF0F\u2044\u2215\u29F8\uFF3C\u2216\u29F5\u29F9\uFE68"
)

func undisguise(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '%' && i+2 < len(s) && unhex(s[i+1]) >= 0 && unhex(s[i+2]) >= 0:
			b.WriteByte(byte(unhex(s[i+1])<<4 | unhex(s[i+2])))
			n = 3
		case r == '\uFF05' || r == '\uFE6A': // full-width and small per cent
			b.WriteByte('%')
		case strings.ContainsRune(dotAlikes, r):
			b.WriteByte('.')
		case r == '\u2025': // two dots
			b.WriteString("..")
		case strings.ContainsRune(slashAlikes, r):
			b.WriteByte('/')
		case r == '\u2026' && aloneInPart(s, i, n):
			b.WriteString("...")
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// isPlainASCII says that there is nothing to see through.
func isPlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == '%' {
			return false
		}
	}
	return true
}

// aloneInPart says whether s[i:i+n] is all there is between two slashes but for
// dots, spaces and the same character.
func aloneInPart(s string, i, n int) bool {
	from := strings.LastIndexByte(s[:i], '/') + 1
	to := len(s)
	if end := strings.IndexByte(s[i+n:], '/'); end >= 0 {
		to = i + n + end
	}
	return strings.Trim(s[from:to], ". \u2026\u2025"+dotAlikes) == ""
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// ignorable characters show nothing and are skipped by some disks when they
// compare names; a dot behind one still hides.
func ignorable(r rune) bool {
	return unicode.Is(unicode.Cf, r) || r == '\u115F' || r == '\u3164' || r == '\u034F'
}

// visible drops ignorable characters.
func visible(r rune) rune {
	if ignorable(r) {
		return -1
	}
	return r
}

// unseen characters show nothing, or turn the order of what is shown around: two
// names that differ by one look the same, or one looks like another. The joiners
// are not among them (emoji and several scripts need them), nor are the signs
// that stand in front of numbers, which are seen.
func unseen(r rune) bool {
	switch {
	case r < utf8.RuneSelf, r == '\u200C', r == '\u200D':
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return ignorable(r)
}
