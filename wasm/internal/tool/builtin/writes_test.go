package builtin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// mustCall is call for what must work.
func mustCall(t *testing.T, env *tool.Env, name string, args map[string]any) tool.Data {
	t.Helper()
	data, err := call(t, env, name, args)
	if err != nil {
		t.Fatalf("%s: want no error, got %v", name, err)
	}
	return data
}

var hostileTitles = []string{
	"../../etc/passwd", "CON", "a/b:c?", "🌱 idea", strings.Repeat("long ", 60), strings.Repeat("界", 300),
	"same", "same", "Same", "SAME", "", ".", "..", ".hidden", "trailing. ", "a\x00b", "a\nb", "[[link]]", "#tag ^block",
	"C:\\Windows", "%2e%2e/x", "nul.txt", "~/x", "https://example.org/a?b=c", "note.md", "\u202egnp.exe", "-", "a|b", "<script>",
}

func TestAnyTitleBecomesANoteInItsFolderOnEverySystem(t *testing.T) {
	for _, p := range hosttest.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			m := hosttest.New(hosttest.Options{Profile: p, Files: map[string]string{"Safe/": ""}})
			env := envOf(m.Host())
			for _, title := range hostileTitles {
				d := mustCall(t, env, "vault.createFile", map[string]any{"folder": "Safe", "title": title, "content": "x"})
				path := d["path"].(string)
				if !strings.HasPrefix(path, "Safe/") || strings.Contains(path[5:], "/") || !strings.HasSuffix(path, ".md") {
					t.Errorf("%q became %q", title, path)
				}
			}
			list, err := m.Host().Vault.Walk(t.Context(), "")
			if err != nil || len(list) != len(hostileTitles)+1 {
				t.Errorf("%d entries (%v), want a folder and %d notes", len(list), err, len(hostileTitles))
			}
		})
	}
}

func TestACreateNeverOverwritesAndNeverLeavesTheVault(t *testing.T) {
	for _, path := range []string{"../x.md", "a/../../x.md", "/etc/x", "C:/x.md", ".obsidian/app.json", "a/.git/config", "a\x00.md", "CON.md", "a?.md", "file:///x"} {
		m := hosttest.New(hosttest.Options{})
		_, err := call(t, envOf(m.Host()), "vault.createFile", map[string]any{"path": path, "content": "x"})
		if err == nil {
			t.Errorf("%q was taken", path)
		}
		if s := m.Snapshot(); len(s) != 0 {
			t.Errorf("%q wrote %v", path, s)
		}
	}
}

func TestAFolderWithAnIllegalNameThatIsThereCanBeWrittenInto(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"C++ [old]: notes/a.md": "x"}})
	env := envOf(m.Host())
	d := mustCall(t, env, "vault.createFile", map[string]any{"folder": "C++ [old]: notes", "title": "new", "content": ""})
	if d["path"] != "C++ [old]: notes/new.md" {
		t.Errorf("got %v", d)
	}
	mustCall(t, env, "vault.writeFile", map[string]any{"path": "C++ [old]: notes/a.md", "content": "y"})
}

func TestACreateFindsAFreeNameWhereTheIndexCannotSeeTheCase(t *testing.T) {
	m := hosttest.New(hosttest.Options{Profile: hosttest.Windows, Files: map[string]string{"Time Entry.md": "x"}})
	d := mustCall(t, envOf(m.Host()), "vault.createFile", map[string]any{"path": "time entry.md", "content": "y"})
	if d["path"] != "time entry (2).md" {
		t.Errorf("got %v", d["path"])
	}
}

func TestTheLinkFollowsThePersonsSettings(t *testing.T) {
	for _, c := range []struct {
		format   string
		markdown bool
		want     string
	}{
		{"shortest", false, "[[My note]]"},
		{"absolute", false, "[[Projects/My note|My note]]"},
		{"relative", false, "[[../Projects/My note|My note]]"},
		{"shortest", true, "[My note](My%20note.md)"},
		{"absolute", true, "[My note](Projects/My%20note.md)"},
	} {
		m := hosttest.New(hosttest.Options{
			Files: map[string]string{"Inbox/a.md": "x"}, Active: "Inbox/a.md", LinkFormat: c.format, MarkdownLinks: c.markdown,
		})
		d := mustCall(t, envOf(m.Host()), "vault.createFile", map[string]any{"path": "Projects/My note", "content": ""})
		if d["link"] != c.want {
			t.Errorf("%s, markdown %v: %v, want %s", c.format, c.markdown, d["link"], c.want)
		}
	}
}

