package text

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write golden files")

// cases are texts with what becomes of them where marks are written out.
var cases = []struct{ name, text, want string }{
	{"ordinary text", "# Title\n\n\t- milk, bread\r\n", "# Title\n\n\t- milk, bread\r\n"},
	{"NUL", "a\x00b", "a⟨NUL⟩b"},
	{"escape sequence", "\x1b[2Kgone", "⟨ESC⟩[2Kgone"},
	{"backspace", "evil\b\b\b\bgood", "evil⟨BS ×4⟩good"},
	{"carriage return over a line", "rm -rf\rmilk", "rm -rf⟨CR⟩milk"},
	{"two carriage returns before a line feed", "a\r\r\nb", "a⟨CR⟩\r\nb"},
	{"form feed and vertical tab", "a\f\v", "a⟨FF⟩⟨VT⟩"},
	{"delete", "a\x7f", "a⟨DEL⟩"},
	{"C1: an escape sequence in one character", "a\u009b2Jb", "a⟨CSI⟩2Jb"},
	{"next line", "a\u0085b", "a⟨NEL⟩b"},
	{"zero width space", "pass\u200bword", "pass⟨ZWSP⟩word"},
	{"zero width joiners in Latin", "pass\u200dwo\u200crd", "pass⟨ZWJ⟩wo⟨ZWNJ⟩rd"},
	{"word joiner and invisible operators", "a\u2060\u2061b", "a⟨WJ⟩⟨U+2061⟩b"},
	{"byte order mark", "\ufeffa\ufeffb", "⟨BOM⟩a⟨BOM⟩b"},
	{"override", "photo\u202egpj.exe", "photo⟨RLO⟩gpj.exe"},
	{"embeddings and isolates", "\u202aa\u202bb\u202dc\u202cd\u2066e\u2067f\u2068g\u2069", "⟨LRE⟩a⟨RLE⟩b⟨LRO⟩c⟨PDF⟩d⟨LRI⟩e⟨RLI⟩f⟨FSI⟩g⟨PDI⟩"},
	{"direction marks", "a\u200eb\u200fc\u061cd", "a⟨LRM⟩b⟨RLM⟩c⟨ALM⟩d"},
	{"soft hyphen", "pass\u00adword", "pass⟨SHY⟩word"},
	{"line and paragraph separators", "a\u2028b\u2029c", "a⟨LSEP⟩b⟨PSEP⟩c"},
	{"hidden words in tag characters", "hi\U000e0068\U000e0069", "hi⟨U+E0068⟩⟨U+E0069⟩"},
	{"hidden bytes in variation selectors", "😀\ufe0f\ufe01\U000e0101", "😀\ufe0f⟨U+FE01⟩⟨U+E0101⟩"},
	{"a variation selector on a letter", "a\ufe0fb", "a⟨U+FE0F⟩b"},
	{"Hangul fillers", "\u115f\u1160\u3164\uffa0", "⟨U+115F⟩⟨U+1160⟩⟨U+3164⟩⟨U+FFA0⟩"},
	{"blank Braille", "a\u2800\u2800\u2800b", "a⟨U+2800 ×3⟩b"},
	{"combining grapheme joiner", "a\u034fb", "a⟨CGJ⟩b"},
	{"interlinear annotation", "a\ufff9b\ufffac\ufffb", "a⟨U+FFF9⟩b⟨U+FFFA⟩c⟨U+FFFB⟩"},
	{"no characters", "\ufdd0\uffff\U0001ffff", "⟨U+FDD0⟩⟨U+FFFF⟩⟨U+1FFFF⟩"},
	{"bytes that are no UTF-8", "a\xff\xfeb", "a⟨0xFF⟩⟨0xFE⟩b"},
	{"half of a surrogate as bytes", "\xed\xa0\x80", "⟨0xED⟩⟨0xA0⟩⟨0x80⟩"},
	{"32 spaces", "a" + strings.Repeat(" ", 32) + "b", "a" + strings.Repeat(" ", 32) + "b"},
	{"33 spaces", "a" + strings.Repeat(" ", 33) + "b", "a⟨␣ ×33⟩b"},
	{"many blanks of many kinds", "a" + strings.Repeat(" \u00a0\u3000\t", 10) + "b", "a⟨␣ ×40⟩b"},
	{"a heap of combining marks", "a" + strings.Repeat("\u0301", 20) + "b", "a⟨◌ ×20⟩b"},

	{"emoji with joiners and tones", "👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 👩🏽\u200d💻 ❤\ufe0f\u200d🔥 🧑🏿\u200d🤝\u200d🧑🏻", "👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 👩🏽\u200d💻 ❤\ufe0f\u200d🔥 🧑🏿\u200d🤝\u200d🧑🏻"},
	{"emoji with selectors, keycaps, flags", "©\ufe0f ☎\ufe0e 1\ufe0f⃣ #\ufe0f⃣ 🇩🇪 \U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "©\ufe0f ☎\ufe0e 1\ufe0f⃣ #\ufe0f⃣ 🇩🇪 \U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"},
	{"a flag that is none", "\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4⟨U+E0067⟩⟨U+E0062⟩⟨U+E007F⟩"},
	{"a joiner after an emoji alone", "👨\u200d.", "👨⟨ZWJ⟩."},
	{"Persian", "می\u200cخواهم", "می\u200cخواهم"},
	{"Hindi and Bengali", "क्\u200dष र\u200d्य ত্\u200d", "क्\u200dष र\u200d्य ত্\u200d"},
	{"Sinhala", "ශ්\u200dරී", "ශ්\u200dරී"},
	{"Malayalam with an old chillu", "അവന്\u200d ", "അവന്\u200d "},
	{"Khmer and Thai with places to break", "ខ្ញុំ\u200bចង់ ไทย\u200bดี", "ខ្ញុំ\u200bចង់ ไทย\u200bดี"},
	{"Hebrew with points, Arabic with vowels", "שָׁלוֹם עֲלֵיכֶם مُحَمَّدٌ", "שָׁלוֹם עֲלֵיכֶם مُحَمَّدٌ"},
	{"Vietnamese, decomposed", "Tie\u0302\u0301ng Vie\u0323\u0302t", "Tie\u0302\u0301ng Vie\u0323\u0302t"},
	{"a Japanese name with its variant", "葛\U000e0100飾区　辻\ufe00", "葛\U000e0100飾区　辻\ufe00"},
	{"Mongolian", "ᠠ\u180bᠨ", "ᠠ\u180bᠨ"},
	{"French and Chinese blanks", "Oui\u00a0!\u202f«\u2009a» 　第一章", "Oui\u00a0!\u202f«\u2009a» 　第一章"},
	{"Cyrillic and Greek letters in a text", "Pаsswоrd и κόσμος", "Pаsswоrd и κόσμος"},
}

// nameCases are the same for names.
var nameCases = []struct{ name, text, want string }{
	{"an ordinary path", "Projects/Ångström & Çelik/naïve – 東京 привет κόσμος.md", "Projects/Ångström & Çelik/naïve – 東京 привет κόσμος.md"},
	{"Cyrillic in a Latin word", "Pаsswords.md", "Pа⟨U+0430⟩sswords.md"},
	{"Greek in a Latin word, after it", "Cοm", "Cο⟨U+03BF⟩m"},
	{"a Latin letter in a Cyrillic word", "пaроль", "пaр⟨U+0440⟩о⟨U+043E⟩ль"},
	{"a whole Cyrillic word", "сор.md", "сор.md"},
	{"a blank that is no space", "To\u00a0do\u3000list.md", "To⟨NBSP⟩do⟨U+3000⟩list.md"},
	{"a line end", "a\nb\r\nc\td", "a⟨LF⟩b⟨CR⟩⟨LF⟩c⟨TAB⟩d"},
	{"zero width", "To\u200bdo.md", "To⟨ZWSP⟩do.md"},
	{"a name with emoji", "👨\u200d👩\u200d👧 family.md", "👨\u200d👩\u200d👧 family.md"},
}

func TestWhatWouldNotBeSeenIsMarkedAndWhatPeopleWriteIsNot(t *testing.T) {
	for _, c := range cases {
		if got := Visible(c.text); got != c.want {
			t.Errorf("%s: %q\ngives %q,\nnot   %q", c.name, c.text, got, c.want)
		}
	}
}

func TestTwoNamesThatLookAlikeAreMarked(t *testing.T) {
	for _, c := range nameCases {
		if got := Name(c.text); got != c.want {
			t.Errorf("%s: %q\ngives %q,\nnot   %q", c.name, c.text, got, c.want)
		}
	}
}

// dangerous says whether a terminal or a page would hide or move something for a
// character; kept apart from the tables of this package.
func dangerous(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r >= 0x7f && r < 0xa0 ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x61c ||
		r == 0xfeff || r == 0xad || r == 0x2028 || r == 0x2029
}

func TestNothingDangerousIsLeftInALineAndMarksAreNotMarkedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "runes") {
			s = string(rapid.SliceOf(rapid.SampledFrom(alphabet)).Draw(t, "text"))
		}
		for _, out := range []string{Line(s), Name(s)} {
			for _, r := range out {
				if dangerous(r) || r == '\n' || r == '\r' || r == '\t' {
					t.Fatalf("%U is left in %q", r, out)
				}
			}
			if !utf8.ValidString(out) || Line(out) != out {
				t.Fatalf("%q is marked again: %q", out, Line(out))
			}
		}
		last := 0
		for _, m := range Marks(s) {
			if m.Start < last || m.End <= m.Start || m.End > len(s) || m.Label == "" {
				t.Fatalf("a mark at %d to %d after %d", m.Start, m.End, last)
			}
			last = m.End
		}
	})
}

