package sentinel

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// nasty draws text in which markers, quoting and transcript lines are common.
func nasty() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"<", "[", "~", "~~", "tool_call>", "/tool_call>", OpenTag, CloseTag, "<~tool_call>", "[function_call", "[~function_call_output ",
			"[message role=user]\n", "\n", "\r\n", "]", "]\n", `"`, `\`, "{", "}", "`", "=", " ", "[function_call_output call_id=x output=", "🦊",
		}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
	})
}

func TestEscapedTextHoldsNoMarkerAndNoLineAndComesBackToTheByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := nasty().Draw(t, "text")
		e := Escape(s)
		for _, special := range []string{OpenTag, CloseTag, "[function_call", "[message role="} {
			if strings.Contains(e, special) {
				t.Fatalf("Escape(%q) = %q still holds %q", s, e, special)
			}
		}
		if back := Unescape(e); back != s {
			t.Fatalf("Unescape(Escape(%q)) = %q", s, back)
		}
		if twice := Unescape(Unescape(Escape(e))); twice != s {
			t.Fatalf("escaped twice %q came back as %q", s, twice)
		}
	})
}

func TestUnescapingAStreamGivesTheSameHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := nasty().Draw(t, "text")
		var u Unescaper
		var b strings.Builder
		for rest := s; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			b.WriteString(u.Feed(rest[:n]))
			rest = rest[n:]
		}
		b.WriteString(u.Flush())
		if got, want := b.String(), Unescape(s); got != want {
			t.Fatalf("%q: stream gives %q, whole gives %q", s, got, want)
		}
	})
}

func TestUnescapingJSONChangesOnlyStringsThatHoldSomethingQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, value := nasty().Draw(t, "key"), nasty().Draw(t, "value")
		obj := map[string]any{key: []any{value, 1.5, map[string]any{"n": json.Number("12345678901234567890")}}}
		escapedObj := map[string]any{Escape(key): []any{Escape(value), 1.5, map[string]any{"n": json.Number("12345678901234567890")}}}
		plain, err := json.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		in, err := json.Marshal(escapedObj)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := json.Unmarshal([]byte(UnescapeJSON(string(in))), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(plain, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal("it differs from what was wanted (-want +got):", diff)
		}
		if Escape(key) == key && Escape(value) == value && Unescape(key) == key && Unescape(value) == value {
			if out := UnescapeJSON(string(in)); out != string(in) {
				t.Fatalf("%q became %q although nothing in it is quoted", in, out)
			}
		}
	})
}

func TestANoteQuotingAMarkerGoesToTheModelAndComesBackInArgumentsToTheByte(t *testing.T) {
	reg := caseRegistry(t, []string{"write"}, true)
	rapid.Check(t, func(t *rapid.T) {
		note := nasty().Draw(t, "note")
		// The model sees the escaped note and copies it into a call.
		inner, err := json.Marshal(map[string]string{"text": Escape(note)})
		if err != nil {
			t.Fatal(err)
		}
		block, err := json.Marshal(map[string]string{"name": "write", "arguments": string(inner)})
		if err != nil {
			t.Fatal(err)
		}
		got := run(reg, Options{}, cutEvery("ok "+OpenTag+string(block)+CloseTag, rapid.IntRange(1, 9).Draw(t, "cut")))
		if got.Failed != "" || len(got.Calls) != 1 {
			t.Fatalf("no call: %+v", got)
		}
		var args map[string]string
		if err := json.Unmarshal([]byte(got.Calls[0].Arguments), &args); err != nil {
			t.Fatal(err)
		}
		if args["text"] != note {
			t.Fatalf("note %q came back as %q", note, args["text"])
		}
	})
}