// namedVault is a Vault that can find files by name.
type namedVault struct {
	host.Vault
	m *hosttest.Memory
}

func (v namedVault) Named(_ context.Context, lower string) ([]string, error) {
	var out []string
	for p := range v.m.Snapshot() {
		if strings.ToLower(p[strings.LastIndexByte(p, '/')+1:]) == lower {
			out = append(out, p)
		}
	}
	return out, nil
}

func TestAThousandCreatesAskTheHostLittleEach(t *testing.T) {
	given := map[string]string{}
	for i := range 500 {
		given[fmt.Sprintf("Old/%d.md", i)] = "x"
	}
	m := hosttest.New(hosttest.Options{Files: given})
	env := envOf(m.Host())
	env.Vault = namedVault{env.Vault, m}
	reg := registry(t)
	e, err := reg.Get("vault.createFile", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if _, err := e.Run(t.Context(), env, tool.Args{"folder": "New", "title": fmt.Sprint("Note ", i), "content": "x"}); err != nil {
			t.Fatal(err)
		}
	}
	c := m.Counts()
	if perCall := float64(c.Reads) / 100; perCall > 3 {
		t.Errorf("%.1f reads a call", perCall)
	}
	if c.Writes != 101 { // the folder and the notes
		t.Errorf("%d writes", c.Writes)
	}
}

func TestEqualTitlesTakeTheNextNumberCheaply(t *testing.T) {
	m := hosttest.New(hosttest.Options{})
	env := envOf(m.Host())
	env.Vault = namedVault{env.Vault, m}
	e, err := registry(t).Get("vault.createFile", "")
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		if _, err := e.Run(t.Context(), env, tool.Args{"title": "Same", "content": ""}); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := m.File("Same (300).md"); !ok {
		t.Error("the last is not Same (300).md")
	}
	if c := m.Counts(); c.Reads > 300*40 {
		t.Errorf("%d reads for 300 creates", c.Reads)
	}
}

func TestWritesThatMayCollideShareAClaim(t *testing.T) {
	claims := func(name string, args tool.Args) string {
		for _, tl := range builtin.All() {
			if tl.Name == name {
				return strings.Join(tl.Claims(args), " ")
			}
		}
		t.Fatalf("no tool %s", name)
		return ""
	}
	for _, c := range []struct {
		name string
		args tool.Args
		want string
	}{
		{"vault.createFile", tool.Args{"path": "a/Note (3).md"}, "a/Note.md"},
		{"vault.createFile", tool.Args{"folder": "a", "title": "Note"}, "a/Note.md"},
		{"vault.createFile", tool.Args{"folder": "a", "title": "Note (2)"}, "a/Note.md"},
		{"vault.writeFile", tool.Args{"path": "a/Note"}, "a/Note.md"},
		{"vault.ensureFolder", tool.Args{"path": "a/b/c"}, "a"},
		{"vault.ensureFolder", tool.Args{"path": ""}, ""},
		{"vault.delete", tool.Args{"path": "a.md"}, "a.md"},
		{"vault.delete", tool.Args{"path": "a"}, "*"},
		{"vault.rename", tool.Args{"path": "a.md"}, "*"},
		{"editor.replaceSelection", tool.Args{"text": ""}, "*"},
	} {
		if got := claims(c.name, c.args); got != c.want {
			t.Errorf("%s %v claims %q, want %q", c.name, c.args, got, c.want)
		}
	}
}