// alphabet has what the rule tells apart.
var alphabet = []rune("ab1# \t\n\r\x00\x1b\u0085\u00a0\u00ad\u0301\u034f\u0430\u0440я\u03bf\u0627\u0645\u0915\u094d\u200b\u200c\u200d\u200e\u202e\u2028\u2069\u2800\u3000\u3164" +
	"葛\ufe00\ufe01\ufe0e\ufe0f\u20e3\ufeff\ufffc\u0e14\u17b6\u17b4\u1820\u180b👨👩🏽❤\U0001f3f4\U000e0067\U000e0062\U000e007f\U000e0100\U000e0101\U0001ffff")

// agreed is a case of the corpus that the panel's expression is held to as well:
// places in UTF-16.
type agreed struct {
	Text  string   `json:"text"`
	Name  bool     `json:"name,omitempty"`
	Marks [][2]int `json:"marks"`
	Words []string `json:"words"`
}

func TestThePanelsCorpusIsWhatTheRuleGives(t *testing.T) {
	var texts []string
	for _, c := range cases {
		texts = append(texts, c.text)
	}
	for _, c := range nameCases {
		texts = append(texts, c.text)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString(strings.Repeat(string(alphabet[r.IntN(len(alphabet))]), 1+r.IntN(40)*(r.IntN(9)/8)))
		}
		texts = append(texts, b.String())
	}
	out := []agreed{}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			continue
		}
		for _, name := range []bool{false, true} {
			a := agreed{Text: s, Name: name, Marks: [][2]int{}, Words: []string{}}
			for _, m := range find(s, name) {
				at := len(utf16.Encode([]rune(s[:m.Start])))
				a.Marks = append(a.Marks, [2]int{at, at + len(utf16.Encode([]rune(s[m.Start:m.End])))})
				a.Words = append(a.Words, m.Label)
			}
			out = append(out, a)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, a := range out {
		if err := enc.Encode(a); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "testdata/marks.jsonl", b.Bytes())
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run make golden and read the difference", path)
	}
}

