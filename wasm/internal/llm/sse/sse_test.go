package sse_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/llm/sse"
)

// read gives the events of a stream that is cut into the given pieces, one per line.
func read(t testing.TB, p *sse.Parser, flush bool, pieces ...[]byte) []string {
	t.Helper()
	var got []string
	emit := func(e sse.Event) error {
		mark := "|"
		if e.Failed {
			mark = "!"
		}
		got = append(got, fmt.Sprintf("%s%s%s", e.Type, mark, e.Data))
		return nil
	}
	for _, piece := range pieces {
		// The parser must not keep what is not its own.
		own := bytes.Clone(piece)
		if err := p.Push(own, emit); err != nil {
			t.Fatal(err)
		}
		for i := range own {
			own[i] = 'X'
		}
	}
	if err := p.End(flush, emit); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTheRulesOfEventStreams(t *testing.T) {
	cases := []struct {
		name, stream string
		want         []string
	}{
		{"one event", "data: a\n\n", []string{"|a"}},
		{"lines may end with CR", "data: a\r\rdata: b\r\r", []string{"|a", "|b"}},
		{"lines may end with CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"|a", "|b"}},
		{"line ends may be mixed", "data: a\ndata: b\r\ndata: c\r\n\ndata: d\r\r", []string{"|a\nb\nc", "|d"}},
		{"a byte order mark is skipped", "\xef\xbb\xbfdata: a\n\n", []string{"|a"}},
		{"only the first mark is skipped", "\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", []string{"|b"}},
		{"comments are skipped", ": OPENROUTER PROCESSING\n\ndata: a\n:x\ndata: b\n\n", []string{"|a\nb"}},
		{"one space after the colon is skipped", "data:a\n\ndata:  b\n\n", []string{"|a", "| b"}},
		{"a field without a colon has an empty value", "data\n\ndata\ndata\n\n", []string{"|", "|\n"}},
		{"the last event field counts", "event: a\nevent: b\ndata: x\n\ndata: y\n\n", []string{"b|x", "|y"}},
		{"a type without data is no event", "event: a\n\ndata: y\n\n", []string{"|y"}},
		{"unknown fields are skipped", "foo: 1\ndata: a\nDATA: b\n\n", []string{"|a"}},
		{"a line of an error is an event", "error: a\n\ndata: b\n\nerror\n\n", []string{"!a", "|b", "!"}},
		{"an event that does not end is none", "data: a\n\ndata: b\n", []string{"|a"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, new(sse.Parser), false, []byte(c.stream)); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAnEventThatDoesNotEndIsReportedOnRequest(t *testing.T) {
	for stream, want := range map[string]string{
		"data: a\n\nevent: e\ndata: b\n": "[|a e|b]",
		"data: a\n\ndata: b":             "[|a |b]",
		"data: a\n\n: nothing":           "[|a]",
		"\xef\xbb":                       "[]",
	} {
		if got := fmt.Sprint(read(t, new(sse.Parser), true, []byte(stream))); got != want {
			t.Errorf("%q gives %s, want %s", stream, got, want)
		}
	}
}

func TestIDAndRetryAreKept(t *testing.T) {
	var p sse.Parser
	read(t, &p, false, []byte("id: 7\nretry: 1500\ndata: a\n\nid: a\x00b\nretry: 12x\ndata: b\n\n"))
	if p.LastID() != "7" || p.Retry() != 1500 {
		t.Errorf("id %q, retry %d", p.LastID(), p.Retry())
	}
}

func TestTheClosingMarkIsRecognised(t *testing.T) {
	if !(sse.Event{Data: []byte("[DONE] ")}).IsDone() || (sse.Event{Data: []byte(`"[DONE]"`)}).IsDone() {
		t.Error("[DONE] is not recognised by its text")
	}
}

func TestWhatIsTooLargeIsRefused(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, stream := range map[string]string{
		"one line":     "data: " + long,
		"many lines":   strings.Repeat("data: xxxxxxxxx\n", 20),
		"a whole line": "data: " + long + "\n\n",
		"a comment":    ":" + long + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 7, len(stream)} {
				p := sse.Parser{MaxEvent: 64}
				var err error
				for rest := []byte(stream); len(rest) > 0 && err == nil; {
					n := min(size, len(rest))
					err = p.Push(rest[:n], func(sse.Event) error { return nil })
					rest = rest[n:]
				}
				if err != sse.ErrTooLarge {
					t.Errorf("chunks of %d: %v", size, err)
				}
			}
		})
	}
}

func TestAnErrorOfTheReceiverStopsTheParser(t *testing.T) {
	stop := fmt.Errorf("enough")
	n := 0
	var p sse.Parser
	err := p.Push([]byte("data: a\n\ndata: b\n\n"), func(sse.Event) error { n++; return stop })
	if err != stop || n != 1 {
		t.Errorf("%v after %d events", err, n)
	}
}

func TestChunkingDoesNotMatter(t *testing.T) {
	line := rapid.SampledFrom([]string{
		"data: a", "data:b", "data", "event: e", ": c", "", "", "id: 1", "data: \u00e9\U0001F600", "\xef\xbb\xbfdata: m", "x: y",
	})
	end := rapid.SampledFrom([]string{"\n", "\r", "\r\n"})
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		if rapid.Bool().Draw(t, "mark") {
			stream = append(stream, "\xef\xbb\xbf"...)
		}
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			stream = append(append(stream, line.Draw(t, "line")...), end.Draw(t, "end")...)
		}
		flush := rapid.Bool().Draw(t, "flush")
		want := readAll(flush, stream)
		var pieces [][]byte
		for rest := stream; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "chunk")
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		if got := readAll(flush, pieces...); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q cut into %q gives %q, whole %q", stream, pieces, got, want)
		}
	})
}

