package jsbridge

import (
	"bytes"
	"context"
	"fmt"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

// changes asks the app's side what has changed.
type changes struct{ c *Conn }

// Since implements host.Changes.
func (f changes) Since(ctx context.Context, generation, page int64) (host.Changed, error) {
	const method = "vault.since"
	data, _, err := f.c.Call(ctx, method, jsonParams(protocol.Since{Generation: generation, Page: page}))
	if err != nil {
		return host.Changed{}, err
	}
	head, infos, fast := cutInfos(data)
	var r protocol.Changed
	if err := decode(method, head, &r); err != nil {
		return host.Changed{}, err
	}
	if !fast {
		for _, i := range r.Changed {
			infos = append(infos, info(i))
		}
	}
	return host.Changed{
		Generation: r.Generation, All: r.All, Page: r.Page, Open: r.Open, Removed: r.Removed, Changed: infos,
	}, nil
}

// cutInfos parts an answer of vault.since, as JSON.stringify writes it, into
// what comes before its list of entries and the list. These bytes stand in no
// string: there the quotes would be escaped.
func cutInfos(data []byte) (head []byte, infos []host.Info, ok bool) {
	const list = `,"changed":`
	at := bytes.Index(data, []byte(list))
	if at < 0 {
		return data, nil, false
	}
	rest := append([]byte(`{"entries":`), data[at+len(list):]...)
	if infos, ok = parseInfos(rest); !ok {
		return data, nil, false
	}
	return append(bytes.Clone(data[:at]), '}'), infos, true
}

// ReadMany implements host.Reads.
func (v vault) ReadMany(ctx context.Context, paths []string) ([]host.FileBytes, error) {
	const method = "vault.reads"
	if len(paths) == 0 {
		return nil, nil
	}
	r, blobs, err := ask[protocol.Contents](ctx, v.c, method, pathsParams(paths))
	if err != nil {
		return nil, err
	}
	if r.Blob < 0 || r.Blob >= len(blobs) || len(r.Sizes) != len(paths) {
		return nil, fault.New(fault.Internal, "error.internal", nil).With(fmt.Errorf("%s: blob %d of %d", method, r.Blob, len(blobs)))
	}
	out, rest := make([]host.FileBytes, len(paths)), blobs[r.Blob]
	for i, size := range r.Sizes {
		if size < 0 {
			out[i].Missing = true
			continue
		}
		size = min(size, len(rest))
		out[i].Data, rest = rest[:size:size], rest[size:]
	}
	for _, i := range r.Unsaved {
		if i >= 0 && i < len(out) {
			out[i].Unsaved = true
		}
	}
	return out, nil
}

// metadata asks the app's metadata cache.
type metadata struct{ c *Conn }

// Of implements host.Metadata.
func (m metadata) Of(ctx context.Context, paths []string) ([]host.Meta, error) {
	r, _, err := ask[protocol.Metadata](ctx, m.c, "vault.metadata", pathsParams(paths))
	if err != nil {
		return nil, err
	}
	out := make([]host.Meta, len(r.Files))
	for i, f := range r.Files {
		out[i] = host.Meta{
			Path: f.Path, Size: f.Size, MTime: f.MTime, Stale: f.Stale,
			Tags: f.Tags, Links: f.Links, Properties: f.Properties, Tasks: f.Tasks,
		}
		if f.Properties != "" && canon.CheckDepth([]byte(f.Properties)) != nil {
			out[i].Stale = true
		}
	}
	return out, nil
}

// pathsParams are those of the calls that take several paths.
func pathsParams(paths []string) Params {
	return func(dst []byte, _ func([]byte) int) []byte {
		dst = append(dst, `{"paths":[`...)
		for i, p := range paths {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = canon.AppendString(dst, p)
		}
		return append(dst, "]}"...)
	}
}
