//go:build js && wasm

package builtin_test

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox"
)

// scripts runs the scripts of these tests in the program itself: under wasm
// there are no processes. plugin/host/sandbox.test.ts has the worker.
var scripts here

type here struct{}

func (here) Run(_ context.Context, s host.Script) ([]byte, error) {
	return sandbox.Result(sandbox.New().Run(protocol.Sandbox{
		Script: s.Source, Now: s.Now.Format(time.RFC3339), MaxSteps: s.Limits.Steps,
	}, s.Input))
}
