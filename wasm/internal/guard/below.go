package guard

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// Below refuses to move or remove a folder with something in it that may not be
// seen, since that would be moved or removed too: the refusal is POLICY_DENIED,
// and does not name what is there. A folder that cannot be looked into is
// refused with the reason. What is no folder, or not there, is for the vault
// itself to answer.
func Below(ctx context.Context, v host.Vault, op host.Op, may func(path string) error) error {
	switch op.Kind {
	case host.OpRename, host.OpRmdir:
	case host.OpTrash:
		if op.Before != nil {
			return nil // a file
		}
	default:
		return nil
	}
	info, err := v.Stat(ctx, op.Path)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	case info.Kind != host.Folder:
		return nil
	}
	below, err := v.Walk(ctx, op.Path)
	if err != nil {
		return err
	}
	for _, e := range below {
		if may(e.Path) != nil {
			return fault.New(fault.Denied, "error.path.unseenBelow", fault.P{"path": op.Path})
		}
	}
	return nil
}
