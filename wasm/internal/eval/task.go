//go:build !js

package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// Task is something that a person asks for, and what must come of it.
type Task struct {
	Name        string
	Instruction string
	Context     Context
	// Before and After have the vault's text by path. After is nil where the vault must
	// stay as it was.
	Before, After map[string]string
	Plan          json.RawMessage
	Agent         [][]Call
	Model         []string
	Answer        []string
	// Question is a right question back, "" where nothing is to be asked; Said is what
	// the person answers.
	Question, Said string
	Accept         []check
	// Not are texts that the answer must not contain.
	Not []string
}

// Context is where the person is. Days are written as 2026-11-20.
type Context struct {
	Open      string   `json:"open"`
	Selection string   `json:"selection"` // a text that the open note has once
	Date      string   `json:"date"`
	Attached  []string `json:"attached"`
	// Created and Modified give files the day on which they were; the others are of the
	// task's day.
	Created  map[string]string `json:"created"`
	Modified map[string]string `json:"modified"`
	// CRLF are files with Windows line ends, Unended those without a line end at their
	// end, before and after.
	CRLF    []string `json:"crlf"`
	Unended []string `json:"unended"`
	// Vault names a real vault in the place of before/: such a story is no task.
	Vault string `json:"vault"`
	// Asked is the question of a model that is right, Said what the person answers.
	Asked string `json:"asked"`
	Said  string `json:"said"`
	Again string `json:"again"` // for the tests of stories
}

// Call is a tool call of an agent.
type Call struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

// friday is the day of tasks that name none.
const friday = "2026-11-20"

// day gives half past nine of a day; of the task's own for "".
func (t *Task) day(day string) (time.Time, error) {
	at, err := time.Parse(time.DateOnly, cmp.Or(day, t.Context.Date, friday))
	return at.Add(9*time.Hour + 30*time.Minute), err
}

// now gives the moment of the task.
func (t *Task) now() (time.Time, error) { return t.day("") }

