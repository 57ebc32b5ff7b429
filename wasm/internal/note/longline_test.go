package note

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/costtest"
)

// What is cheap in many lines must be as cheap in one: whoever looks for the end
// of a line, or for what closes a mark, at each mark, takes the square of the
// line's length. Each is compared with the same marks line by line, in one run.
func TestALongLineCostsWhatItsPartsCostLineByLine(t *testing.T) {
	const size = 1 << 20
	compare := func(t *testing.T, most int, dear, cheap string) {
		read := func(text string) func() { return func() { Parse([]byte(text)).Fields() } }
		costtest.NoDearer(t, most, 500*time.Millisecond, read(dear), read(cheap))
	}
	for _, unit := range []string{"[[a]]", "![[a|b]] ", "[a](b) ", "[a](b (", " ^a", "[a:: b] ", "([a:: ", "`a``b", "[[", "[x]: a", "<a ", "$a "} {
		t.Run(unit, func(t *testing.T) {
			compare(t, 10, strings.Repeat(unit, size/len(unit)), strings.Repeat(unit+"\n\n", size/len(unit)))
		})
	}
	front := func(value string) string { return "---\na: " + value + "\n---\n" }
	compare(t, 20, front(strings.Repeat("[[", size/2)+"a]]"), front(strings.Repeat("x", size)))
	var runs strings.Builder
	for i := 1; runs.Len() < size; i++ {
		runs.WriteString(strings.Repeat("`", i) + " ")
	}
	compare(t, 20, runs.String(), strings.Repeat("` ", size/2))
}

// What is found must not hold the note more than once: links in links would.
func TestNestedMarksHoldNoMoreThanTheNote(t *testing.T) {
	if raced {
		t.Skip("memory is measured without the race detector, natively and as wasm: it counts its own")
	}
	for name, text := range map[string]string{
		"links in links":   strings.Repeat("[", 100_000) + strings.Repeat("](b)", 100_000),
		"embeds in embeds": strings.Repeat("![", 100_000) + strings.Repeat("](b)", 100_000),
		"fields in fields": strings.Repeat("[a:: ", 100_000) + strings.Repeat("]", 100_000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Parse([]byte(text)).Fields()
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > uint64(300*len(text)) {
			t.Errorf("%s: %d bytes for %d", name, got, len(text))
		}
	}
}

func TestALinkHoldsNoLinkAndAnEmbedMay(t *testing.T) {
	for text, want := range map[string]int{
		"[[a](b)](c)":          1, // CommonMark §6.3: the inner one
		"[![a](b)](c)":         2,
		"![[a](b)](c)":         2,
		"[a](b) [c](d)":        2,
		"[x [a](b) y] [c](d)":  2,
		"[x [a](b) ![e](f) y]": 2,
	} {
		if got := len(Parse([]byte(text)).Links); got != want {
			t.Errorf("%q: %d links, want %d", text, got, want)
		}
	}
}
