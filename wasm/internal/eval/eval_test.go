//go:build !js

package eval

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox/child"
	"embedded-agent/wasm/internal/terminal"
	"embedded-agent/wasm/internal/web"
)

func TestMain(m *testing.M) {
	child.Main()
	os.Exit(m.Run())
}

// own are the tasks of this package.
func own(t *testing.T) []*Task {
	t.Helper()
	all, err := Load("testdata/tasks")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 25 {
		t.Fatalf("%d tasks", len(all))
	}
	return all
}

// task gives one of them.
func task(t *testing.T, name string) *Task {
	t.Helper()
	for _, k := range own(t) {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("there is no task %s", name)
	return nil
}

// try lets a model that a transport plays work on a task.
func try(t *testing.T, k *Task, way Way, model web.Transport) Try {
	t.Helper()
	runner := child.New()
	defer runner.Close()
	got, err := over(model).Run(t.Context(), k, way, runner)
	if err != nil {
		t.Fatalf("%s (%s): want no error, got %v", k.Name, way, err)
	}
	return got
}

func TestAModelThatIsRightIsGradedRightInEveryWay(t *testing.T) {
	for _, k := range own(t) {
		t.Run(k.Name, func(t *testing.T) {
			for _, way := range Ways {
				got := try(t, k, way, &scripted{left: Right(k, way)})
				if !got.Right {
					t.Errorf("%s: want Right true, got %s %s\n%s", way, got.Outcome, got.Problem, strings.Join(got.Wrong, "\n"))
				}
				if got.Requests == 0 || got.In == 0 || got.Out == 0 || got.Repairs != 0 {
					t.Errorf("%s: want Requests other than 0, In other than 0, Out other than 0 and Repairs 0, got %+v", way, got)
				}
			}
		})
	}
}

// Two notes with the same text that both get a new name are not taken for one.
func TestTheScriptGivesEachOfSeveralEqualNotesItsOwnNewName(t *testing.T) {
	k := &Task{
		Name: "equal", Instruction: "Number the notes.", Plan: []byte("{}"),
		Before: map[string]string{"F/a.md": "x\n", "F/ü.md": "x\n", "F/z.md": "x\n"},
		After:  map[string]string{"F/1 a.md": "x\n", "F/2 z.md": "x\n", "F/3 ü.md": "x\n"},
	}
	for _, way := range []Way{Agent, Notes} {
		if got := try(t, k, way, &scripted{left: Right(k, way)}); !got.Right || got.Repairs != 0 {
			t.Errorf("%s: want right without a repair, got %d repairs and\n%s", way, got.Repairs, strings.Join(got.Wrong, "\n"))
		}
	}
	moves := renamed(k.Before, k.After)
	if moves["F/ü.md"] != "F/3 ü.md" || moves["F/z.md"] != "F/2 z.md" {
		t.Errorf("want each name with the old one in it, got %v", moves)
	}
}

// Two folders may have a task of one name: each has its own line and its own transcript.
func TestNoTwoTasksHaveOneName(t *testing.T) {
	t.Chdir("../../..")
	all, err := Load(folders...)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, k := range all {
		if seen[k.Name] {
			t.Errorf("want one task with the name %s, got two", k.Name)
		}
		seen[k.Name] = true
	}
}

func TestAModelThatDoesSomethingElseIsGradedWrong(t *testing.T) {
	for _, k := range own(t) {
		for _, way := range []Way{Plan, Agent} {
			if got := try(t, k, way, &scripted{left: Wrong(k, way)}); got.Right {
				t.Errorf("%s (%s): a note that nobody asked for is right", k.Name, way)
			}
		}
	}
}

// Words alone change nothing: they are right only where nothing was to be changed, and
// the panel says that nothing was.
func TestAModelThatOnlySaysSoIsGradedWrong(t *testing.T) {
	for _, k := range own(t) {
		for _, way := range []Way{Plan, Agent} {
			got := try(t, k, way, &scripted{left: Lazy(k, way)})
			if got.Right != (k.Name == "nothing-to-do") {
				t.Errorf("%s (%s): right is %v", k.Name, way, got.Right)
			}
			if !got.Hollow {
				t.Errorf("%s (%s): the person is not told that nothing was changed", k.Name, way)
			}
		}
	}
}

// The figures that make the three ways comparable: a change of forty notes is one plan,
// and forty calls for single notes.
func TestAPlanForManyNotesCostsLessThanACallForEach(t *testing.T) {
	k := task(t, "type-of-forty")
	by := map[Way]Try{}
	for _, way := range Ways {
		by[way] = try(t, k, way, &scripted{left: Right(k, way)})
	}
	if p := by[Plan]; p.Requests != 1 || p.Steps != 2 {
		t.Errorf("want Requests 1 and Steps 2, got %+v", p)
	}
	if n := by[Notes]; n.Requests != 82 || n.Steps != 81 {
		t.Errorf("%d requests, %d calls", n.Requests, n.Steps)
	}
	if by[Agent].Requests != 4 || by[Plan].In*10 > by[Notes].In || by[Plan].Out*10 > by[Notes].Out {
		t.Errorf("want by[Agent].Requests 4, at most by[Notes].In and at most by[Notes].Out, got %+v", by)
	}
}

func TestAPlanThatIsPutRightIsARepair(t *testing.T) {
	k := task(t, "new-note")
	bad := submits([]byte(`{"goal":"g","assumptions":[],"steps":[{"id":"a","tool":"vault.makeFile","args":{}}]}`))
	got := try(t, k, Plan, &scripted{left: append([]Said{bad}, Right(k, Plan)...)})
	if !got.Right || got.Repairs != 1 || got.Requests != 2 {
		t.Errorf("want Right true, Repairs 1 and Requests 2, got %+v", got)
	}
	call := Said{Calls: []Call{{"vault.createFile", map[string]any{"title": "x"}}}}
	got = try(t, k, Agent, &scripted{left: append([]Said{call}, Right(k, Agent)...)})
	if !got.Right || got.Repairs != 1 {
		t.Errorf("want Right true and Repairs 1, got %+v", got)
	}
}

// What went over the wire is enough to have the same evaluation again, without a model.
func TestATranscriptThatIsPlayedGivesTheSame(t *testing.T) {
	t.Chdir("../../..")
	first, again := t.TempDir(), t.TempDir()
	env := map[string]string{"EVAL_OUT": first, "EVAL_ONLY": "ask-then-do", "EVAL_TIMES": "2"}
	var out, told bytes.Buffer
	if code := Main(t.Context(), func(name string) string { return env[name] }, &out, &told); code != 0 {
		t.Fatalf("%d: want code 0, got %s", code, told.String())
	}
	env["EVAL_OUT"], env["EVAL_TRANSCRIPTS"], env["EVAL_AGAINST"] = again, first, filepath.Join(first, "report.json")
	out.Reset()
	if code := Main(t.Context(), func(name string) string { return env[name] }, &out, &told); code != 0 {
		t.Fatalf("%d: want code 0, got %s", code, told.String())
	}
	a, errA := ReadReport(filepath.Join(first, "report.json"))
	b, errB := ReadReport(filepath.Join(again, "report.json"))
	if errA != nil || errB != nil || len(a.Tries) != 6 || len(b.Tries) != 6 {
		t.Fatalf("want no error, no error, 6 Tries and 6 Tries, got %v %v", errA, errB)
	}
	for i := range a.Tries {
		x, y := a.Tries[i], b.Tries[i]
		x.Seconds, y.Seconds = 0, 0
		if fmt.Sprintf("%+v", x) != fmt.Sprintf("%+v", y) || !x.Right {
			t.Errorf("%+v\nis not\n%+v", y, x)
		}
	}
	for _, part := range []string{"plan: 2 of 2 right", "tokens in × 1.00", "ask-then-do"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in\n%s", part, out.String())
		}
	}
}

