//go:build !js

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hostfs"
	"embedded-agent/wasm/internal/server"
	"embedded-agent/wasm/internal/tool"
)

// opened gives a session over a folder, as a server has one.
func opened(t *testing.T, dir string) *session {
	t.Helper()
	f := newFlags("mcp", "mcp", io.Discard)
	if err := f.set.Parse([]string{"-vault", dir, "-allow-deletes"}); err != nil {
		t.Fatal(err)
	}
	c, _, err := f.offered(context.WithoutCancel(t.Context()), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func callsOf(t *testing.T, c *session) *server.StagedCalls {
	t.Helper()
	calls, err := c.waiting()
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

// wouldBe describes the notes as they would be: every path with its bytes, and what a
// plan is told that makes a new note of a name. Of that plan nothing is staged.
func wouldBe(t *testing.T, calls *server.StagedCalls) string {
	t.Helper()
	var b strings.Builder
	err := calls.Look(t.Context(), func(v host.Vault) error {
		all, err := v.Walk(t.Context(), "")
		if err != nil {
			return err
		}
		for _, i := range all {
			fmt.Fprintf(&b, "%s %s", i.Kind, i.Path)
			if i.Kind == host.File {
				data, err := v.Read(t.Context(), i.Path)
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, " %q", data)
			}
			b.WriteByte('\n')
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A.md", "a.md", "F/B.md", "f/b.md", "G/B.md"} {
		plan := `{"goal":"g","steps":[{"id":"make","tool":"vault.createFile","args":{"path":"` + name + `","content":"x"}},` +
			`{"id":"end","tool":"vault.readFile","args":{"path":"Never.md"},"dependsOn":["make"]}]}`
		_, err := calls.Submit(t.Context(), "probe", []byte(plan), nil)
		fmt.Fprintf(&b, "make %s: %v\n", name, err)
	}
	return b.String()
}

// pastTheStep waits until the disk's clock has gone so far that a change from now on has
// another time than those before.
func pastTheStep(t *testing.T) {
	t.Helper()
	probe := filepath.Join(t.TempDir(), "probe")
	began := time.Time{}
	for {
		if err := os.WriteFile(probe, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(probe)
		if err != nil {
			t.Fatal(err)
		}
		if began.IsZero() {
			began = st.ModTime()
		}
		if st.ModTime().Sub(began) > 30*time.Millisecond {
			return
		}
	}
}

var places = []string{"A.md", "a.md", "B.md", "F/A.md", "F/B.md", "F/G/A.md", "G/A.md", "G/B.md", "H/A.md"}

func aPlace() *rapid.Generator[string] { return rapid.SampledFrom(places) }

// anEdit changes the notes as a person does, with another program. What cannot be done
// is not.
func anEdit(rt *rapid.T, dir string) {
	at := func(label string) string { return filepath.Join(dir, filepath.FromSlash(aPlace().Draw(rt, label))) }
	file := at("file")
	switch rapid.SampledFrom([]string{"write", "same length", "remove", "move", "folder away", "folder moves", "folder for a file", "link"}).Draw(rt, "edit") {
	case "write":
		_ = os.MkdirAll(filepath.Dir(file), 0o755)
		_ = os.WriteFile(file, []byte(rapid.SampledFrom([]string{"one\n", "two\n", "one\ntwo\nthree\n"}).Draw(rt, "text")), 0o644)
	case "same length":
		st, err := os.Stat(file)
		if err != nil || st.IsDir() {
			return
		}
		data, _ := os.ReadFile(file)
		_ = os.WriteFile(file, bytes.ToUpper(data), 0o644)
		_ = os.Chtimes(file, st.ModTime(), st.ModTime())
	case "remove":
		_ = os.Remove(file)
	case "move":
		_ = os.Rename(file, at("to"))
	case "folder away":
		if top := filepath.Dir(file); top != dir {
			_ = os.RemoveAll(top)
		}
	case "folder moves":
		if top := filepath.Dir(file); top != dir {
			_ = os.Rename(top, filepath.Dir(at("to")))
		}
	case "folder for a file":
		_ = os.Remove(file)
		_ = os.MkdirAll(file, 0o755)
	case "link":
		_ = os.Remove(file)
		_ = os.Symlink(at("to"), file)
	}
}

// aCall calls a tool that writes. It may fail.
func aCall(t *testing.T, rt *rapid.T, calls *server.StagedCalls) {
	t.Helper()
	path := aPlace().Draw(rt, "path")
	folder := filepath.ToSlash(filepath.Dir(path))
	c := rapid.SampledFrom([]struct {
		tool string
		args tool.Args
	}{
		{"vault.createFile", tool.Args{"path": path, "content": "new\n"}},
		{"vault.writeFile", tool.Args{"path": path, "content": "all\n"}},
		{"vault.appendFile", tool.Args{"path": path, "content": "more\n"}},
		{"vault.replaceText", tool.Args{"path": path, "find": "o", "replace": "0"}},
		{"vault.delete", tool.Args{"path": path}},
		{"vault.delete", tool.Args{"path": folder}},
		{"vault.rename", tool.Args{"path": path, "newPath": aPlace().Draw(rt, "newPath")}},
		{"vault.rename", tool.Args{"path": folder, "newPath": "H"}},
	}).Draw(rt, "call")
	_, _ = calls.Call(t.Context(), "a", c.tool, c.args) // a refusal stages nothing
}

// The staged calls are kept from call to call. What was kept says the same of the notes
// as what is made anew, whatever happens in between.
func TestWhatIsKeptBetweenCallsIsWhatIsMadeAnew(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "vault")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"A.md", "F/A.md", "F/B.md"} {
			if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(p)), 0o755); err != nil {
				t.Fatal(err)
			}
			put(t, dir, p, "one\ntwo\n")
		}
		one, two := opened(t, dir), opened(t, dir)
		defer one.close()
		defer two.close()
		mine, others := callsOf(t, one), callsOf(t, two)
		did := []string{}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			what := rapid.SampledFrom([]string{"call", "call", "call", "other call", "edit", "edit", "wait", "wait", "approve", "discard", "undo"}).Draw(rt, "step")
			did = append(did, what)
			var out bytes.Buffer
			switch what {
			case "call":
				aCall(t, rt, mine)
			case "other call":
				aCall(t, rt, others)
			case "edit":
				anEdit(rt, dir)
			case "wait":
				pastTheStep(t)
			case "approve":
				reviewStaged(t.Context(), []string{"-vault", dir, "-allow-deletes"}, strings.NewReader("y\n"), &out, &out)
			case "discard":
				reviewStaged(t.Context(), []string{"-vault", dir, "-discard"}, strings.NewReader("y\n"), &out, &out)
			case "undo":
				Revert(t.Context(), []string{"-vault", dir, "-yes"}, &out, &out)
			}
			kept, anew := wouldBe(t, mine), wouldBe(t, callsOf(t, one))
			if kept != anew {
				rt.Fatalf("after %q: want the notes as they would be\n%s\ngot from what was kept\n%s", did, anew, kept)
			}
		}
	})
}

