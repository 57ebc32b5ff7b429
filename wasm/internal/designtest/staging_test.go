//go:build linux || darwin

package designtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/copychange"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/server"
	"embedded-agent/wasm/internal/workcopy"
)

func TestTheCommandOfThePageIsStagedAsItShows(t *testing.T) {
	p := open(t, "staging.md")
	notes := map[string]string{"List.md": p.given("note"), "Other.md": p.given("other")}
	c := start(t, notes, protocol.Settings{Provider: "openai", AllowRenames: true})
	vault := filepath.Join(t.TempDir(), "notes")
	do(t, os.Mkdir(vault, 0o755))
	for path, text := range notes {
		do(t, os.WriteFile(filepath.Join(vault, path), []byte(text), 0o644))
	}
	copied, err := workcopy.Make(workcopy.Options{Vault: vault, MaySee: func(string) error { return nil }, Temp: t.TempDir()})
	do(t, err)
	defer func() { do(t, copied.Remove()) }()

	// The command.
	at := func(path string) string { return filepath.Join(copied.Notes(), path) }
	flour := strings.ReplaceAll(p.given("note"), "bread", "flour")
	do(t, os.WriteFile(at("List.md"), []byte(flour), 0o644), os.Mkdir(at("Notes"), 0o755),
		os.Rename(at("Other.md"), at("Notes/Other.md")), os.Symlink("/", at("root")))
	out, err := copied.Compare()
	do(t, err)
	p.shows("left", leftLines(out))

	c.mem.Put("List.md", p.given("edited"))
	before := c.mem.Snapshot()
	r, err := c.s.OpenStaged(t.Context(), server.StagedWork{Command: "agent", Changes: out.Changes, Odd: out.Odd})
	do(t, err)
	if d := before.Diff(c.mem.Snapshot()); d != "" {
		t.Fatalf("the review wrote:\n%s", d)
	}
	p.shows("changeset", stagedChangeset(r))
	p.shows("leftout", leftOutLines(r))
	if end := c.approve(*r); end.Outcome != "ok" {
		t.Fatalf("the run ended as %s: %+v", end.Outcome, end.Problem)
	}
	p.shows("written", c.note("List.md"))
	if moved := c.note("Notes/Other.md"); moved != p.given("other") {
		t.Errorf("the note that moved is %q", moved)
	}
	if back := ask[protocol.Reverted](c, "run.revert", protocol.Revert{Run: r.Run}); back.Problem != nil {
		t.Fatalf("the revert failed: %+v", back.Problem)
	}
	p.shows("after", c.note("List.md"))
	if d := before.Diff(c.mem.Snapshot()); d != "" {
		t.Errorf("reverted, the notes are not what they were:\n%s", d)
	}
}

func do(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func leftLines(out *workcopy.Outcome) string {
	kinds := []string{"create", "modify", "move", "delete", "mkdir", "rmdir"}
	lines := list(copychange.Order(copychange.Moves(out.Changes)), func(c copychange.Change) string {
		if c.From != "" {
			return fmt.Sprintf("%s %s -> %s", kinds[c.Kind], c.From, c.Path)
		}
		return kinds[c.Kind] + " " + c.Path
	})
	for _, path := range out.Odd {
		lines += "odd " + path + "\n"
	}
	return lines
}

func stagedChangeset(r *protocol.Review) string {
	return list(r.Files, func(f protocol.FileChange) string {
		switch {
		case f.From != "":
			return fmt.Sprintf("%s  %s -> %s", f.Status, f.From, f.Path)
		case f.Added+f.Removed == 0:
			return fmt.Sprintf("%s  %s", f.Status, f.Path)
		}
		return fmt.Sprintf("%s  %s  +%d -%d", f.Status, f.Path, f.Added, f.Removed)
	})
}

func leftOutLines(r *protocol.Review) string {
	var lines []string
	for _, st := range r.Steps {
		for _, g := range st.LeftOut.Groups {
			for _, i := range g.Items {
				lines = append(lines, i18n.English(g.Reason.Key, g.Reason.Params)+": "+i.Name)
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
