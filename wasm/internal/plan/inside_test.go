package plan

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"embedded-agent/wasm/internal/strictjson"

	"pgregory.net/rapid"
)

// pieces are the parts of reference syntax, and texts that look like it.
var pieces = []string{
	"{item}", "{item.title}", "{index}", "${item.a}", "$steps.a.b", "${steps.a.b[0]}", "$vars.v", `${steps.a["x y"]}`, "${p}",
	"{{item}}", "{{date}}", "{", "}", "$", "${", "\\", "\\\\", "[0]", "[", "]", ".", ".b", "-", `"]`, "steps.a", "item", "index", "p",
	"{index + 1}", "{{item.a}}", "{item.a|lower}", `{item.a|"none"}`, `${steps.a.b | 0}`, "[*]", "$steps.a[*].b", "|", "}}", " + 1",
	"é", "\n", " ", "$x$", `\frac{a}{b}`, "0", "$steps.", "{item.", "$steps.a[", "\xff",
}

func soup() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
	})
}

var envs = []env{
	{},
	{item: "item", index: "index"},
	{params: true},
	{item: "item", index: "index", params: true},
	{item: "p", index: "item", params: true},
	{params: true, wordsOnly: true},
}

type fataler interface{ Fatalf(string, ...any) }

// checkText holds one string against the laws of parse, quote and render.
func checkText(t fataler, s string, e env) {
	segments := parse(s, e)
	joined, refs := "", 0
	for i, g := range segments {
		if g.ref != nil {
			refs++
			joined += g.ref.text
			continue
		}
		if g.lit == "" || i > 0 && segments[i-1].ref == nil {
			t.Fatalf("%q has an empty or split literal: %#v", s, segments)
		}
		joined += g.lit
	}
	if !strings.Contains(s, `\`) && joined != s {
		t.Fatalf("%q comes apart as %q", s, joined)
	}
	if refs == 0 && len(segments) > 1 {
		t.Fatalf("%q: want refs other than 0 (or at most 1 segments), got %#v", s, segments)
	}
	var b strings.Builder
	quote(&b, s, e, false)
	back := parse(b.String(), e)
	switch {
	case s == "" && len(back) == 0:
	case len(back) != 1 || back[0].ref != nil || back[0].lit != s:
		t.Fatalf("%q quoted is %q, and that gives %#v", s, b.String(), back)
	}
	again := parse(render(segments, e), e)
	if !sameValues(segments, again) {
		t.Fatalf("%q rendered is %q:\n%#v\n%#v", s, render(segments, e), segments, again)
	}
}

// sameValues compares segments by what they give, not by how they are written.
func sameValues(a, b []segment) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if (x.ref == nil) != (y.ref == nil) || x.lit != y.lit {
			return false
		}
		if x.ref != nil && (x.ref.kind != y.ref.kind || x.ref.name != y.ref.name || !slices.Equal(x.ref.path, y.ref.path)) {
			return false
		}
	}
	return true
}

func TestPropertyAnyTextCanBeQuotedAndAnyTemplateRendered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkText(t, soup().Draw(t, "text"), rapid.SampledFrom(envs).Draw(t, "env"))
	})
}

func TestPropertyRenderedSegmentsParseIntoThemselves(t *testing.T) {
	refs := []string{"{item}", "${item.a-b[0]}", "{index}", "$steps.a.b", `${steps.a["x y"].z}`, "$vars.v", "${p}", `{item.a|"x}"}`, "${steps.a[*].b|[]}"}
	rapid.Check(t, func(t *rapid.T) {
		e := env{item: "item", index: "index", params: true}
		var segments []segment
		for i := range rapid.IntRange(0, 6).Draw(t, "n") {
			if lit := soup().Draw(t, "lit"); i%2 == 0 && lit != "" {
				segments = append(segments, segment{lit: lit})
			} else {
				r := parse(rapid.SampledFrom(refs).Draw(t, "ref"), e)
				segments = append(segments, r[0])
			}
		}
		got := parse(render(segments, e), e)
		if !sameValues(segments, got) {
			t.Fatalf("want the template read back as the segments it was made of, got %q\n%#v\n%#v", render(segments, e), segments, got)
		}
	})
}

func FuzzReferences(f *testing.F) {
	for _, p := range pieces {
		f.Add(p, uint8(1))
		f.Add(p+p, uint8(3))
	}
	f.Add(`\\{item.title}\${steps.a}{{item}}$steps.a.b.`, uint8(1))
	f.Fuzz(func(t *testing.T, s string, e uint8) { checkText(t, s, envs[int(e)%len(envs)]) })
}

// FuzzDecode holds the reader against encoding/json, and Decode against
// crashes: what one accepts the other does, with the same value.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"goal":"g","steps":[{"id":"a","tool":"t","args":{"x":[1,2.5e3,-0,"\u00e9\ud83d\ude00\n",true,null]}}]}`,
		`{"goal":"g","steps":[{"id":"a","foreach":{"from":"$steps.b","itemName":"i"},"retry":{"maxAttempts":1}}]}`,
		``, `{`, `[`, `"`, `"\ud800"`, `"\ud800\u0041"`, `"\ud800\ud800\udc00"`, `01`, `-`, `1e400`, `1.`, "\"\x01\"", "\"\xff\"", `nul`,
		`{"a":1,"a":2}`, `{"steps":{}}`, `{"steps":[null,1]}`, strings.Repeat("[", 130), `{"a":1}x`, "\ufeff{}", `"\x"`, `[1,]`, `{"a":1,}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, twice, jerr := strictjson.Read(raw, MaxDepth)
		var want any
		err := json.Unmarshal(raw, &want)
		switch {
		case jerr != nil && jerr.Deep:
		case (jerr == nil) != (err == nil):
			t.Fatalf("%q: %+v, but encoding/json says %v", raw, jerr, err)
		case jerr == nil && len(twice) == 0 && !reflect.DeepEqual(v, want):
			t.Fatalf("%q: %#v, but encoding/json gives %#v", raw, v, want)
		}
		p, problems := Decode(raw, Limits{})
		if (p == nil) == (len(problems) == 0) {
			t.Fatalf("%q: want other than (len(problems) == 0), got %v, %v", raw, p, problems)
		}
		for _, q := range problems {
			if !utf8.ValidString(q.Error()) {
				t.Fatalf("want a problem in valid UTF-8, got %q", q.Error())
			}
		}
		if p == nil {
			return
		}
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if again, problems := Decode(b, Limits{}); problems != nil || !reflect.DeepEqual(again.Steps, p.Steps) {
			t.Fatalf("%s: want no problems and Steps as expected, got %v", b, problems)
		}
	})
}

func FuzzExtract(f *testing.F) {
	f.Add("text ```json\n{\"goal\":\"g\",\"steps\":[]}\n``` text")
	f.Add(`{"steps":[{"a":"}`)
	f.Add("{{{{}}}}")
	f.Fuzz(func(t *testing.T, s string) {
		if got, ok := Extract(s); ok != (got != nil) || !strings.Contains(s, string(got)) {
			t.Fatalf("%q: want equal to (got != nil) and a text with string(got), got %q", s, got)
		}
	})
}

// FuzzBind puts any text into any template: it must come out as it went in.
func FuzzBind(f *testing.F) {
	for _, p := range pieces {
		f.Add("a"+p+"${p}b", p)
		f.Add(p, p+"${p}")
	}
	f.Fuzz(func(t *testing.T, template, value string) { checkBind(t, template, value) })
}

func TestAReferenceThatAnEmptyParameterLeavesAloneKeepsItsType(t *testing.T) {
	checkBind(t, "{item}${p}", "")
	checkBind(t, "${p}{index}${p}", "")
}

func TestPropertyAValueSurvivesWhateverItHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkBind(t, soup().Draw(t, "template"), soup().Draw(t, "value"))
	})
}

