package chat

import (
	"testing"

	"pgregory.net/rapid"
)

// through feeds text in pieces.
func through(pieces ...string) (reasoning, text string) {
	var tag thinkTag
	for _, p := range pieces {
		r, s := tag.feed(p)
		reasoning, text = reasoning+r, text+s
	}
	r, s := tag.end()
	return reasoning + r, text + s
}

func TestMarksOfReasoningInTheContent(t *testing.T) {
	for content, want := range map[string][2]string{
		"":                                       {"", ""},
		"Hello":                                  {"", "Hello"},
		"<think>\nHm.\n</think>\n\nHello":        {"Hm.\n", "Hello"},
		" \n<think>Hm.</think>Hello":             {"Hm.", "Hello"},
		"<think></think>Hello":                   {"", "Hello"},
		"<think>Hm":                              {"Hm", ""},
		"<think>Hm</thi":                         {"Hm</thi", ""},
		"<thi":                                   {"", "<thi"},
		"  ":                                     {"", "  "},
		"<thinking>x":                            {"", "<thinking>x"},
		"I use <think>x</think>":                 {"", "I use <think>x</think>"},
		"<think>a</think>b <think>c</think>":     {"a", "b <think>c</think>"},
		"<think>a < b </thin </think> c</think>": {"a < b </thin ", "c</think>"},
		"<think>a</think>  \n ":                  {"a", ""},
	} {
		if r, s := through(content); r != want[0] || s != want[1] {
			t.Errorf("%q gives %q and %q, want %q", content, r, s, want)
		}
	}
}

func TestLineEndsBeforeTheReasoningAreDroppedHoweverTheyCome(t *testing.T) {
	for _, pieces := range [][]string{{"<think>\n\r\nHm"}, {"<think>", "\n", "\r\n", "Hm"}, {"<think>\n", "\nHm"}} {
		if r, s := through(pieces...); r != "Hm" || s != "" {
			t.Errorf("%q gives %q and %q", pieces, r, s)
		}
	}
	if r, s := through("<think>", "\n", "</think>", "Hello"); r != "" || s != "Hello" {
		t.Errorf("%q and %q", r, s)
	}
}

func TestMarksMayBeCutAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := ""
		for range rapid.IntRange(0, 8).Draw(t, "parts") {
			content += rapid.SampledFrom([]string{"<think>", "</think>", "<", "/", "think", ">", "\n", " ", "a", "é"}).Draw(t, "part")
		}
		var pieces []string
		for rest := content; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		wantR, wantS := through(content)
		if r, s := through(pieces...); r != wantR || s != wantS {
			t.Fatalf("%q gives %q and %q, whole %q and %q", pieces, r, s, wantR, wantS)
		}
	})
}