func TestControlCharactersThatAWriteAddsAreFoundWithTheirPlace(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          string // "" where it may be written
	}{
		{"", "# Shopping\n- milk\r\n\ttabs\f\n", ""},
		{"", "a\nb\x00c", "2:2 NUL"},
		{"", "ä\x1b[2K", "1:2 ESC"},
		{"", "\x7f", "1:1 DEL"},
		{"a\x00b\n", "a\x00b\nmore\n", ""},
		{"a\x00b\n", "\nx\na\x00b\n", ""},
		{"a\x00b\n", "ab\n", ""},
		{"a\x00b\n", "a\x00b\nx\x00", "2:2 NUL"},
		{"a\x00b\n", "a\x00b\nx\x1b", "2:2 ESC"},
		{"a\x00b\x00", "\x00\x00\x00", "1:1 NUL"},
		{"", "C1 \u0085 and \u200b are drawn as marks", ""},
	} {
		got := ""
		if p, bad := NotWritten([]byte(c.before), []byte(c.after)); bad {
			got = fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Label)
		}
		if got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

func TestBytesAreTextWhenTheyAreUTF8(t *testing.T) {
	for s, want := range map[string]bool{"": true, "a\x00b": true, "\x00": true, "ü": true, "\xff": false, "a\xe9b": false, "\x89PNG\r\n": false} {
		if Is([]byte(s)) != want {
			t.Errorf("%q: want it to be text: %v", s, want)
		}
	}
}

func FuzzMarks(f *testing.F) {
	for _, c := range cases {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if out := Name(s); Line(out) != out {
			t.Errorf("%q: the two differ: %q", s, out)
		}
	})
}
