package text

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/costtest"
)

func TestWhatIsMarkedCostsTimeByTheLengthOfTheText(t *testing.T) {
	for name, unit := range map[string]string{
		"controls": "\x00", "different controls": "\x00\x01", "zero width": "a\u200b", "combining marks": "e\u0301", "heaps": "e" + strings.Repeat("\u0301", 6),
		"one heap": "\u0301", "blanks": " ", "blanks, marked": "\u00a0", "carriage returns": "\r", "bytes that are no text": "\xff",
		"Cyrillic among Latin": "aа", "Cyrillic": "а", "joiners": "\u200d", "emoji": "👩‍💻", "flags": "\U0001F3F4\U000E0067", "tags": "\U000E0067", "words": "word ",
		"variants": "漢\ufe00", "mathematics": "𝐩", "full width": "ｐ",
	} {
		t.Run(name, func(t *testing.T) {
			costtest.Linear(t, 32<<10, func(n int) string { return strings.Repeat(unit, n/len(unit)) }, func(s string) {
				Visible(s)
				Name(s)
				Skeleton(s)
				NotWritten([]byte("a"), []byte(s))
			})
		})
	}
}