// checkBind binds a template first by its parameters and then by its
// references, and compares with what the two mean together.
func checkBind(t fataler, template, value string) {
	step := Step{
		ID: "s", Tool: "t", Args: map[string]any{"v": template, "w": []any{"${p}"}},
		Foreach: &Foreach{From: "$steps.a", ItemName: "item"},
	}
	p := &Plan{Goal: "g", Steps: []Step{step}}
	bound, err := BindParameters(p, map[string]any{"p": value, "a": value, "b": value, "x": value, "steps": value})
	if err != nil {
		return // it holds a parameter of another name
	}
	sc := MapScope(map[string]any{"a": map[string]any{"b": value}}, map[string]any{"v": value})
	sc = sc.At(3, map[string]any{"title": value, "a": value})
	got, err := Bind(&bound.Steps[0], &sc)
	want, missing := "", false
	segments := parse(template, env{item: "item", index: "index", params: true})
	for _, g := range segments {
		switch {
		case g.ref == nil:
			want += g.lit
		case g.ref.kind == refParam:
			want += value
		default:
			v, ok := sc.value(g.ref)
			missing = missing || !ok
			b, err := appendText(nil, v)
			if err != nil {
				t.Fatalf("want no error, got %v", err)
			}
			want += string(b)
		}
	}
	switch {
	case missing:
		if err == nil {
			t.Fatalf("%q: a missing value was no error", template)
		}
		return
	case err != nil:
		t.Fatalf("%q: want no error, got %v", template, err)
	}
	// A reference that stands alone once the parameters are in keeps its type.
	e := env{item: "item", index: "index"}
	left := parse(bound.Steps[0].Args["v"].(string), e)
	whole := len(left) == 1 && left[0].ref != nil
	text, err := appendText(nil, got["v"])
	if _, ok := got["v"].(string); err != nil || !ok && !whole || string(text) != want {
		t.Fatalf("%q with %q gave %#v, want %q (%v)", template, value, got["v"], want, err)
	}
	if w := got["w"].([]any)[0]; w != value {
		t.Fatalf("%q came out as %q", value, w)
	}
	// A second binding of what came out changes nothing.
	again, err := BindParameters(&Plan{Goal: "g", Steps: []Step{{
		ID: "s", Args: map[string]any{"v": "${p}"}, Foreach: step.Foreach,
	}}}, map[string]any{"p": map[string]any(got)})
	if err != nil {
		t.Fatalf("want no error, got %v", err)
	}
	twice, err := Bind(&again.Steps[0], &sc)
	if err != nil || !reflect.DeepEqual(twice["v"], map[string]any(got)) {
		t.Fatalf("bound twice: %v, %#v, not %#v", err, twice["v"], got)
	}
}
