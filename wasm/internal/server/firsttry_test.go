//go:build !js

package server

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// A first try is a txtar archive in testdata/requests: a request as a person typed
// it, and the plan that was written for it from what a model is told alone: the
// system text, the catalogue of tools, the schema of submit_plan. The archive's
// comment says whether the first plan was right, and what was mended. The sections:
//
//	instruction    the person's words
//	context.json   where the person is; see tryContext
//	model          what a model answers in steps that ask one; lines of "==="
//	               keep the answers apart
//	before/PATH    the vault
//	plan.json      the plan, as the model submits it
//	first.json     the first plan, where it was wrong by what the model was told;
//	               that has been mended, and plan.json follows it
//	after/PATH     the whole vault after the run; a path that is not there must
//	               not exist. None where the plan only reads
//	changes        in the place of after/, for a real vault: "~ PATH", "> PATH" (new)
//	               or "< PATH" (gone) for each file that is not as before, in the
//	               order of the paths; below each, lines "+ TEXT" and "- TEXT": all
//	               lines that come and go, or none to leave them open
//	answer         texts that the person must read, a line each
//	not-answer     texts that the person must not read, a line each
//	leftout        names of what the review or the answer must list as left out, a
//	               line each, and nothing else
type firstTry struct {
	tryContext
	words         string
	plan          string
	models        []string
	before, after map[string]string
	changes       []string
	answer, not   []string
	leftOut       []string

	model *llmtest.Provider
}

// tryContext is where the person is.
type tryContext struct {
	Open      string            `json:"open"`      // the open note
	Selection string            `json:"selection"` // a text that the open note has once
	Date      string            `json:"date"`      // 2026-11-20 if left out, a Friday; the time is 09:30 UTC
	Created   map[string]string `json:"created"`   // a day for each of these files
	Modified  map[string]string `json:"modified"`  // the same
	CRLF      []string          `json:"crlf"`      // files with Windows line ends, before and after
	Unended   []string          `json:"unended"`   // files without a line end at their end, before and after
	Vault     string            `json:"vault"`     // a real vault in the place of before/
	Again     string            `json:"again"`     // "same": a second run changes nothing
	Asked     string            `json:"asked"`     // what the model asks back first
	Said      string            `json:"said"`      // and what the person answers
}

// TestPlansWrittenFromThePromptAloneAreRightAtTheFirstTry takes each first try the
// real way: the request is sent, the model submits its plan once, the plan is
// read, checked and simulated, the review approved, run, compared with the vault
// that the story describes, and reverted to the byte.
func TestPlansWrittenFromThePromptAloneAreRightAtTheFirstTry(t *testing.T) {
	files, err := filepath.Glob("testdata/requests/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := readFirstTry(t, a)
			if s.Vault != "" && (slow || testing.Short()) {
				t.Skip("a real vault takes long")
			}
			s.run(t)
		})
	}
}

func readFirstTry(t *testing.T, a *txtar.Archive) *firstTry {
	t.Helper()
	s := &firstTry{before: map[string]string{}, after: map[string]string{}}
	for _, f := range a.Files {
		text := string(f.Data)
		before, isBefore := strings.CutPrefix(f.Name, "before/")
		after, isAfter := strings.CutPrefix(f.Name, "after/")
		switch {
		case isBefore:
			s.before[before] = text
		case isAfter:
			s.after[after] = text
		case f.Name == "instruction":
			s.words = strings.TrimSpace(text)
		case f.Name == "plan.json":
			s.plan = text
		case f.Name == "first.json":
		case f.Name == "model":
			s.models = strings.Split(strings.TrimSpace(text), "\n===\n")
		case f.Name == "context.json":
			dec := json.NewDecoder(bytes.NewReader(f.Data))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&s.tryContext); err != nil {
				t.Fatal(err)
			}
		default:
			list := s.list(f.Name)
			if list == nil {
				t.Fatalf("a section that no story has: %s", f.Name)
			}
			*list = strings.Split(strings.TrimRight(text, "\n"), "\n")
		}
	}
	for _, vault := range []map[string]string{s.before, s.after} {
		for p, text := range vault {
			if slices.Contains(s.Unended, p) {
				text = strings.TrimSuffix(text, "\n")
			}
			if slices.Contains(s.CRLF, p) {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			vault[p] = text
		}
	}
	return s
}

func (s *firstTry) list(section string) *[]string {
	return map[string]*[]string{"changes": &s.changes, "answer": &s.answer, "not-answer": &s.not, "leftout": &s.leftOut}[section]
}

