//go:build !js

package server

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// request is a person's request, the plan that a good model writes, and two
// vaults on which it does what was asked.
type request struct {
	words  string // what the person typed, and what they answered
	asked  string // what the model asks back first
	said   string
	same   bool // a second run changes nothing
	refuse bool // a second run changes nothing, and says why
	plan   []byte
	vaults [2]*requestVault
}

// requestVault is a vault and what becomes of it.
type requestVault struct {
	active      string
	given, want map[string]string
	gone        []string
	times       map[string]time.Time
	list        []string // what the review lists
	answer      map[string]any
	models      []string // what a model answers in steps that ask one
}

// TestWhatPeopleAskForIsAPlanOfAFewSteps reads the stories of requests (beside
// the tools). Each is typed as a person would; the model is scripted: it asks
// back where the story says so, and writes the plan. The plan is checked,
// simulated, approved and run; the whole vault is compared, a second run is made
// where it changes nothing, and all is taken back. The same plan does as well on
// a second vault with other notes; so it may hold no text of either.
//
// A story is a txtar archive. Its comment starts with the request; lines
// "asked: WORDS" and "said: WORDS" (the model's question, the person's answer),
// "active: PATH", "times: DATE PATH" (last change of a file; with " 2" before
// the colon those of the second vault), "again: same" (a second run finds nothing
// to do) and "again: refused" (it says that there is nothing to do) may follow. Files:
// plan.json, given/PATH, want/PATH (all files of the vault that are not as
// given; want-gone lists the paths that go), list (what the review lists),
// answer.json (outputs of steps, by id; fields left out are not compared), and
// model (what a model answers in steps that ask one; lines of "===" keep answers
// apart). Under "2/" the same for the second vault.
func TestWhatPeopleAskForIsAPlanOfAFewSteps(t *testing.T) {
	stories, err := filepath.Glob("../tool/builtin/testdata/requests/*.txtar")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r := readRequest(t, a)
			r.checkPlan(t)
			for n, v := range r.vaults {
				if v == nil {
					t.Fatalf("no vault %d", n+1)
				}
				if slow && n > 0 {
					break // both natively
				}
				t.Run(fmt.Sprint("vault ", n+1), func(t *testing.T) { r.run(t, v) })
			}
		})
	}
}

func readRequest(t *testing.T, a *txtar.Archive) *request {
	t.Helper()
	r := &request{}
	for n := range r.vaults {
		r.vaults[n] = &requestVault{given: map[string]string{}, want: map[string]string{}, times: map[string]time.Time{}}
	}
	for i, line := range strings.Split(strings.TrimSpace(string(a.Comment)), "\n") {
		key, rest, _ := strings.Cut(line, ": ")
		key, second := strings.CutSuffix(key, " 2")
		v := r.vaults[0]
		if second {
			v = r.vaults[1]
		}
		switch {
		case i == 0:
			r.words = line
		case key == "asked":
			r.asked = rest
		case key == "said":
			r.said = rest
		case key == "active":
			v.active = rest
		case key == "times":
			day, path, _ := strings.Cut(rest, " ")
			at, err := time.Parse(time.DateOnly, day)
			if err != nil {
				t.Fatal(err)
			}
			v.times[path] = at
		case line == "again: same":
			r.same = true
		case line == "again: refused":
			r.refuse = true
		default:
			t.Fatalf("a line that no story has: %s", line)
		}
	}
	seen := [2]bool{}
	for _, f := range a.Files {
		if f.Name == "plan.json" {
			r.plan = f.Data
			continue
		}
		name, second := strings.CutPrefix(f.Name, "2/")
		n := 0
		if second {
			n = 1
		}
		seen[n] = true
		r.vaults[n].add(t, name, string(f.Data))
	}
	for n := range seen {
		if !seen[n] {
			r.vaults[n] = nil
		}
	}
	return r
}

func (v *requestVault) add(t *testing.T, name, text string) {
	t.Helper()
	given, isGiven := strings.CutPrefix(name, "given/")
	want, isWant := strings.CutPrefix(name, "want/")
	switch {
	case isGiven:
		v.given[given] = text
	case isWant:
		v.want[want] = text
	case name == "want-gone":
		v.gone = strings.Split(strings.TrimSpace(text), "\n")
	case name == "list":
		v.list = strings.Split(strings.TrimSpace(text), "\n")
	case name == "model":
		v.models = strings.Split(strings.TrimSpace(text), "\n===\n")
	case name == "answer.json":
		if err := json.Unmarshal([]byte(text), &v.answer); err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatalf("a file that no story has: %s", name)
	}
}

// checkPlan holds the plan itself against the rules of a good one.
func (r *request) checkPlan(t *testing.T) {
	t.Helper()
	p, problems := plan.Decode(r.plan, plan.Limits{})
	if p == nil {
		t.Fatal("want something, got:", plan.Fault(problems))
	}
	if len(p.Steps) > 8 {
		t.Errorf("%d steps", len(p.Steps))
	}
	said := strings.ToLower(r.words + " " + r.asked + " " + r.said)
	theirs := map[string]string{} // words of the notes
	for _, v := range r.vaults {
		if v == nil {
			continue
		}
		for path, text := range v.given {
			for _, w := range longWords(path + " " + text) {
				theirs[w] = path
			}
		}
	}
	for _, s := range p.Steps {
		for _, text := range textsOf(s.Args, nil) {
			for _, w := range longWords(references.ReplaceAllString(text, " ")) {
				if from := theirs[w]; from != "" && !strings.Contains(said, strings.TrimSuffix(w, "s")) && !generic[w] {
					t.Errorf("step %s says %q, which is in the note %s", s.ID, w, from)
				}
			}
		}
	}
}

