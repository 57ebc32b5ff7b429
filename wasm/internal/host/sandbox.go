package host

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/moment"
)

// Script is a script to be run where it can do no harm. Input is JSON, handed
// to the script's function main; Now is its only clock.
type Script struct {
	Source string
	Input  []byte
	Now    time.Time
	Limits ScriptLimits
	// Dates writes and reads dates; nil is English.
	Dates *moment.Locale
}

// ScriptLimits bound a script. Zero values are the sandbox's own.
type ScriptLimits struct {
	Steps int64         // of the interpreter
	Time  time.Duration // by the clock, without what a sandbox takes to start
	MB    int           // all the memory that the sandbox has
}

// Sandbox runs scripts, apart from all else, one after the other.
type Sandbox interface {
	// Run gives the script's output as JSON. A script that fails or is stopped,
	// and a host that has no sandbox, are SANDBOX_ERROR.
	Run(ctx context.Context, s Script) ([]byte, error)
}

// InstalledPlugin is a community plugin that is in the vault.
type InstalledPlugin struct {
	ID      string
	Enabled bool
}

// Plugins says which community plugins are there.
type Plugins interface {
	Installed(ctx context.Context) ([]InstalledPlugin, error)
}