// A real endpoint: HTTP, a key that is sent and kept nowhere, and tokens as it counts them.
func TestAnEndpointIsAskedOverHTTP(t *testing.T) {
	t.Chdir("../../..")
	k := task2(t, "new-note")
	script := &scripted{left: Right(k, Plan)}
	keys := map[string]bool{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys[r.Header.Get("Authorization")] = true
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		resp, err := script.Do(r.Context(), web.Request{Method: r.Method})
		if err != nil {
			t.Error(err)
		}
		body, _ := resp.Read(r.Context())
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(bytes.Replace(body, []byte(`"object"`), []byte(`"usage":{"prompt_tokens":700,"completion_tokens":70},"object"`), 1))
	}))
	defer srv.Close()
	dir := t.TempDir()
	env := map[string]string{
		"EVAL_OUT": dir, "EVAL_URL": srv.URL + "/v1", "EVAL_MODEL": "m", "EVAL_KEY": "sk-very-secret", "EVAL_ONLY": "new-note", "EVAL_WAYS": "plan",
	}
	var out, told bytes.Buffer
	if code := Main(t.Context(), func(name string) string { return env[name] }, &out, &told); code != 0 {
		t.Fatalf("%d: want code 0, got %s", code, told.String())
	}
	r, err := ReadReport(filepath.Join(dir, "report.json"))
	if err != nil || len(r.Tries) != 1 {
		t.Fatalf("want no error and 1 Tries, got %v %s", err, told.String())
	}
	if got := r.Tries[0]; !got.Right || got.In != 700 || got.Out != 70 || got.Estimated {
		t.Errorf("want Right true, In 700, Out 70 and Estimated false, got %+v", got)
	}
	if !keys["Bearer sk-very-secret"] {
		t.Errorf("the key was not sent: %v", keys)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("want no error and 2 files, got %v %v", files, err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err != nil || bytes.Contains(b, []byte("sk-very-secret")) {
			t.Errorf("%s holds the key, %v", f, err)
		}
	}
}

