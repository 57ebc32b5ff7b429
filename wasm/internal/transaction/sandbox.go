package transaction

import (
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

// minCodeMB is the sandbox's own need of memory, in megabytes, with some room for a script.
const minCodeMB = 64

// scriptLimits are the bounds of one script.
func scriptLimits(c protocol.Settings) host.ScriptLimits {
	return host.ScriptLimits{Time: time.Duration(c.CodeMaxMs) * time.Millisecond, MB: max(c.CodeMaxMB, minCodeMB)}
}
