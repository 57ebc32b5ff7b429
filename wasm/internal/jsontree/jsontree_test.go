package jsontree_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/jsontree"
)

func parse(t testing.TB, text string) jsontree.Value {
	t.Helper()
	v, err := jsontree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValuesAreFound(t *testing.T) {
	v := parse(t, ` {"a":[1,{"b":"x\n\u00e9"},null,true,-2.5e1],"a\u0062":{"c":false},"e":"","twice":1,"twice":2} `)
	a := v.Get("a")
	if got := a.Index(1).Get("b").Str(); got != "x\né" {
		t.Errorf("string %q", got)
	}
	if a.Index(0).Int() != 1 || a.Index(4).Float() != -25 || a.Index(4).Int() != -25 || !a.Index(3).Bool() || a.Index(2).Kind() != jsontree.Null {
		t.Error("numbers or literals are wrong")
	}
	if v.Get("ab").Get("c").Kind() != jsontree.Bool || !v.Get("e").Is("") {
		t.Error("an escaped name is not found")
	}
	if v.Get("twice").Int() != 2 || a.Len() != 5 || v.Len() != 5 {
		t.Error("the last of a repeated name counts")
	}
	if string(a.Index(1).Raw()) != `{"b":"x\n\u00e9"}` || string(v.Get("e").Raw()) != `""` {
		t.Error("raw text is wrong")
	}
}

func TestWhatIsNotThereIsZero(t *testing.T) {
	v := parse(t, `{"s":"x","n":1e999,"o":{}}`)
	for _, m := range []jsontree.Value{v.Get("none"), v.Get("s").Get("x"), v.Get("o").Index(3), {}} {
		if m.Kind() != jsontree.Missing || m.Exists() || m.Str() != "" || m.Int() != 0 || m.Float() != 0 || m.Bool() || m.Raw() != nil || m.Len() != 0 || m.Is("") {
			t.Errorf("%v is not nothing", m)
		}
	}
	if v.Get("n").Float() != 0 || v.Get("n").Int() != 0 || v.Get("s").Int() != 0 {
		t.Error("what is no number has a value")
	}
}

func TestTextNestedBeyond128LevelsIsRefused(t *testing.T) {
	for _, open := range []string{"[", `{"a":`} {
		closing := map[string]string{"[": "]", `{"a":`: "}"}[open]
		fits := strings.Repeat(open, 128) + "1" + strings.Repeat(closing, 128)
		if err := jsontree.Check([]byte(fits)); err != nil {
			t.Errorf("128 levels: %v", err)
		}
		deep := strings.Repeat(open, 129) + "1" + strings.Repeat(closing, 129)
		if err := jsontree.Check([]byte(deep)); !errors.Is(err, jsontree.ErrDepth) {
			t.Errorf("129 levels: %v", err)
		}
		if err := jsontree.Check([]byte(strings.Repeat(open, 1_000_000))); !errors.Is(err, jsontree.ErrDepth) {
			t.Errorf("a million levels: %v", err)
		}
	}
}

func TestSurrogateHalvesInTwoPiecesAreJoined(t *testing.T) {
	cases := []struct {
		pieces []string
		want   string
	}{
		{[]string{`"a\ud83d"`, `"\ude00b"`}, "a😀b"},
		{[]string{`"\ud83d"`, `""`, `"\ude00"`}, "😀"},
		{[]string{`"\ud83d"`, `"x"`}, "\uFFFDx"},
		{[]string{`"\ud83d"`, `"\ud83d"`, `"\ude00"`}, "\uFFFD😀"},
		{[]string{`"\ud83d"`}, "\uFFFD"},
		{[]string{`"\\ud83d"`, `"\ude00"`}, "\\ud83d\uFFFD"},
		{[]string{`"\\\ud83d"`, `"\ude00"`}, "\\😀"},
		{[]string{`"\ud83d\ude00"`, `"é"`}, "😀é"},
	}
	for _, c := range cases {
		var j jsontree.Joiner
		got := ""
		for _, p := range c.pieces {
			got += j.Next(parse(t, p))
		}
		if got += j.End(); got != c.want {
			t.Errorf("%q gives %q, want %q", c.pieces, got, c.want)
		}
	}
}

func TestTextCutByUTF16UnitsComesBackWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab\\\"\n é漢😀🧪\u2028"))).Draw(t, "text")
		units := utf16.Encode([]rune(text))
		var j jsontree.Joiner
		var got strings.Builder
		for len(units) > 0 {
			n := rapid.IntRange(1, len(units)).Draw(t, "piece")
			got.WriteString(j.Next(parse2(t, units[:n])))
			units = units[n:]
		}
		got.WriteString(j.End())
		if got.String() != text {
			t.Fatalf("%q, want %q", got.String(), text)
		}
	})
}

// parse2 writes the units as JavaScript's JSON.stringify would: lone halves escaped.
func parse2(t *rapid.T, units []uint16) jsontree.Value {
	text := []byte{'"'}
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		switch {
		case utf16.IsSurrogate(r) && i+1 < len(units) && utf16.DecodeRune(r, rune(units[i+1])) != utf8.RuneError:
			text = utf8.AppendRune(text, utf16.DecodeRune(r, rune(units[i+1])))
			i++
		case utf16.IsSurrogate(r):
			text = append(text, []byte(`\u`+hex(units[i]))...)
		default:
			quoted := canon.AppendString(nil, string(r))
			text = append(text, quoted[1:len(quoted)-1]...)
		}
	}
	v, err := jsontree.Parse(append(text, '"'))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func hex(u uint16) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[u>>12], digits[u>>8&15], digits[u>>4&15], digits[u&15]})
}

// build makes what encoding/json would make of a value.
func build(v jsontree.Value) any {
	switch v.Kind() {
	case jsontree.Object:
		m := map[string]any{}
		for name, value := range v.Members() {
			m[name] = build(value)
		}
		return m
	case jsontree.Array:
		list := []any{}
		for e := range v.Elements() {
			list = append(list, build(e))
		}
		return list
	case jsontree.String:
		return v.Str()
	case jsontree.Number:
		return json.Number(v.Raw())
	case jsontree.Bool:
		return v.Bool()
	}
	return nil
}

func FuzzParseAgreesWithEncodingJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e-3,"\u00e9\ud83d\ude00\ud83d"],"b":null}`, `[]`, `"x`, `01`, `-`, `1.`, `1e`, `{"a" 1}`, `[1,]`, "\"\x01\"", `nul`, `1 2`, "\"\xff\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := jsontree.Parse(text)
		if errors.Is(err, jsontree.ErrDepth) {
			return
		}
		if valid := json.Valid(text); valid != (err == nil) {
			t.Fatalf("%q: %v, encoding/json says %v", text, err, valid)
		}
		if err != nil {
			return
		}
		dec := json.NewDecoder(strings.NewReader(string(text)))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err)
		}
		a, errA := json.Marshal(build(v))
		b, errB := json.Marshal(want)
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Fatalf("%q: %s, encoding/json has %s", text, a, b)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text := []byte(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1782321910,"model":"gpt-4o-mini","usage":null,"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]},"logprobs":null,"finish_reason":null}],"obfuscation":"ilkuWcchzis"}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var tree jsontree.Tree
	for b.Loop() {
		if err := tree.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
