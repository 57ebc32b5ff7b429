//go:build js && wasm

// Command wasm is the core of Embedded Agent: it builds the server and serves
// the messages of the app's side. Started as the sandbox, it runs scripts and nothing
// else.
package main

import (
	"os"
	"slices"

	"embedded-agent/wasm/internal/jsbridge"
	"embedded-agent/wasm/internal/memory"
	"embedded-agent/wasm/internal/sandbox"
	"embedded-agent/wasm/internal/server"
)

func main() {
	if slices.Contains(os.Args[1:], sandbox.Argument) {
		jsbridge.Main(func(jsbridge.Core) jsbridge.Server { return jsbridge.NewSandbox() })
	}
	memory.Follow(192 << 20)
	jsbridge.Main(func(c jsbridge.Core) jsbridge.Server {
		s, err := server.New(server.Deps{Host: c.Host, Transport: c.HTTP, HasSecret: c.Secret, Keys: c.Keys, Emit: c.Emit, Images: c.Images})
		if err != nil {
			panic(err) // the built-in tools do not fit together: no core without them
		}
		return s
	})
}
