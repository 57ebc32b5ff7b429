//go:build !js

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkMCPRead reads a note of 2,000 by a client in the same process: the time of a
// call, with nothing staged and with a hundred calls staged.
func BenchmarkMCPRead(b *testing.B) {
	for _, staged := range []int{0, 100} {
		b.Run(fmt.Sprintf("staged=%d", staged), func(b *testing.B) {
			dir := b.TempDir()
			for i := range 2000 {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.md", i)), fmt.Appendf(nil, "# Note %d\n\nSome text.\n", i), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			c := connected(b, dir, nil)
			for i := range staged {
				c.does("vault_appendFile", is{"path": fmt.Sprintf("%04d.md", i), "content": "more"})
			}
			for b.Loop() {
				c.does("vault_readFile", is{"path": "1999.md"})
			}
		})
	}
}
