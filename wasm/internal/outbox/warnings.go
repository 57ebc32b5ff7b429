package outbox

import (
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
)

// Warnings gives those of a plan's problems that do not stop it, as the panel
// shows them.
func Warnings(problems []plan.Problem) []protocol.Message {
	var out []protocol.Message
	for _, p := range problems {
		if p.Warning {
			out = append(out, protocol.Message{Key: p.Key, Params: p.Params})
		}
	}
	return out
}
