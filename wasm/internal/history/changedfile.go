package history

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
)

// PastFile shows what a past run did to one path.
func (h *History) PastFile(ctx context.Context, p protocol.FileRef) (protocol.FileView, error) {
	l, err := journal.Load(ctx, h.deps.Store, Dir(p.Run))
	if err != nil {
		return protocol.FileView{}, fault.New(fault.NotFound, "error.review.gone", nil)
	}
	c := overlay.Change{Path: p.Path, Kind: host.File, Status: overlay.Modify}
	found := false
	for i := range l.Entries {
		e := &l.Entries[i]
		if e.Path != p.Path && e.To != p.Path || !l.Hot() && !e.Made() {
			continue
		}
		w, err := l.Write(ctx, i)
		if err != nil {
			return protocol.FileView{}, err
		}
		if !found {
			c.Before = w.Op.Before
		}
		found = true
		switch e.Kind {
		case host.OpCreate:
			c.Status, c.After = overlay.Create, w.Op.Data
		case host.OpModify:
			c.After = w.Op.Data
		case host.OpTrash, host.OpRemove:
			c.Status, c.After = overlay.Trash, nil
		case host.OpRename:
			c.Status, c.From = overlay.Rename, e.Path
		}
	}
	if !found {
		return protocol.FileView{}, host.NotFound(p.Path)
	}
	return fileview.Of(c), nil
}
