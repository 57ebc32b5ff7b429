package builtin

import (
	"context"

	"embedded-agent/wasm/internal/tool"
)

// httpSend changes something elsewhere: that can be neither simulated nor taken
// back, so it is what a command is.
func httpSend() tool.Tool {
	t := define(tool.Tool{
		Spec: tool.Spec{
			Name: "http.send", Category: "api", SideEffects: tool.Commands, Timeout: httpTimeout,
			Flags:   tool.Flags{OwnerOnly: true, Elevated: true},
			Aliases: map[string]string{"uri": "url", "address": "url", "data": "body", "format": "as"},
			Limit:   "maxBytes",
		},
		SecretsOf: headerSecrets, Cut: cutBody,
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			method := args.String("method")
			if method == "" {
				method = "POST"
			}
			return fetch(ctx, env, method, args)
		},
		Claims: claimAll,
	})
	t.Flags.WorkspaceOnly = false
	return t
}