// references match all that stands for a value; the rest of a text is the plan's
// own.
var references = regexp.MustCompile(`\$?\{[^{}]*\}|\$(steps|vars)[\w.\[\]-]*`)

// generic are words of tools and scripts, and those that any note may have.
var generic = map[string]bool{}

func init() {
	for _, w := range strings.Fields("path title content folder notes note text open done date created title index tags links link timeline code value input main return") {
		generic[w] = true
	}
}

func longWords(text string) []string {
	var out []string
	for _, w := range regexp.MustCompile(`[\p{L}\p{N}]+`).FindAllString(strings.ToLower(text), -1) {
		if len([]rune(w)) >= 4 {
			out = append(out, w)
		}
	}
	return out
}

func textsOf(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		return append(out, v)
	case []any:
		for _, e := range v {
			out = textsOf(e, out)
		}
	case map[string]any:
		for _, e := range v {
			out = textsOf(e, out)
		}
	}
	return out
}

// panelFor starts the core on a vault, with a model that follows the story.
func (r *request) panelFor(t *testing.T, v *requestVault) *panel {
	t.Helper()
	mem := hosttest.New(hosttest.Options{Files: v.given, Active: v.active})
	for path, at := range v.times {
		mem.SetTimes(path, at.UnixMilli(), at.UnixMilli())
	}
	var turns []llmtest.Turn
	if r.asked != "" {
		turns = append(turns, llmtest.Say(r.asked))
	}
	turns = append(turns, llmtest.Call("c1", "submit_plan", string(r.plan)))
	for _, answer := range slices.Concat(v.models, v.models) { // a second run asks anew
		turns = append(turns, llmtest.Reply(llm.Text(answer)))
	}
	return storyPanel(t, mem, llmtest.NewProvider(turns...), friday)
}

// ask types the request, and answers what the model asks back. It gives the review
// that comes of it, or nil for an answer, and the run's id.
func (r *request) ask(ui *panel) (*protocol.Review, string) {
	ui.t.Helper()
	ui.typeStory(r.words, r.asked, r.said)
	e := ui.await("review or answer", func(e protocol.Event) bool {
		return e.Type == protocol.EventReviewOpened || e.Type == protocol.EventTurnEnded && e.Turn.Text != ""
	})
	if e.Review != nil {
		return e.Review, e.Review.Run
	}
	if e.Turn.Findings == nil || !e.Turn.Findings.Done || e.Turn.Problem != nil {
		ui.t.Fatalf("neither a review nor an answer: %+v", e.Turn)
	}
	return nil, e.Turn.Run
}

func (r *request) run(t *testing.T, v *requestVault) {
	ui := r.panelFor(t, v)
	before, expected := ui.mem.Snapshot(), v.expected(ui.mem)
	review, id := r.ask(ui)
	if review == nil {
		v.compare(t, ui, id)
		if d := before.Diff(ui.mem.Snapshot()); d != "" || len(v.want)+len(v.gone)+len(v.list) > 0 {
			t.Errorf("an answer for what changes notes:\n%s", d)
		}
		return
	}
	if review.Problem != nil {
		t.Fatalf("the simulation failed in %s: %+v", review.Problem.Step, review.Problem)
	}
	if d := before.Diff(ui.mem.Snapshot()); d != "" {
		t.Fatalf("the simulation wrote:\n%s", d)
	}
	var list []string
	for _, f := range review.Files {
		list = append(list, string(f.Status)+" "+f.Path)
	}
	if v.list != nil && !slices.Equal(list, v.list) {
		t.Errorf("the review lists\n%s\nnot\n%s", strings.Join(list, "\n"), strings.Join(v.list, "\n"))
	}
	v.compare(t, ui, id)
	end := ui.approve(review)
	if end.Outcome != "ok" {
		t.Fatalf("%s: want Outcome \"ok\", got %+v", end.Outcome, end.Problem)
	}
	if d := expected.Diff(ui.mem.Snapshot()); d != "" {
		t.Fatalf("the vault is not as expected:\n%s", d)
	}
	if r.same || r.refuse {
		again, err := ui.s.tx.OpenPlan(t.Context(), r.plan, nil, false)
		if err != nil || (again.Problem != nil) != r.refuse || len(again.Files) > 0 {
			t.Errorf("a second run is not without changes: %+v %v", again, err)
		}
	}
	if len(list) > 0 {
		ui.revert(end.Run)
	}
	if d := before.Diff(ui.mem.Snapshot()); d != "" {
		t.Errorf("taken back, the vault is not what it was:\n%s", d)
	}
}

func (v *requestVault) expected(mem *hosttest.Memory) hosttest.Snapshot {
	return mem.Snapshot().With(v.want, v.gone)
}

// compare holds the outputs of the simulation against the story's.
func (v *requestVault) compare(t *testing.T, ui *panel, run string) {
	t.Helper()
	outputs := map[string]any{}
	there := ui.s.tx.Simulated(run, func(c *tool.Call, r *tool.Result) {
		var data any
		text, err := json.Marshal(r.Data)
		if err == nil && json.Unmarshal(text, &data) == nil {
			outputs[c.StepID] = data
		}
	})
	if !there {
		t.Fatal("what was simulated is not at hand")
	}
	for id, want := range v.answer {
		if d := cmp.Diff(want, only(want, outputs[id])); d != "" {
			t.Errorf("%s (-want +got):\n%s", id, d)
		}
	}
}

// only keeps of a value what the wanted one speaks of.
func only(want, got any) any {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return got
		}
		out := map[string]any{}
		for k := range w {
			out[k] = only(w[k], g[k])
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return got
		}
		out := make([]any, len(w))
		for i := range w {
			out[i] = only(w[i], g[i])
		}
		return out
	}
	return got
}
