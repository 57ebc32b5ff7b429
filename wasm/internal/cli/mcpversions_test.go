//go:build !js

package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A client of each version of the protocol is served in that version, reads, stages and
// is asked. One of a later version, or of none that is known, is offered the last in
// which a server can ask in the middle of a call.
func TestAClientOfEachVersionIsServed(t *testing.T) {
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05",
		"2025-03-26": "2025-03-26",
		"2025-06-18": "2025-06-18",
		"2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25",
		"2099-01-01": "2025-11-25",
		"1":          "2025-11-25",
	} {
		t.Run(asked, func(t *testing.T) {
			dir, _ := vault(t, 1)
			c := plainClient(t, dir)
			hello := c.ask(1, "initialize", `{"protocolVersion":%q,"capabilities":{"elicitation":{}},"clientInfo":{"name":"plain","version":"1"}}`, asked)
			if hello["protocolVersion"] != want {
				t.Fatalf("want version %s, got %v", want, hello["protocolVersion"])
			}
			c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			if tools, _ := c.ask(2, "tools/list", `{}`)["tools"].([]any); len(tools) < 40 {
				t.Errorf("want the tools listed, got %d", len(tools))
			}
			if staged := c.ask(3, "tools/call", `{"name":"vault_appendFile","arguments":{"path":"List.md","content":"- more"}}`); staged["isError"] == true {
				t.Errorf("want it staged, got %v", staged)
			}
			if made := fmt.Sprint(c.ask(4, "tools/call", `{"name":"review_approve","arguments":{}}`)); !strings.Contains(made, "Done: 1 of 1") || c.asked != 1 {
				t.Errorf("want it made after one question, got %s after %d", made, c.asked)
			}
			if got := disk(t, dir, "List.md"); !strings.HasSuffix(got, "- more\n") && !strings.HasSuffix(got, "- more") {
				t.Errorf("want the note changed, got %q", got)
			}
		})
	}
}

// plain is a client without a library: lines in, lines out. Its person says yes.
type plain struct {
	t     *testing.T
	in    io.Writer
	out   *bufio.Scanner
	asked int
}

func plainClient(t *testing.T, dir string) *plain {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asCommand+"="+strings.Join([]string{"mcp", "-vault", dir}, "\n"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // the server ends with its input, if the test's end has not ended it
		_ = cmd.Wait()
	})
	c := &plain{t: t, in: in, out: bufio.NewScanner(out)}
	c.out.Buffer(nil, 16<<20)
	return c
}

func (c *plain) send(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.in, format+"\n", args...); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a request and gives its result.
func (c *plain) ask(id int, method, params string, args ...any) map[string]any {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, fmt.Sprintf(params, args...))
	for c.out.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Result map[string]any
			Error  any
		}
		if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
			c.t.Fatal(err)
		}
		switch {
		case m.Method == "elicitation/create":
			c.asked++
			c.send(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"approve":true}}}`, m.ID)
		case m.Error != nil:
			c.t.Fatalf("%s: want a result, got %v", method, m.Error)
		case m.Method == "" && string(m.ID) == fmt.Sprint(id):
			return m.Result
		}
	}
	c.t.Fatalf("%s: want an answer, got the end of the output (%v)", method, c.out.Err())
	return nil
}
