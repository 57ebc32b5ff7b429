package server

import (
	"context"
	"net/url"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
)

// network is the only way out of the core: it sends a request to the chosen
// provider, and to nowhere else (DESIGN §7). Whatever a dialect, an answer or
// a note makes of an address, it is compared with the settings here.
type network struct {
	llm.Transport
	base string
	// buffered is told of an answer that could not be streamed.
	buffered func()
}

// Do sends a request below the provider's base address.
func (n network) Do(ctx context.Context, r llm.HTTPRequest) (llm.HTTPResponse, error) {
	if !below(n.base, r.URL) {
		return nil, fault.New(fault.Denied, "policy.network", fault.P{"url": r.URL})
	}
	answer, err := n.Transport.Do(ctx, r)
	if err == nil && r.Stream && n.buffered != nil && llm.Buffered(answer) {
		n.buffered()
	}
	return answer, err
}

// below says whether an address is the base address or lies under it: same
// scheme, host and port, and no way back up.
func below(base, address string) bool {
	b, err := url.Parse(base)
	if err != nil || b.Host == "" || (b.Scheme != "https" && b.Scheme != "http") {
		return false
	}
	a, err := url.Parse(address)
	if err != nil || a.User != nil || a.Scheme != b.Scheme || !strings.EqualFold(a.Host, b.Host) {
		return false
	}
	under := strings.TrimRight(b.EscapedPath(), "/") + "/"
	return strings.HasPrefix(a.EscapedPath()+"/", under) && !strings.Contains(strings.ToLower(a.EscapedPath()), "..") &&
		!strings.Contains(strings.ToLower(a.EscapedPath()), "%2e")
}
