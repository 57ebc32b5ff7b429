package text

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Skeleton gives what two names have in common that look alike: the letters of
// Greek, Cyrillic and Armenian, of other widths and of mathematics that are drawn
// as Latin ones are those, as Unicode's confusables have them (UTS 39, section
// 4). Capital I is small L there. Digits are left as they are: a title that
// counts in letters is no disguise of one that counts in figures.
func Skeleton(name string) string {
	if ascii(name) {
		return strings.ReplaceAll(name, "I", "l")
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(name) {
		if r >= 0x1d400 && r <= 0x1d7ff || r >= 0xff21 && r <= 0xff5a {
			r, _ = utf8.DecodeRuneInString(norm.NFKD.String(string(r)))
		}
		if latin, ok := drawnAs[r]; ok {
			r = latin
		}
		b.WriteRune(r)
	}
	return b.String()
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// drawnAs are letters and the Latin one that each is drawn as.
var drawnAs = pairs(
	"I", "l",
	// Latin.
	"ıɑɡɩſ", "iagif",
	// Greek.
	"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϜ", "ABEZHlKMNOPTYXCF",
	"αγινορσυχϲϳ", "ayivopouxcj",
	// Cyrillic.
	"АВЕЅІЈКМНОРСТУХЬҮԚԜѴӀԌԀ", "ABESlJKMHOPCTYXbYQWVlGD",
	"аеорсухѕіјһӏԁԛԝѵгү", "aeopcyxsijhldqwvry",
	// Armenian.
	"օոսհզցյՍՕ", "onuhqgjUO",
)

// pairs reads lists of letters, each with the list of those that they are drawn
// as.
func pairs(lists ...string) map[rune]rune {
	out := map[rune]rune{}
	for i := 0; i < len(lists); i += 2 {
		to := []rune(lists[i+1])
		for k, r := range []rune(lists[i]) {
			out[r] = to[k]
		}
	}
	return out
}
