package vaultpath

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Untitled is the name of what has no title.
const Untitled = "Untitled"

// maxTitle leaves room for " (99).md" within MaxName.
const maxTitle = MaxName - len(" (99).md")

func itoa(n int) string { return strconv.Itoa(n) }

// SafeNameOn is SafeName for a name that is created on the platform named: on
// Android + and ' become the full-width plus and the typographic apostrophe.
func SafeNameOn(platform, title string) string {
	if platform == Android && !ordinaryTitle(title) {
		title = strings.NewReplacer("+", "\uFF0B", "'", "’", "\"", "’").Replace(title)
	}
	return SafeName(title)
}

// SafeName makes a file name, without extension, of any text whatever: the
// first choice is the text itself, and what cannot be in a name on some system
// is replaced by what reads nearest. It is never empty, SafeName of its own
// result changes nothing, and the result with " (99).md" behind passes
// CheckNew.
func SafeName(title string) string {
	if ordinaryTitle(title) {
		return title
	}
	return safeName(title)
}

// safeName is SafeName of any title whatever.
func safeName(title string) string {
	s := norm.NFC.String(strings.ToValidUTF8(title, "\uFFFD"))
	s = joinSlashes(s)
	s = strings.Map(readable, s)
	s = strings.NewReplacer(": ", " - ", ":", "-", "\"", "'", "[", "(", "]", ")").Replace(s)
	s = fit(s)
	if !usable(s) {
		// What remains are disguises of "..": escapes and look-alikes.
		s = fit(strings.Map(dropDisguise, s))
	}
	if Device(s) != "" {
		stem, rest, dotted := strings.Cut(s, ".")
		s = strings.TrimRight(stem, " ") + "_"
		if dotted {
			s += "." + rest
		}
		s = fit(s)
	}
	if !usable(s) {
		return Untitled
	}
	return s
}

func usable(s string) bool { return s != "" && CheckNew(s) == nil && CheckNew(s+".md") == nil }

