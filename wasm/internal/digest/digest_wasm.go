package digest

import (
	"encoding/binary"
	"hash"
)

const block = 64

// state is laid out as block_wasm.s reads it: the hash value, then the
// message schedule's sixteen words.
type state struct {
	h [8]uint32
	w [16]uint32
}

// blocks takes n blocks of 64 bytes at p into the state.
//
//go:noescape
func blocks(s *state, k *[64]uint32, p *byte, n int)

// sum is a hash.Hash: what came so far, and of it the bytes that fill no block.
type sum struct {
	state
	rest [block]byte
	n    int
	size uint64
}

// Sum256 gives the SHA-256 sum of the bytes.
func Sum256(data []byte) [Size]byte {
	d := sum{state: state{h: first}}
	d.write(data)
	return d.end()
}

// New gives a hash to write to.
func New() hash.Hash {
	return &sum{state: state{h: first}}
}

func (d *sum) Size() int      { return Size }
func (d *sum) BlockSize() int { return block }
func (d *sum) Reset()         { *d = sum{state: state{h: first}} }

// Write never fails.
func (d *sum) Write(p []byte) (int, error) {
	d.write(p)
	return len(p), nil
}

// Sum appends the sum of what was written; more may be written after it.
func (d *sum) Sum(in []byte) []byte {
	c := *d
	out := c.end()
	return append(in, out[:]...)
}

func (d *sum) write(p []byte) {
	d.size += uint64(len(p))
	if d.n > 0 {
		n := copy(d.rest[d.n:], p)
		d.n += n
		p = p[n:]
		if d.n < block {
			return
		}
		blocks(&d.state, &constants, &d.rest[0], 1)
		d.n = 0
	}
	if n := len(p) / block; n > 0 {
		blocks(&d.state, &constants, &p[0], n)
		p = p[n*block:]
	}
	d.n = copy(d.rest[:], p)
}

// end pads as section 5.1.1 says: a one, zeros, and the length in bits.
func (d *sum) end() [Size]byte {
	d.rest[d.n] = 0x80
	clear(d.rest[d.n+1:])
	if d.n >= block-8 {
		blocks(&d.state, &constants, &d.rest[0], 1)
		clear(d.rest[:])
	}
	binary.BigEndian.PutUint64(d.rest[block-8:], d.size*8)
	blocks(&d.state, &constants, &d.rest[0], 1)
	var out [Size]byte
	for i, h := range d.h {
		binary.BigEndian.PutUint32(out[4*i:], h)
	}
	return out
}

// first is the hash value to begin with: section 5.3.3.
var first = [8]uint32{
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

// constants are K of section 4.2.2.
var constants = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
