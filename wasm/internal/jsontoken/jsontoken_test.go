package jsontoken

import (
	"encoding/json"
	"testing"
)

func TestATextStopsAtItsEndOrAtWhatIsWrong(t *testing.T) {
	for src, want := range map[string]struct {
		end     int
		escaped bool
		wrong   Wrong
	}{
		`""`:             {2, false, Nothing},
		`"ab" "c"`:       {4, false, Nothing},
		`"ü\n"`:          {6, true, Nothing},
		`"\u00e4\"" x`:   {10, true, Nothing},
		`"`:              {1, false, Open},
		`"ab`:            {3, false, Open},
		`"a\"`:           {4, true, Open},
		"\"a\tb\"":       {2, false, Control},
		`"a\`:            {3, true, Escape},
		`"\x"`:           {2, true, Escape},
		`"\u12g4"`:       {5, true, Escape},
		`"\u12`:          {5, true, Escape},
		"\"a\\u00e4\x01": {8, true, Control},
	} {
		end, escaped, wrong := Text(src, 0)
		if end != want.end || escaped != want.escaped || wrong != want.wrong {
			t.Errorf("%q: %d %v %d, want %d %v %d", src, end, escaped, wrong, want.end, want.escaped, want.wrong)
		}
		if e, s, w := Text([]byte("  "+src), 2); e != end+2 || s != escaped || w != wrong {
			t.Errorf("%q as bytes, further on: %d %v %d", src, e, s, w)
		}
	}
}

func TestANumberStopsAtItsEndOrWhereItBreaksOff(t *testing.T) {
	for src, want := range map[string]struct {
		end int
		ok  bool
	}{
		"0": {1, true}, "-0": {2, true}, "01": {1, true}, "120]": {3, true}, "-1.50e+2,": {8, true}, "1E9": {3, true},
		"-": {1, false}, "-a": {1, false}, ".5": {0, false}, "1.": {2, false}, "1.e": {2, false}, "1e": {2, false}, "1e+": {3, false},
	} {
		if end, ok := Number(src, 0); end != want.end || ok != want.ok {
			t.Errorf("%q: %d %v, want %d %v", src, end, ok, want.end, want.ok)
		}
	}
}

// FuzzTokens holds each token to encoding/json: it is one exactly if that takes it
// as a whole value, and a text stands for the same.
func FuzzTokens(f *testing.F) {
	for _, s := range []string{`"a"`, `"\ud83d\ude00\ud83d"`, `"\ud83d\u0041"`, "\"\xff\"", "-1.5e3", "007", "null", `"\/\b\f"`, "1 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if src == "" {
			return
		}
		whole := false
		switch c := src[0]; {
		case c == '"':
			end, escaped, wrong := Text(src, 0)
			if whole = wrong == Nothing && end == len(src); whole {
				var want string
				if err := json.Unmarshal([]byte(src), &want); err != nil {
					t.Fatalf("%q: want no error, got %v", src, err)
				}
				if got := String([]byte(src[1:end-1]), escaped); got != want {
					t.Fatalf("%q stands for %q, want %q", src, got, want)
				}
			}
		case c == '-' || c >= '0' && c <= '9':
			end, ok := Number(src, 0)
			whole = ok && end == len(src)
		case c == 't' || c == 'f' || c == 'n':
			for _, word := range []string{"true", "false", "null"} {
				end, ok := Word(src, 0, word)
				whole = whole || ok && end == len(src)
			}
		default:
			return
		}
		// encoding/json takes white space behind a value.
		if last := src[len(src)-1]; whole != json.Valid([]byte(src)) && last > ' ' {
			t.Fatalf("%q is a token: %v", src, whole)
		}
	})
}
