package staged

import (
	"context"

	"embedded-agent/wasm/internal/copychange"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// again plans the writes of staged calls, in their order.
func (p *planning) again(ctx context.Context, lines []noted) error {
	for _, n := range lines {
		for i := range n.Writes {
			if err := p.write(ctx, n.Writes[i].op()); err != nil {
				return err
			}
		}
	}
	return nil
}

// write plans one write of a call on the notes as they are by now. Its error is a
// failure of the vault, not a refusal.
func (p *planning) write(ctx context.Context, op host.Op) error {
	switch op.Kind {
	case host.OpCreate:
		return p.create(ctx, copychange.Change{Path: op.Path, Data: op.Data})
	case host.OpModify:
		return p.modify(ctx, op.Path, op.Path, copychange.Change{Base: op.Before, Data: op.Data})
	case host.OpRename:
		return p.rename(ctx, op)
	case host.OpTrash:
		if op.Before == nil {
			return p.trashFolder(ctx, op.Path)
		}
		return p.delete(ctx, copychange.Change{Path: op.Path, Base: op.Before})
	case host.OpMkdir:
		return p.one(ctx, copychange.Change{Kind: copychange.Mkdir, Path: op.Path})
	case host.OpRmdir:
		return p.rmdir(ctx, op.Path)
	case host.OpRemove: // of reverts alone: no tool does it
	}
	return fault.New(fault.Internal, "error.internal", nil)
}

// rename moves a file or a folder, with what the person has changed in it. One that has
// moved there already, such as by a run that was interrupted, is left alone.
func (p *planning) rename(ctx context.Context, op host.Op) error {
	_, there, err := p.stat(ctx, op.Path)
	if err != nil {
		return err
	}
	if !there {
		if _, moved, err := p.stat(ctx, op.To); err != nil || moved {
			return err
		}
		p.leave(p.edited, op.To, nil)
		return nil
	}
	return p.apply(ctx, op.To, host.Op{Kind: host.OpRename, Path: op.Path, To: op.To})
}

func (p *planning) trashFolder(ctx context.Context, path string) error {
	info, there, err := p.stat(ctx, path)
	if err != nil || !there || info.Kind != host.Folder {
		return err
	}
	return p.apply(ctx, path, host.Op{Kind: host.OpTrash, Path: path})
}
