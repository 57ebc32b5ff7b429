package index

import (
	"encoding/binary"
	"hash/crc32"

	"embedded-agent/wasm/internal/text"
)

// A segment of the index is a file of blocks, one after the other:
//
//	"eai1" | length of the body, 4 bytes | CRC-32 of the body, 4 bytes | body
//
// and a body is records, one after the other (numbers are uvarints, bytes have
// their length before them):
//
//	bytes of the path that it has in common with the record before
//	the rest of the path
//	size, time of last change in ms
//	signature
//
// A record says no more than: the text of the file of this path, size and time
// has this signature. So any record that is whole is true, wherever it stands;
// what is torn, damaged or too old costs reading the files again.
const (
	blockMagic  = "eai1"
	blockHead   = len(blockMagic) + 8
	maxBlock    = 16 << 20
	maxPathSize = 1 << 16
)

// record is one line of a segment.
type record struct {
	path        string
	size, mtime int64
	sig         []byte
}

// recordSize is about how many bytes a file's record has.
func recordSize(f *file) int64 { return int64(len(f.sig) + len(f.Path)/2 + 16) }

// appendBlock appends a block of files' records.
func appendBlock(dst []byte, files []*file) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, blockHead)...)
	last := ""
	for _, f := range files {
		n := text.CommonPrefix(last, f.Path)
		dst = binary.AppendUvarint(dst, uint64(n))
		dst = appendBytes(dst, f.Path[n:])
		dst = binary.AppendUvarint(dst, uint64(f.Size))
		dst = binary.AppendUvarint(dst, uint64(f.MTime))
		dst = appendBytes(dst, string(f.sig))
		last = f.Path
	}
	body := dst[start+blockHead:]
	copy(dst[start:], blockMagic)
	binary.LittleEndian.PutUint32(dst[start+4:], uint32(len(body)))
	binary.LittleEndian.PutUint32(dst[start+8:], crc32.ChecksumIEEE(body))
	return dst
}

func appendBytes(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

// readSegment calls use with every record up to the first damage, and says
// whether there was none. What use is given lies in data.
func readSegment(data []byte, use func(record)) bool {
	for len(data) > 0 {
		if len(data) < blockHead || string(data[:4]) != blockMagic {
			return false
		}
		n := binary.LittleEndian.Uint32(data[4:])
		sum := binary.LittleEndian.Uint32(data[8:])
		data = data[blockHead:]
		if n > maxBlock || uint64(n) > uint64(len(data)) || crc32.ChecksumIEEE(data[:n]) != sum {
			return false
		}
		if !readBody(data[:n], use) {
			return false
		}
		data = data[n:]
	}
	return true
}

// reader takes a body apart.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.bad = true
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) bytes() []byte {
	n := r.number()
	if r.bad || n > uint64(len(r.data)) {
		r.bad = true
		return nil
	}
	out := r.data[:n]
	r.data = r.data[n:]
	return out
}

func readBody(body []byte, use func(record)) bool {
	r := reader{data: body}
	last := ""
	for len(r.data) > 0 {
		shared := r.number()
		rest := r.bytes()
		rec := record{size: int64(r.number()), mtime: int64(r.number())}
		rec.sig = r.bytes()
		if r.bad || shared > uint64(len(last)) || shared+uint64(len(rest)) > maxPathSize || !validSignature(rec.sig) {
			return false
		}
		rec.path = last[:shared] + string(rest)
		last = rec.path
		use(rec)
	}
	return true
}
