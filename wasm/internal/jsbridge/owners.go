package jsbridge

import (
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

type owners struct{ c *Conn }

func (o owners) Self(ctx context.Context) (host.Owner, error) {
	r, _, err := ask[protocol.Owner](ctx, o.c, "owner.self", noParams)
	return host.Owner{Device: r.Device, Window: r.Window}, err
}

func (o owners) Gone(ctx context.Context, window string) (bool, error) {
	r, _, err := ask[protocol.WindowGone](ctx, o.c, "owner.gone", jsonParams(protocol.WindowRef{Window: window}))
	return r.Gone, err
}

func (o owners) Quiet(ctx context.Context) error { return do(ctx, o.c, "owner.quiet", noParams) }
