package seal_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/seal"
)

func key(t *testing.T, b byte) *seal.Key {
	t.Helper()
	k, err := seal.NewKey([]byte(strings.Repeat(string(rune(b)), seal.Size)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// That the sum is an HMAC is proven in package digest.
func TestASealFitsItsKeyItsPurposeItsNameAndItsBytesAlone(t *testing.T) {
	a := key(t, 'a').For("run", "1")
	tag := a.Tag([]byte("what"), []byte(" do ya want"))
	if !a.Fits(tag, []byte("what do ya want")) {
		t.Fatal("it does not fit the same bytes in other parts")
	}
	for what, fits := range map[string]bool{
		"another key":     key(t, 'b').For("run", "1").Fits(tag, []byte("what do ya want")),
		"another purpose": key(t, 'a').For("action", "1").Fits(tag, []byte("what do ya want")),
		"another name":    key(t, 'a').For("run", "2").Fits(tag, []byte("what do ya want")),
		"shifted names":   key(t, 'a').For("run\x001", "").Fits(tag, []byte("what do ya want")),
		"other bytes":     a.Fits(tag, []byte("what do ya Want")),
		"an empty tag":    a.Fits("", []byte("what do ya want")),
		"a tag cut short": a.Fits(tag[:32], []byte("what do ya want")),
	} {
		if fits {
			t.Errorf("%s: it fits", what)
		}
	}
}

func TestNothingIsSealedByNoKey(t *testing.T) {
	var none *seal.Key
	if tag := none.For("run", "1").Tag([]byte("x")); tag != "" || none.Fits("", []byte("x")) || none.ID() != "" {
		t.Errorf("want no tag and no ID, got %q", tag)
	}
}

func TestAKeyIsOf32BytesAndItsNameDoesNotTellIt(t *testing.T) {
	for _, n := range []int{0, 1, 31, 33} {
		if _, err := seal.NewKey(make([]byte, n)); err == nil {
			t.Errorf("a key of %d bytes", n)
		}
	}
	if a, b := key(t, 'a').ID(), key(t, 'b').ID(); a == b || len(a) != 16 || strings.Contains(a, "6161") {
		t.Errorf("want other than b, 16 of them and a text without \"6161\", got %s, %s", a, b)
	}
}

type device struct {
	secret []byte
	err    error
	asked  int
}

func (d *device) Key(context.Context) ([]byte, error) {
	d.asked++
	return d.secret, d.err
}

type bare struct{ host.Store }

func TestAStoreAsksItsDeviceOnceAndSealsEachRunByAKeyOfItsOwn(t *testing.T) {
	d := &device{secret: make([]byte, seal.Size)}
	s := seal.Over(bare{}, d)
	if seal.OfRun(s, "runs/1") != nil {
		t.Fatal("a key before the device was asked")
	}
	for range 2 {
		if err := s.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if d.asked != 1 || seal.OfRun(s, "runs/1").ID() == seal.OfRun(s, "runs/2").ID() || seal.Of(bare{}) != nil {
		t.Errorf("asked %d times", d.asked)
	}
}

func TestADeviceWithoutAKeySaysWhyAndSealsNothing(t *testing.T) {
	for what, s := range map[string]*seal.Store{
		"no device":       seal.Over(bare{}, nil),
		"it fails":        seal.Over(bare{}, &device{err: errors.New("disk")}),
		"a key too short": seal.Over(bare{}, &device{secret: []byte("x")}),
	} {
		if err := s.Open(t.Context()); err == nil || seal.Of(s) != nil {
			t.Errorf("%s: want an error and nothing, got %v", what, err)
		}
	}
}

func TestADocumentIsSealedForItsNameAndReadWhoeverWroteIt(t *testing.T) {
	k := key(t, 'a')
	doc := `{"a":[1,2],"b":"<x>"}`
	data, unsealed := seal.Wrap(k, "pins.json", []byte(doc)), seal.Wrap(nil, "pins.json", []byte(doc))
	for what, c := range map[string]struct {
		key    *seal.Key
		name   string
		data   string
		sealed bool
	}{
		"as it was written":      {k, "pins.json", string(data), true},
		"by another device":      {key(t, 'b'), "pins.json", string(data), false},
		"without a key":          {nil, "pins.json", string(data), false},
		"another file":           {k, "summary.json", string(data), false},
		"never sealed":           {k, "pins.json", string(unsealed), false},
		"of an earlier version":  {k, "pins.json", doc, false},
		"with another's content": {k, "pins.json", strings.Replace(string(data), "[1,2]", "[1,3]", 1), false},
	} {
		got, sealed := seal.Unwrap(c.key, c.name, []byte(c.data))
		if sealed != c.sealed || len(got) != len(doc) {
			t.Errorf("%s: %s, sealed %v", what, got, sealed)
		}
	}
}
