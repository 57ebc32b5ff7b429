//go:build !js

package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/host/hostfs"
	"embedded-agent/wasm/internal/sandbox/child"
	"embedded-agent/wasm/internal/workcopy"
)

const notePlan = `{"goal":"Many notes","assumptions":[],"riskLevel":"writes","steps":[
{"id":"list","tool":"util.parseMarkdownBullets","args":{"text":"$steps.src.content"}},
{"id":"src","tool":"vault.readFile","args":{"path":"List.md"}},
{"id":"make","tool":"vault.createFile","args":{"folder":"Made","title":"{b.title}","content":"# {b.title}\n\n{index}\n"},"foreach":{"from":"$steps.list.items","itemName":"b"}},
{"id":"links","tool":"util.joinLines","args":{"items":"$steps.make.items","field":"link","prefix":"- "}},
{"id":"put","tool":"vault.writeFile","args":{"path":"List.md","content":"$steps.links.text\n"}}]}`

// vault makes a folder with a list of n bullets, and the plan beside it.
func vault(t *testing.T, n int) (dir, plan string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "vault")
	if err := os.MkdirAll(filepath.Join(dir, "Other"), 0o755); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- Item %d\n", i)
	}
	plan = filepath.Join(filepath.Dir(dir), "plan.json")
	for path, text := range map[string]string{
		filepath.Join(dir, "List.md"): b.String(), filepath.Join(dir, "Other", "Kept.md"): "\xef\xbb\xbfkept\r\n", plan: notePlan,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, plan
}

// folder describes every file and folder below dir, the plugin's own apart.
func folder(t *testing.T, dir string) string {
	t.Helper()
	return described(t, dir, func(path string) bool { return filepath.Base(path) == hostfs.StoreFolder })
}

// described describes every file and folder below dir, but those that are left
// out.
func described(t *testing.T, dir string, leftOut func(path string) bool) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && leftOut(path):
			return fs.SkipDir
		case d.IsDir():
			fmt.Fprintln(&b, path)
			return nil
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", path, sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type command func(t *testing.T, args ...string) (code int, out string)

func commandOf(run func(args []string, out, err *bytes.Buffer) int) command {
	return func(t *testing.T, args ...string) (int, string) {
		t.Helper()
		var out, stderr bytes.Buffer
		code := run(args, &out, &stderr)
		return code, out.String() + stderr.String()
	}
}

func TestAPlanRunsOnAFolderIsVerifiedReplayedAndTakenBack(t *testing.T) {
	dir, plan := vault(t, 10)
	before := folder(t, dir)
	do := func(want int, run func(args []string, out, err *bytes.Buffer) int, args ...string) string {
		t.Helper()
		code, out := commandOf(run)(t, args...)
		if code != want {
			t.Fatalf("exit code %d, want %d:\n%s", code, want, out)
		}
		return out
	}
	run := func(a []string, o, e *bytes.Buffer) int { return Run(t.Context(), a, o, e) }
	verify := func(a []string, o, e *bytes.Buffer) int { return Verify(t.Context(), a, o, e) }
	replay := func(a []string, o, e *bytes.Buffer) int { return Replay(t.Context(), a, o, e) }
	revert := func(a []string, o, e *bytes.Buffer) int { return Revert(t.Context(), a, o, e) }

	do(exitOK, run, "-vault", dir, "-dry-run", plan)
	if folder(t, dir) != before {
		t.Fatal("a dry run wrote")
	}
	out := do(exitOK, run, "-vault", dir, "-yes", plan)
	if !strings.Contains(out, "Will create 10 notes under Made") || folder(t, dir) == before {
		t.Fatal("want out with \"Will create 10 notes under Made\" and other than before, got:", out)
	}
	do(exitOK, verify, "-vault", dir)
	do(exitOK, replay, "-vault", dir)
	events := func(a []string, o, e *bytes.Buffer) int { return Events(t.Context(), a, o, e) }
	if told := do(exitOK, events, "-vault", dir); strings.Count(told, `"tool_execution_start"`) != strings.Count(told, `"tool_execution_end"`) || !strings.Contains(told, `"toolName":"vault.createFile"`) {
		t.Fatal("want equal to strings.Count(told, `\"tool_execution_end\"`) and told with \"\\\"toolName\\\":\\\"vault.createFile\\\"\", got:", told)
	}
	do(exitFailed, events, "-vault", dir, "no-such-run")
	do(exitOK, revert, "-vault", dir, "-yes")
	if after := folder(t, dir); after != before {
		t.Fatalf("after revert:\n%s\nbefore:\n%s", after, before)
	}
	do(exitFailed, run, "-vault", dir, plan+".missing")
	do(exitUsage, run)
}

func TestAScriptRunsInAProcessOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	plan := filepath.Join(t.TempDir(), "plan.json")
	for path, text := range map[string]string{
		filepath.Join(dir, "a.md"): "one two three\n",
		plan: `{"goal":"Count","assumptions":[],"riskLevel":"writes","steps":[
			{"id":"read","tool":"vault.readFile","args":{"path":"a.md"}},
			{"id":"count","tool":"code.run","args":{"script":"def main(x): return str(len(x.split()))","input":"$steps.read.content"}},
			{"id":"write","tool":"vault.createFile","args":{"path":"n.md","content":"$steps.count.value"}}]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if code := Run(t.Context(), []string{"-vault", dir, "-yes", plan}, &out, &out); code != exitOK {
		t.Fatal("want code equal to exitOK, got:", out.String())
	}
	if got, err := os.ReadFile(filepath.Join(dir, "n.md")); err != nil || string(got) != "3" {
		t.Fatalf("want no error and \"3\", got %q, %v", got, err)
	}
}

func TestAChangedRecordIsFoundByVerify(t *testing.T) {
	dir, plan := vault(t, 3)
	var out bytes.Buffer
	if code := Run(t.Context(), []string{"-vault", dir, "-yes", plan}, &out, &out); code != exitOK {
		t.Fatal("want code equal to exitOK, got:", out.String())
	}
	files, err := filepath.Glob(filepath.Join(dir, ".embedded-agent", "runs", "*", "*.jsonl"))
	if err != nil || len(files) != 5 {
		t.Fatalf("want no error and 5 files, got %v %v", files, err)
	}
	for _, f := range files {
		whole, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Clone(whole)
		changed[len(changed)/2] ^= 1
		if err := os.WriteFile(f, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		if code := Verify(t.Context(), []string{"-vault", dir}, &out, &out); code != exitFailed {
			t.Errorf("%s was changed and nothing was found", filepath.Base(f))
		}
		if err := os.WriteFile(f, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// asCommand lets the test binary play the command, so that it can be killed.
const asCommand = "EMBEDDED_AGENT_TEST_RUN"

func TestMain(m *testing.M) {
	child.Main()
	workcopy.Main()
	if args := os.Getenv(asCommand); args != "" {
		list := strings.Split(args, "\n")
		if list[0] == "stage" {
			os.Exit(Stage(context.Background(), list[1:], os.Stdout, os.Stderr))
		}
		if list[0] == "mcp" {
			os.Exit(MCP(context.Background(), list[1:], os.Stdout, os.Stderr))
		}
		if list[0] == "review-yes" { // a person who says yes
			os.Exit(reviewStaged(context.Background(), list[1:], strings.NewReader("y\n"), os.Stdout, os.Stderr))
		}
		if list[0] == "revert" {
			os.Exit(Revert(context.Background(), list[1:], os.Stdout, os.Stderr))
		}
		os.Exit(Run(context.Background(), list, os.Stdout, os.Stderr))
	}
	// The device's key lies in the person's configuration: tests have their own.
	config, err := os.MkdirTemp("", "embedded-agent-config-*")
	if err == nil {
		err = errors.Join(os.Setenv("XDG_CONFIG_HOME", config), os.Setenv("HOME", config), os.Setenv("AppData", config))
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(config); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// running starts a run as a program of its own; ended gives how it ended.
func running(t *testing.T, dir, plan string) (cmd *exec.Cmd, ended chan error) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asCommand+"="+strings.Join([]string{"-vault", dir, "-yes", "-diff=false", plan}, "\n"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended = make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return cmd, ended
}

func TestAKilledRunIsTakenBackWhole(t *testing.T) {
	dir, plan := vault(t, 400)
	before := folder(t, dir)
	for _, atLeast := range []int{1, 50, 200} {
		cmd, ended := running(t, dir, plan)
		made := countUntil(filepath.Join(dir, "Made"), atLeast, ended)
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		if made < atLeast {
			t.Fatalf("it ended by itself after %d notes", made)
		}
		<-ended
		if folder(t, dir) == before {
			t.Fatal("killed before it wrote anything")
		}
		var out bytes.Buffer
		if code := Revert(t.Context(), []string{"-vault", dir, "-yes", hotRun(t, dir)}, &out, &out); code != exitOK {
			t.Fatalf("killed after %d: %s", made, out.String())
		}
		if after := folder(t, dir); after != before {
			t.Fatalf("killed after %d notes, then reverted:\n%s", made, after)
		}
	}
}

// countUntil waits until a folder has that many entries, or the run has ended.
func countUntil(dir string, n int, ended chan error) int {
	look := time.NewTicker(time.Millisecond) // a folder tells nobody; the run needs the processor
	defer look.Stop()
	for {
		over := len(ended) > 0
		entries, err := os.ReadDir(dir)
		if err == nil && len(entries) >= n || over {
			return len(entries)
		}
		<-look.C
	}
}

// hotRun names the run that the kill left, or the newest where it had ended.
func hotRun(t *testing.T, dir string) string {
	t.Helper()
	for _, sub := range []string{"hot", "runs"} {
		entries, err := os.ReadDir(filepath.Join(dir, ".embedded-agent", sub))
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) > 0 {
			return entries[len(entries)-1].Name()
		}
	}
	t.Fatal("no run")
	return ""
}
