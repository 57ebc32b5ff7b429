//go:build !js

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"embedded-agent/wasm/internal/mcp"
)

// client is the official client, connected to a server over a folder.
type client struct {
	*sdk.ClientSession
	t     testing.TB
	dir   string
	asked []string // what the person was shown
}

// answers says what the person answers; nil for a client that cannot ask.
type answers func(*sdk.ElicitRequest) (*sdk.ElicitResult, error)

func yes(*sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}, nil
}

// connected starts a server over a folder, and the official client beside it.
func connected(t testing.TB, dir string, person answers, flags ...string) *client {
	t.Helper()
	f := newFlags("mcp", "mcp", io.Discard)
	if err := f.set.Parse(append([]string{"-vault", dir}, flags...)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s, notes, err := f.offered(ctx, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	server, err := mcp.New(notes, io.Discard).Connect(ctx, there)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, dir: dir}
	o := &sdk.ClientOptions{}
	if person != nil {
		o.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			c.asked = append(c.asked, r.Params.Message)
			return person(r)
		}
	}
	if c.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "some-agent", Version: "1.2"}, o).Connect(ctx, here, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := server.Wait(); err != nil {
			t.Error(err)
		}
		cancel()
		s.close()
	})
	return c
}

// call makes a call, and gives what it says and whether it is an error.
func (c *client) call(name string, args any) (string, bool) {
	c.t.Helper()
	r, err := c.CallTool(c.t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	var text strings.Builder
	for _, b := range r.Content {
		text.WriteString(b.(*sdk.TextContent).Text)
	}
	return text.String(), r.IsError
}

// does makes a call that has to come out well.
func (c *client) does(name string, args any) string {
	c.t.Helper()
	out, failed := c.call(name, args)
	if failed {
		c.t.Fatalf("%s: want it made, got %s", name, out)
	}
	return out
}

type is = map[string]any

// disk reads a note from the disk; "" where it is not there.
func disk(t *testing.T, dir, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}

func put(t *testing.T, dir, path, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWhatAnAgentWritesIsStagedShownApprovedByThePersonAndTakenBack(t *testing.T) {
	dir, _ := vault(t, 3)
	before := folder(t, dir)
	c := connected(t, dir, yes)
	c.does("vault_appendFile", is{"path": "List.md", "content": "\n- more\n"})
	c.does("vault_createFile", is{"path": "New.md", "content": "hello"})
	if out := c.does("vault_readFile", is{"path": "List.md"}); !strings.Contains(out, "more") {
		t.Errorf("want the staged text read, got %s", out)
	}
	if now := folder(t, dir); now != before {
		t.Errorf("want the notes unchanged until the yes, got\n%s", diffLines(before, now))
	}
	if out := c.does("review_show", nil); !strings.Contains(out, "+ - more") || !strings.Contains(out, "New.md") || len(c.asked) > 0 {
		t.Errorf("want both changes shown and nobody asked, got %s (asked %d times)", out, len(c.asked))
	}
	out := c.does("review_approve", nil)
	if !strings.Contains(out, "Done: 2 of 2") || len(c.asked) != 1 || !strings.Contains(c.asked[0], "+ - more") || !strings.Contains(c.asked[0], "some-agent 1.2") {
		t.Errorf("want it done after one question that shows all, got %s, asked %q", out, c.asked)
	}
	if disk(t, dir, "New.md") != "hello" || !strings.Contains(disk(t, dir, "List.md"), "- more") {
		t.Errorf("want the notes changed, got %q and %q", disk(t, dir, "New.md"), disk(t, dir, "List.md"))
	}
	if out, failed := c.call("review_approve", nil); !failed || !strings.Contains(out, "Nothing is staged") {
		t.Errorf("want nothing left to approve, got %s", out)
	}
	var runs struct {
		Runs []struct{ Run, Kind, Goal string }
	}
	if err := json.Unmarshal([]byte(c.does("runs_list", nil)), &runs); err != nil || len(runs.Runs) != 1 || runs.Runs[0].Goal != "some-agent 1.2" || runs.Runs[0].Kind != "staged" {
		t.Fatalf("want one run by the agent's name, got %+v (%v)", runs, err)
	}
	var o, e bytes.Buffer
	if code := Verify(t.Context(), []string{"-vault", dir}, &o, &e); code != exitOK {
		t.Errorf("want the records verified, got %d %s%s", code, o.String(), e.String())
	}
	c.does("run_revert", is{"run": runs.Runs[0].Run})
	if len(c.asked) != 2 {
		t.Errorf("want the person asked about the undo, got %d questions", len(c.asked))
	}
	if now := folder(t, dir); now != before {
		t.Errorf("want the notes as they were, got\n%s", diffLines(before, now))
	}
}

func TestOnlyAnExplicitYesOfThePersonIsAnApproval(t *testing.T) {
	for name, person := range map[string]answers{
		"declined":  func(*sdk.ElicitRequest) (*sdk.ElicitResult, error) { return &sdk.ElicitResult{Action: "decline"}, nil },
		"dismissed": func(*sdk.ElicitRequest) (*sdk.ElicitResult, error) { return &sdk.ElicitResult{Action: "cancel"}, nil },
		"submitted as a no": func(*sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: is{"approve": false}}, nil
		},
		"submitted empty": func(*sdk.ElicitRequest) (*sdk.ElicitResult, error) { return &sdk.ElicitResult{Action: "accept"}, nil },
		"failed":          func(*sdk.ElicitRequest) (*sdk.ElicitResult, error) { return nil, io.ErrUnexpectedEOF },
		"nobody to ask":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := vault(t, 3)
			before := folder(t, dir)
			c := connected(t, dir, person)
			c.does("vault_appendFile", is{"path": "List.md", "content": "\n- more\n"})
			for _, args := range []is{nil, {"approve": true}, {"yes": true}} {
				out, _ := c.call("review_approve", args)
				if person == nil && args == nil && !strings.Contains(out, "embedded-agent review --vault") {
					t.Errorf("want the command for a terminal named, got %s", out)
				}
				if strings.Contains(out, "Done") || folder(t, dir) != before {
					t.Fatalf("want the notes unchanged, got %s", out)
				}
			}
			if out := c.does("review_show", nil); !strings.Contains(out, "- more") {
				t.Errorf("want it still staged, got %s", out)
			}
		})
	}
}
