//go:build !js

package terminal

import (
	"fmt"
	"strings"

	"embedded-agent/wasm/internal/text"
)

// Command writes a command line so that a POSIX shell reads exactly these
// arguments, and so that a terminal shows it as it is: what would not be seen is
// written in octal, by printf. ok is false where no shell that is common could
// read an argument back (it ends in a line feed, or holds a NUL).
func Command(args ...string) (line string, ok bool) {
	quoted := make([]string, len(args))
	for i, a := range args {
		if quoted[i], ok = quote(a); !ok {
			return "", false
		}
	}
	return strings.Join(quoted, " "), true
}

func quote(s string) (string, bool) {
	switch {
	case strings.ContainsRune(s, 0) || strings.HasSuffix(s, "\n"):
		return "", false // no argument can hold a NUL; $(…) drops line feeds at the end
	case s != "" && strings.IndexFunc(s, special) < 0:
		return s, true
	case text.Line(s) == s:
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'", true
	}
	var b strings.Builder
	b.WriteString(`"$(printf '`)
	for _, r := range split(s) {
		switch {
		case r == "'":
			b.WriteString(`\047`)
		case r == `\`:
			b.WriteString(`\\`)
		case r == "%":
			b.WriteString("%%")
		case r == " ", text.Name(r) == r:
			b.WriteString(r)
		default:
			for _, c := range []byte(r) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
	}
	b.WriteString(`')"`)
	return b.String(), true
}

// special says whether a character means something to a shell.
func special(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:=@+,-", r))
}

// split gives the characters of a text one by one, and bytes that are none.
func split(s string) []string {
	var out []string
	last := -1
	for i := range s {
		if last >= 0 {
			out = append(out, s[last:i])
		}
		last = i
	}
	if last >= 0 {
		out = append(out, s[last:])
	}
	return out
}
