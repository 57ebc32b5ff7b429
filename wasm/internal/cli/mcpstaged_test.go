//go:build !js

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/mcp"
)

// reviewed answers `review` on a terminal, and gives its status and what was said.
func reviewed(t *testing.T, dir, answer string, flags ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	code := reviewStaged(t.Context(), append([]string{"-vault", dir}, flags...), strings.NewReader(answer), &out, &out)
	return code, out.String()
}

func TestStagedWorkOutlivesTheServerAndIsApprovedOnATerminal(t *testing.T) {
	dir, _ := vault(t, 3)
	before := folder(t, dir)
	connected(t, dir, nil).does("vault_appendFile", is{"path": "List.md", "content": "\n- more\n"})
	again := connected(t, dir, nil)
	if out := again.does("vault_readFile", is{"path": "List.md"}); !strings.Contains(out, "- more") {
		t.Errorf("want a second server to read what the first staged, got %s", out)
	}
	again.does("vault_appendFile", is{"path": "List.md", "content": "- and more\n"})
	code, out := reviewed(t, dir, "n\n")
	if code != exitFailed || !strings.Contains(out, "+ - more") || !strings.Contains(out, "It stays staged") || folder(t, dir) != before {
		t.Fatalf("want it shown and the notes unchanged after a no, got status %d\n%s", code, out)
	}
	if code, out = reviewed(t, dir, "y\n"); code != exitOK || !strings.HasSuffix(disk(t, dir, "List.md"), "- more\n- and more\n") {
		t.Fatalf("want both changes made after a yes, got status %d\n%s\n%s", code, out, disk(t, dir, "List.md"))
	}
	if out, failed := again.call("review_approve", nil); !failed || !strings.Contains(out, "Nothing is staged") {
		t.Errorf("want the running server to know, got %s", out)
	}
	if code, out = reviewed(t, dir, ""); code != exitOK || !strings.Contains(out, "Nothing is staged") {
		t.Errorf("want nothing left to review, got status %d\n%s", code, out)
	}
}

func TestAReviewIsAnsweredByATerminalAloneAndCanBeDiscarded(t *testing.T) {
	dir, _ := vault(t, 3)
	before := folder(t, dir)
	c := connected(t, dir, nil)
	c.does("vault_appendFile", is{"path": "List.md", "content": "\n- more\n"})
	var out bytes.Buffer
	if code := reviewStaged(t.Context(), []string{"-vault", dir}, nil, &out, &out); code != exitFailed || !strings.Contains(out.String(), "from a terminal") {
		t.Errorf("want a pipe refused, got status %d\n%s", code, out.String())
	}
	if code := reviewStaged(t.Context(), []string{"-vault", dir, "-yes"}, strings.NewReader("y\n"), &out, &out); code != exitUsage {
		t.Errorf("want no flag that answers, got status %d", code)
	}
	if code, out := reviewed(t, dir, "y\n", "-discard"); code != exitOK || folder(t, dir) != before {
		t.Errorf("want it removed and the notes unchanged, got status %d\n%s", code, out)
	}
	if out := c.does("vault_readFile", is{"path": "List.md"}); strings.Contains(out, "- more") {
		t.Errorf("want the running server to read the notes as they are, got %s", out)
	}
}

func TestWhatThePersonEditsMeanwhileIsMergedOrLeftOut(t *testing.T) {
	dir, _ := vault(t, 6)
	c := connected(t, dir, yes)
	first := disk(t, dir, "List.md")
	c.does("vault_replaceText", is{"path": "List.md", "find": "Item 1", "replace": "Thing 1"})
	c.does("vault_createFile", is{"path": "New.md", "content": "agent"})
	put(t, dir, "List.md", first+"- by hand\n")
	put(t, dir, "New.md", "person")
	if out := c.does("vault_readFile", is{"path": "List.md"}); !strings.Contains(out, "Thing 1") || !strings.Contains(out, "by hand") {
		t.Errorf("want both edits read, got %s", out)
	}
	out := c.does("review_show", nil)
	if !strings.Contains(out, "Both edits are kept") || !strings.Contains(out, "You edited these in the same places") || !strings.Contains(out, "New.md") {
		t.Errorf("want the merge and what is left out named, got %s", out)
	}
	c.does("review_approve", nil)
	if got := disk(t, dir, "List.md"); !strings.Contains(got, "Thing 1") || !strings.HasSuffix(got, "- by hand\n") || disk(t, dir, "New.md") != "person" {
		t.Errorf("want the merged list and the person's note, got %q and %q", got, disk(t, dir, "New.md"))
	}
}

