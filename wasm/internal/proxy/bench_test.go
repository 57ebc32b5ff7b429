//go:build !js

package proxy

import (
	"os"
	"strings"
	"testing"
)

// TestBenchmarkRows measures and prints when asked to: go test -run TestBenchmarkRows -v with BENCH=1.
func TestBenchmarkRows(t *testing.T) {
	if os.Getenv("BENCH") == "" {
		t.Skip("set BENCH=1 to measure")
	}
	var b strings.Builder
	if err := Bench(&b, ""); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
	for _, row := range []string{"sentinel_vs_copy ", "sentinel_10mb_vs_10x_1mb ", "proxy_latency_median ", "proxy_latency_p99 "} {
		if !strings.Contains(b.String(), row) {
			t.Errorf("no row %s", row)
		}
	}
}
