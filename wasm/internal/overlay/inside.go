package overlay

import (
	"context"

	"embedded-agent/wasm/internal/host"
)

// MovesAlong lists the files that move along with a folder that is renamed; nil for
// any other change.
func (b *Base) MovesAlong(ctx context.Context, c Change) ([]string, error) {
	if b == nil || c.Status != Rename || c.Kind != host.Folder {
		return nil, nil
	}
	inside, err := b.inside(ctx, c.From)
	if inside == nil {
		inside = []string{}
	}
	return inside, err
}

// inside lists the files in a folder and below it.
func (b *Base) inside(ctx context.Context, folder string) ([]string, error) {
	list, err := b.List(ctx, folder)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, info := range list {
		if info.Kind != host.Folder {
			out = append(out, info.Path)
			continue
		}
		below, err := b.inside(ctx, info.Path)
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	return out, nil
}