func TestTheSettingsHoldForAgents(t *testing.T) {
	dir, _ := vault(t, 3)
	for _, folder := range []string{"Private", "Work"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, dir, folder+"/Note.md", "the word marmalade")
	}
	before := folder(t, dir)
	c := connected(t, dir, yes, "-deny", "Private/**", "-only", "Private", "-only", "Work", "-allow-renames=false")
	for name, args := range map[string]is{
		"vault_readFile":   {"path": "Private/Note.md"},
		"vault_appendFile": {"path": "List.md", "content": "x"},
		"vault_delete":     {"path": "Work/Note.md"},
		"vault_rename":     {"path": "Work/Note.md", "newPath": "Work/Other.md"},
		"vault_writeFile":  {"path": "../outside.md", "content": "x"},
	} {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
		if err == nil && !r.IsError {
			t.Errorf("%s %v: want it refused, got it made", name, args)
		}
	}
	if out := c.does("vault_searchText", is{"query": "marmalade"}); strings.Contains(out, "Private") || !strings.Contains(out, "Work/Note.md") {
		t.Errorf("want Work/Note.md found alone, got %s", out)
	}
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "note:///Work/Note.md" {
		t.Errorf("want Work/Note.md listed alone, got %+v (%v)", list, err)
	}
	if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "note:///Private/Note.md"}); err == nil {
		t.Error("want no resource for an excluded note, got one")
	}
	if now := folder(t, dir); now != before {
		t.Errorf("want the notes unchanged, got\n%s", diffLines(before, now))
	}
	// Staged under other settings, it is left out under these.
	connected(t, dir, nil).does("vault_appendFile", is{"path": "Private/Note.md", "content": "x"})
	if out := c.does("review_approve", nil); !strings.Contains(out, "Not allowed") || !strings.Contains(out, "nothing to approve") {
		t.Errorf("want it named and left out, got %s", out)
	}
}

func TestAPlanIsStagedAsAWholeOrNotAtAll(t *testing.T) {
	dir, _ := vault(t, 3)
	c := connected(t, dir, yes)
	c.does("vault_createFile", is{"path": "A.md", "content": "staged before"})
	step := func(id, tool string, args, more is) is {
		s := is{"id": id, "tool": tool, "args": args}
		for k, v := range more {
			s[k] = v
		}
		return s
	}
	plan := func(steps ...any) is { return is{"plan": is{"goal": "g", "steps": steps}} }
	out := c.does("plan_submit", plan(
		step("read", "vault.readFile", is{"path": "A.md"}, nil),
		step("copy", "vault.createFile", is{"path": "B{index}.md", "content": "$steps.read.content"}, is{"foreach": is{"from": []string{"x", "y"}, "itemName": "n"}, "dependsOn": []string{"read"}}),
	))
	if !strings.Contains(out, `"writes":2`) {
		t.Errorf("want two writes told, got %s", out)
	}
	if out, failed := c.call("plan_submit", plan(
		step("one", "vault.createFile", is{"path": "C.md", "content": "x"}, nil),
		step("two", "vault.readFile", is{"path": "Missing.md"}, is{"dependsOn": []string{"one"}}),
	)); !failed || !strings.Contains(out, "NOT_FOUND") {
		t.Errorf("want the failure told, got %s", out)
	}
	if out, failed := c.call("plan_submit", plan(step("one", "vault.magic", is{}, nil))); !failed {
		t.Errorf("want an unknown tool refused, got %s", out)
	}
	c.does("review_approve", nil)
	if disk(t, dir, "B0.md") != "staged before" || disk(t, dir, "B1.md") != "staged before" || disk(t, dir, "C.md") != "" {
		t.Errorf("want B0 and B1 and no C, got %q, %q, %q", disk(t, dir, "B0.md"), disk(t, dir, "B1.md"), disk(t, dir, "C.md"))
	}
}

