package sentinel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// sentinelCase is a line of a case file: what a stream holds, for tools that are not strict and for tools that are.
type sentinelCase struct {
	ID     string   `json:"id"`
	Tools  []string `json:"tools"`
	Input  string   `json:"input"`
	Chunks []string `json:"chunks"`
	Expect struct {
		Text     string     `json:"text"`
		Calls    []caseCall `json:"calls"`
		Repaired int        `json:"repaired"`
	} `json:"expect"`
	ExpectStrict string `json:"expect_strict"`
}

type caseCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// outcome is everything about a stream that must not depend on how it was cut.
type outcome struct {
	Text     string
	Calls    []caseCall
	Order    string // t and c, runs of text as one
	Failed   string
	Stats    Stats
	Covered  bool // the events account for all the input, without gap or overlap, and text events with its very bytes
	Warnings int
}

func loadCases(t testing.TB) []sentinelCase {
	t.Helper()
	var cases []sentinelCase
	for _, path := range []string{"testdata/cases.jsonl", "../../../../../shared/fixtures/sentinel-cases.jsonl"} {
		f, err := os.Open(filepath.FromSlash(path))
		if os.IsNotExist(err) && !strings.HasPrefix(path, "testdata") {
			t.Logf("%s is not here: only the cases of this package were run", path)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			var c sentinelCase
			if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
				t.Fatalf("%s: want no error, got %v", path, err)
			}
			cases = append(cases, c)
		}
		if err := sc.Err(); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	return cases
}

// caseRegistry gives every tool a schema that knows one string, city.
func caseRegistry(t testing.TB, names []string, strict bool) *Registry {
	t.Helper()
	var tools []Tool
	for _, n := range names {
		tools = append(tools, Tool{Name: n, Strict: &strict, Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)})
	}
	reg, err := NewRegistry(tools, nil)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func run(reg *Registry, opts Options, chunks []string) outcome {
	var o outcome
	var at int64
	o.Covered = true
	input := strings.Join(chunks, "")
	m := New(reg, opts, func(e Event) {
		o.Covered = o.Covered && e.Start == at && e.End >= e.Start
		at = e.End
		switch e.Kind {
		case EventText:
			o.Text += e.Text
			o.Covered = o.Covered && input[e.Start:e.End] == e.Text
			if !strings.HasSuffix(o.Order, "t") {
				o.Order += "t"
			}
		case EventCall:
			o.Calls = append(o.Calls, caseCall{e.Call.Name, e.Call.Arguments})
			o.Order += "c"
			raw := input[e.Start:e.End]
			o.Covered = o.Covered && strings.HasPrefix(raw, OpenTag) && strings.HasSuffix(raw, CloseTag)
		case EventSpace:
			o.Covered = o.Covered && strings.TrimSpace(input[e.Start:e.End]) == ""
		case EventFailed:
			o.Failed = e.Err.Error()
		}
	})
	for _, c := range chunks {
		m.Feed(c)
	}
	m.Close()
	o.Stats = m.Stats()
	if o.Failed == "" {
		o.Covered = o.Covered && at == int64(len(input))
	}
	return o
}

// chunkings cuts s in every way that has ever hurt such a parser.
func chunkings(s string) map[string][]string {
	out := map[string][]string{"whole": {s}}
	var chars []string
	for i := 0; i < len(s); {
		_, n := utf8.DecodeRuneInString(s[i:])
		chars = append(chars, s[i:i+n])
		i += n
	}
	out["characters"] = chars
	for _, n := range []int{1, 2, 3, 5, 8, 13} {
		out[fmt.Sprintf("%d bytes", n)] = cutEvery(s, n)
	}
	for _, marker := range []string{OpenTag, CloseTag, "`", `"`, "\\"} {
		for off := 0; off < len(s); off++ {
			i := strings.Index(s[off:], marker)
			if i < 0 || off > 4000 {
				break
			}
			for _, at := range []int{off + i - 1, off + i, off + i + 1, off + i + len(marker) - 1, off + i + len(marker), off + i + len(marker) + 1} {
				if at > 0 && at < len(s) {
					out[fmt.Sprintf("at %d", at)] = []string{s[:at], s[at:]}
				}
			}
			off += i
		}
	}
	rnd := rand.New(rand.NewPCG(uint64(len(s)), 7))
	for k := range 8 {
		var cut []string
		rest := s
		for rest != "" {
			n := min(len(rest), rnd.IntN(1+rnd.IntN(40)))
			cut = append(cut, rest[:n])
			rest = rest[n:]
		}
		out[fmt.Sprintf("random %d", k)] = cut
	}
	return out
}