// joinSlashes makes "a/b" one name, "a-b", and leaves out parts without a
// word: of "../../etc" "etc" remains.
func joinSlashes(s string) string {
	if !strings.ContainsAny(s, "/\\") {
		return s
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' })
	kept := parts[:0]
	for _, p := range parts {
		if p = strings.TrimSpace(p); strings.Trim(p, ". ") != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "-")
}

// readable maps one character of a title: all spaces and breaks to a space,
// the rest of what is illegal to nothing or its nearest. Joiners stay (emoji
// and several scripts need them); other invisible characters go.
func readable(r rune) rune {
	switch r {
	case '|':
		return '-'
	case '*', '<', '>', '?', '#', '^':
		return -1
	case '\u200C', '\u200D':
		return r
	case '\u034F', '\u115F', '\u3164': // invisible, but not format characters
		return -1
	}
	switch {
	case unicode.IsSpace(r), unicode.Is(unicode.Zs, r), r == '\u2028', r == '\u2029':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}

func dropDisguise(r rune) rune {
	if r == '%' || r == '\uFF05' || r == '\uFE6A' || r == '\u2025' || r == '\u2026' ||
		strings.ContainsRune(dotAlikes, r) || strings.ContainsRune(slashAlikes, r) {
		return -1
	}
	return r
}

// fit collapses spaces, trims what a name cannot begin or end with, and cuts
// at a place where nothing is torn.
func fit(s string) string {
	s = trimName(norm.NFC.String(strings.Join(strings.Fields(s), " ")))
	for len(s) > maxTitle {
		s = trimName(s[:graphemeCut(s, maxTitle)])
	}
	return s
}

// trimName drops leading dots (they hide a file), joiners that join nothing,
// and trailing dots and spaces.
func trimName(s string) string {
	s = strings.TrimLeftFunc(s, func(r rune) bool {
		return r == '.' || r == ' ' || ignorable(r) || strings.ContainsRune(dotAlikes, r) || r == '\u2025'
	})
	return strings.TrimRightFunc(s, func(r rune) bool { return r == '.' || r == ' ' || ignorable(r) })
}

// graphemeCut gives the last offset up to limit at which s can be cut without
// tearing what people see as one character: base and marks, emoji sequences,
// flags (a part of UAX #29 that errs on the side of keeping together). Where
// one character alone is longer than limit it is cut between code points.
func graphemeCut(s string, limit int) int {
	if len(s) <= limit {
		return len(s)
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	for at := cut; at > 0; {
		before, n := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at:])
		if !joined(s[:at], before, after) {
			return at
		}
		at -= n
	}
	return cut
}

func joined(left string, before, after rune) bool {
	switch {
	case unicode.In(after, unicode.Mn, unicode.Me, unicode.Mc), ignorable(after), after >= 0x1F3FB && after <= 0x1F3FF:
		return true
	case before == '\u200D':
		return true
	case after >= 0x1160 && after <= 0x11FF: // Hangul vowels and finals
		return true
	case regional(before) && regional(after):
		pairs := 0
		for left != "" {
			r, n := utf8.DecodeLastRuneInString(left)
			if !regional(r) {
				break
			}
			pairs++
			left = left[:len(left)-n]
		}
		return pairs%2 == 1
	}
	return false
}

func regional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// Fold gives the key under which two names are one on disks that ignore letter
// case and normalise Unicode (macOS, Windows, Android). It may call two names
// equal that some disk tells apart, never the other way round for what it
// knows: simple case folding over canonically equivalent text.
func Fold(p string) string {
	ascii := true
	for i := range len(p) {
		if p[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(p)
	}
	// Decomposed first, so that a mark folds the same whether or not it is
	// composed with its letter.
	return norm.NFC.String(strings.Map(foldRune, norm.NFD.String(p)))
}

// foldRune gives the smallest character that differs only in case, or of an
// ASCII letter the lower case one.
func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	switch {
	case least >= 'A' && least <= 'Z':
		return least + 'a' - 'A'
	case least == '\u0345': // a mark that is another spelling of iota
		return 'ι'
	}
	return least
}

// Unique gives the name itself when it is free, else "Title (2).md",
// "Title (3).md" and so on; a name that ends in such a number counts on from
// it. The name may have folders before it; the stem is shortened where the
// result would be longer than MaxName. taken must stay the same meanwhile.
//
// Numbers are tried one by one at first and then in growing strides, so that
// ten thousand equal titles cost few questions each: the result is free, and
// the lowest free one as long as the numbers have no gaps beyond the first
// ones.
func Unique(name string, taken func(string) bool) string {
	if !taken(name) {
		return name
	}
	folder, base := Parent(name), Base(name)
	ext := Ext(base)
	stem, first := splitNumber(strings.TrimSuffix(base, ext))
	at := func(n int) string {
		tail := " (" + itoa(n) + ")" + ext
		s := stem
		if len(s)+len(tail) > MaxName {
			s = strings.TrimRight(s[:graphemeCut(s, max(0, MaxName-len(tail)))], ". ")
		}
		return Join(folder, s+tail)
	}
	const oneByOne = 16
	n := first + 1
	for ; n <= first+oneByOne; n++ {
		if s := at(n); !taken(s) {
			return s
		}
	}
	low, stride := n-1, 1 // low is taken
	for taken(at(low + stride)) {
		low += stride
		stride *= 2
	}
	high := low + stride // high is free
	for high-low > 1 {
		if mid := low + (high-low)/2; taken(at(mid)) {
			low = mid
		} else {
			high = mid
		}
	}
	return at(high)
}

// splitNumber takes " (n)" off a stem, n from 2; without one it gives 1.
func splitNumber(stem string) (string, int) {
	open := strings.LastIndex(stem, " (")
	if open <= 0 || !strings.HasSuffix(stem, ")") {
		return stem, 1
	}
	digits := stem[open+2 : len(stem)-1]
	n, err := strconv.Atoi(digits)
	if err != nil || n < 2 || len(digits) > 6 || digits[0] == '0' || digits[0] == '+' {
		return stem, 1
	}
	return stem[:open], n
}

// Family gives the name that Unique started from: the path without a trailing
// " (n)". Calls that may take each other's numbers share it.
func Family(p string) string {
	base := Base(p)
	ext := Ext(base)
	stem, _ := splitNumber(strings.TrimSuffix(base, ext))
	return Join(Parent(p), stem+ext)
}
