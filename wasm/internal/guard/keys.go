package guard

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/destination"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/secrets"
)

// named holds the rules for secrets, of the settings and the organisation's policy, as they are
// is in force. It is not changed, but replaced.
type named struct {
	names secrets.Names
	// origins are those that a secret may be sent to, by the name that the host's
	// store has for it.
	origins map[string][]string
	// tools are the names, as the host's store has them, of the secrets that are
	// there for tools; a device may have one under the very name. Any other secret
	// of the store stays there, whatever a model asks for.
	tools map[string]bool
	// hosts are those of the HTTP tools.
	hosts []protocol.HTTPHost
}

// nameSecrets puts together what is said of secrets. The organisation's names are
// in names already; hosts are those of its secrets, by the tool's name.
func nameSecrets(c *protocol.Settings, names secrets.Names, hosts map[string][]string) named {
	out := named{names: names, origins: map[string][]string{}, tools: map[string]bool{}, hosts: c.HTTPHosts}
	for _, n := range c.Secrets {
		if names[secrets.Scope(n.Scope)] != nil {
			out.add(n.Secret, n.Hosts)
			out.add(n.Name, n.Hosts) // a device may have one under the very name
		}
	}
	for name, stored := range names[secrets.OrganisationScope] {
		out.add(stored, hosts[name])
		out.add(name, hosts[name])
	}
	for _, scope := range names {
		for name, stored := range scope {
			out.tools[name], out.tools[stored] = true, true
		}
	}
	delete(out.tools, c.KeyName)
	return out
}

func (n named) add(stored string, hosts []string) {
	for _, h := range hosts {
		if origin := destination.Host(h); origin != "" && !slices.Contains(n.origins[stored], origin) {
			n.origins[stored] = append(n.origins[stored], origin)
		}
	}
}

// mayGo says whether the settings let a secret go to an origin.
func (n named) mayGo(stored, name, origin string) error {
	hosts := n.origins[stored]
	if origin != "" && slices.Contains(hosts, origin) {
		return nil
	}
	p := fault.P{"name": name, "host": strings.TrimPrefix(origin, "https://"), "hosts": hostNames(hosts)}
	if len(hosts) == 0 {
		return fault.New(fault.Denied, "policy.secretNoHost", p)
	}
	return fault.New(fault.Denied, "policy.secretHost", p)
}

// hostNames lists origins as people name hosts.
func hostNames(origins []string) string {
	out := make([]string, len(origins))
	for i, o := range origins {
		out[i] = strings.TrimPrefix(o, "https://")
	}
	return strings.Join(out, ", ")
}

// unlimited says whether the person lets the host app's own client ask a host.
func (n named) unlimited(address string) bool {
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"} {
		if h, err := network.Reachable(n.hosts, method, address); err == nil && h.Unlimited {
			return true
		}
	}
	return false
}