// vault gives the files before, with the selection marked in the open note.
func (s *firstTry) vault(t *testing.T) map[string]string {
	t.Helper()
	files := maps.Clone(s.before)
	if s.Vault != "" {
		files = realVault(t, s.Vault)
	}
	if s.Selection == "" {
		return files
	}
	text, selected := files[s.Open], s.Selection
	if strings.Contains(text, "\r\n") {
		selected = strings.ReplaceAll(selected, "\n", "\r\n")
	}
	if strings.Count(text, selected) != 1 {
		t.Fatalf("%s has the selection %d times", s.Open, strings.Count(text, selected))
	}
	files[s.Open] = strings.Replace(text, selected, "⟦"+selected+"⟧", 1)
	return files
}

// realVault reads a vault that lies beside the project.
func realVault(t *testing.T, name string) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..", "..", "..", "shared", "vaults", name)
	if _, err := os.Stat(root); err != nil {
		t.Skipf("the vault %s is not here", name)
	}
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// panel starts the core on the vault, with a model that submits the plan once.
func (s *firstTry) panel(t *testing.T) *panel {
	t.Helper()
	mem := hosttest.New(hosttest.Options{Files: s.vault(t), Active: s.Open})
	for path := range s.before {
		created, modified := s.time(t, s.Created[path]), s.time(t, s.Modified[path])
		if s.Created[path] == "" && modified.Before(created) {
			created = modified
		}
		mem.SetTimes(path, created.UnixMilli(), modified.UnixMilli())
	}
	var turns []llmtest.Turn
	if s.Asked != "" {
		turns = append(turns, llmtest.Say(s.Asked))
	}
	turns = append(turns, llmtest.Call("c1", "submit_plan", s.plan))
	for _, answer := range s.models {
		turns = append(turns, llmtest.Reply(llm.Text(answer)))
	}
	s.model = llmtest.NewProvider(turns...)
	return storyPanel(t, mem, s.model, s.time(t, s.Date))
}

// time gives the half past nine of a day, or of the day of these stories.
func (s *firstTry) time(t *testing.T, day string) time.Time {
	t.Helper()
	if day == "" {
		return friday
	}
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	return at.Add(9*time.Hour + 30*time.Minute)
}

func (s *firstTry) run(t *testing.T) {
	ui := s.panel(t)
	before := ui.mem.Snapshot()
	review, turn := s.send(ui)
	if d := before.Diff(ui.mem.Snapshot()); d != "" {
		t.Fatalf("the simulation wrote:\n%s", d)
	}
	if review == nil {
		s.compareAnswer(t, turn.Findings, turn.Findings.LeftOut)
		if len(s.after)+len(s.changes) > 0 {
			t.Error("an answer, where notes were to change")
		}
		return
	}
	if review.Problem != nil {
		t.Fatalf("the simulation failed in %s: %s %v", review.Problem.Step, review.Problem.Key, review.Problem.Params)
	}
	var leftOut []protocol.LeftOut
	for _, step := range review.Steps {
		if step.LeftOut != nil {
			leftOut = append(leftOut, *step.LeftOut)
		}
		if step.Cut != nil {
			t.Errorf("the step %s was cut to %d", step.ID, step.Cut.Shown)
		}
	}
	s.compareAnswer(t, review.Findings, leftOut)
	end := ui.approve(review)
	if end.Outcome != "ok" {
		t.Fatalf("the run ended %s: %+v", end.Outcome, end.Problem)
	}
	s.compareVault(t, before, ui.mem.Snapshot())
	if s.Again == "same" {
		again, err := ui.s.tx.OpenPlan(t.Context(), []byte(s.plan), nil, false)
		if err != nil || again.Problem != nil || len(again.Files) > 0 {
			t.Errorf("a second run is not without changes: %+v, %+v %v", again.Files, again.Problem, err)
		}
	}
	ui.revert(end.Run)
	if d := before.Diff(ui.mem.Snapshot()); d != "" {
		t.Errorf("reverted, the vault is not what it was:\n%s", d)
	}
}