func TestAFolderIsDeletedFileByFileDeepestFirst(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"F/a.md": "1", "F/S/b.md": "2", "F/S/T/c.bin": "\xff\x00", "F/Empty/": ""}})
	var ops []string
	env := envOf(m.Host())
	env.Vault = recorder{env.Vault, &ops}
	mustCall(t, env, "vault.delete", map[string]any{"path": "F"})
	want := []string{
		"trash F/S/T/c.bin false", "rmdir F/S/T false", "trash F/S/b.md false",
		"rmdir F/Empty false", "rmdir F/S false", "trash F/a.md false", "rmdir F false",
	}
	slicesSortSameDepth(ops)
	slicesSortSameDepth(want)
	if diff := cmp.Diff(want, ops); diff != "" {
		t.Error("it differs from what was wanted (-want +got):", diff)
	}
}

// slicesSortSameDepth leaves only the order that matters: by depth.
func slicesSortSameDepth(ops []string) {
	for i := range ops {
		for j := i; j > 0 && strings.Count(ops[j], "/") == strings.Count(ops[j-1], "/") && ops[j] < ops[j-1]; j-- {
			ops[j], ops[j-1] = ops[j-1], ops[j]
		}
	}
}

func TestTheRootIsNeitherRenamedNorDeleted(t *testing.T) {
	for _, path := range []string{"", "/", "."} {
		m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": "x"}})
		if _, err := call(t, envOf(m.Host()), "vault.delete", map[string]any{"path": path}); !fault.Is(err, fault.Precondition) {
			t.Errorf("delete %q: %v", path, err)
		}
		if _, err := call(t, envOf(m.Host()), "vault.rename", map[string]any{"path": path, "newPath": "b"}); !fault.Is(err, fault.Precondition) {
			t.Errorf("rename %q: %v", path, err)
		}
	}
}

func TestUnsavedTextOfTheActiveNoteIsKeptByAnInsert(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": "saved ⟦"}, Active: "a.md"})
	m.Type("a.md", "saved and typed ")
	mustCall(t, envOf(m.Host()), "editor.insertAtCursor", map[string]any{"text": "X"})
	if got, _ := m.File("a.md"); string(got) != "saved Xand typed " {
		t.Errorf("got %q", got)
	}
}

func TestTheCursorStandsAfterTheInsertedText(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": "\ufeff🌱 ⟦x⟧\r\nb"}, Active: "a.md"})
	env := envOf(m.Host())
	// The editor counts without the BOM.
	m.Select(host.Range{From: host.Position{Line: 0, Ch: 3}, To: host.Position{Line: 0, Ch: 4}})
	if _, err := env.Editor.State(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustCall(t, env, "editor.insertAtCursor", map[string]any{"text": "one\n🌱two"})
	if got, _ := m.File("a.md"); string(got) != "\ufeff🌱 xone\r\n🌱two\r\nb" {
		t.Errorf("got %q", got)
	}
	s, err := env.Editor.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := (host.Position{Line: 1, Ch: 5}); s.Selection.From != want || s.Selection.To != want {
		t.Errorf("cursor at %+v", s.Selection)
	}
}

func TestEveryToolStopsForACancelledCaller(t *testing.T) {
	for _, e := range registry(t).All() {
		if e.SideEffects == tool.None || len(builtin.Examples(e.Name)) == 0 {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			for _, ex := range builtin.Examples(e.Name) {
				if ex.Error != "" {
					continue
				}
				m := hosttest.New(hosttest.Options{Files: ex.Given, Active: ex.Active, Commands: []hosttest.Command{}})
				before := m.Snapshot()
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				if _, err := e.Run(ctx, envOf(m.Host()), ex.Args); !fault.Is(err, fault.Cancelled) {
					t.Errorf("%s: want the error fault.Cancelled, got %v", ex.Name, err)
				}
				if d := before.Diff(m.Snapshot()); d != "" {
					t.Error("want the vault as it was before; it differs:", d)
				}
			}
		})
	}
}

