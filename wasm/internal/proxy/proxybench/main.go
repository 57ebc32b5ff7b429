//go:build !js

// Command proxybench prints the proxy's rows of the benchmark, "name value unit" on a line each. An argument keeps only rows
// whose names begin with it.
package main

import (
	"fmt"
	"os"

	"embedded-agent/wasm/internal/proxy"
)

func main() {
	only := ""
	if len(os.Args) > 1 {
		only = os.Args[1]
	}
	if err := proxy.Bench(os.Stdout, only); err != nil {
		fmt.Fprintln(os.Stderr, "proxybench:", err)
		os.Exit(1)
	}
}
