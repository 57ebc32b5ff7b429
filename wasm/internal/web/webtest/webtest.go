// Package webtest has a server that does what it should not, and settings that let
// requests reach it, for tests of whatever reads the web.
package webtest

import "embedded-agent/wasm/internal/protocol"

// Allowed gives settings that let tools reach some hosts, also some that no setting
// may let them reach.
func Allowed() protocol.Settings {
	return protocol.Settings{AllowHTTP: true, HTTPHosts: []protocol.HTTPHost{
		{Host: "api.example.com", Methods: []string{"GET", "HEAD", "POST"}},
		{Host: "*.example.org"},
		{Host: "old.example.net", Methods: []string{"GET", "POST"}, Unlimited: true},
		{Host: "localhost"},
		{Host: "127.0.0.1"},
		{Host: "router"},
		{Host: "*.local"},
	}}
}
