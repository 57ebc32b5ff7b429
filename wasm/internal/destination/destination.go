// Package destination says where a web address leads, as a person should read
// it: the host first, without the disguises that an address allows.
package destination

import (
	"net/url"
	"strings"
)

// Destination is where an address leads.
type Destination struct {
	// Origin is the scheme, host and port, in lower case and without the port
	// that the scheme has anyway: what a key is bound to. "" is no address.
	Origin string
	// Host is the host as the address has it, with its port.
	Host string
	// Shown is the host in the letters that people read, where that is another
	// form of it (xn--bcher-kva.example is bücher.example); else "".
	Shown string
}

// Of reads an address.
func Of(address string) Destination {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.User != nil {
		return Destination{}
	}
	host := strings.ToLower(u.Host)
	bare := host
	if port := u.Port(); port == "" || port == map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		bare = strings.TrimSuffix(host, ":"+port)
	}
	d := Destination{Origin: u.Scheme + "://" + bare, Host: host}
	if shown := decoded(host); shown != host {
		d.Shown = shown
	}
	return d
}

// Host gives the origin of a host that a person has named, as example.com,
// example.com:8443 or https://example.com: by https where they name no scheme.
// "" is none.
func Host(name string) string {
	name = strings.TrimSpace(name)
	if !strings.Contains(name, "://") {
		name = "https://" + name
	}
	u, err := url.Parse(name)
	if err != nil || strings.ContainsAny(u.Host, "*%") {
		return ""
	}
	return Of(name).Origin
}

// decoded gives a host with its labels decoded that are not written in the
// letters that they stand for. A label that is none stays as it is.
func decoded(host string) string {
	labels := strings.Split(host, ".")
	for i, l := range labels {
		name, port, _ := strings.Cut(l, ":")
		if code, ok := strings.CutPrefix(name, "xn--"); ok {
			if text, ok := punycode(code); ok {
				labels[i] = text
				if port != "" {
					labels[i] += ":" + port
				}
			}
		}
	}
	return strings.Join(labels, ".")
}
