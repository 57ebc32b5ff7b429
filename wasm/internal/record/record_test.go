package record

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/seal"
)

func file(n int) ([]byte, [][]byte) {
	c := New("journal.jsonl")
	var data []byte
	var recs [][]byte
	for i := range n {
		r := fmt.Appendf(nil, `{"i":%d,"text":"línea %d"}`, i, i)
		recs = append(recs, r)
		data = c.Append(data, r)
	}
	return data, recs
}

func TestEveryPrefixOfAFileReadsAsItsWholeRecords(t *testing.T) {
	data, recs := file(5)
	for cut := range len(data) + 1 {
		got, _, good, err := Read("journal.jsonl", data[:cut])
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if want := bytes.Count(data[:cut], []byte("\n")); len(got) != want {
			t.Fatalf("cut at %d: %d records, want %d", cut, len(got), want)
		}
		for i, r := range got {
			if !bytes.Equal(r, recs[i]) {
				t.Fatalf("cut at %d: record %d is %s", cut, i, r)
			}
		}
		if good > cut {
			t.Fatalf("cut at %d: %d good bytes", cut, good)
		}
	}
}

func TestAChangedByteIsFound(t *testing.T) {
	data, _ := file(6)
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		b := rapid.Byte().Draw(t, "byte")
		if b == data[i] {
			return
		}
		bad := bytes.Clone(data)
		bad[i] = b
		recs, _, good, err := Read("journal.jsonl", bad)
		if err == nil && len(recs) == 6 && good == len(bad) {
			t.Fatalf("byte %d changed to %q and nothing was found", i, b)
		}
	})
}

func TestAMissingLineIsFound(t *testing.T) {
	data, _ := file(6)
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i := range 5 { // the last line's absence is for the end record to find
		bad := bytes.Join(append(append([][]byte{}, lines[:i]...), lines[i+1:]...), nil)
		if _, _, _, err := Read("journal.jsonl", bad); !errors.Is(err, ErrBroken) {
			t.Fatalf("line %d left out: %v", i, err)
		}
	}
}

func TestAFileUnderAnotherNameIsFound(t *testing.T) {
	data, _ := file(2)
	if recs, _, _, err := Read("calls.jsonl", data); !errors.Is(err, ErrBroken) || len(recs) != 0 {
		t.Fatalf("%d records, %v", len(recs), err)
	}
}

func TestWritingGoesOnAfterReading(t *testing.T) {
	data, _ := file(3)
	_, c, _, err := Read("journal.jsonl", data)
	if err != nil {
		t.Fatal(err)
	}
	data = c.Append(data, []byte(`{"i":3}`))
	recs, _, good, err := Read("journal.jsonl", data)
	if err != nil || len(recs) != 4 || good != len(data) {
		t.Fatalf("%d records, %d of %d bytes, %v", len(recs), good, len(data), err)
	}
}

func FuzzReadNeverPanicsAndKeepsOnlyWhatFits(f *testing.F) {
	data, _ := file(3)
	f.Add(data)
	f.Add(data[:len(data)-7])
	f.Add([]byte(`{"h":"`))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		recs, _, good, _ := Read("journal.jsonl", in)
		c := New("journal.jsonl")
		var again []byte
		for _, r := range recs {
			again = c.Append(again, r)
		}
		if !bytes.Equal(again, in[:good]) {
			t.Fatalf("the good part does not write the same again:\n%q\n%q", again, in[:good])
		}
	})
}

func TestOnlyWhoHasTheKeyCanWriteOrMoveARecord(t *testing.T) {
	secret := make([]byte, seal.Size)
	device, err := seal.NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	ours, other := device.For("run", "1"), device.For("run", "2")
	c := NewSealed(ours, "a")
	first := c.Append(nil, []byte(`{"n":1}`))
	second := c.Append(nil, []byte(`{"n":2}`))
	whole := append(bytes.Clone(first), second...)

	forged := New("a")
	plain := forged.Append(forged.Append(nil, []byte(`{"n":1}`)), []byte(`{"n":2}`))
	foreign := NewSealed(other, "a").Append(nil, []byte(`{"n":1}`))
	for what, x := range map[string]struct {
		key  *seal.Key
		name string
		data []byte
		want int
		bad  bool
	}{
		"as it was written":           {ours, "a", whole, 2, false},
		"torn":                        {ours, "a", whole[:len(whole)-3], 1, false},
		"without a key":               {ours, "a", plain, 0, true},
		"of another run":              {other, "a", whole, 0, true},
		"of another file":             {ours, "b", whole, 0, true},
		"read without the key":        {nil, "a", whole, 0, true},
		"the first left out":          {ours, "a", second, 0, true},
		"one twice":                   {ours, "a", append(bytes.Clone(first), first...), 1, true},
		"one of another run":          {ours, "a", append(bytes.Clone(first), foreign...), 1, true},
		"the second before the first": {ours, "a", append(bytes.Clone(second), first...), 0, true},
	} {
		recs, _, _, err := ReadSealed(x.key, x.name, x.data)
		if len(recs) != x.want || (err != nil) != x.bad {
			t.Errorf("%s: %d records, %v", what, len(recs), err)
		}
		if n := len(Frames(x.data)); n == 0 {
			t.Errorf("%s: nothing to show", what)
		}
	}
}