func readAll(flush bool, pieces ...[]byte) []string {
	var got []string
	emit := func(e sse.Event) error {
		got = append(got, fmt.Sprintf("%s|%s", e.Type, e.Data))
		return nil
	}
	var p sse.Parser
	for _, piece := range pieces {
		own := bytes.Clone(piece)
		if err := p.Push(own, emit); err != nil {
			got = append(got, err.Error())
			return got
		}
		for i := range own {
			own[i] = 'X'
		}
	}
	if err := p.End(flush, emit); err != nil {
		got = append(got, err.Error())
	}
	return got
}

// event is one event as it is on the wire: a line for its type, unless that is "", and
// one for each line of its data.
func event(typ, data string) []byte {
	var b bytes.Buffer
	if typ != "" {
		fmt.Fprintf(&b, "event: %s\n", typ)
	}
	for line := range strings.SplitSeq(data, "\n") {
		fmt.Fprintf(&b, "data: %s\n", line)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.StringOf(rapid.SampledFrom([]rune("a \n:é"))).Draw(t, "data")
		typ := rapid.SampledFrom([]string{"", "response.created"}).Draw(t, "type")
		got := readAll(false, event(typ, data))
		if fmt.Sprint(got) != fmt.Sprint([]string{typ + "|" + data}) {
			t.Fatalf("want equal to fmt.Sprint([]string{typ + \"|\" + data}), got %q", got)
		}
	})
}

func FuzzParser(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbfevent: a\r\ndata: {\"x\":1}\r\n\r\n: c\rdata:\r\rdata: [DONE]"), uint8(3))
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		var pieces [][]byte
		for rest := stream; len(rest) > 0; {
			n := min(int(size%16)+1, len(rest))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		whole, cut := readAll(true, stream), readAll(true, pieces...)
		if fmt.Sprint(whole) != fmt.Sprint(cut) {
			t.Fatalf("whole %q, cut %q", whole, cut)
		}
	})
}

func BenchmarkParser(b *testing.B) {
	delta := event("response.output_text.delta", `{"type":"response.output_text.delta","delta":"`+strings.Repeat("x", 160)+`"}`)
	stream := bytes.Repeat(delta, 1000)
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		var p sse.Parser
		for rest := stream; len(rest) > 0; {
			n := min(4096, len(rest))
			if err := p.Push(rest[:n], func(sse.Event) error { return nil }); err != nil {
				b.Fatal(err)
			}
			rest = rest[n:]
		}
	}
}
