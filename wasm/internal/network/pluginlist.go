package network

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"embedded-agent/wasm/internal/community"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/web"
)

// listTimeout bounds fetching the list.
const listTimeout = 30 * time.Second

// PluginList fetches the list of community plugins by the app's own client: the
// list's host lets no page read it by itself. NETWORK_ERROR where there is no
// transport or the list cannot be reached, PROVIDER_ERROR where the answer is not
// the list or is too long.
func PluginList(ctx context.Context, t web.Transport) ([]byte, error) {
	if t == nil {
		return nil, fault.New(fault.Network, "tools.plugins.list", nil)
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	out := Out{Transport: t, List: true}
	res, err := out.Do(ctx, web.Request{Method: "GET", URL: community.Address, Via: web.ViaApp})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	if res.Status() != 200 {
		return nil, fault.New(fault.Provider, "tools.http.refused", fault.P{"url": community.Address, "status": strconv.Itoa(res.Status())})
	}
	var raw []byte
	for {
		chunk, err := res.Read(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return raw, nil
		case err != nil:
			return nil, err
		case len(raw)+len(chunk) > community.MaxList:
			return nil, fault.New(fault.Provider, "tools.plugins.list", nil)
		}
		raw = append(raw, chunk...)
	}
}
