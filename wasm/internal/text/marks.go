package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mark is a stretch of a text that has to be drawn as a mark. Start and End are
// bytes; Keep says that the characters are drawn too, before their mark.
type Mark struct {
	Start, End int
	Label      string
	Keep       bool
}

const (
	// MaxBlanks is the longest run of blanks that is drawn as it is.
	MaxBlanks = 32
	// MaxCombining is the largest heap of combining marks on one letter that is
	// drawn as it is; scripts that people write have fewer.
	MaxCombining = 6
)

// Marks finds what has to be marked in a text.
func Marks(s string) []Mark { return find(s, false) }

// NameMarks finds what has to be marked in a name or a path: more than in a
// text, since two names must not look alike. Blanks other than the space are
// marked, and letters of another script that look like Latin ones in a word that
// has Latin letters.
func NameMarks(s string) []Mark { return find(s, true) }

// Name gives a name or path on one line, with its marks written out.
func Name(s string) string { return lineEnds.Replace(drawn(s, NameMarks(s))) }

func find(s string, name bool) []Mark {
	if plain(s) {
		return nil
	}
	var out []Mark
	for at := 0; at < len(s); {
		m := at1(s, at, name)
		if m.End == 0 {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += n
			continue
		}
		if m.Label != "" {
			out = append(out, m)
		}
		at = m.End
	}
	return merged(out)
}

// plain says whether a text is printable ASCII with no long run of blanks: most
// texts are, and need no second look.
func plain(s string) bool {
	run := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == ' ' || c == '\t':
			if run++; run > MaxBlanks {
				return false
			}
			continue
		case c == '\r':
			if i+1 == len(s) || s[i+1] != '\n' {
				return false
			}
		case c < 0x20 && c != '\n' || c >= 0x7f:
			return false
		}
		run = 0
	}
	return true
}

// at1 looks at the character at a place: its mark, a stretch without a label
// that is to be passed over as it is, or nothing.
func at1(s string, at int, name bool) Mark {
	r, n := utf8.DecodeRuneInString(s[at:])
	if r == utf8.RuneError && n == 1 {
		return Mark{Start: at, End: at + 1, Label: fmt.Sprintf("0x%02X", s[at])}
	}
	if r < utf8.RuneSelf && r > ' ' && r != 0x7f {
		return Mark{}
	}
	if end := flagAt(s, at, r); end > 0 {
		return Mark{Start: at, End: end}
	}
	if count, end := run(s[at:], unicode.IsMark); count > MaxCombining {
		return Mark{Start: at, End: at + end, Label: "◌ ×" + strconv.Itoa(count)}
	}
	isBlank := func(r rune) bool { return in(r, blank) }
	if count, end := run(s[at:], isBlank); count > MaxBlanks {
		return Mark{Start: at, End: at + end, Label: "␣ ×" + strconv.Itoa(count)}
	} else if count > 0 && !name {
		return Mark{Start: at, End: at + end}
	}
	one := Mark{Start: at, End: at + n, Label: Label(r)}
	switch {
	case r == '\r':
		if strings.HasPrefix(s[at+1:], "\n") {
			return Mark{}
		}
		return one
	case in(r, hidden):
		if needed(s, at, n, r) {
			return Mark{}
		}
		return one
	case name && in(r, strange):
		return one
	case name && in(r, alike) && amongLatin(s, at, n):
		one.Keep = true
		return one
	}
	return Mark{}
}

// run counts the characters at the beginning of a text for which is holds, and
// their bytes.
func run(s string, is func(rune) bool) (count, end int) {
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		if r == utf8.RuneError && n == 1 || !is(r) {
			break
		}
		count++
		end += n
	}
	return count, end
}

// flags are the three flags that are spelled with tag characters.
var flags = []string{tagged("gbeng"), tagged("gbsct"), tagged("gbwls")}

const blackFlag = 0x1f3f4

func tagged(region string) string {
	b := []rune{blackFlag}
	for _, c := range region {
		b = append(b, 0xe0000+c)
	}
	return string(append(b, 0xe007f))
}

func flagAt(s string, at int, r rune) int {
	if r != blackFlag {
		return 0
	}
	for _, f := range flags {
		if strings.HasPrefix(s[at:], f) {
			return at + len(f)
		}
	}
	return 0
}

// needed says whether a hidden character does what it is for: it joins an emoji,
// shapes letters of a script that needs it, or chooses a registered variant.
func needed(s string, at, n int, r rune) bool {
	before, size := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at+n:])
	if size == 0 {
		return false
	}
	switch {
	case r == 0x200c || r == 0x200d:
		if in(before, viramas) || in(before, joined) && in(after, joined) {
			return true
		}
		if r == 0x200c {
			return false
		}
		if in(before, tones) {
			before, _ = utf8.DecodeLastRuneInString(s[:at-size])
		}
		return in(before, pictures) && in(after, pictures)
	case r == 0x200b:
		return in(before, spaceless) && in(after, spaceless)
	case r == 0xfe0e || r == 0xfe0f:
		return in(before, pictures) || in(before, keys) && after == 0x20e3
	case r >= 0xfe00 && r <= 0xfe02, r >= 0xe0100 && r <= 0xe01ef:
		return in(before, ideographs)
	case r >= 0x180b && r <= 0x180f:
		return in(before, mongolian)
	}
	return false
}

// maxWord bounds how far amongLatin looks to either side, so that a name that is
// one long word costs no square of its length.
const maxWord = 24

// amongLatin says whether the word around a letter has a Latin letter.
func amongLatin(s string, at, n int) bool {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }
	left := maxWord
	for back := s[:at]; back != "" && left > 0; left-- {
		r, size := utf8.DecodeLastRuneInString(back)
		if !inWord(r) {
			break
		}
		if unicode.Is(unicode.Latin, r) {
			return true
		}
		back = back[:len(back)-size]
	}
	left = maxWord
	for _, r := range s[at+n:] {
		if left--; left < 0 || !inWord(r) {
			return false
		}
		if unicode.Is(unicode.Latin, r) {
			return true
		}
	}
	return false
}

// merged writes a run of the same mark as one, with their number.
func merged(marks []Mark) []Mark {
	out := marks[:0]
	for i := 0; i < len(marks); {
		j := i + 1
		for j < len(marks) && !marks[i].Keep && marks[j].Start == marks[j-1].End && marks[j].Label == marks[i].Label {
			j++
		}
		m := marks[i]
		if j-i > 1 {
			m.End = marks[j-1].End
			m.Label += " ×" + strconv.Itoa(j-i)
		}
		out = append(out, m)
		i = j
	}
	return out
}

// Hidden says whether a character has to be marked where it stands alone.
func Hidden(r rune) bool { return in(r, hidden) }
