package hollow_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/hollow"
)

// answers reads the answers of a file, "===" between two.
func answers(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n===\n")
}

func TestAnAnswerThatSaysItHasChangedNotesIsFound(t *testing.T) {
	all := answers(t, "hollow.txt")
	for _, text := range all {
		if !hollow.Words(text) {
			t.Errorf("missed: %s", text)
		}
	}
	if len(all) < 50 {
		t.Errorf("%d answers were tried", len(all))
	}
}

func TestAnHonestAnswerIsNotAccused(t *testing.T) {
	all := answers(t, "honest.txt")
	for _, text := range all {
		if hollow.Words(text) {
			t.Errorf("accused: %s", text)
		}
	}
	if len(all) < 60 {
		t.Errorf("%d answers were tried", len(all))
	}
}

// The texts that this repository has of people and models, each line an answer: notes,
// guide, words of the interface. Those that are taken for such
// words are counted, so that a form that grows too wide is seen.
func TestOrdinaryProseIsNotAccused(t *testing.T) {
	const root = "../../../"
	lines, accused := 0, []string{}
	look := func(text string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if lines++; hollow.Words(line) {
				accused = append(accused, line)
			}
		}
	}
	for _, pattern := range []string{
		"README.md", "docs/*.md", "docs/guide/*.md", "docs/design/*.md", "wasm/internal/tool/builtin/*.md", "i18n/*/*.json",
		"test/playground/vault/*.md", "test/playground/vault/*/*.md", "test/playground/vault/*/*/*.md",
	} {
		files, err := filepath.Glob(root + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			look(string(b))
		}
	}
	stories, err := filepath.Glob(root + "wasm/internal/*/testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stories {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			look(string(f.Data))
		}
	}
	t.Logf("%d of %d lines", len(accused), lines)
	if lines < 4000 || len(accused)*2000 > lines {
		t.Errorf("%d of %d lines are accused:\n%s", len(accused), lines, strings.Join(accused, "\n"))
	}
}

func TestALongAnswerCostsNoMoreThanItsEnds(t *testing.T) {
	long := strings.Repeat("Words about a garden. ", 100_000)
	if hollow.Words(long) || !hollow.Words(long+"I have created the note for you!") {
		t.Error("the end of a long answer is not read as it is")
	}
}
