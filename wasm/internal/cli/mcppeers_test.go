//go:build peers && !js

package cli

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestTheOfficialTypeScriptClientGetsWhatItMust(t *testing.T) {
	const client = "../../../test/peers/mcp"
	if _, err := os.Stat(client + "/node_modules"); err != nil {
		t.Skip("the client is not installed: npm ci in test/peers/mcp")
	}
	dir, _ := vault(t, 3)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", client+"/run.mjs", dir, os.Args[0])
	cmd.Env = append(os.Environ(), asCommand+"="+strings.Join([]string{"mcp", "-vault", dir}, "\n"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("want every scenario of the client to pass, got %v", err)
	}
	t.Logf("%s", out)
}

const peerTools = "../../../test/peers/mcp-tools/node_modules"

// nodeOf gives the Node.js that the tools of peers are pinned with: they need a newer
// one than the project does.
func nodeOf(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(peerTools + "/node-*/bin/node")
	if err != nil || len(found) != 1 {
		t.Skip("the tools are not installed, or not for this system: npm ci in test/peers/mcp-tools")
	}
	node, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// serverEnv has this program serve the notes of a folder.
func serverEnv(dir string) []string {
	return []string{asCommand + "=" + strings.Join([]string{"mcp", "-vault", dir}, "\n"), "XDG_CONFIG_HOME=" + os.Getenv("XDG_CONFIG_HOME")}
}

// Each call starts a server of its own: what one has staged, the next one reads.
func TestTheInspectorGetsWhatItMustAndApprovesNothing(t *testing.T) {
	node := nodeOf(t)
	dir, _ := vault(t, 3)
	before := folder(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	inspect := func(args ...string) string {
		t.Helper()
		full := []string{peerTools + "/.bin/mcp-inspector", "--cli", os.Args[0]}
		for _, v := range serverEnv(dir) {
			full = append(full, "-e", v)
		}
		cmd := exec.CommandContext(ctx, node, append(full, args...)...)
		cmd.Env = append(os.Environ(), "MCP_CATALOG_PATH="+filepath.Join(t.TempDir(), "mcp.json"))
		var problems strings.Builder
		cmd.Stderr = &problems
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%q: want the inspector to come to its end, got %v\n%s%s", args, err, out, problems.String())
		}
		return string(out)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--method", "tools/list"}, `"name": "review_approve"`},
		{[]string{"--method", "resources/list"}, "note:///List.md"},
		{[]string{"--method", "resources/templates/list"}, "note:///{+path}"},
		{[]string{"--method", "prompts/list"}, "bundled.folderIndex"},
		{[]string{"--method", "tools/call", "--tool-name", "vault_appendFile", "--tool-arg", "path=List.md", "content=- more"}, `"changed": true`},
		{[]string{"--method", "tools/call", "--tool-name", "vault_readFile", "--tool-arg", "path=List.md"}, "- more"},
		{[]string{"--method", "resources/read", "--uri", "note:///List.md"}, "- more"},
		{[]string{"--method", "tools/call", "--tool-name", "review_show"}, "+ - more"},
		{[]string{"--method", "tools/call", "--tool-name", "review_approve"}, "embedded-agent review --vault"},
	} {
		if out := inspect(c.args...); !strings.Contains(out, c.want) {
			t.Errorf("%q: want %q, got\n%s", c.args, c.want, out)
		}
	}
	if now := folder(t, dir); now != before {
		t.Errorf("want the notes unchanged without a person's yes, got\n%s", diffLines(before, now))
	}
}

// The suite talks HTTP, so a bridge that others wrote stands between. The scenarios are
// those that need no tools and notes of a server made for the suite.
func TestTheConformanceSuiteFindsNothingWrong(t *testing.T) {
	node := nodeOf(t)
	dir, _ := vault(t, 3)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().(*net.TCPAddr)
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	bridge := exec.CommandContext(ctx, node, peerTools+"/.bin/mcp-proxy", "--host", "127.0.0.1", "--port", strconv.Itoa(at.Port), "--server", "stream", "--", os.Args[0])
	bridge.Env = append(os.Environ(), serverEnv(dir)...)
	out, err := bridge.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	bridge.Stderr = bridge.Stdout
	if err := bridge.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = bridge.Wait() // it was killed
	}()
	lines := bufio.NewScanner(out)
	for started := false; !started; started = strings.Contains(lines.Text(), "starting server") {
		if !lines.Scan() {
			t.Fatalf("want the bridge to start, got the end of its output (%v)", lines.Err())
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list"} {
		cmd := exec.CommandContext(ctx, node, peerTools+"/.bin/conformance", "server", "--url", "http://"+at.String()+"/mcp", "--scenario", scenario, "--output-dir", t.TempDir())
		said, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(said), "0 failed, 0 warnings") {
			t.Errorf("%s: want it passed, got %v\n%s", scenario, err, said)
		}
	}
}
