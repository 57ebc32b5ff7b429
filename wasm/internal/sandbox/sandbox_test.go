package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/moment/momenttest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox"
)

const now = "2026-11-20T09:30:00+01:00"

func run(script, input string) protocol.Sandboxed {
	return sandbox.New().Run(protocol.Sandbox{Script: script, Now: now, MaxSteps: 1_000_000}, []byte(input))
}

func TestAScriptIsAFunctionOfItsInput(t *testing.T) {
	for name, c := range map[string]struct{ script, input, want string }{
		"values keep their types": {
			"def main(x):\n  return x", `{"a":[1,2.5,"ü",null,true],"b":{}}`, `{"a":[1,2.5,"ü",null,true],"b":{}}`,
		},
		"loops, comprehensions, sets and tuples": {
			"def main(words):\n  n = 0\n  while n < 2:\n    n += 1\n  return [n, sorted(set(words)), (1, 2)]",
			`["b","a","b"]`, `[2,["a","b"],[1,2]]`,
		},
		"json":        {`def main(x): return [json.decode(x), json.encode({"a": 1})]`, `"[1]"`, `[[1],"{\"a\":1}"]`},
		"the clock":   {`def main(x): return time.now()`, `null`, `"2026-11-20T09:30:00+01:00"`},
		"dates":       {`def main(d): return [time.format(d, "dddd D.M.YYYY"), time.add(d, months=1), time.diff(time.add(d, days=1), d)]`, `"2026-01-31"`, `["Saturday 31.1.2026","2026-02-28T00:00:00+01:00",86400]`},
		"parsing":     {`def main(d): return [time.parse(d, "DD/MM/YYYY"), time.parse("no"), time.parse("2026-02-30")]`, `"05/03/2026"`, `["2026-03-05T00:00:00+01:00",null,null]`},
		"search":      {`def main(s): return re.search("(?P<k>\\w+): (\\d+)?", s)`, `"due: 12"`, `{"text":"due: 12","groups":["due","12"],"named":{"k":"due"},"start":0,"end":7}`},
		"match":       {`def main(s): return [re.match("b", s), re.match("a|b", s)["text"], re.search("zz", s)]`, `"ab"`, `[null,"a",null]`},
		"findall":     {`def main(s): return [re.findall("\\d", s), re.findall("(\\d)", s), re.findall("(\\w)(\\d)?", s)]`, `"a1"`, `[["1"],["1"],[["a","1"]]]`},
		"finditer":    {`def main(s): return [m["start"] for m in re.finditer("a", s)]`, `"aXa"`, `[0,2]`},
		"sub":         {`def main(s): return [re.sub("(a)(b)", "\\2\\1$1\\g<1>", s), re.sub("a", lambda m: m["text"].upper(), s), re.sub("a", "-", s, 1)]`, `"abab"`, `["ba$1aba$1a","AbAb","-bab"]`},
		"split":       {`def main(s): return [re.split(",\\s*", s), re.split(",", s, maxsplit=1), re.escape("a.b")]`, `"a, b,c"`, `[["a","b","c"],["a"," b,c"],"a\\.b"]`},
		"broken text": {`def main(s): return s[0:1]`, `"ü"`, `"` + "\ufffd" + `"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(c.script, c.input)
			if r.Error != "" {
				t.Fatal("want no Error, got:", r.Error)
			}
			var got, want any
			if err := json.Unmarshal([]byte(r.Output), &got); err != nil {
				t.Fatalf("%s: want no error, got %v", r.Output, err)
			}
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error("it differs from what was wanted (-want +got):", d)
			}
		})
	}
}

func TestWhatIsWrongWithAScriptIsSaidWithItsLine(t *testing.T) {
	for script, want := range map[string]string{
		"x = 1":                                                       "main(input)",
		"def main(x):\n  return y":                                    "line:2:10: undefined: y",
		"def main(x):\n  return x.foo":                                "line 2: NoneType has no .foo",
		"def main(x):\n  fail('no tasks here')":                       "line 2: fail: no tasks here",
		"def main(x) return":                                          "line:1:19",
		"def main(x):\n  return re.search('(', 'a')":                  "missing closing )",
		"def main(x):\n  return main":                                 "function",
		"def main(x):\n  return (1 << 60) + 1":                        "str()",
		"def main(x):\n  return float('nan')":                         "number",
		"def main(x):\n  return {1: 2}":                               "key",
		"def main(x):\n  return time.add('x', days=1)":                "is not a time",
		"def main(x):\n  return time.add('2026-01-01', years=999999)": "too far",
		"def main(x):\n  return re.sub('a', 1, 'a')":                  "repl is a int",
		"def main(x):\n  return re.sub('a', len, 'a')":                "",
		"def main(x):\n  for i in range(10000000): pass":              "steps",
		"load('os', 'a')\ndef main(x): return 1":                      "cannot be loaded",
		"def main(x):\n  return main(x)":                              "recursively",
		"def main(x):\n  l = []\n  l.append(l)\n  return l":           "nested",
		"def main(x):\n  return ['a' * 1000] * 20000":                 "bytes",
		"def main(x):\n  fail('" + strings.Repeat("x", 9000) + "')":   "…",
	} {
		r := run(script, "null")
		if !strings.Contains(r.Error, want) || r.Error == "" || r.Output != "" {
			t.Errorf("%.80s: %q, want %q", script, r.Error, want)
		}
		if _, err := sandbox.Result(r); !fault.Is(err, fault.Sandbox) {
			t.Errorf("%.80s: want the error fault.Sandbox, got %v", script, err)
		}
	}
}

func TestNothingIsLeftOfAnEarlierRun(t *testing.T) {
	in := sandbox.New()
	const script = "seen = []\ndef main(x):\n  seen.append(x)\n  return seen"
	for _, x := range []string{"1", "2", "3"} {
		r := in.Run(protocol.Sandbox{Script: script, Now: now}, []byte(x))
		if want := "[" + x + "]"; r.Output != want && !strings.Contains(r.Error, "frozen") {
			t.Errorf("%s after others: %s %s, want %s", x, r.Output, r.Error, want)
		}
	}
}

func TestWhateverTheOutputHoldsItIsJSONOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input, err := json.Marshal(rapid.SliceOf(rapid.OneOf(
			rapid.Map(rapid.String(), func(s string) any { return s }),
			rapid.Map(rapid.Float64Range(-1e300, 1e300), func(f float64) any { return f }),
			rapid.Map(rapid.Int64Range(-1<<52, 1<<52), func(n int64) any { return n }),
			rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		)).Draw(t, "values"))
		if err != nil {
			t.Fatal(err)
		}
		r := run("def main(x): return x", string(input))
		var want, got any
		if err := json.Unmarshal(input, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(r.Output), &got); err != nil {
			t.Fatalf("%q: want no error, got %v", r.Output, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal("it differs from what was wanted (-want +got):", d)
		}
	})
}

func BenchmarkRun(b *testing.B) {
	in := sandbox.New()
	text, err := json.Marshal(map[string]string{"text": strings.Repeat("A line of a note with some words.\n", 30)})
	if err != nil {
		b.Fatal(err)
	}
	r := protocol.Sandbox{
		Script: "def main(note):\n  return {'words': len(note['text'].split()), 'dates': re.findall('\\\\d+', note['text'])}",
		Now:    now,
	}
	for b.Loop() {
		if out := in.Run(r, text); out.Error != "" {
			b.Fatal("want no Error, got:", out.Error)
		}
	}
}

func TestAScriptWritesDatesInTheAppsLanguage(t *testing.T) {
	in := sandbox.New()
	script := "def main(input):\n  return time.format(\"2026-11-22\", \"dddd [W]ww\") + \" \" + time.parse(time.format(\"2026-03-01\", \"LL\"), \"LL\")"
	for language, want := range map[string]string{"en": "Sunday W48 2026-03-01", "de": "Sonntag W47 2026-03-01"} {
		tables, err := json.Marshal(momenttest.Locale(t, language))
		if err != nil {
			t.Fatal(err)
		}
		r := in.Run(protocol.Sandbox{Script: script, Now: now, Locale: string(tables)}, []byte("{}"))
		if r.Error != "" || !strings.HasPrefix(r.Output, `"`+want) {
			t.Errorf("%s: %s %s, want %s", language, r.Output, r.Error, want)
		}
	}
	if r := in.Run(protocol.Sandbox{Script: script, Now: now, Locale: "{}"}, []byte("{}")); !strings.HasPrefix(r.Output, `"Sunday W48`) {
		t.Errorf("tables that lack everything: %s %s", r.Output, r.Error)
	}
}
