package builtin

import (
	"embedded-agent/wasm/internal/tool"
)

// httpRequest reads. It runs in the simulation; the run takes what came then. Its
// results may be reused for no time at all by the next review; within one, they
// are.
func httpRequest() tool.Tool {
	t := define(tool.Tool{
		Spec: tool.Spec{
			Name: "http.request", Category: "api", SideEffects: tool.Reads, Cache: tool.CacheTTL, Timeout: httpTimeout,
			Facts:   tool.Facts{Requests: "GET", ReadsElsewhere: true},
			Aliases: map[string]string{"uri": "url", "address": "url", "cacheSeconds": "ttl", "format": "as"},
			Limit:   "maxBytes",
		},
		SecretsOf: headerSecrets, Cut: cutBody,
	})
	t.Run = fetcher(t.Spec)
	t.Flags.WorkspaceOnly = false
	return t
}
