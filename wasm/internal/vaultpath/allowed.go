package vaultpath

import (
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/tool"
)

// Allowed says whether the sandbox lets a call touch the path: it lies under
// one of the allowed roots, and no pattern refuses it or a folder above it.
//
// A pattern with "*" or "?" is a glob: "*" stands for any characters of one
// name, "**" for any characters, "?" for one; without a slash it is compared
// with each name on the way, with one against the path from the root. Any
// other pattern refuses every path that contains it. Patterns ignore letter
// case and Unicode form, and what some systems leave out of a name (dots and
// spaces at its end, characters that cannot be seen), so that no other spelling
// gets around them; roots do not. A sandbox that is on and allows no root allows nothing; a path that
// Clean refuses is never allowed, sandbox or not.
func Allowed(path string, sandbox tool.Sandbox) bool {
	clean, err := CleanFolder(path)
	return err == nil && AllowedClean(clean, sandbox)
}

// AllowedClean is Allowed of a path that Clean gave.
func AllowedClean(clean string, sandbox tool.Sandbox) bool {
	if !sandbox.Enabled {
		return true
	}
	inside := false
	for _, root := range sandbox.AllowedRoots {
		if root == "/" { // as it mostly is, and asked of every path
			inside = true
			break
		}
		if r, err := CleanFolder(root); err == nil && Under(clean, r) {
			inside = true
			break
		}
	}
	if !inside {
		return false
	}
	folded, bare := "", ""
	signs := isPlainASCII(clean) && bareNames(clean) == clean
	for _, pattern := range sandbox.DenyPatterns {
		if pattern == "" {
			continue
		}
		if signs && isSigns(pattern) {
			if strings.Contains(clean, pattern) {
				return false
			}
			continue
		}
		if folded == "" {
			folded = Fold(clean)
			bare = bareNames(folded)
		}
		if denies(Fold(pattern), folded) || bare != folded && denies(Fold(pattern), bare) {
			return false
		}
	}
	return true
}

// bareNames gives a folded path as the systems have it that leave most out of
// names: Windows takes dots and spaces off the end of each, some file systems of
// macOS ignore characters that cannot be seen.
func bareNames(folded string) string {
	plain := isPlainASCII(folded)
	if plain && !strings.Contains(folded, "./") && !strings.Contains(folded, " /") &&
		!strings.HasSuffix(folded, ".") && !strings.HasSuffix(folded, " ") {
		return folded
	}
	parts := strings.Split(folded, "/")
	for i, part := range parts {
		if !plain {
			part = strings.Map(visible, part)
		}
		parts[i] = strings.TrimRight(part, ". ")
	}
	return strings.Join(parts, "/")
}

// isSigns says that a pattern is signs that have one spelling, such as "..": in
// ASCII they can be looked for as they are.
func isSigns(pattern string) bool {
	return strings.Trim(pattern, ".:/_-") == ""
}

func denies(pattern, path string) bool {
	if !strings.ContainsAny(pattern, "*?") {
		return strings.Contains(path, pattern)
	}
	if !strings.Contains(pattern, "/") {
		for part := range strings.SplitSeq(path, "/") {
			if glob(pattern, part) {
				return true
			}
		}
		return false
	}
	pattern = strings.Trim(pattern, "/")
	for at := path; at != ""; at = Parent(at) {
		if glob(pattern, at) {
			return true
		}
	}
	return false
}

// glob matches the whole of s. The table of reachable positions keeps it at
// len(pattern) x len(s) steps whatever the pattern.
func glob(pattern, s string) bool {
	now := make([]bool, len(s)+1)
	next := make([]bool, len(s)+1)
	now[0] = true
	for len(pattern) > 0 {
		clear(next)
		switch {
		case strings.HasPrefix(pattern, "**/"): // folders, or none
			pattern = pattern[3:]
			reach := false
			for i := range now {
				next[i] = now[i] || reach && s[i-1] == '/'
				reach = reach || now[i]
			}
		case strings.HasPrefix(pattern, "**"):
			pattern = pattern[2:]
			reach := false
			for i := range now {
				reach = reach || now[i]
				next[i] = reach
			}
		case pattern[0] == '*':
			pattern = pattern[1:]
			reach := false
			for i := range now {
				reach = now[i] || reach && s[i-1] != '/'
				next[i] = reach
			}
		default:
			r, n := utf8.DecodeRuneInString(pattern)
			pattern = pattern[n:]
			for i := range len(s) {
				if !now[i] {
					continue
				}
				c, w := utf8.DecodeRuneInString(s[i:])
				if c == r || r == '?' && c != '/' {
					next[i+w] = true
				}
			}
		}
		now, next = next, now
	}
	return now[len(s)]
}
