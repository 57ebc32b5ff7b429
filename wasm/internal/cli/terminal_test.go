//go:build !js

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile has texts that a note, plan or name may hold to have a terminal show
// something else than is there.
var hostile = []string{
	"milk\x1b[2K\x1b[1Abread", "\x1b]0;title\x07", "\x1b]8;;http://evil\x1b\\x", "\x1b[8mhidden\x1b[0m", "\x1bP+q\x1b\\", "\x1bc", "\x1b[?1049h", "\x1b[6n",
	"\x1b]52;c;cm0=\x07", "<%* evil %>\rmilk", "evil\b\b\b\bmilk", "a\x00b", "a\x07", "a\x0eb\x0f", "a\x7fb", "\u009b2Jb", "\u0090q\u009c", "a\u0085b",
	"photo\u202egpj.exe", "\u2066a\u2069", "a\u200eb", "a\u061cb", "pass\u200bword", "a\u200db", "a\u2028b", "\ufeffa", "a\U000e0041b", "a\u00adb",
	"a\u2800b", "a\u3164b", strings.Repeat(" ", 300) + "far", "a\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301b", "a\x0bb\x0cc",
}

// obeyed gives what a terminal would obey in its bytes, besides line feeds and
// tabs.
func obeyed(b []byte) string {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1, r < 0x20 && r != '\n' && r != '\t', r >= 0x7f && r < 0xa0, r == 0xad, r == 0x61c,
			r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2800, r == 0x3164, r == 0xfeff, r >= 0xe0000 && r <= 0xe0fff:
			return string(b[:n])
		}
		b = b[n:]
	}
	return ""
}

// process plays the program in a process of its own, as a person starts it.
func process(t *testing.T, input string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asCommand+"="+strings.Join(args, "\n"))
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestNothingThatATerminalObeysLeavesTheCommand(t *testing.T) {
	for i, h := range hostile {
		files := map[string]string{"A.md": "# A\n" + h + "\nold\n", "Ordinary.md": "x\n"}
		plans := map[string]any{
			"line":     []any{map[string]any{"id": "s", "tool": "vault.patchFile", "args": map[string]any{"path": "A.md", "find": "old", "replace": "new"}}},
			"new line": []any{map[string]any{"id": "s", "tool": "vault.createFile", "args": map[string]any{"path": "N.md", "content": h}}},
			"path":     []any{map[string]any{"id": "s", "tool": "vault.createFile", "args": map[string]any{"path": "N" + h + ".md", "content": "x"}}},
			"title":    []any{map[string]any{"id": "s", "tool": "vault.createFile", "args": map[string]any{"title": h, "content": "x"}}},
			"error":    []any{map[string]any{"id": "s", "tool": "vault.readFile", "args": map[string]any{"path": "none" + h + ".md"}}},
			"step":     []any{map[string]any{"id": h, "tool": "no" + h, "args": map[string]any{h: h}}},
			"output":   []any{map[string]any{"id": "s", "tool": "vault.readFile", "args": map[string]any{"path": "A.md"}}},
		}
		for name, steps := range plans {
			dir := t.TempDir()
			for path, content := range files {
				write(t, filepath.Join(dir, path), content)
			}
			raw, err := json.Marshal(map[string]any{"goal": h, "assumptions": []string{h}, "steps": steps})
			if err != nil {
				t.Fatal(err)
			}
			plan := filepath.Join(t.TempDir(), "plan.json")
			write(t, plan, string(raw))
			var out bytes.Buffer
			Run(t.Context(), []string{"-vault", dir, "-dry-run", plan}, &out, &out)
			if bad := obeyed(out.Bytes()); bad != "" {
				t.Errorf("%q as %s: %q reaches the terminal in %q", h, name, bad, out.String())
			}
			if name == "line" && i == 0 && !strings.Contains(out.String(), "milk⟨ESC⟩[2K⟨ESC⟩[1Abread") {
				t.Errorf("the line beside the change is not shown: %q", out.String())
			}
		}
	}
}

