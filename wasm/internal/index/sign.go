package index

import (
	"encoding/binary"
	"unicode/utf8"
)

// A signature says which runs of three bytes a text holds, once it is folded:
// a Bloom filter with one hash. A run's hash has 16 bits; its place in a
// signature of m bits is hash*m>>16. m is bitsPerGram for each different run,
// so that about a quarter of the bits are set: a word of eight letters passes
// by chance in one file of four thousand, and a signature has a tenth of the
// bytes of a text in Latin letters, a quarter in Chinese.
//
// A text that holds almost everything (megabytes) has the signature everything,
// which all searches pass.
const (
	gramLen     = 3
	hashBits    = 16
	bitsPerGram = 3.5
	maxGrams    = 16_384
)

// everything is the signature of a text that is always read.
var everything = []byte{}

func gramHash(gram uint32) uint16 { return uint16(gram * 0x9E3779B1 >> hashBits) }

// signer makes signatures. Not for two goroutines at once.
type signer struct {
	folder
	set   [1 << hashBits / 64]uint64
	grams [1<<hashBits + 1]uint16 // those whose bits are set, each once
	count int
	spill [maxFolded]byte
}

// sign gives a text's signature; false for bytes that are no UTF-8.
func (s *signer) sign(text []byte) ([]byte, bool) {
	for _, h := range s.grams[:s.count] {
		s.set[h>>6] = 0
	}
	s.count = 0
	if !s.mark(text) {
		return nil, false
	}
	if s.count > maxGrams {
		return everything, true
	}
	words := max(1, (int(float64(s.count)*bitsPerGram)+63)/64)
	sig := make([]byte, words*8)
	m := uint32(words * 64)
	for _, h := range s.grams[:s.count] {
		at := uint32(h) * m >> hashBits
		sig[at>>3] |= 1 << (at & 7)
	}
	return sig, true
}

// mark sets the bits of all runs of the folded text.
func (s *signer) mark(text []byte) bool {
	gram, seen := uint32(0), 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			gram = gram<<8 | uint32(foldByte[c])
			if seen++; seen >= gramLen {
				s.add(gram)
			}
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return false
		}
		i += n
		for _, c := range utf8.AppendRune(s.spill[:0], s.fold(r)) {
			gram = gram<<8 | uint32(c)
			if seen++; seen >= gramLen {
				s.add(gram)
			}
		}
	}
	return true
}

// add takes in a run. Whether it is new goes by chance, so that no branch hangs
// on it.
func (s *signer) add(gram uint32) {
	h := gramHash(gram & 0xFFFFFF)
	word, shift := &s.set[h>>6], h&63
	s.grams[s.count] = h
	s.count += int(^*word >> shift & 1)
	*word |= 1 << shift
}

// has says whether a signature has the bit of a run.
func has(sig []byte, hash uint16) bool {
	at := uint32(hash) * uint32(len(sig)*8) >> hashBits
	return sig[at>>3]&(1<<(at&7)) != 0
}

// validSignature says whether bytes can be a signature.
func validSignature(sig []byte) bool {
	return len(sig)%8 == 0 && len(sig) <= int(maxGrams*bitsPerGram)/8+8
}

// gramsOf gives the hashes of all runs of a folded text.
func gramsOf(folded []byte) []uint16 {
	var out []uint16
	for i := 0; i+gramLen <= len(folded); i++ {
		var word [4]byte
		copy(word[1:], folded[i:i+gramLen])
		out = append(out, gramHash(binary.BigEndian.Uint32(word[:])))
	}
	return out
}
