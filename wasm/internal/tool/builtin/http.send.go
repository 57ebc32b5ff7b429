package builtin

import (
	"embedded-agent/wasm/internal/tool"
)

// httpSend changes something elsewhere: that can be neither simulated nor taken
// back, so it is what a command is.
func httpSend() tool.Tool {
	t := define(tool.Tool{
		Spec: tool.Spec{
			Name: "http.send", Category: "api", SideEffects: tool.Commands, Timeout: httpTimeout,
			Facts:   tool.Facts{Requests: "POST"},
			Flags:   tool.Flags{OwnerOnly: true, Elevated: true},
			Aliases: map[string]string{"uri": "url", "address": "url", "data": "body", "format": "as"},
			Limit:   "maxBytes",
		},
		SecretsOf: headerSecrets, Cut: cutBody,
		Claims: claimAll,
	})
	t.Run = fetcher(t.Spec)
	t.Flags.WorkspaceOnly = false
	return t
}