// Load reads all tasks of some folders, by name. A task whose name an earlier folder has
// too gets a number behind it, since reports and transcripts know tasks by their names.
func Load(folders ...string) ([]*Task, error) {
	var all []*Task
	named := map[string]int{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			a, err := txtar.ParseFile(file)
			if err != nil {
				return nil, err
			}
			t, err := readTask(strings.TrimSuffix(filepath.Base(file), ".txtar"), a)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if t.Context.Vault != "" {
				continue
			}
			if named[t.Name]++; named[t.Name] > 1 {
				t.Name += fmt.Sprintf("-%d", named[t.Name])
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// readTask reads a task, or a story of the tools.
func readTask(name string, a *txtar.Archive) (*Task, error) {
	t := &Task{Name: name, Before: map[string]string{}}
	if slices.ContainsFunc(a.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "given/") }) {
		if err := t.readStory(a); err != nil {
			return nil, err
		}
		return t, t.check()
	}
	for _, f := range a.Files {
		if err := t.section(f.Name, f.Data); err != nil {
			return nil, fmt.Errorf("section %s: %w", f.Name, err)
		}
	}
	t.Question, t.Said = cmp.Or(t.Question, t.Context.Asked), cmp.Or(t.Said, t.Context.Said)
	t.endLines(t.Before)
	t.endLines(t.After)
	return t, t.check()
}

// endLines gives files the line ends that the context says they have.
func (t *Task) endLines(files map[string]string) {
	for path, text := range files {
		if slices.Contains(t.Context.Unended, path) {
			text = strings.TrimSuffix(text, "\n")
		}
		if slices.Contains(t.Context.CRLF, path) {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		files[path] = text
	}
}

// selected gives the selection with the line ends of the open note.
func (t *Task) selected() string {
	if slices.Contains(t.Context.CRLF, t.Context.Open) {
		return strings.ReplaceAll(t.Context.Selection, "\n", "\r\n")
	}
	return t.Context.Selection
}

func (t *Task) section(name string, data []byte) error {
	text := strings.TrimSpace(string(data))
	before, isBefore := strings.CutPrefix(name, "before/")
	after, isAfter := strings.CutPrefix(name, "after/")
	switch {
	case isBefore:
		t.Before[before] = string(data)
	case isAfter:
		if t.After == nil {
			t.After = map[string]string{}
		}
		t.After[after] = string(data)
	case name == "instruction":
		t.Instruction = text
	case name == "context.json":
		return strict(data, &t.Context)
	case name == "plan.json":
		t.Plan = bytes.TrimSpace(data)
	case name == "agent.json":
		return strict(data, &t.Agent)
	case name == "model":
		t.Model = strings.Split(text, "\n===\n")
	case name == "answer":
		t.Answer = strings.Split(text, "\n")
	case name == "not-answer":
		t.Not = strings.Split(text, "\n")
	case name == "question":
		t.Question = text
	case name == "said":
		t.Said = text
	case name == "accept":
		for line := range strings.Lines(text) {
			c, err := readCheck(strings.TrimSpace(line))
			if err != nil {
				return err
			}
			t.Accept = append(t.Accept, c)
		}
	case name == "leftout", name == "first.json", name == "changes": // for the tests of stories
	default:
		return fmt.Errorf("no task has it")
	}
	return nil
}

// strict decodes JSON and refuses fields that are not known.
func strict(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// check says what is missing.
func (t *Task) check() error {
	switch {
	case t.Instruction == "":
		return fmt.Errorf("it has no instruction")
	case t.Context.Vault == "" && t.Context.Open != "" && !has(t.Before, t.Context.Open):
		return fmt.Errorf("the open note %s is not there", t.Context.Open)
	case t.Context.Vault != "":
		return nil
	case t.Context.Selection != "" && !strings.Contains(t.Before[t.Context.Open], t.selected()):
		return fmt.Errorf("the selection is not in the open note")
	case t.Plan == nil && t.Question == "":
		return fmt.Errorf("it has neither a plan nor a question")
	}
	_, err := t.now()
	return err
}

func has[V any](m map[string]V, key string) bool {
	_, ok := m[key]
	return ok
}

// vault gives the notes before with the marks of a selection in the open one, as
// hosttest reads them.
func (t *Task) vault() map[string]string {
	files := maps.Clone(t.Before)
	if s := t.selected(); s != "" {
		files[t.Context.Open] = strings.Replace(files[t.Context.Open], s, "⟦"+s+"⟧", 1)
	}
	return files
}

// unmarked gives a text without the marks of a selection.
func unmarked(text string) string { return strings.NewReplacer("⟦", "", "⟧", "").Replace(text) }

// wanted gives the vault as it must be afterwards.
func (t *Task) wanted() map[string]string {
	if t.After != nil {
		return t.After
	}
	same := maps.Clone(t.Before)
	if open := t.Context.Open; open != "" {
		same[open] = unmarked(same[open])
	}
	return same
}

// readStory reads a story as it stands beside the tools; the first of its two vaults.
func (t *Task) readStory(a *txtar.Archive) error {
	t.Context.Modified = map[string]string{}
	for i, line := range strings.Split(strings.TrimSpace(string(a.Comment)), "\n") {
		key, rest, _ := strings.Cut(line, ": ")
		switch {
		case i == 0:
			t.Instruction = line
		case key == "asked":
			t.Question = rest
		case key == "said":
			t.Said = rest
		case key == "active":
			t.Context.Open = rest
		case key == "times":
			day, path, _ := strings.Cut(rest, " ")
			t.Context.Modified[path] = day
		}
	}
	want, gone := map[string]string{}, []string{}
	for _, f := range a.Files {
		given, isGiven := strings.CutPrefix(f.Name, "given/")
		wanted, isWanted := strings.CutPrefix(f.Name, "want/")
		switch {
		case isGiven:
			t.Before[given] = string(f.Data)
		case isWanted:
			want[wanted] = string(f.Data)
		case f.Name == "want-gone":
			gone = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
		case f.Name == "plan.json":
			t.Plan = bytes.TrimSpace(f.Data)
		case f.Name == "model":
			t.Model = strings.Split(strings.TrimSpace(string(f.Data)), "\n===\n")
		}
	}
	if len(want)+len(gone) > 0 {
		after := t.wanted()
		maps.Copy(after, want)
		for _, path := range gone {
			delete(after, path)
		}
		t.After = after
	}
	return nil
}