func TestEveryToolHasItsSchemaAndSaysWhatItDoes(t *testing.T) {
	dir, _ := vault(t, 1)
	c := connected(t, dir, nil, "-allow-deletes")
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	says := map[string]string{}
	for _, tl := range list.Tools {
		schema, ok := tl.InputSchema.(map[string]any)
		if !ok || schema["type"] != "object" || tl.Description == "" || strings.Contains(tl.Name, ".") {
			t.Errorf("%s: want a name that all clients take, a description and a schema of an object, got %v", tl.Name, tl.InputSchema)
		}
		a := tl.Annotations
		says[tl.Name] = strconv.FormatBool(a.ReadOnlyHint) + " " + strconv.FormatBool(*a.DestructiveHint) + " " + strconv.FormatBool(a.IdempotentHint)
	}
	for name, want := range map[string]string{ // reads, destroys, the same again
		"vault_readFile": "true false true", "vault_query": "true false true", "util_random": "true false false",
		"vault_createFile": "false false false", "vault_writeFile": "false true false", "vault_delete": "false true false",
		"review_show": "true false true", "review_approve": "false true false", "runs_list": "true false true",
		"run_revert": "false true false", "plan_submit": "false false false",
	} {
		if says[name] != want {
			t.Errorf("%s: want %q, got %q", name, want, says[name])
		}
	}
	for _, name := range []string{"commands_run", "http_send", "agent_run", "workspace_openFile"} {
		if says[name] != "" {
			t.Errorf("%s: want it not offered, since it cannot be staged", name)
		}
	}
}

func TestNotesAreResourcesAndSavedActionsArePrompts(t *testing.T) {
	dir, _ := vault(t, 1)
	for i := range 600 {
		put(t, dir, "Note "+strconv.Itoa(i)+" ü.md", "text "+strconv.Itoa(i))
	}
	c := connected(t, dir, nil)
	c.does("vault_writeFile", is{"path": "Note 7 ü.md", "content": "staged"})
	n := 0
	seen := map[string]bool{}
	for r, err := range c.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		seen[r.Name] = true
		if r.Name != "Note 7 ü.md" {
			continue
		}
		got, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: r.URI})
		if err != nil || got.Contents[0].Text != "staged" || got.Contents[0].MIMEType != "text/markdown" {
			t.Errorf("want the staged text by the address %s, got %+v (%v)", r.URI, got, err)
		}
	}
	if n < 600 || len(seen) != n {
		t.Errorf("want each of 600 notes once, got %d, %d of them different", n, len(seen))
	}
	prompts, err := c.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) == 0 {
		t.Fatalf("want the built-in actions as prompts, got %+v (%v)", prompts, err)
	}
	p := prompts.Prompts[0]
	args := map[string]string{}
	for _, a := range p.Arguments {
		args[a.Name] = "some words"
	}
	got, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: p.Name, Arguments: args})
	if err != nil || len(got.Messages) != 1 || !strings.Contains(got.Messages[0].Content.(*sdk.TextContent).Text, "plan_submit") {
		t.Errorf("want the plan to submit, got %+v (%v)", got, err)
	}
}

// listCounted counts how often all files are listed.
type listCounted struct {
	mcp.Notes
	lists *atomic.Int64
}

func (n listCounted) List(ctx context.Context) ([]host.Info, error) {
	n.lists.Add(1)
	return n.Notes.List(ctx)
}