// counted is a vault that counts what is read.
type counted struct {
	host.Vault
	reads *atomic.Int64
}

func (c counted) Read(ctx context.Context, path string) ([]byte, error) {
	c.reads.Add(1)
	return c.Vault.Read(ctx, path)
}

func TestACallReadsNoStagedNoteThatNobodyHasChanged(t *testing.T) {
	dir, _ := vault(t, 3)
	for i := range 20 {
		put(t, dir, fmt.Sprintf("N%d.md", i), "text\n")
	}
	on, err := hostfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var reads atomic.Int64
	ports := on.Host()
	ports.Vault = counted{ports.Vault, &reads}
	f := newFlags("mcp", "mcp", io.Discard)
	f.vault = dir
	c, err := f.over(t.Context(), ports, on, strings.NewReader(""), io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	calls := callsOf(t, c)
	read := func(name string) int64 {
		t.Helper()
		before := reads.Load()
		if r, err := calls.Call(t.Context(), "a", "vault.readFile", tool.Args{"path": name}); err != nil || !r.OK {
			t.Fatalf("want %s read, got %+v (%v)", name, r, err)
		}
		return reads.Load() - before
	}
	pastTheStep(t)
	for i := range 20 {
		if r, err := calls.Call(t.Context(), "a", "vault.appendFile", tool.Args{"path": fmt.Sprintf("N%d.md", i), "content": "more\n"}); err != nil || !r.OK {
			t.Fatalf("want it staged, got %+v (%v)", r, err)
		}
	}
	read("List.md") // stages the last call again
	if n := read("List.md"); n != 1 {
		t.Errorf("want the one note read that was asked for, got %d reads", n)
	}
	put(t, dir, "N7.md", "edited\n")
	if n := read("List.md"); n < 20 {
		t.Errorf("want the calls staged again after an edit, got %d reads", n)
	}
}
