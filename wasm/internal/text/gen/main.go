//go:build !js

// Command gen writes the rule of package text for the panel (scripts/generate.mjs).
package main

import (
	"os"

	"embedded-agent/wasm/internal/text"
)

func main() {
	if _, err := os.Stdout.WriteString(text.Script()); err != nil {
		os.Exit(1)
	}
}