// task2 gives a task where the working directory is the repository's root.
func task2(t *testing.T, name string) *Task {
	t.Helper()
	all, err := Load(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	return all[slices.IndexFunc(all, func(k *Task) bool { return k.Name == name })]
}

func TestAReportSaysWhatBecameWorse(t *testing.T) {
	before := &Report{Form: 1, Model: "a", At: "then", Tries: []Try{
		{Task: "x", Way: Plan, Right: true, Cost: Cost{In: 100, Out: 10, Requests: 1}}, {Task: "y", Way: Plan, Cost: Cost{In: 100, Out: 10, Requests: 1}},
	}}
	now := &Report{Form: 1, Model: "b", Tries: []Try{
		{Task: "x", Way: Plan, Cost: Cost{In: 50, Out: 20, Requests: 1}}, {Task: "y", Way: Plan, Right: true, Cost: Cost{In: 50, Out: 20, Requests: 1}}, {Task: "z", Way: Agent},
	}}
	var out bytes.Buffer
	if !now.Compare(before, terminal.To(&out)) {
		t.Error("a task that was right is not any more, and that is no worse")
	}
	for _, part := range []string{"x plan: 0 of 1 right, before 1 of 1", "y plan: 1 of 1 right, before 0 of 1", "new: z agent", "tokens in × 0.50, out × 2.00"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in\n%s", part, out.String())
		}
	}
	if before.Compare(before, terminal.To(&out)) {
		t.Error("a report is worse than itself")
	}
}

func TestChecksSayWhatIsWrong(t *testing.T) {
	v := vaults{
		before: map[string]string{"a.md": "A\n", "b.md": "B\n", "c.md": "C\n"},
		after:  map[string]string{"a.md": "---\ntags: [x, y]\nn: 3\n---\nSome  Words\n", "b.md": "B\n", "F/1.md": "", "F/2.md": ""},
	}
	for line, want := range map[string]bool{
		"exists a.md": true, "exists z.md": false, "gone c.md": true, "gone a.md": false, "contains a.md: some words": true,
		"contains a.md: others": false, "contains *.md: some words": true, "lacks a.md: others": true, "lacks a.md: WORDS": false,
		"property a.md: tags=y": true, "property a.md: n=3": true, "property a.md: n=4": false, "property a.md: no=": false,
		"unchanged b.md": true, "unchanged a.md": false, "unchanged c.md": false, "new F: 2": true, "new F: 1": false, "any z.md": true,
	} {
		c, err := readCheck(line)
		if err != nil {
			t.Fatal(err)
		}
		if v.holds(c) != want {
			t.Errorf("%s: got %v, want %v", line, !want, want)
		}
	}
	for _, line := range []string{"", "exists", "is a.md", "contains a.md"} {
		if _, err := readCheck(line); err == nil {
			t.Errorf("%q passes for a check", line)
		}
	}
	got := v.wrong(&Task{Accept: []check{{kind: "exists", path: "a.md"}}})
	want := []string{"it was to stay as it was: c.md", "nobody asked for it: F/1.md", "nobody asked for it: F/2.md"}
	if !slices.Equal(got, want) {
		t.Errorf("want as expected, got %q", got)
	}
}

func TestWhatTheVariablesSayIsChecked(t *testing.T) {
	t.Chdir("../../..")
	for name, value := range map[string]string{
		"EVAL_TIMES": "0", "EVAL_WAYS": "plan,magic", "EVAL_DIALECT": "klingon", "EVAL_ONLY": "no such task", "EVAL_AGAINST": "/none",
		"EVAL_URL": "http://localhost:1/v1", "EVAL_SECONDS": "soon",
	} {
		var out, told bytes.Buffer
		env := func(n string) string {
			if n == name {
				return value
			}
			return ""
		}
		if code := Main(t.Context(), env, &out, &told); code != 2 || !strings.Contains(told.String(), "EVAL_URL") {
			t.Errorf("%s=%s: want code 2 and String with \"EVAL_URL\", got %d %s", name, value, code, told.String())
		}
	}
}