// send types the request and gives the review, or the turn of a plan that only
// reads. The model is not asked for a plan a second time.
func (s *firstTry) send(ui *panel) (*protocol.Review, *protocol.Turn) {
	ui.t.Helper()
	ui.typeStory(s.words, s.Asked, s.Said)
	e := ui.await("review or answer", func(e protocol.Event) bool {
		return e.Type == protocol.EventReviewOpened || e.Type == protocol.EventTurnEnded
	})
	for _, r := range s.model.Requests() {
		if last := r.Messages[len(r.Messages)-1]; last.Role == llm.RoleToolResult {
			ui.t.Fatalf("the plan went back to the model: %s", last.Text())
		}
	}
	if e.Review != nil {
		return e.Review, nil
	}
	if e.Turn.Problem != nil || e.Turn.Findings == nil || !e.Turn.Findings.Done {
		ui.t.Fatalf("neither a review nor an answer: %s %+v %+v", e.Turn.Outcome, e.Turn.Problem, e.Turn.Findings)
	}
	return nil, e.Turn
}

// compareAnswer holds what the person reads against the story.
func (s *firstTry) compareAnswer(t *testing.T, f *protocol.Findings, left []protocol.LeftOut) {
	t.Helper()
	text := answerText(f)
	for _, want := range s.answer {
		if !strings.Contains(text, want) {
			t.Errorf("the answer does not say %q:\n%s", want, text)
		}
	}
	for _, not := range s.not {
		if strings.Contains(text, not) {
			t.Errorf("the answer says %q:\n%s", not, text)
		}
	}
	var names []string
	for _, l := range left {
		for _, g := range l.Groups {
			for _, item := range g.Items {
				names = append(names, item.Name)
			}
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(s.leftOut))) {
		t.Errorf("left out are %q, not %q", names, s.leftOut)
	}
}

// answerText gives the words that a person reads of findings: the sentence of each,
// and its table, a row a line.
func answerText(f *protocol.Findings) string {
	if f == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range f.Parts {
		if p.Words != "" {
			b.WriteString(strings.ReplaceAll(p.Words, "{n}", strconv.Itoa(p.Count)) + "\n")
		} else {
			b.WriteString(i18n.English(p.Text.Key, p.Text.Params) + "\n")
		}
		for _, row := range p.Rows {
			var cells []string
			for _, c := range row {
				cells = append(cells, c.Text)
			}
			b.WriteString(strings.Join(cells, " | ") + "\n")
		}
	}
	return b.String()
}

func (s *firstTry) compareVault(t *testing.T, before, got hosttest.Snapshot) {
	t.Helper()
	if s.changes == nil {
		want := hosttest.Snapshot{}.With(s.after, nil)
		for path := range got {
			if strings.HasSuffix(path, "/") { // folders that are left empty stay
				want[path] = nil
			}
		}
		if d := want.Diff(got); d != "" {
			t.Errorf("the vault is not as described (wanted, then there):\n%s", d)
		}
		return
	}
	var lines []string
	for _, path := range slices.Sorted(maps.Keys(got.With(asTexts(before), nil))) {
		was, wasThere := before[path]
		is, isThere := got[path]
		switch {
		case strings.HasSuffix(path, "/") || wasThere && isThere && bytes.Equal(was, is):
			continue
		case !wasThere:
			lines = append(lines, "> "+path)
		case !isThere:
			lines = append(lines, "< "+path)
		default:
			lines = append(lines, "~ "+path)
			if s.describes(path) {
				lines = append(lines, lineChanges(string(was), string(is))...)
			}
		}
	}
	if !slices.Equal(lines, s.changes) {
		t.Errorf("what changes is not as described:\n%s", strings.Join(lines, "\n"))
	}
}

// describes says whether the story has the lines that change in a file.
func (s *firstTry) describes(path string) bool {
	at := slices.Index(s.changes, "~ "+path)
	return at >= 0 && at+1 < len(s.changes) && !strings.HasPrefix(s.changes[at+1], "~ ")
}

func asTexts(v hosttest.Snapshot) map[string]string {
	out := map[string]string{}
	for path, data := range v {
		if !strings.HasSuffix(path, "/") {
			out[path] = string(data)
		}
	}
	return out
}

// lineChanges lists the lines that a file loses and gets, where each that it
// loses stands before the one in its place.
func lineChanges(was, is string) []string {
	old, now := strings.Split(was, "\n"), strings.Split(is, "\n")
	var out []string
	for len(old) > 0 || len(now) > 0 {
		switch {
		case len(old) > 0 && len(now) > 0 && old[0] == now[0]:
			old, now = old[1:], now[1:]
		case len(old) == 0 || len(now) > 1 && len(old) > 0 && now[1] == old[0]:
			out, now = append(out, "+ "+now[0]), now[1:]
		case len(now) == 0:
			out, old = append(out, "- "+old[0]), old[1:]
		default:
			out, old, now = append(out, "- "+old[0], "+ "+now[0]), old[1:], now[1:]
		}
	}
	return out
}
