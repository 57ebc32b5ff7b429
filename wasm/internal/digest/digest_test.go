package digest_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"embedded-agent/wasm/internal/digest"
)

// random gives bytes that are the same each time.
func random(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	out := make([]byte, n)
	_, _ = r.Read(out) // never fails
	return out
}

func TestASumIsSHA256AtEveryLength(t *testing.T) {
	all := random(4200)
	for n := range len(all) {
		if got, want := digest.Sum256(all[:n]), sha256.Sum256(all[:n]); got != want {
			t.Fatalf("%d bytes: %x, not %x", n, got, want)
		}
	}
	for shift := range 8 { // bytes that begin anywhere
		if got, want := digest.Sum256(all[shift:]), sha256.Sum256(all[shift:]); got != want {
			t.Errorf("from byte %d: %x, not %x", shift, got, want)
		}
	}
}

func TestASumIsTheSameInWhateverPartsTheBytesCome(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := random(2000)
	for range 300 {
		h, want := digest.New(), sha256.New()
		for rest := all[:r.IntN(len(all))]; len(rest) > 0; {
			n := min(r.IntN(150), len(rest))
			_, _ = h.Write(rest[:n])
			_, _ = want.Write(rest[:n])
			rest = rest[n:]
			if string(h.Sum(nil)) != string(want.Sum(nil)) { // and more comes after it
				t.Fatalf("%x, not %x", h.Sum(nil), want.Sum(nil))
			}
		}
		h.Reset()
		want.Reset()
		if string(h.Sum([]byte("a"))) != string(want.Sum([]byte("a"))) {
			t.Fatal("a hash begun anew is not the empty one")
		}
	}
}

// FIPS 198: a keyed hash asks for the size of a block.
func TestAKeyedHashIsMadeOfIt(t *testing.T) {
	for _, key := range [][]byte{nil, random(20), random(64), random(200)} {
		m, want := hmac.New(digest.New, key), hmac.New(sha256.New, key)
		_, _ = m.Write(random(500))
		_, _ = want.Write(random(500))
		if !hmac.Equal(m.Sum(nil), want.Sum(nil)) {
			t.Errorf("a key of %d bytes: %x, not %x", len(key), m.Sum(nil), want.Sum(nil))
		}
	}
}

// The vectors of FIPS 180-2's appendix B.
func TestASumIsThatOfTheStandard(t *testing.T) {
	for text, want := range map[string]string{
		"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
	} {
		if got := digest.Sum256([]byte(text)); hex.EncodeToString(got[:]) != want {
			t.Errorf("%s: %x, not %s", text, got, want)
		}
	}
}

func BenchmarkSum256(b *testing.B) {
	data := random(4096)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		digest.Sum256(data)
	}
}

func BenchmarkPortable(b *testing.B) {
	data := random(4096)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		sha256.Sum256(data)
	}
}