func TestAnErrorOfTheDiskReachesTheCallerAsItIs(t *testing.T) {
	for _, e := range registry(t).All() {
		if e.SideEffects != tool.Writes {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			for _, ex := range builtin.Examples(e.Name) {
				m := hosttest.New(hosttest.Options{Files: ex.Given, Active: ex.Active})
				before := m.Snapshot()
				m.FailAt(1, nil)
				_, err := e.Run(t.Context(), envOf(m.Host()), ex.Args)
				if m.Counts().Writes > 0 && !fault.Is(err, fault.Internal) {
					t.Errorf("%s: want Counts.Writes at most 0 (or the error fault.Internal), got %v", ex.Name, err)
				}
				if d := before.Diff(m.Snapshot()); d != "" {
					t.Error("want the vault as it was before; it differs:", d)
				}
			}
		})
	}
}

func TestSearchFindsWhatAPersonWouldFind(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{
		"a.md":   "Straße\r\nÄpfel und Birnen\r\n",
		"b.md":   strings.Repeat("x", 1000) + "NEEDLE" + strings.Repeat("y", 1000),
		"c.md":   "needle needle\nneedle",
		"d.png":  "needle",
		"bin.md": "needle\xff",
	}})
	env := envOf(m.Host())
	find := func(args map[string]any) []any {
		t.Helper()
		return mustCall(t, env, "vault.searchText", args)["hits"].([]any)
	}
	if got := find(map[string]any{"query": "äpfel"}); len(got) != 1 || got[0].(map[string]any)["text"] != "Äpfel und Birnen" {
		t.Errorf("umlaut: %v", got)
	}
	if got := find(map[string]any{"query": "needle"}); len(got) != 3 {
		t.Errorf("%d hits for needle", len(got))
	}
	if got := find(map[string]any{"query": "needle", "caseSensitive": true}); len(got) != 2 {
		t.Errorf("%d hits for needle with case", len(got))
	}
	if got := find(map[string]any{"query": "^needle$", "regex": true}); len(got) != 1 {
		t.Errorf("%d hits for ^needle$", len(got))
	}
	d := mustCall(t, env, "vault.searchText", map[string]any{"query": "needle", "limit": 2})
	if d["truncated"] != true || len(d["hits"].([]any)) != 2 {
		t.Errorf("limited: %v", d)
	}
	if got := find(map[string]any{"query": "NEEDLE"})[0].(map[string]any)["text"].(string); len(got) < 400 || !strings.Contains(got, "NEEDLE") {
		t.Errorf("a long line is not whole in a plan: %d bytes", len(got))
	}
	env.Model.Paged = true
	if got := find(map[string]any{"query": "NEEDLE"})[0].(map[string]any)["text"].(string); len(got) > 400 || !strings.Contains(got, "NEEDLE") {
		t.Errorf("a long line: %q", got)
	}
	if got := find(map[string]any{"query": "x*", "regex": true}); len(got) == 0 {
		t.Error("a pattern that matches nothing finds nothing")
	}
}

func TestANoteThatCannotBeChangedIsSkippedAndSaidSo(t *testing.T) {
	files := map[string]string{"T.md": "---\ndate: {{date}}\ndate: 1\n---\n", "a.md": "---\nx: 1\n---\n", "b.md": "---\nx: 1\ny: 2\n---\n"}
	m := hosttest.New(hosttest.Options{Files: files})
	d := mustCall(t, envOf(m.Host()), "metadata.rename", map[string]any{"from": "x", "to": "y"})
	if d["count"] != 1.0 || len(d["skipped"].([]any)) != 1 || d["skipped"].([]any)[0].(map[string]any)["path"] != "b.md" {
		t.Errorf("rename: %v", d)
	}
	d = mustCall(t, envOf(m.Host()), "tags.add", map[string]any{"tags": []any{"t"}})
	if d["count"] != 2.0 || d["skipped"].([]any)[0].(map[string]any)["path"] != "T.md" {
		t.Errorf("add: %v", d)
	}
	if _, err := call(t, envOf(m.Host()), "tags.add", map[string]any{"path": "T.md", "tags": []any{"t"}}); !fault.Is(err, fault.Precondition) {
		t.Errorf("a note that was named: %v", err)
	}
	if got, _ := m.File("T.md"); string(got) != files["T.md"] {
		t.Errorf("got %q", got)
	}
}
