//go:build js && wasm

// Command wasm is the core of Embedded Agent: it serves the shell's messages.
package main

import (
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/jsbridge"
	"embedded-agent/wasm/internal/protocol"
)

func main() {
	jsbridge.Main(func(jsbridge.Core) jsbridge.Server { return greeter{} })
}

// greeter answers hello and nothing else.
type greeter struct{}

func (greeter) Handle(_ context.Context, method string, _ []byte) ([]byte, error) {
	if method != "hello" {
		return nil, fault.New(fault.NotFound, "error.core.notReady", nil)
	}
	return json.Marshal(protocol.Welcome{Contract: protocol.Contract})
}
