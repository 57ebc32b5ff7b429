// Package record frames the records of the run folder: the journal and the
// audit files alike.
//
// A file is a sequence of lines, each one JSON object:
//
//	{"h":"<32 hex digits>","l":<length of r in bytes>,"r":<record>}\n
//
// h is the first half of SHA-256 over the previous line's h (for the first
// line, of the file's name) and the bytes of r. So it is at once a checksum and
// a link in a chain: a line that was changed, left out or moved is found, and
// an unfinished last line (a crash can leave any prefix of an append) ends the
// reading without an error.
//
// Anybody can compute h. With a key (package seal) it is the first half of the
// HMAC-SHA-256 over the same bytes instead, and only who has the key can write
// a record, move one, or make a file of another name of it.
package record

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strconv"

	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/seal"
)

const hashLen = 32 // hex digits

// Chain appends framed records. The zero value is not usable; see New.
type Chain struct {
	prev [hashLen]byte
	n    int
	key  *seal.Key // nil: without one
}

// New starts the chain of an empty file. The name is part of the first link,
// so that whole files cannot change places.
func New(name string) *Chain { return NewSealed(nil, name) }

// NewSealed is New with a key; without one (nil) it is New.
func NewSealed(key *seal.Key, name string) *Chain {
	c := &Chain{key: key}
	c.set(nil, []byte(name))
	return c
}

// set makes the link over the parts.
func (c *Chain) set(a, b []byte) {
	var sum [digest.Size]byte
	if c.key != nil {
		sum = c.key.Sum(a, b)
	} else {
		h := digest.New()
		h.Write(a)
		h.Write(b)
		h.Sum(sum[:0])
	}
	hex.Encode(c.prev[:], sum[:hashLen/2])
}

// Len counts the records so far.
func (c *Chain) Len() int { return c.n }

// Head gives the last link, which stands for the whole file.
func (c *Chain) Head() string { return string(c.prev[:]) }

// Append frames one record (JSON without newlines) onto dst.
func (c *Chain) Append(dst, rec []byte) []byte {
	c.link(rec)
	dst = append(dst, `{"h":"`...)
	dst = append(dst, c.prev[:]...)
	dst = append(dst, `","l":`...)
	dst = strconv.AppendInt(dst, int64(len(rec)), 10)
	dst = append(dst, `,"r":`...)
	dst = append(dst, rec...)
	return append(dst, '}', '\n')
}

// link advances the chain over one record.
func (c *Chain) link(rec []byte) {
	c.set(c.prev[:], rec)
	c.n++
}

// ErrBroken means that a record before the end of the file does not fit the
// chain: it was changed, or one before it is missing.
var ErrBroken = errors.New("a record was changed or is missing")

// Read takes a file apart. It gives the whole records, the chain to go on
// with, and how many bytes of the file they take: less than its length when
// the tail is torn. ErrBroken is given with the records before the break.
func Read(name string, data []byte) (recs [][]byte, c *Chain, good int, err error) {
	return ReadSealed(nil, name, data)
}

// Frames takes a file apart whoever wrote it: the records whose lines are
// whole, up to the first that is not. Nothing is checked; they are for showing.
func Frames(data []byte) (recs [][]byte) {
	for len(data) > 0 {
		rec, size, ok := frame(data)
		if !ok {
			break
		}
		recs, data = append(recs, rec), data[size:]
	}
	return recs
}

// ReadSealed is Read of a file that was written with a key.
func ReadSealed(key *seal.Key, name string, data []byte) (recs [][]byte, c *Chain, good int, err error) {
	c = NewSealed(key, name)
	for good < len(data) {
		rec, size, ok := frame(data[good:])
		if ok {
			before := *c
			c.link(rec)
			if ok = bytes.Equal(data[good+6:good+6+hashLen], c.prev[:]); !ok {
				*c = before
			}
		}
		if !ok {
			// What does not fit is a torn tail only if no line follows it.
			rest := data[good:]
			if i := bytes.IndexByte(rest, '\n'); i >= 0 && i+1 < len(rest) {
				return recs, c, good, ErrBroken
			} else if i >= 0 && size > 0 {
				return recs, c, good, ErrBroken
			}
			return recs, c, good, nil
		}
		recs = append(recs, rec)
		good += size
	}
	return recs, c, good, nil
}

// frame reads one line. ok is false when it is incomplete or malformed; size
// is its length when its frame is whole.
func frame(line []byte) (rec []byte, size int, ok bool) {
	const head = `{"h":"`
	if len(line) < len(head)+hashLen+8 || string(line[:len(head)]) != head {
		return nil, 0, false
	}
	rest := line[len(head)+hashLen:]
	if string(rest[:6]) != `","l":` {
		return nil, 0, false
	}
	rest = rest[6:]
	comma := bytes.IndexByte(rest, ',')
	if comma < 1 || comma > 12 {
		return nil, 0, false
	}
	n, err := strconv.Atoi(string(rest[:comma]))
	if err != nil || n < 0 {
		return nil, 0, false
	}
	rest = rest[comma:]
	if len(rest) < 5+n+2 || string(rest[:5]) != `,"r":` || rest[5+n] != '}' || rest[5+n+1] != '\n' {
		return nil, 0, false
	}
	size = len(line) - len(rest) + 5 + n + 2
	return rest[5 : 5+n], size, true
}
