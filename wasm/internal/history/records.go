package history

import (
	"bytes"
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// Size counts the runs of this device, and the bytes that they and the traces of
// turns take.
func (h *History) Size(ctx context.Context) (runs int, bytes int64, err error) {
	own, err := h.own(ctx)
	if err != nil {
		return 0, 0, err
	}
	if bytes, err = h.deps.Sizes.Size(ctx, TracesFolder); err != nil {
		return 0, 0, err
	}
	for _, id := range own {
		n, err := h.deps.Sizes.Counted(ctx, Dir(id))
		if err != nil {
			return 0, 0, err
		}
		bytes += n
	}
	return len(own), bytes, nil
}

// CopyTo copies the runs of this device but some into a folder of a vault, byte for
// byte, so that they keep their seals: runs/RUN below it, as in a store. The
// folder is made. What was copied is read back, and CONFLICT where it is not the
// same.
func (h *History) CopyTo(ctx context.Context, v host.Vault, folder string, but []string) (runs int, bytes int64, err error) {
	own, err := h.own(ctx)
	if err != nil {
		return 0, 0, err
	}
	own = slices.DeleteFunc(own, func(id string) bool { return slices.Contains(but, id) })
	for _, dir := range []string{folder, folder + "/" + runsFolder} {
		if _, err := v.Apply(ctx, host.Op{Kind: host.OpMkdir, Path: dir}); err != nil {
			return 0, 0, err
		}
	}
	c := &copying{from: h.deps.Store, vault: v, to: folder}
	for _, id := range own {
		n, err := c.folder(ctx, Dir(id))
		if err != nil {
			return runs, bytes, err
		}
		runs++
		bytes += n
	}
	return runs, bytes, nil
}

// copying copies from a store into a folder of a vault.
type copying struct {
	from  host.Store
	vault host.Vault
	to    string
}

// folder copies a folder with all that is in it, and gives its bytes.
func (c *copying) folder(ctx context.Context, folder string) (int64, error) {
	if _, err := c.vault.Apply(ctx, host.Op{Kind: host.OpMkdir, Path: c.to + "/" + folder}); err != nil {
		return 0, err
	}
	entries, err := c.from.List(ctx, folder)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, e := range entries {
		copied := c.file
		if e.Kind == host.Folder {
			copied = c.folder
		}
		n, err := copied(ctx, e.Path)
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, nil
}

func (c *copying) file(ctx context.Context, path string) (int64, error) {
	data, err := c.from.Read(ctx, path)
	if err != nil {
		return 0, err
	}
	at := c.to + "/" + path
	if _, err := c.vault.Apply(ctx, host.Op{Kind: host.OpCreate, Path: at, Data: data}); err != nil {
		return 0, err
	}
	again, err := c.vault.Read(ctx, at)
	if err == nil && !bytes.Equal(again, data) {
		err = fault.New(fault.Conflict, "error.records.notSame", fault.P{"path": at})
	}
	return int64(len(data)), err
}
