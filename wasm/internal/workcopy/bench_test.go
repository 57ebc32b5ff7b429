//go:build linux || darwin

package workcopy_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"embedded-agent/wasm/internal/workcopy"
)

// largeVault is the folder that the benchmarks copy: that of LARGE_VAULT, or one with
// two thousand notes. bench/rows/stage.mjs makes one of 100,000.
func largeVault(b *testing.B) string {
	b.Helper()
	if dir := os.Getenv("LARGE_VAULT"); dir != "" {
		root, err := workcopy.Root(dir)
		do(b, err)
		return root
	}
	files := map[string]string{}
	for i := range 2000 {
		files[fmt.Sprintf("%d/%04d.md", i%50, i)] = fmt.Sprintf("# Note %d\n\nSome text.\n", i)
	}
	return notes(b, files)
}

// middle gives the median.
func middle(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

func timed(b *testing.B, f func()) float64 {
	b.Helper()
	began := time.Now()
	f()
	return float64(time.Since(began))
}

func command(b *testing.B, args ...string) {
	b.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		b.Fatalf("%v: want no error, got %v\n%s", args, err, out)
	}
}

// BenchmarkCopyVsCp makes copies, and has cp -r make them, in turn: the middle of the
// ratios of their times.
func BenchmarkCopyVsCp(b *testing.B) {
	vault, temp := largeVault(b), b.TempDir()
	var ratios []float64
	round := func() {
		theirs := timed(b, func() { command(b, "cp", "-r", vault, filepath.Join(temp, "theirs")) })
		do(b, os.RemoveAll(filepath.Join(temp, "theirs")))
		var c *workcopy.Copy
		ours := timed(b, func() {
			var err error
			c, err = workcopy.Make(workcopy.Options{Vault: vault, MaySee: everything, Temp: temp})
			do(b, err)
		})
		do(b, c.Remove())
		ratios = append(ratios, ours/theirs)
	}
	round() // the notes are in the system's cache for both
	ratios = nil
	for b.Loop() {
		round()
	}
	b.ReportMetric(middle(ratios), "ratio")
}

// BenchmarkCompareVsGit compares a copy in which some notes were changed, and has git
// status look at the same folder, in turn.
func BenchmarkCompareVsGit(b *testing.B) {
	if _, err := exec.LookPath("git"); err != nil {
		b.Skip("there is no git here")
	}
	vault, temp := largeVault(b), b.TempDir()
	c := made(b, workcopy.Options{Vault: vault, Temp: temp})
	git := func(args ...string) {
		b.Helper()
		command(b, append([]string{"git", "--git-dir", filepath.Join(temp, "git"), "--work-tree", c.Notes(), "-c", "user.name=b", "-c", "user.email=b@example.org", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "copied")
	var files []string
	do(b, filepath.WalkDir(c.Notes(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	}))
	for i := range 100 {
		path := files[i*len(files)/100]
		switch i % 10 {
		case 8:
			do(b, os.Rename(path, path+".moved"))
		case 9:
			do(b, os.Remove(path))
		default:
			do(b, os.WriteFile(path, []byte("changed\n"), 0o644))
		}
	}
	var ratios []float64
	round := func() {
		theirs := timed(b, func() { git("status", "--porcelain", "--untracked-files=all") })
		ours := timed(b, func() {
			out, err := c.Compare()
			do(b, err)
			if len(out.Changes) != 110 {
				b.Fatalf("%d changes", len(out.Changes))
			}
		})
		ratios = append(ratios, ours/theirs)
	}
	round()
	ratios = nil
	for b.Loop() {
		round()
	}
	b.ReportMetric(middle(ratios), "ratio")
}
