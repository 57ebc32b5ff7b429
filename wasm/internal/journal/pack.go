package journal

import (
	"context"
	"fmt"
	"strconv"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/host"
)

// Ref points to bytes in a pack file: its number, offset and length. A nil Ref
// means that there are no bytes (no file).
type Ref []int64

func packName(n int) string { return fmt.Sprintf("blobs/%03d.pack", n) }

// packer collects the bytes of a window and says where they will be. The same
// bytes are kept once.
type packer struct {
	known map[string]Ref
	n     int
	size  int64
	room  int // what the next bytes to be collected may come to
	open  []pack
}

type pack struct {
	n    int
	data []byte
}

func newPacker() packer { return packer{known: map[string]Ref{}} }

// add gives the place of some bytes, adding them when they are new.
func (p *packer) add(etag string, data []byte) Ref {
	if r, ok := p.known[etag]; ok {
		return r
	}
	if p.size > 0 && p.size+int64(len(data)) > packBytes {
		p.n++
		p.size = 0
	}
	if len(p.open) == 0 || p.open[len(p.open)-1].n != p.n {
		p.open = append(p.open, pack{n: p.n, data: make([]byte, 0, max(p.room, len(data)))})
	}
	last := &p.open[len(p.open)-1]
	r := Ref{int64(p.n), p.size, int64(len(data))}
	last.data = append(last.data, data...)
	p.size += int64(len(data))
	p.known[etag] = r
	return r
}

// take gives what is to be appended, and forgets it.
func (p *packer) take() []pack {
	out := p.open
	p.open = nil
	for i := len(out) - 1; i >= 0; i-- {
		if len(out[i].data) == 0 {
			out = append(out[:i], out[i+1:]...)
		}
	}
	return out
}

// opRecord is the op record of write i. It is written by appending: encoding by
// reflection would be a large part of a run's cost.
func (p *packer) opRecord(i int, op *Planned) []byte {
	b := make([]byte, 0, 320)
	b = append(b, `{"t":"op","i":`...)
	b = strconv.AppendInt(b, int64(i), 10)
	b = appendField(b, "call", op.Call)
	b = appendField(b, "kind", string(op.Op.Kind))
	b = appendField(b, "path", op.Op.Path)
	if op.Op.To != "" {
		b = appendField(b, "to", op.Op.To)
	}
	if op.BeforeEtag != "" {
		b = appendField(b, "before", op.BeforeEtag)
		b = appendRef(b, "pre", p.add(op.BeforeEtag, op.Op.Before))
	}
	if op.AfterEtag != "" {
		b = appendField(b, "after", op.AfterEtag)
		b = appendRef(b, "post", p.add(op.AfterEtag, op.Op.Data))
	}
	if op.Op.Follows {
		b = append(b, `,"follows":true`...)
	}
	return append(b, '}')
}

func appendField(b []byte, name, value string) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return canon.AppendString(b, value)
}

func appendRef(b []byte, name string, r Ref) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, `":[`...)
	for i, n := range r {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return append(b, ']')
}

// Blobs reads bytes back out of a run's packs, one pack held at a time.
type Blobs struct {
	store host.Store
	dir   string
	n     int64
	data  []byte
	held  bool
}

// NewBlobs opens the packs of a run folder.
func NewBlobs(store host.Store, dir string) *Blobs { return &Blobs{store: store, dir: dir} }

// Get gives the bytes at r and checks them against their etag: a run whose
// packs were changed or cut is not restored from.
func (b *Blobs) Get(ctx context.Context, r Ref, etag string) ([]byte, error) {
	if len(r) != 3 {
		return nil, corrupt(b.dir)
	}
	if r[2] == 0 && etag == host.Etag(nil) {
		return []byte{}, nil // a run of empty notes alone has no pack
	}
	if !b.held || b.n != r[0] {
		data, err := b.store.Read(ctx, b.dir+"/"+packName(int(r[0])))
		if err != nil {
			return nil, err
		}
		b.n, b.data, b.held = r[0], data, true
	}
	if r[1] < 0 || r[2] < 0 || r[1] > int64(len(b.data)) || r[2] > int64(len(b.data))-r[1] {
		return nil, corrupt(b.dir)
	}
	out := b.data[r[1] : r[1]+r[2] : r[1]+r[2]]
	if host.Etag(out) != etag {
		return nil, corrupt(b.dir)
	}
	return out, nil
}
