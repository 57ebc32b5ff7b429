//go:build !js

package codex

import (
	"os"
	"slices"
	"strings"
)

// environment lists the variables that Codex may know of the environment of whoever started it,
// by the name of the variable in capitals; a star stands for any end. Codex is
// told nothing else: the keys and tokens that lie about in an environment are
// none of its business, and what it was told a model could ask it for.
var environment = []string{
	// To be started, and to find what it starts itself (it may be a script for Node.js).
	"PATH", "PATHEXT", "COMSPEC", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR",
	// Folders: the person's own, and for temporary files.
	"HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "TMPDIR", "TEMP", "TMP",
	// Language and time zone.
	"LANG", "LANGUAGE", "LC_*", "TZ",
	// The way into the network: proxies, and who is trusted to sign for a server.
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CODEX_CA_CERTIFICATE",
}

// environ is the environment that Codex is started with: what it needs, what the
// person has named, and its home.
func environ(cfg Config) []string { return environFrom(os.Environ(), cfg) }

func environFrom(all []string, cfg Config) []string {
	var out []string
	for _, v := range all {
		name, _, ok := strings.Cut(v, "=")
		if ok && (passes(strings.ToUpper(name)) || slices.Contains(cfg.Env, name)) {
			out = append(out, v)
		}
	}
	return append(out, "CODEX_HOME="+cfg.Home)
}

func passes(name string) bool {
	return slices.ContainsFunc(environment, func(known string) bool {
		if start, any := strings.CutSuffix(known, "*"); any {
			return strings.HasPrefix(name, start)
		}
		return name == known
	})
}