func TestThePagesOfTheNotesTakeOneLook(t *testing.T) {
	dir, _ := vault(t, 1)
	for i := range 1200 {
		put(t, dir, "Note "+strconv.Itoa(i)+".md", "text")
	}
	f := newFlags("mcp", "mcp", io.Discard)
	f.vault = dir
	s, notes, err := f.offered(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	var lists atomic.Int64
	here, there := sdk.NewInMemoryTransports()
	if _, err := mcp.New(listCounted{notes, &lists}, io.Discard).Connect(t.Context(), there); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "some-agent", Version: "1.2"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		n := 0
		for _, err := range c.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if want := int64(round + 1); n < 1200 || lists.Load() != want {
			t.Errorf("want all notes in %d looks at the folder, got %d notes and %d looks", want, n, lists.Load())
		}
		put(t, dir, "Later.md", "the next list has it")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestTwoServersAtOnceLoseNoCall(t *testing.T) {
	dir, _ := vault(t, 1)
	a, b := connected(t, dir, nil), connected(t, dir, yes)
	var wg sync.WaitGroup
	for who, c := range map[string]*client{"a": a, "b": b} {
		for i := range 10 {
			wg.Go(func() {
				r, err := c.CallTool(context.WithoutCancel(t.Context()), &sdk.CallToolParams{Name: "vault_createFile", Arguments: is{"path": who + strconv.Itoa(i) + ".md", "content": "x"}})
				if err != nil || r.IsError {
					t.Errorf("%s %d: want it staged, got %v (%v)", who, i, r, err)
				}
			})
		}
	}
	wg.Wait()
	b.does("review_approve", nil)
	for i := range 10 {
		if disk(t, dir, "a"+strconv.Itoa(i)+".md") != "x" || disk(t, dir, "b"+strconv.Itoa(i)+".md") != "x" {
			t.Errorf("want a%d and b%d made", i, i)
		}
	}
}

func TestWhatIsStagedWhileThePersonLooksIsNotApprovedByThatYes(t *testing.T) {
	dir, _ := vault(t, 1)
	other := connected(t, dir, nil)
	c := connected(t, dir, func(r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		other.does("vault_createFile", is{"path": "Hidden.md", "content": "unseen"})
		return yes(r)
	})
	c.does("vault_createFile", is{"path": "Seen.md", "content": "seen"})
	out, failed := c.call("review_approve", nil)
	if !failed || !strings.Contains(out, "More was staged") || disk(t, dir, "Seen.md")+disk(t, dir, "Hidden.md") != "" {
		t.Errorf("want the yes refused and nothing made, got %s", out)
	}
}

// Programs that start with other variables have another key of the device: what they
// have staged is not lost with what is staged with this one.
func TestCallsThatWereStagedWithAnotherKeyAreToldAndKept(t *testing.T) {
	dir, _ := vault(t, 1)
	connected(t, dir, nil).does("vault_createFile", is{"path": "Own.md", "content": "own"})
	own := os.Getenv("XDG_CONFIG_HOME")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	told := func() {
		t.Helper()
		if code, out := reviewed(t, dir, "y\n"); code == exitOK || !strings.Contains(out, "1 call is staged that this program cannot read") {
			t.Errorf("want it said that a call is staged with another key, got status %d\n%s", code, out)
		}
	}
	told()
	connected(t, dir, nil).does("vault_createFile", is{"path": "Other.md", "content": "other"})
	if code, out := reviewed(t, dir, "y\n"); code != exitOK || disk(t, dir, "Other.md") != "other" || disk(t, dir, "Own.md") != "" {
		t.Errorf("want what this key has staged made, and no more, got status %d\n%s", code, out)
	}
	told()
	t.Setenv("XDG_CONFIG_HOME", own)
	if code, out := reviewed(t, dir, "y\n"); code != exitOK || disk(t, dir, "Own.md") != "own" {
		t.Errorf("want what the first key has staged made, got status %d\n%s", code, out)
	}
	if _, err := os.Stat(filepath.Join(dir, ".embedded-agent", "staged", "calls.jsonl")); !os.IsNotExist(err) {
		t.Errorf("want no log left when all of it is done with, got %v", err)
	}
}

func TestALogThatIsCutOffAnywhereKeepsEveryCallBeforeTheCut(t *testing.T) {
	dir, _ := vault(t, 1)
	c := connected(t, dir, nil)
	log := filepath.Join(dir, ".embedded-agent", "staged", "calls.jsonl")
	var ends []int64
	for i := range 4 {
		c.does("vault_createFile", is{"path": "N" + strconv.Itoa(i) + ".md", "content": strings.Repeat("x", i)})
		st, err := os.Stat(log)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, st.Size())
	}
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range int64(len(whole)) + 1 {
		if err := os.WriteFile(log, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		var list struct{ Files []struct{ Path string } }
		if err := json.Unmarshal([]byte(c.does("vault_listFiles", is{"folder": "", "extension": "md"})), &list); err != nil {
			t.Fatal(err)
		}
		staged := 0
		for _, f := range list.Files {
			if strings.HasPrefix(f.Path, "N") {
				staged++
			}
		}
		want := 0
		for _, end := range ends {
			if end-1 <= cut { // the line's end may be missing: all of the call is there
				want++
			}
		}
		if staged != want {
			t.Fatalf("cut at %d of %v: want %d calls, got %d", cut, ends, want, staged)
		}
		if cut%97 == 0 {
			c.does("vault_createFile", is{"path": "After.md", "content": "x"})
			if out := c.does("review_show", nil); !strings.Contains(out, "After.md") {
				t.Fatalf("cut at %d: want the call after the cut kept, got %s", cut, out)
			}
		}
	}
}

func TestMovesDeletionsAndRepeatedEditsAreStagedInTheirOrderAndTakenBack(t *testing.T) {
	dir, _ := vault(t, 3)
	if err := os.MkdirAll(filepath.Join(dir, "Old", "Deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "Old/Deep/Note.md", "first\n")
	put(t, dir, "Links.md", "See [[Old/Deep/Note]].\n")
	put(t, dir, "Gone.md", "to be deleted\n")
	before := folder(t, dir)
	flags := []string{"-allow-deletes"}
	c := connected(t, dir, nil, flags...)
	c.does("vault_appendFile", is{"path": "Old/Deep/Note.md", "content": "second\n"})
	c.does("vault_rename", is{"path": "Old", "newPath": "New"})
	c.does("vault_delete", is{"path": "Gone.md"})
	c = connected(t, dir, yes, flags...) // another server goes on with it
	c.does("vault_appendFile", is{"path": "New/Deep/Note.md", "content": "third\n"})
	c.does("vault_createFile", is{"path": "Gone.md", "content": "anew\n"})
	if out, failed := c.call("vault_readFile", is{"path": "Old/Deep/Note.md"}); !failed {
		t.Errorf("want nothing at the old path, got %s", out)
	}
	if out := c.does("review_approve", nil); !strings.Contains(out, "Done") {
		t.Fatalf("want it made, got %s", out)
	}
	for path, want := range map[string]string{
		"New/Deep/Note.md": "first\nsecond\nthird\n", "Links.md": "See [[Note]].\n", "Gone.md": "anew\n", "Old/Deep/Note.md": "",
	} {
		if got := disk(t, dir, path); got != want {
			t.Errorf("%s: want %q, got %q", path, want, got)
		}
	}
	var out bytes.Buffer
	if code := Revert(t.Context(), []string{"-vault", dir, "-yes"}, &out, &out); code != exitOK {
		t.Fatalf("want it taken back, got status %d\n%s", code, out.String())
	}
	if err := os.RemoveAll(filepath.Join(dir, ".trash")); err != nil {
		t.Fatal(err)
	}
	if now := folder(t, dir); now != before {
		t.Errorf("want the notes as they were, got\n%s", diffLines(before, now))
	}
}