func cutEvery(s string, n int) []string {
	var out []string
	for len(s) > n {
		out = append(out, s[:n])
		s = s[n:]
	}
	return append(out, s)
}

func TestEveryCaseGivesItsResultUnderEveryChunking(t *testing.T) {
	for _, c := range loadCases(t) {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/strict=%v", c.ID, strict), func(t *testing.T) {
				reg := caseRegistry(t, c.Tools, strict)
				opts := Options{Off: c.ID == "tool-choice-none"}
				want := run(reg, opts, []string{c.Input})
				checkCase(t, c, strict, want)
				cuts := chunkings(c.Input)
				if c.Chunks != nil {
					if strings.Join(c.Chunks, "") != c.Input {
						t.Fatal("the case's own chunks are not its input")
					}
					cuts["the case's own"] = c.Chunks
				}
				for name, chunks := range cuts {
					if diff := cmp.Diff(want, run(reg, opts, chunks)); diff != "" {
						t.Errorf("cut %s gives something else than whole:\n%s", name, diff)
					}
				}
			})
		}
	}
}

func checkCase(t *testing.T, c sentinelCase, strict bool, got outcome) {
	t.Helper()
	if !got.Covered {
		t.Error("the events do not account for the input")
	}
	if strict && c.ExpectStrict == "error" {
		if got.Failed == "" {
			t.Errorf("strict: got no failure but text %q and calls %v", got.Text, got.Calls)
		}
		return
	}
	if got.Failed != "" {
		t.Errorf("failed: %s", got.Failed)
	}
	if got.Text != c.Expect.Text {
		t.Errorf("text %q, want %q", got.Text, c.Expect.Text)
	}
	if len(got.Calls)+len(c.Expect.Calls) > 0 {
		if diff := cmp.Diff(c.Expect.Calls, got.Calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	}
	if got.Stats.Repaired != c.Expect.Repaired {
		t.Errorf("repaired %d, want %d", got.Stats.Repaired, c.Expect.Repaired)
	}
}

func TestMutatedMarkersLoseNothingUnderAnyChunking(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, c := range loadCases(t) {
		if len(c.Input) > 5000 {
			continue
		}
		reg := caseRegistry(t, c.Tools, false)
		strict := caseRegistry(t, c.Tools, true)
		for _, s := range mutations(c.Input, rnd) {
			for _, r := range []*Registry{reg, strict} {
				want := run(r, Options{}, []string{s})
				if !want.Covered {
					t.Errorf("%s: %q: the events do not account for the input", c.ID, s)
				}
				for _, n := range []int{1, 2, 3, 7} {
					if diff := cmp.Diff(want, run(r, Options{}, cutEvery(s, n))); diff != "" {
						t.Fatalf("%s: %q cut every %d bytes:\n%s", c.ID, s, n, diff)
					}
				}
			}
		}
	}
}

// mutations truncates the input and deletes, doubles and garbles its markers.
func mutations(s string, rnd *rand.Rand) []string {
	var out []string
	for range 12 {
		out = append(out, s[:rnd.IntN(len(s)+1)])
	}
	for _, marker := range []string{OpenTag, CloseTag} {
		out = append(out, strings.Replace(s, marker, "", 1), strings.ReplaceAll(s, marker, marker+marker), s+marker, marker+s)
		for range 6 {
			b := []byte(marker)
			b[rnd.IntN(len(b))] ^= byte(1 + rnd.IntN(255))
			out = append(out, strings.Replace(s, marker, string(b), 1))
		}
	}
	b := []byte(s)
	for range 12 {
		if len(b) > 0 {
			m := bytes.Clone(b)
			m[rnd.IntN(len(m))] = []byte(`"\<>{}[],:`)[rnd.IntN(10)]
			out = append(out, string(m))
		}
	}
	return out
}
