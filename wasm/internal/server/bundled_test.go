package server

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// friday is the clock of these tests: Friday, 20 November 2026.
var friday = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// beginOn starts the core, without a model, on a day.
func beginOn(t *testing.T, mem *hosttest.Memory, at time.Time, set protocol.Settings, language string) *panel {
	t.Helper()
	ui := &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: mem.Host(), Emit: ui.hear, Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	call[protocol.Welcome](ui, "hello", protocol.Hello{
		Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux", Language: language},
	})
	return ui
}

// actionStory is a bundled action on a vault: what is asked, and what becomes
// of the vault.
type actionStory struct {
	id, active  string
	asked       []string
	values      map[string]string
	again       string // "" (not run twice), "same", or "nothing to do"
	given, want map[string]string
	gone        []string
}

// TestTheActionsThatComeWithThePluginWorkWithoutAModel reads testdata/actions:
// each of the twelve on a vault, with what the person is asked for; simulated,
// approved, run, compared, taken back and, where the story says what a second
// run does, run again.
//
// A story is a txtar archive. Its comment has the lines "action: NAME", and at
// will "active: PATH", "value NAME=TEXT" (asked for in this order) and "again:
// same" (a second run changes nothing) or "again: nothing to do" (it says so).
// Files: given/PATH, want/PATH (all files that are not as given), want-gone.
func TestTheActionsThatComeWithThePluginWorkWithoutAModel(t *testing.T) {
	files, err := filepath.Glob("testdata/actions/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		st := readActionStory(t, a)
		told[st.id] = true
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), st.run)
	}
	all := action.Bundled("")
	if len(all) != 12 {
		t.Errorf("%d actions come with the plugin", len(all))
	}
	for _, a := range all {
		if !told[a.ID] {
			t.Errorf("no story of %s", a.ID)
		}
	}
}

func readActionStory(t *testing.T, a *txtar.Archive) *actionStory {
	t.Helper()
	st := &actionStory{values: map[string]string{}, given: map[string]string{}, want: map[string]string{}}
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSuffix(line, "\n")
		key, rest, _ := strings.Cut(line, " ")
		switch key {
		case "action:":
			st.id = "bundled." + rest
		case "active:":
			st.active = rest
		case "again:":
			st.again = rest
		case "value":
			name, text, _ := strings.Cut(rest, "=")
			st.asked = append(st.asked, name)
			st.values[name] = text
		}
	}
	for _, f := range a.Files {
		given, isGiven := strings.CutPrefix(f.Name, "given/")
		want, isWant := strings.CutPrefix(f.Name, "want/")
		switch {
		case isGiven:
			st.given[given] = string(f.Data)
		case isWant:
			st.want[want] = string(f.Data)
		case f.Name == "want-gone":
			st.gone = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
		default:
			t.Fatalf("a file that no story has: %s", f.Name)
		}
	}
	return st
}

func (st *actionStory) run(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: st.given, Active: st.active})
	before := mem.Snapshot()
	expected := mem.Snapshot().With(st.want, st.gone)
	ui := beginOn(t, mem, friday, free, "en")
	r := ui.startAction(st)
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("the simulation wrote:\n%s", d)
	}
	if r.Problem != nil {
		t.Fatalf("the simulation failed: %+v", r.Problem)
	}
	end := ui.approve(r)
	if end.Outcome != "ok" {
		t.Fatalf("%s: want Outcome \"ok\", got %+v", end.Outcome, end.Problem)
	}
	if d := expected.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("the vault is not as expected:\n%s", d)
	}
	if st.again != "" {
		r := ui.startAction(st)
		if len(r.Files) > 0 || (r.Problem != nil) != (st.again == "nothing to do") {
			t.Errorf("a second run: %+v %+v", r.Files, r.Problem)
		}
		call[protocol.Empty](ui, "review.close", protocol.RunRef{Run: r.Run})
	}
	ui.revert(end.Run)
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Errorf("taken back, the vault is not what it was:\n%s", d)
	}
}

// startAction starts an action without values, and answers what it asks for.
func (ui *panel) startAction(st *actionStory) *protocol.Review {
	ui.t.Helper()
	call[protocol.Accepted](ui, "actions.run", protocol.ActionRun{ID: st.id})
	if len(st.asked) > 0 {
		e := ui.await("question", func(e protocol.Event) bool { return e.Type == protocol.EventQuestionOpened })
		var asked []string
		for _, f := range e.Question.Fields {
			asked = append(asked, f.Name)
			if !strings.HasPrefix(f.Label.Key, "bundled.field.") && !strings.HasPrefix(f.Label.Key, "field.") || f.Label.Key == "field.other" {
				ui.t.Errorf("the field %s has no words: %+v", f.Name, f.Label)
			}
		}
		if !slices.Equal(slices.Sorted(slices.Values(asked)), slices.Sorted(slices.Values(st.asked))) {
			ui.t.Errorf("asked for %v, not %v", asked, st.asked)
		}
		call[protocol.Empty](ui, "answer", protocol.Answer{ID: e.Question.ID, Yes: true, Values: st.values})
	}
	return ui.review()
}

func TestBundledActionsSpeakThePersonsLanguage(t *testing.T) {
	names := map[string][]string{}
	for _, language := range []string{"en", "de-AT", "zh", "tlh"} {
		ui := beginOn(t, hosttest.New(hosttest.Options{}), friday, free, language)
		for _, a := range call[protocol.ActionList](ui, "actions.list", protocol.Empty{}).Actions {
			if !a.Bundled || a.Name == "" || strings.HasPrefix(a.Name, "bundled.") || strings.HasPrefix(a.Goal, "bundled.") ||
				len(a.Warnings) > 0 || a.NeedsModel || a.Icon == "" {
				t.Errorf("%s: want Bundled true, Name set, no Warnings, NeedsModel false and Icon set, got %+v", language, a)
			}
			names[language] = append(names[language], a.Name)
		}
		if n := len(slices.Compact(slices.SortedFunc(slices.Values(names[language]), cmp.Compare[string]))); n != 12 {
			t.Errorf("%s: %d different names", language, n)
		}
	}
	if !slices.Contains(names["de-AT"], "Tag umbenennen") || !slices.Contains(names["zh"], "重命名标签") || !slices.Contains(names["tlh"], "Rename a tag") {
		t.Errorf("want names[\"de-AT\"] with \"Tag umbenennen\", names[\"zh\"] with \"重命名标签\" and names[\"tlh\"] with \"Rename a tag\", got %v", names)
	}
}