func TestTheProgramItselfEscapesItsQuestionAndItsErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "A.md"), "milk\n")
	plan := filepath.Join(t.TempDir(), "pl\x1b[2Kan.json")
	write(t, plan, `{"goal":"Go\u001b[2K\r\u202e","assumptions":[],"steps":[{"id":"s","tool":"vault.createFile","args":{"path":"N.md","content":"<%* evil %>\rmilk"}}]}`)
	for _, args := range [][]string{{"-vault", dir, plan}, {"-vault", dir, plan + "\x1b[2K.missing"}, {"-vault", dir + "/\x1b[2Knone", plan}, {"-\x1b[2Kflag"}} {
		out := process(t, "n\n", args...)
		if bad := obeyed([]byte(out)); bad != "" || out == "" {
			t.Errorf("%q: %q reaches the terminal in %q", args, bad, out)
		}
	}
	if out := process(t, "n\n", "-vault", dir, plan); !strings.Contains(out, "+ <%* evil %>⟨CR⟩milk") || !strings.Contains(out, "! line 1: Code that Templater may run") || !strings.Contains(out, "Nothing was changed.") {
		t.Error("want out with \"+ <%* evil %>⟨CR⟩milk\", out with \"! line 1: Code that Templater may run\" and out with \"Nothing was changed.\", got:", out)
	}
}

func TestACommandLineOfARunThatWasLeftIsQuoted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "va ult;touch $(id)'")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "A.md"), "a\n")
	c := &session{}
	var out bytes.Buffer
	f := newFlags("run", "", &out)
	f.vault = dir
	s, err := f.start(t.Context(), strings.NewReader(""), &out, &out)
	if err != nil {
		t.Fatal(err)
	}
	defer s.s.Close()
	c.out = s.out
	for _, id := range []string{"0190-abc", "x; rm -rf ~", "\x1b[2K", "-x", "it's"} {
		out.Reset()
		c.sayCommand("  ", "revert", "--vault", dir, "--", id)
		line := strings.TrimSpace(out.String())
		read, err := exec.Command("sh", "-c", "embedded_agent() { printf '%s\\n' \"$@\"; }; "+strings.Replace(line, "embedded-agent", "embedded_agent", 1)).Output()
		want := "revert\n--vault\n" + dir + "\n" + id + "\n"
		if strings.HasPrefix(id, "-") {
			want = "revert\n--vault\n" + dir + "\n--\n" + id + "\n"
		}
		if err != nil || string(read) != want || obeyed(out.Bytes()) != "" {
			t.Errorf("%q is printed as %q and read as %q (%v)", id, line, read, err)
		}
	}
}

func TestTheReviewOfTheCommandShowsEveryLineThatChanges(t *testing.T) {
	for name, c := range map[string]struct{ before, find, replace, want string }{
		"a line":      {"a\nb\nold\nc\nd\ne\n", "old", "new", "    @@ -3,1 +3,1 @@\n      a\n      b\n    - old\n    + new\n      c\n      d\n"},
		"two hunks":   {"old\na\nold2\n", "old\na\nold2", "new\na\nnew2", "    @@ -1,1 +1,1 @@\n    - old\n    + new\n      a\n    @@ -3,1 +3,1 @@\n    - old2\n    + new2\n"},
		"the end":     {"a\nold", "old", "new\n", "    @@ -2,1 +2,1 @@\n      a\n    - old\n    \\ No newline at end of file\n    + new\n"},
		"CRLF":        {"old\r\nb\r\n", "old", "new", "    @@ -1,1 +1,1 @@\n    - old\n    + new\n      b\n"},
		"a line end":  {"old\rb\n", "old\rb", "old\r\rb", "    - old⟨CR⟩b\n    + old⟨CR ×2⟩b\n"},
		"a zero byte": {"a\x00b\nold\n", "old", "new", "      a⟨NUL⟩b\n    - old\n    + new\n"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "A.md"), c.before)
		raw, err := json.Marshal(map[string]any{"goal": "Edit", "assumptions": []string{}, "steps": []any{
			map[string]any{"id": "s", "tool": "vault.patchFile", "args": map[string]any{"path": "A.md", "find": c.find, "replace": c.replace}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		plan := filepath.Join(t.TempDir(), "plan.json")
		write(t, plan, string(raw))
		var out bytes.Buffer
		if code := Run(t.Context(), []string{"-vault", dir, "-dry-run", plan}, &out, &out); code != exitOK || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %d %q, want %q", name, code, out.String(), c.want)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
