//go:build !js

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

const searchPlan = `{"goal":"Find","assumptions":[],"steps":[{"id":"find","tool":"vault.searchText","args":{"query":"needle"}}]}`

// timed notes when each line was printed.
type timed struct {
	lines []string
	at    []time.Time
}

func (w *timed) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		w.lines, w.at = append(w.lines, line), append(w.at, time.Now())
	}
	return len(b), nil
}

var readingLine = regexp.MustCompile(`^Reading notes: ([\d,]+) of ([\d,]+)(?:, ([\d,]+) found)?\n$`)

// numbers gives those of a line that says how far a search is.
func numbers(t *testing.T, line string) (done, total, found int) {
	t.Helper()
	m := readingLine.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("want something, got %q", line)
	}
	for i, n := range []*int{&done, &total, &found} {
		if m[i+1] == "" {
			continue
		}
		var err error
		if *n, err = strconv.Atoi(strings.ReplaceAll(m[i+1], ",", "")); err != nil {
			t.Fatal(err)
		}
	}
	return done, total, found
}

func TestASearchOnASlowDiskSaysHowFarItIsAndThenWhatItFound(t *testing.T) {
	const notes, hits = 3000, 10
	files := make(map[string]string, notes)
	for i := range notes {
		text := fmt.Sprintf("note %d says nothing of note\n", i)
		if i%(notes/hits) == 7 {
			text += "a needle\x1b[2K in it\n"
		}
		files[fmt.Sprintf("F%02d/note %d.md", i/100, i)] = text
	}
	mem := hosttest.New(hosttest.Options{Files: files})
	for path := range files {
		mem.SetTimes(path, 1_000_000, 1_000_000) // long ago also by the clock of synctest
	}
	synctest.Test(t, func(t *testing.T) {
		mem.SlowReads(20 * time.Millisecond)
		var out bytes.Buffer
		told := &timed{}
		c, err := newFlags("run", "", told).over(t.Context(), mem.Host(), io.NopCloser(nil), strings.NewReader(""), &out, told)
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		if code := c.run(t.Context(), []byte(searchPlan), nil, wishes{dry: true}); code != exitOK {
			t.Fatalf("%d: want code equal to exitOK, got %s", code, told.lines)
		}
		for i, line := range told.lines {
			done, total, found := numbers(t, line)
			if total != notes || done > notes || found > hits {
				t.Errorf("want total equal to notes, done at most notes and found at most hits, got %q", line)
			}
			if i == 0 {
				continue
			}
			before, _, had := numbers(t, told.lines[i-1])
			if wait := told.at[i].Sub(told.at[i-1]); done <= before || found < had || wait < tellEvery || wait > 2*tellEvery {
				t.Errorf("%q comes %v after %q", line, wait, told.lines[i-1])
			}
		}
		// A minute of reading.
		if n := len(told.lines); n < 15 || n > 30 {
			t.Errorf("%d lines: %q", n, told.lines)
		}
		if done, _, found := numbers(t, told.lines[len(told.lines)-1]); done < notes*9/10 || found < hits*8/10 {
			t.Errorf("the last line is %q", told.lines[len(told.lines)-1])
		}
		shown := out.String()
		if n := strings.Count(shown, "a needle⟨ESC⟩[2K in it"); n != hits || obeyed(out.Bytes()) != "" {
			t.Errorf("%d hits are shown: %q", n, shown)
		}
		for i := 7; i < notes; i += notes / hits {
			if path := fmt.Sprintf("F%02d/note %d.md", i/100, i); !strings.Contains(shown, path) {
				t.Errorf("%s is not shown", path)
			}
		}
	})
}

func TestASearchInAFolderShowsEachHitWithItsNoteAndLine(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "A.md"), "hay\nhay\na needle\n")
	write(t, filepath.Join(dir, "B.md"), "hay\n")
	plan := filepath.Join(t.TempDir(), "plan.json")
	write(t, plan, searchPlan)
	var out, told bytes.Buffer
	if code := Run(t.Context(), []string{"-vault", dir, "-dry-run", plan}, &out, &told); code != exitOK {
		t.Fatalf("%d: want code equal to exitOK, got %s", code, told.String())
	}
	shown := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	if want := "1 note mentions “needle”.\n Note Text\n A.md:3 a needle\n"; !strings.HasSuffix(shown, want) {
		t.Errorf("%q does not end in %q", shown, want)
	}
}

func TestAPlanThatOnlyReadsIsNotAskedAbout(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "A.md"), "hay\n")
	plan := filepath.Join(t.TempDir(), "plan.json")
	write(t, plan, searchPlan)
	var out, told bytes.Buffer
	if code := Run(t.Context(), []string{"-vault", dir, plan}, &out, &told); code != exitOK {
		t.Fatalf("%d: want code equal to exitOK, got %s", code, told.String())
	}
	if said := out.String(); !strings.HasSuffix(said, "No notes mention “needle”.\n") || strings.Contains(said, "[y/N]") {
		t.Errorf("want said ending in \"No notes mention “needle”.\\n\" and said without \"[y/N]\", got %q", said)
	}
}

func TestJSONHasAllThatAPlanFindsAndNothingElse(t *testing.T) {
	const many = 2000
	dir := t.TempDir()
	for i := range many {
		write(t, filepath.Join(dir, fmt.Sprintf("Note %d.md", i)), "a needle \x1b[2K\n")
	}
	plan := filepath.Join(t.TempDir(), "plan.json")
	write(t, plan, searchPlan)
	var out, told bytes.Buffer
	if code := Run(t.Context(), []string{"-vault", dir, "-json", plan}, &out, &told); code != exitOK {
		t.Fatalf("%d: want code equal to exitOK, got %s", code, told.String())
	}
	var f protocol.Findings
	if err := json.Unmarshal(out.Bytes(), &f); err != nil || len(f.Parts) != 1 || len(f.Parts[0].Rows) != many || f.Parts[0].Count != many {
		t.Fatalf("%v: want no error, 1 Parts, as many Parts[0].Rows as many and Parts[0].Count equal to many, got %.200s", err, out.String())
	}
	if c := f.Parts[0].Rows[0]; c[0].Path != "Note 0.md" || c[0].Line != 1 || c[1].Text != "a needle \x1b[2K" || obeyed(out.Bytes()) != "" {
		t.Errorf("want c[0].Path \"Note 0.md\", c[0].Line 1, c[1].Text \"a needle \\x1b[2K\" and nothing, got %+v", c)
	}
	writing := filepath.Join(t.TempDir(), "write.json")
	write(t, writing, `{"goal":"g","steps":[{"id":"a","tool":"vault.createFile","args":{"path":"New.md","content":""}}]}`)
	out.Reset()
	if code := Run(t.Context(), []string{"-vault", dir, "-json", "-yes", writing}, &out, &told); code != exitFailed || out.Len() > 0 {
		t.Errorf("%d: want code equal to exitFailed and Len at most 0, got %q", code, out.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "New.md")); err == nil {
		t.Error("it was carried out")
	}
}
