package builtin_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
)

// TestAReplacementIsWhatAnEditorWouldMake compares with the same edit made on
// the text as an editor has it: lines of UTF-16 units, joined by "\n".
func TestAReplacementIsWhatAnEditorWouldMake(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "🌱", "界", " ", "\n", "\u200d", "x[[y]]", "\t"}), 0, 30)
		text := strings.Join(pieces.Draw(rt, "text"), "")
		insert := strings.Join(pieces.Draw(rt, "insert"), "")
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "eol")
		if !strings.Contains(text, "\n") {
			eol = "\n" // a note without a line end has none to keep
		}
		runes := []rune(text)
		from := rapid.IntRange(0, len(runes)).Draw(rt, "from")
		to := rapid.IntRange(from, len(runes)).Draw(rt, "to")
		if from == to {
			return
		}
		m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": strings.ReplaceAll(text, "\n", eol)}, Active: "a.md"})
		m.Select(host.Range{From: positionAfter(string(runes[:from])), To: positionAfter(string(runes[:to]))})
		env := envOf(m.Host())
		e, err := registry(t).Get("editor.replaceSelection", "")
		if err != nil {
			rt.Fatal(err)
		}
		if _, err := e.Run(t.Context(), env, map[string]any{"text": insert}); err != nil {
			rt.Fatal(err)
		}
		want := string(runes[:from]) + insert + string(runes[to:])
		got, _ := m.File("a.md")
		if string(got) != strings.ReplaceAll(want, "\n", eol) {
			rt.Fatalf("got %q, want %q", got, want)
		}
		state, err := env.Editor.State(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		if at := positionAfter(string(runes[:from]) + insert); state.Selection.From != at && string(runes[from:to]) != insert {
			rt.Fatalf("cursor at %+v, want %+v", state.Selection.From, at)
		}
	})
}

func positionAfter(text string) host.Position {
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return host.Position{Line: strings.Count(text, "\n"), Ch: len(utf16.Encode([]rune(last)))}
}