// The stories beside the tools are tasks as well.
func TestTheStoriesOfTheToolsAreTasks(t *testing.T) {
	all, err := Load("../tool/builtin/testdata/requests")
	if err != nil || len(all) < 40 {
		t.Fatalf("want no error and at least 40 all, got %d, %v", len(all), err)
	}
	for _, k := range all {
		t.Run(k.Name, func(t *testing.T) {
			if got := try(t, k, Plan, &scripted{left: Right(k, Plan)}); !got.Right {
				t.Errorf("want Right true, got %s %s\n%s", got.Outcome, got.Problem, strings.Join(got.Wrong, "\n"))
			}
		})
	}
}

// A request that does not fit into the model's window is told in words, and one that
// fits is answered.
func TestASmallWindowIsToldOrSuffices(t *testing.T) {
	k := task(t, "new-note")
	for _, window := range []int{2048, 8192, 32768} {
		for _, way := range Ways {
			got := try(t, k, way, &scripted{Window: window, left: Right(k, way)})
			told := got.Outcome == string(protocol.TurnFailed) && strings.Contains(got.Problem, "longer than the model accepts") && got.Staged == 0
			t.Logf("%d, %s: right %v, told %v", window, way, got.Right, told)
			if got.Right == told || window == 32768 && !got.Right {
				t.Errorf("%d, %s: want Right other than told and window other than 32768 (or Right true), got %+v", window, way, got)
			}
		}
	}
}

// What a small model does, and what the person reads of it. Nothing is staged that was
// not asked for, and there is neither JSON to be read nor advice that is meant for a model.
func TestAPersonReadsWordsWhateverASmallModelDoes(t *testing.T) {
	k := task(t, "new-note")
	example := submits([]byte(`{"goal":"One note per bullet in Reading, with links in place of the bullets","assumptions":[],"steps":[{"id":"a","tool":"vault.createFile","args":{"path":"Reading/x.md","content":"x"}}]}`))
	say := func(words ...string) []Said {
		var out []Said
		for _, w := range words {
			out = append(out, Said{Words: w}, Said{Words: w}, Said{Words: w})
		}
		return out
	}
	for name, c := range map[string]struct {
		ways []Way
		left []Said
		says string // the person reads it
	}{
		"a plan as text that is cut": {[]Way{Plan}, say(`{"goal": "Make a note", "steps": [{"id": "a", "tool": "vault.createFi`), "Nothing was changed"},
		"a call as text":             {[]Way{Plan, Agent}, say(`{"name": "vault.createFile", "arguments": {"path": "Lists/Shopping.md"}}`), "othing was changed"},
		"a call in a mark":           {[]Way{Plan, Agent}, say("<tool_call>\n{\"name\": \"vault__createFile\", \"arguments\": {}}\n</tool_call>"), "othing was changed"},
		"a call in a fence":          {[]Way{Plan, Agent}, say("```json\n{\"tool\": \"vault.createFile\", \"args\": {\"path\": \"x.md\"}}\n```"), "othing was changed"},
		"the example, three times":   {[]Way{Plan}, []Said{example, example, example}, "Nothing was changed"},
		"a tool that is not there":   {[]Way{Plan}, slices.Repeat([]Said{submits([]byte(`{"goal":"g","steps":[{"id":"a","tool":"notes.make","args":{}}]}`))}, 3), "Nothing was changed"},
		"another function":           {[]Way{Plan}, slices.Repeat([]Said{{Calls: []Call{{"vault.createFile", map[string]any{"path": "x.md", "content": ""}}}}}, 3), "Nothing was changed"},
		"nothing at all":             {[]Way{Plan}, say(" "), "did not return a usable plan"},
	} {
		for _, way := range c.ways {
			got := try(t, k, way, &scripted{left: slices.Clone(c.left)})
			read := got.Said + "\n" + got.Problem
			if got.Right || got.Outcome != string(protocol.TurnFailed) || !strings.Contains(read, c.says) {
				t.Errorf("%s (%s): want Right false, Outcome equal to string(protocol.TurnFailed) and read with what the case names, got %s: %s", name, way, got.Outcome, read)
			}
			for _, no := range []string{"{", "submit_plan", "Submit", "ubmit the whole", "args."} {
				if strings.Contains(read, no) {
					t.Errorf("%s (%s): the person reads %q in %s", name, way, no, read)
				}
			}
			if got.Staged > 0 {
				t.Errorf("%s (%s): %d files were staged", name, way, got.Staged)
			}
		}
	}
}
