package prose

import (
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/costtest"
	"embedded-agent/wasm/internal/note"
)

// beginnings are marks that begin something and are not closed.
var beginnings = []string{
	"<a b=\"", "<a b='<c d=\"", "<a b=c ", "<a", "<div>\n", "<a><code>", "</", "<% ", "{{", "&a;", "&", "a_a-", "a/", "a.b", "www.", "x://",
	"[^", "[a][", "[", "]", "](", "#", "^", "^a\n", "> ", "a:: ", "1. ", "[a]: b\n", "`", "\n",
}

func TestANoteOfBeginningsCostsNoMoreThanItsLength(t *testing.T) {
	for _, unit := range beginnings {
		t.Run(unit, func(t *testing.T) {
			fixed := func(n int) func() {
				d := note.Parse([]byte(strings.Repeat(unit, n/len(unit))))
				return func() { Fixed(d) }
			}
			costtest.NoDearer(t, 40, time.Second, fixed(200_000), fixed(20_000))
		})
	}
}

func TestWhatIsWrittenInATagWithBracketsOrOverLinesIsFixed(t *testing.T) {
	for text, want := range map[string]string{
		"a <b c='>'\n d=\"[x]\"> e":        "<b c='>'\n d=\"[x]\">",
		"a <b c=d/> e":                     "<b c=d/>",
		"a <a href=\"x\">y <b>z</b></a> e": "<a href=\"x\">y <b>z</b></a>",
		"a <b\n\nc=\"d\"> e":               "",
		"1 < 2 and 3 > 2":                  "",
		"<div>\na\n</div>\nb\n\nc":         "<div>\na\n</div>\nb",
		"<p1>\na\n\nb":                     "<p1>\na",
		"> <div>\n> a\n>\n> b":             "<div>\n> a",
		"a\n<p1>\nb":                       "<p1>",
		"`<div>` a":                        "`<div>`",
		"a_b a__b__ _a_ (x_y), and/or 1/2": "a_b|a__b__|(x_y),",
	} {
		d := note.Parse([]byte(text))
		var got []string
		for _, s := range Fixed(d) {
			got = append(got, string(s.Of(d.Data)))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzFixed(f *testing.F) {
	for _, b := range beginnings {
		f.Add([]byte(b + b))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		last := -1
		for _, s := range Fixed(note.Parse(data)) {
			if s.Start <= last || s.End < s.Start || s.End > len(data) {
				t.Fatalf("%v after %d in %d bytes", s, last, len(data))
			}
			last = s.End
		}
	})
}
