// Package network decides what the core may reach (docs/design/network.md#what-may-be-reached).
package network

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/community"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
)

// Out is the only way out of the core (docs/design/network.md#what-may-be-reached). It sends a request to the
// chosen provider, to the list of community plugins, or to a host that the
// person allowed for the HTTP tools: each user of it has one of the three, and
// reaches nothing else. Whatever a dialect, an answer, a model or a note makes
// of an address, it is compared with the settings here.
type Out struct {
	web.Transport
	Base  string              // the provider's address, and what is below it
	List  bool                // the list of community plugins
	Hosts []protocol.HTTPHost // the hosts of the HTTP tools
	// Buffered is told of an answer that could not be streamed.
	Buffered func()
}

// Do sends a request where it may go.
func (n Out) Do(ctx context.Context, r web.Request) (web.Response, error) {
	if !n.May(r) {
		return nil, fault.New(fault.Denied, "policy.network", fault.P{"url": r.URL})
	}
	answer, err := n.Transport.Do(ctx, r)
	if err == nil && r.Stream && n.Buffered != nil && web.Buffered(answer) {
		n.Buffered()
	}
	return answer, err
}

// May is the rule: the one function that decides what is reached.
func (n Out) May(r web.Request) bool {
	switch {
	case n.Base != "":
		return below(n.Base, r.URL)
	case n.List:
		return r.Method == "GET" && r.URL == community.Address
	}
	_, err := Reachable(n.Hosts, r.Method, r.URL)
	return err == nil
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

// Reachable gives the entry of the settings by which a tool may send a request,
// POLICY_DENIED where there is none. The address has to be https, without a
// person's name, with the host as the list has it, and never a number, a name
// of this machine or of the local network, whatever the list says.
func Reachable(hosts []protocol.HTTPHost, method, address string) (protocol.HTTPHost, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Opaque != "" || u.Host == "" {
		return protocol.HTTPHost{}, fault.New(fault.Denied, "policy.httpAddress", fault.P{"url": address})
	}
	host := strings.ToLower(u.Host)
	if !Public(host) {
		return protocol.HTTPHost{}, fault.New(fault.Denied, "policy.httpPrivate", fault.P{"host": u.Host})
	}
	named := fault.P{"host": u.Host, "method": method}
	denied := fault.New(fault.Denied, "policy.httpHost", named)
	for _, h := range hosts {
		if !matches(strings.ToLower(strings.TrimSpace(h.Host)), host) {
			continue
		}
		if allowed := methodsOf(h); slices.Contains(allowed, method) {
			return h, nil
		}
		denied = fault.New(fault.Denied, "policy.httpMethod", named)
	}
	return protocol.HTTPHost{}, denied
}

// methodsOf are the methods of an entry: those that read where it names none.
func methodsOf(h protocol.HTTPHost) []string {
	if len(h.Methods) == 0 {
		return []string{"GET", "HEAD"}
	}
	return h.Methods
}

// matches compares a host with an entry: the same name and port, or one below
// "*.example.com".
func matches(entry, host string) bool {
	if below, ok := strings.CutPrefix(entry, "*."); ok {
		return strings.HasSuffix(host, "."+below)
	}
	return entry == host
}

// local are the ends of names that are not of the public network.
var local = []string{"localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa", "test", "invalid", "onion"}

// Public says whether a host, with its port, is a name of the public network:
// at least two labels of letters, digits and hyphens, the last of them no
// number in any notation (a browser reads "127.1" and "0x7f.1" as addresses).
// Other characters are refused, so that no two readers of an address see
// different hosts in it.
func Public(host string) bool {
	name, port, hasPort := strings.Cut(host, ":")
	if hasPort && (port == "" || strings.Trim(port, "0123456789") != "") {
		return false
	}
	labels := strings.Split(name, ".")
	if len(labels) < 2 {
		return false
	}
	for _, l := range labels {
		if l == "" || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	if last := labels[len(labels)-1]; last[0] >= '0' && last[0] <= '9' {
		return false
	}
	for _, end := range local {
		if name == end || strings.HasSuffix(name, "."+end) {
			return false
		}
	}
	return true
}
