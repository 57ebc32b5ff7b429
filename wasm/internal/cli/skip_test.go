//go:build !js

package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAStepThatFailsAndSaysSkipEndsNeitherTheReviewNorTheRun(t *testing.T) {
	dir := t.TempDir()
	plan := filepath.Join(t.TempDir(), "plan.json")
	text := `{"goal":"skip","assumptions":[],"riskLevel":"writes","steps":[
{"id":"gone","tool":"vault.readFile","args":{"path":"Nowhere.md"},"onError":"skip"},
{"id":"make","tool":"vault.createFile","args":{"path":"Made.md","content":"x\n"}}]}`
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"-dry-run"}, {"-yes"}} {
		var out, stderr bytes.Buffer
		if code := Run(t.Context(), append(append([]string{"-vault", dir}, flags...), plan), &out, &stderr); code != exitOK && flags[0] == "-dry-run" {
			t.Fatalf("%v: exit code %d:\n%s%s", flags, code, out.String(), stderr.String())
		}
		if !strings.Contains(out.String(), "Nowhere.md") {
			t.Errorf("%v: what is skipped is not said:\n%s", flags, out.String())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "Made.md")); err != nil {
		t.Fatal(err)
	}
	automatic := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "events.jsonl" {
			b, err := os.ReadFile(path)
			automatic = automatic || bytes.Contains(b, []byte(`"automatic":true`)) && !bytes.Contains(b, []byte("run.confirmationRequested"))
			return err
		}
		return err
	})
	if err != nil || !automatic {
		t.Errorf("a yes that was given beforehand is recorded as a person's: %v", err)
	}
}

func TestWhatAPlanLeavesOutIsPrintedWithReasonsAndNames(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.md": "a\n", "bad.md": "---\nx: [\n---\n", "odd.md": "\xff\xfe"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plan := filepath.Join(t.TempDir(), "plan.json")
	text := `{"goal":"tag","steps":[{"id":"tag","tool":"tags.add","args":{"folder":"","tags":["done"]},"preview":"Tag all notes"}]}`
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	if code := Run(t.Context(), []string{"-vault", dir, "-yes", plan}, &out, &stderr); code != exitOK {
		t.Fatalf("exit code %d:\n%s%s", code, out.String(), stderr.String())
	}
	for _, want := range []string{
		"Left out by “Tag all notes”: 2 of 3", "Its properties are not valid YAML (1)", "      bad.md\n", "It is not text (1)", "      odd.md\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not said:\n%s", want, out.String())
		}
	}
}
