//go:build codex && !js

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/llm/codex/codextest"
)

// codexOver gives Codex with our server, in front of a model that reads a note, adds a
// line to it, and asks for the approval with a yes of its own.
func codexOver(t *testing.T, dir string, args ...string) (*exec.Cmd, *codextest.ModelServer) {
	t.Helper()
	found, err := filepath.Glob("../../../test/codex/node_modules/@openai/codex-*/vendor/*/bin/codex")
	if err != nil || len(found) != 1 {
		t.Skip("codex is not installed: npm ci in test/codex")
	}
	bin, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	call := func(name, args string) codextest.Answer {
		return codextest.Answer{Calls: []codextest.Call{{Namespace: "mcp__notes", Name: name, Args: args}}}
	}
	script := []codextest.Answer{
		call("vault_readFile", `{"path":"List.md"}`),
		call("vault_appendFile", `{"path":"List.md","content":"\n- more\n"}`),
		call("review_approve", `{"approve":true}`), // not an argument that it has
		call("review_approve", `{}`),
		{Chunks: []string{"Done."}},
	}
	model := codextest.NewModelServer(t, func(n int, _ []byte) codextest.Answer { return script[min(n, len(script)-1)] })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	settings := []string{
		`model="scripted-1"`, `model_provider="loop"`, `analytics.enabled=false`, `check_for_update_on_startup=false`,
		fmt.Sprintf(`model_providers.loop={name="loop",base_url=%q,wire_api="responses",requires_openai_auth=false,request_max_retries=0,stream_max_retries=0,supports_websockets=false}`, model.URL+"/v1"),
		// As a person sets it who trusts our server: its tools run without a question of Codex's own. A server is told
		// little of the environment: this device's key has to be found all the same.
		fmt.Sprintf(`mcp_servers.notes={default_tools_approval_mode="approve",command=%q,env={%s=%q,XDG_CONFIG_HOME=%q}}`,
			os.Args[0], asCommand, strings.Join([]string{"mcp", "-vault", dir}, "\n"), os.Getenv("XDG_CONFIG_HOME")),
	}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Env, cmd.Dir = append(os.Environ(), "CODEX_HOME="+t.TempDir()), t.TempDir()
	return cmd, model
}

// toldLast gives the last request to the model: it has what every call said.
func toldLast(t *testing.T, m *codextest.ModelServer) string {
	t.Helper()
	all := m.Requests()
	if len(all) != 5 {
		t.Fatalf("want the model asked five times, got %d", len(all))
	}
	return string(all[4])
}

func TestRealCodexWithNobodyToAskStagesAndWritesNothing(t *testing.T) {
	dir, _ := vault(t, 3)
	before := folder(t, dir)
	cmd, model := codexOver(t, dir, "exec", "--skip-git-repo-check", "--json")
	cmd.Args = append(cmd.Args, "Add to the list.")
	cmd.Stdin = bytes.NewReader(nil)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("want Codex to come to its end, got %v\n%s", err, out)
	}
	told := toldLast(t, model)
	for _, want := range []string{"Item 1", `changed\":true`, "there is no approve", "did not approve", "embedded-agent review --vault"} {
		if !strings.Contains(told, want) {
			t.Errorf("want the model told %q, got\n%s", want, told)
		}
	}
	if now := folder(t, dir); now != before {
		t.Errorf("want the notes unchanged, got\n%s", diffLines(before, now))
	}
	if code, out := reviewed(t, dir, "y\n"); code != exitOK || !strings.Contains(out, "codex") || !strings.HasSuffix(disk(t, dir, "List.md"), "- more\n") {
		t.Errorf("want it still staged by Codex, and made after the person's yes, got status %d\n%s", code, out)
	}
}

func TestRealCodexShowsThePersonTheReviewAndTheirAnswerDecides(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		made   bool
	}{
		"yes":            {`{"action":"accept","content":{"approve":true}}`, true},
		"no":             {`{"action":"decline"}`, false},
		"closed":         {`{"action":"cancel"}`, false},
		"sent unchecked": {`{"action":"accept","content":{"approve":false}}`, false},
		"sent empty":     {`{"action":"accept","content":{}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := vault(t, 3)
			before := folder(t, dir)
			cmd, model := codexOver(t, dir, "app-server")
			asked := codexTurn(t, cmd, "Add to the list.", c.answer)
			if len(asked) != 1 || !strings.Contains(asked[0], "+ - more") || !strings.Contains(asked[0], "List.md") {
				t.Fatalf("want the person shown the review once, got %q", asked)
			}
			told, made := toldLast(t, model), folder(t, dir) != before
			if made != c.made || strings.Contains(told, "Done: 1 of 1") != c.made {
				t.Errorf("want it made: %v, got made: %v, and the model told\n%s", c.made, made, told)
			}
		})
	}
}

// codexTurn lets the app-server of Codex make one turn, answers what it asks its person,
// and gives what the person was shown.
func codexTurn(t *testing.T, cmd *exec.Cmd, prompt, answer string) (asked []string) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var problems bytes.Buffer
	cmd.Stderr = &problems
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("want the app-server to end with its input, got %v\n%s", err, problems.String())
		}
	}()
	send := func(format string, args ...any) {
		if _, err := fmt.Fprintf(in, format+"\n", args...); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"},"capabilities":{"experimentalApi":true}}}`)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Result struct{ Thread struct{ ID string } }
			Error  json.RawMessage
			Params struct{ Message string }
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m.Error != nil && m.ID != nil:
			t.Fatalf("want no error, got %s", lines.Text())
		case m.Method == "mcpServer/elicitation/request":
			asked = append(asked, m.Params.Message)
			send(`{"id":%s,"result":%s}`, m.ID, answer)
		case m.Method == "turn/completed":
			return asked
		case m.Method != "":
		case string(m.ID) == "1":
			send(`{"method":"initialized"}`)
			send(`{"id":2,"method":"thread/start","params":{"approvalPolicy":"on-request","sandbox":"read-only"}}`)
		case string(m.ID) == "2":
			send(`{"id":3,"method":"turn/start","params":{"threadId":%q,"input":[{"type":"text","text":%q}]}}`, m.Result.Thread.ID, prompt)
		}
	}
	t.Fatalf("want the turn completed, got the end of the output (%v)\n%s", lines.Err(), problems.String())
	return nil
}
