//go:build !js

// Command eval lets a model work on graded tasks and prints what came of them: make eval.
package main

import (
	"context"
	"os"
	"os/signal"

	"embedded-agent/wasm/internal/eval"
	"embedded-agent/wasm/internal/sandbox/child"
	"embedded-agent/wasm/internal/terminal"
)

func main() {
	child.Main() // does not return where this process is a sandbox
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(eval.Main(ctx, os.Getenv, terminal.To(os.Stdout), terminal.To(os.Stderr)))
}
