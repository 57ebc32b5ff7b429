package server

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
)

// carefree approves by itself what it may.
var carefree = protocol.Settings{Provider: "openai", Confirm: "never"}

const createPlan = `{"goal":"Make ${title}","assumptions":[],"steps":[{"id":"make","tool":"vault.createFile","version":"1.0.0","args":{"folder":"New","title":"${title}","content":"x"}}]}`

func TestARunBecomesAnActionWithItsParametersAndRunsWithoutAModel(t *testing.T) {
	mem := ideasVault()
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai"}, llmtest.Call("c1", "submit_plan", bulletsPlan))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "make notes", Mode: protocol.ModePlan, UseSelection: true})
	r := ui.review()
	if end := ui.approve(r); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
	}
	a := call[protocol.Action](ui, "actions.save", protocol.ActionSave{Run: r.Run, Name: "Bullets"})
	if a.Kind != "template" || a.NeedsModel || len(a.Fields) != 1 || a.Fields[0].Name != "folderName" || a.Fields[0].Value != "Projects/XYZ" ||
		a.Fields[0].Kind != "folder" || a.Fields[0].Label.Key != "field.folder" || a.Risk != "writes" {
		t.Fatalf("want Kind \"template\", NeedsModel false, 1 Fields, Fields[0].Name \"folderName\", Fields[0].Value \"Projects/XYZ\", Fields[0].Kind \"folder\", Fields[0].Label.Key \"field.folder\" and Risk \"writes\", got %+v", a)
	}
	// The selection is gone by now: it alone is asked for. The provider has no
	// answer left, so that asking it would fail.
	mem.Select(host.Range{})
	call[protocol.Accepted](ui, "actions.run", protocol.ActionRun{ID: a.ID, Values: map[string]string{"folderName": "Else/Ä"}})
	e := ui.await("question", func(e protocol.Event) bool { return e.Type == protocol.EventQuestionOpened })
	if len(e.Question.Fields) != 1 || e.Question.Fields[0].Name != "selection" || e.Question.Fields[0].Kind != "longtext" {
		t.Fatalf("want 1 Question.Fields, Question.Fields[0].Name \"selection\" and Question.Fields[0].Kind \"longtext\", got %+v", e.Question.Fields)
	}
	call[protocol.Empty](ui, "answer", protocol.Answer{ID: e.Question.ID, Yes: true, Values: map[string]string{"selection": "- Given"}})
	r = ui.review()
	if i := slices.IndexFunc(r.Files, func(f protocol.FileChange) bool { return f.Path == "Else/Ä/Given.md" }); i < 0 {
		t.Fatalf("want it to be found, got %+v", r.Files)
	}
}

func TestAnActionThatWasWrittenOrChangedAlwaysAsks(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	ui := begin(t, mem, carefree)
	put := func(p protocol.ActionPut) protocol.ActionDetail {
		t.Helper()
		return call[protocol.ActionDetail](ui, "action.put", p)
	}
	asks := func(id string) bool {
		t.Helper()
		call[protocol.Accepted](ui, "actions.run", protocol.ActionRun{ID: id, Values: map[string]string{"title": "T"}})
		r := ui.review()
		ui.await("end of the turn", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
		st := call[protocol.State](ui, "state", protocol.Empty{})
		if st.Run != nil && st.Run.Run == r.Run {
			ui.finished()
			return false
		}
		call[protocol.Empty](ui, "review.close", protocol.RunRef{Run: r.Run})
		return true
	}
	d := put(protocol.ActionPut{Name: "Make", Kind: "template", Plan: createPlan, Icon: "leaf", Group: "Mine", Ribbon: true, Fields: []protocol.Field{
		{Name: "title", Kind: "choice", Choices: []string{"A", "B"}, Label: protocol.Message{Key: "bundled.field.tag"}},
		{Name: "not there", Kind: "text"},
	}})
	v := d.Action
	if v.Kind != "template" || v.Risk != "writes" || v.Group != "Mine" || !v.Ribbon || v.Icon != "leaf" || len(v.Fields) != 1 ||
		v.Fields[0].Value != "A" || v.Fields[0].Label.Key != "bundled.field.tag" || len(d.Problems) > 0 {
		t.Errorf("want Kind \"template\", Risk \"writes\", Group \"Mine\", Ribbon true, Icon \"leaf\", 1 Fields, Fields[0].Value \"A\", Fields[0].Label.Key \"bundled.field.tag\" and no Problems, got %+v", d)
	}
	if !asks(v.ID) {
		t.Error("an action that was written ran without a question")
	}
	// One that was saved from a run is trusted, until its plan changes.
	end := ui.approve(ui.open(strings.NewReplacer("${title}", "one").Replace(createPlan)))
	saved := call[protocol.Action](ui, "actions.save", protocol.ActionSave{Run: end.Run, Name: "Saved"})
	if asks(saved.ID) {
		t.Error("a saved action asks although confirmation is off")
	}
	got := call[protocol.ActionDetail](ui, "action.get", protocol.ActionRef{ID: saved.ID})
	if len(got.Steps) != 1 || got.Steps[0].Tool != "vault.createFile" || got.Steps[0].Version != "1.0.0" || got.Steps[0].Gone || !json.Valid([]byte(got.Steps[0].Input)) {
		t.Errorf("want 1 Steps, Steps[0].Tool \"vault.createFile\", Steps[0].Version \"1.0.0\", Steps[0].Gone false and valid JSON, got %+v", got.Steps)
	}
	put(protocol.ActionPut{ID: saved.ID, Name: "Other name", Kind: "plan", Plan: got.Plan})
	if asks(saved.ID) {
		t.Error("another name alone makes it ask")
	}
	put(protocol.ActionPut{ID: saved.ID, Name: "Other name", Kind: "plan", Plan: strings.Replace(got.Plan, `"x"`, `"y"`, 1)})
	if !asks(saved.ID) {
		t.Error("a changed action ran without a question")
	}
}

func TestWhatDoesNotFitTheToolsIsNotKept(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{}), free)
	for _, c := range []struct {
		name string
		p    protocol.ActionPut
		code fault.Code
	}{
		{"no such tool", protocol.ActionPut{Name: "x", Plan: strings.Replace(createPlan, "createFile", "formatDisk", 1)}, fault.Validation},
		{"no such version", protocol.ActionPut{Name: "x", Plan: strings.Replace(createPlan, `"1.0.0"`, `"9.0.0"`, 1)}, fault.Validation},
		{"no such argument", protocol.ActionPut{Name: "x", Plan: strings.Replace(createPlan, `"content"`, `"contents_of"`, 1)}, fault.Validation},
		{"an unknown field", protocol.ActionPut{Name: "x", Plan: strings.Replace(createPlan, `"goal"`, `"aim"`, 1)}, fault.Validation},
		{"no JSON", protocol.ActionPut{Name: "x", Plan: "{"}, fault.Validation},
		{"no name", protocol.ActionPut{Plan: createPlan}, fault.Validation},
		{"another kind", protocol.ActionPut{Name: "x", Kind: "script", Plan: createPlan}, fault.Validation},
		{"an empty prompt", protocol.ActionPut{Name: "x", Kind: "prompt", Prompt: " "}, fault.Validation},
		{"gone", protocol.ActionPut{ID: "gone", Name: "x", Plan: createPlan}, fault.NotFound},
		{"bundled", protocol.ActionPut{ID: "bundled.renameTag", Name: "x", Plan: createPlan}, fault.Precondition},
	} {
		if _, err := try[protocol.ActionDetail](ui, "action.put", c.p); !fault.Is(err, c.code) {
			t.Errorf("%s: want the error of the case, got %v", c.name, err)
		}
	}
	if list := call[protocol.ActionList](ui, "actions.list", protocol.Empty{}); len(list.Actions) != 12 {
		t.Errorf("%d actions", len(list.Actions))
	}
}

func TestActionsAreHiddenShownOrderedAndDrawn(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{}), free)
	l := call[protocol.ActionList](ui, "actions.remove", protocol.ActionRef{ID: "bundled.rollOver"})
	if len(l.Actions) != 11 || len(l.Hidden) != 1 || l.Hidden[0].ID != "bundled.rollOver" {
		t.Fatalf("%d shown, hidden %+v", len(l.Actions), l.Hidden)
	}
	e := ui.await("the new list", func(e protocol.Event) bool { return e.Type == protocol.EventActionsChanged })
	if len(e.Actions) != 11 {
		t.Errorf("the panel is told of %d", len(e.Actions))
	}
	l = call[protocol.ActionList](ui, "actions.restore", protocol.ActionRef{ID: "bundled.rollOver"})
	if len(l.Actions) != 12 || len(l.Hidden) != 0 {
		t.Errorf("%d shown, hidden %+v", len(l.Actions), l.Hidden)
	}
	l = call[protocol.ActionList](ui, "actions.order", protocol.ActionsOrder{IDs: []string{"bundled.dailyNote", "bundled.rollOver"}})
	if l.Actions[0].ID != "bundled.dailyNote" || l.Actions[1].ID != "bundled.rollOver" || len(l.Actions) != 12 {
		t.Errorf("want Actions[0].ID \"bundled.dailyNote\", Actions[1].ID \"bundled.rollOver\" and 12 Actions, got %+v", l.Actions[:2])
	}
	c := call[protocol.Exported](ui, "action.canvas", protocol.ActionRef{ID: "bundled.bulletsToNotes"})
	var canvas struct {
		Nodes []struct{ ID, Type string }
		Edges []struct{ FromNode, ToNode string }
	}
	if err := json.Unmarshal([]byte(c.JSON), &canvas); err != nil || len(canvas.Nodes) != 6 || len(canvas.Edges) != 4 {
		t.Errorf("want no error, 6 Nodes and 4 Edges, got %v %s", err, c.JSON)
	}
}

func TestACopyOfABundledActionAsksAsTheOneDoes(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{}), free)
	d := call[protocol.ActionDetail](ui, "action.get", protocol.ActionRef{ID: "bundled.addProperty"})
	c := call[protocol.ActionDetail](ui, "action.put", protocol.ActionPut{Name: "Mine", Kind: d.Action.Kind, Plan: d.Plan, Fields: d.Action.Fields})
	if got, want := written(t, c.Action.Fields), written(t, d.Action.Fields); got != want || c.Action.Bundled || len(c.Action.Fields) != 4 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAnActionWhoseToolIsGoneSaysSo(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	doc := `{"format":"embedded-agent/actions","version":1,"actions":[{"id":"1","name":"Old","plan":` +
		strings.Replace(createPlan, `"1.0.0"`, `"0.9.0"`, 1) + `}]}`
	if err := mem.Host().Store.Write(t.Context(), "actions.json", []byte(doc)); err != nil {
		t.Fatal(err)
	}
	ui := begin(t, mem, free)
	d := call[protocol.ActionDetail](ui, "action.get", protocol.ActionRef{ID: "1"})
	if len(d.Action.Warnings) != 2 || d.Action.Warnings[0].Key != "action.toolGone" || d.Action.Warnings[0].Params["tool"] != "vault.createFile@0.9.0" ||
		d.Action.Warnings[1].Key != "action.outdated" || !d.Steps[0].Gone || len(d.Problems) == 0 || len(d.Action.Fields) != 1 {
		t.Errorf("want 2 Action.Warnings, Action.Warnings[0].Key \"action.toolGone\", Action.Warnings[0].Params[\"tool\"] \"vault.createFile@0.9.0\", Action.Warnings[1].Key \"action.outdated\", Steps[0].Gone true and some Problems, got %+v", d)
	}
}

func TestAPromptIsAskedWithItsParametersAndWhatComesOfItIsReviewed(t *testing.T) {
	mem := ideasVault()
	p := llmtest.NewProvider(llmtest.Call("c1", "submit_plan", strings.Replace(createPlan, "${title}", "made", 2)))
	ui := &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: mem.Host(), Provider: p, Emit: ui.hear})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: carefree, Platform: protocol.Platform{Name: "linux"}})
	d := call[protocol.ActionDetail](ui, "action.put", protocol.ActionPut{Name: "Ask", Kind: "prompt", Prompt: "Sum up ${note} in ${words} words {x} $steps.a"})
	if d.Action.Kind != "prompt" || !d.Action.NeedsModel || d.Plan != "" || len(d.Action.Fields) != 2 {
		t.Fatalf("want Action.Kind \"prompt\", Action.NeedsModel true, no Plan and 2 Action.Fields, got %+v", d)
	}
	call[protocol.Accepted](ui, "actions.run", protocol.ActionRun{ID: d.Action.ID, Values: map[string]string{"words": "5 ${note}"}})
	r := ui.review()
	e := ui.await("end of the turn", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
	if want := "Sum up Inbox/Ideas.md in 5 ${note} words {x} $steps.a"; e.Turn.Text != want {
		t.Errorf("asked %q, want %q", e.Turn.Text, want)
	}
	if st := call[protocol.State](ui, "state", protocol.Empty{}); st.Run != nil {
		t.Errorf("the plan of a prompt that nobody approved ran: %+v", st.Run)
	}
	if _, there := mem.File("New/made.md"); there || !r.Approvable {
		t.Errorf("written before the approval, or not approvable: %+v", r)
	}
	if requests := p.Requests(); len(requests) != 1 || !strings.Contains(written(t, requests[0]), "in 5 ${note} words {x} $steps.a") {
		t.Errorf("the model was asked %d times", len(requests))
	}
}

func written(t *testing.T, v any) string {
	t.Helper()
	b, err := canon.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestACallOfARunBecomesAStepOfAnAction(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "${x} $steps.b"}})
	ui := begin(t, mem, free)
	r := ui.open(planOf("copy", `{"id":"r","tool":"vault.readFile","args":{"path":"A.md"}}`,
		`{"id":"w","tool":"vault.createFile","args":{"path":"B.md","content":"$steps.r.content"}}`))
	// The review's own calls can be taken too, before anything ran.
	for _, c := range ui.reviewed().Called {
		if c.StepID == "w" {
			d := call[protocol.ActionDetail](ui, "action.step", protocol.ActionStep{Run: r.Run, CallID: c.CallID, Name: "In review"})
			checkStep(t, &d)
		}
	}
	end := ui.approve(r)
	detail := call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: end.Run})
	var id string
	for _, c := range detail.Calls {
		if c.StepID == "w" {
			id = c.CallID
		}
	}
	d := call[protocol.ActionDetail](ui, "action.step", protocol.ActionStep{Run: end.Run, CallID: id, Name: "One call"})
	checkStep(t, &d)
	more := call[protocol.ActionDetail](ui, "action.step", protocol.ActionStep{Run: end.Run, CallID: id, Action: d.Action.ID})
	if len(more.Steps) != 2 || more.Steps[1].ID != "createFile2" || more.Action.ID != d.Action.ID {
		t.Errorf("want 2 Steps, Steps[1].ID \"createFile2\" and Action.ID equal to d.Action.ID, got %+v", more.Steps)
	}
	call[protocol.Accepted](ui, "actions.run", protocol.ActionRun{ID: d.Action.ID})
	if end := ui.approve(ui.review()); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
	}
	if ui.text("B (2).md") != "${x} $steps.b" || ui.text("B (3).md") != "${x} $steps.b" {
		t.Errorf("want B (2).md \"${x} $steps.b\" and B (3).md \"${x} $steps.b\", got %q", ui.text("B (2).md"))
	}
	for _, c := range []struct {
		p    protocol.ActionStep
		code fault.Code
	}{
		{protocol.ActionStep{Run: end.Run, CallID: "gone", Name: "x"}, fault.NotFound},
		{protocol.ActionStep{Run: "gone", CallID: id, Name: "x"}, fault.NotFound},
		{protocol.ActionStep{Run: end.Run, CallID: id, Action: "gone"}, fault.NotFound},
		{protocol.ActionStep{Run: end.Run, CallID: id, Action: "bundled.rollOver"}, fault.Precondition},
		{protocol.ActionStep{Run: end.Run, CallID: id, Pin: "weather", Name: "x"}, fault.NotFound},
	} {
		if _, err := try[protocol.ActionDetail](ui, "action.step", c.p); !fault.Is(err, c.code) {
			t.Errorf("%+v: want the error of the case, got %v", c.p, err)
		}
	}
}

func TestACallOfAConversationBecomesAStepAlsoWhereItLedToNoRun(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "x"}})
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai"},
		llmtest.Call("1", "vault.readFile", `{"path":"A.md"}`), llmtest.Say("It says x."))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "read it", Mode: protocol.ModeAgent, Conversation: "c"})
	e := ui.await("the call", func(e protocol.Event) bool { return e.Type == protocol.EventExec && e.Exec.Type == "step.finished" })
	ui.await("end of the turn", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
	d := call[protocol.ActionDetail](ui, "action.step", protocol.ActionStep{Run: e.Exec.RunID, CallID: e.Exec.CallID, Name: "Read A"})
	if len(d.Steps) != 1 || d.Steps[0].Tool != "vault.readFile" || d.Steps[0].Input != `{"path":"A.md"}` || d.Steps[0].Version == "" {
		t.Errorf("want 1 Steps, Steps[0].Tool \"vault.readFile\", Steps[0].Input \"{\\\"path\\\":\\\"A.md\\\"}\" and Steps[0].Version set, got %+v", d.Steps)
	}
}

func checkStep(t *testing.T, d *protocol.ActionDetail) {
	t.Helper()
	if len(d.Steps) != 1 || d.Steps[0].Tool != "vault.createFile" || d.Steps[0].Version == "" || d.Action.Kind != "plan" ||
		!strings.Contains(d.Steps[0].Input, `\\${x} \\$steps.b`) {
		t.Errorf("want 1 Steps, Steps[0].Tool \"vault.createFile\", Steps[0].Version set, Action.Kind \"plan\" and Steps[0].Input with \"\\\\\\\\${x} \\\\\\\\$steps.b\", got %+v", d)
	}
}

func TestASecretThatWasNotKeptMakesNoStep(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{}), free)
	end := ui.do(planOf("keep", `{"id":"w","tool":"vault.createFile","args":{"path":"B.md","content":"sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"}}`))
	detail := call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: end.Run})
	if _, err := try[protocol.ActionDetail](ui, "action.step", protocol.ActionStep{Run: end.Run, CallID: detail.Calls[0].CallID, Name: "x"}); !fault.Is(err, fault.Precondition) {
		t.Errorf("want the error fault.Precondition, got %v", err)
	}
}

// TestAnImportSaysInWordsWhatItMayTouch has steps and the sentences of the
// review of an import.
func TestAnImportSaysInWordsWhatItMayTouch(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{}), free)
	for _, c := range []struct {
		action string
		want   []string
	}{
		{`"prompt":"Sum up ${note}"`, []string{"import.prompt"}},
		{plans(`{"id":"a","tool":"vault.query","args":{}}`), []string{"import.readOnly"}},
		{plans(`{"id":"a","tool":"vault.createFile","args":{"folder":"New/Ä","title":"x","content":"y"}}`), []string{"import.writes", "import.inFolders New/Ä"}},
		{plans(`{"id":"a","tool":"vault.createFile","args":{"path":"A/x.md","content":"y"}}`, `{"id":"b","tool":"vault.ensureFolder","args":{"path":"B"}}`), []string{"import.writes", "import.inFolders A, B"}},
		{plans(`{"id":"a","tool":"vault.createFile","args":{"folder":"A","title":"x","content":"y"}}`, `{"id":"b","tool":"tags.rename","args":{"from":"a","to":"b","folder":""}}`), []string{"import.writes", "import.anywhere"}},
		{plans(`{"id":"a","tool":"vault.createFile","args":{"folder":"${folderName}","title":"x","content":"y"}}`), []string{"import.writes", "import.anywhere"}},
		{plans(`{"id":"a","tool":"vault.rename","args":{"path":"a.md","newPath":"B/"}}`), []string{"import.renames", "import.anywhere"}},
		{plans(`{"id":"a","tool":"vault.delete","args":{"path":"a.md"}}`), []string{"import.deletes", "import.anywhere"}},
		{plans(`{"id":"a","tool":"note.merge","args":{"paths":["a.md"],"folder":"B","title":"x","deleteSources":true}}`), []string{"import.deletes", "import.anywhere"}},
		{plans(`{"id":"a","tool":"commands.run","args":{"id":"app:reload"}}`), []string{"import.commands", "import.whichCommands app:reload"}},
		{plans(`{"id":"a","tool":"commands.run","args":{"id":"app:reload"}}`, `{"id":"b","tool":"vault.delete","args":{"path":"A/a.md"}}`, `{"id":"c","tool":"vault.rename","args":{"path":"A/b.md","newPath":"A/c.md"}}`), []string{"import.commands", "import.deletes", "import.renames", "import.anywhere", "import.whichCommands app:reload"}},
		{plans(`{"id":"a","tool":"moon.fetch","args":{}}`), []string{"import.readOnly", "import.gone moon.fetch"}},
		{plans(`{"id":"a","tool":"code.run","args":{"script":"def transform(x): return x","input":1}}`), []string{"import.readOnly", "import.code"}},
	} {
		doc := `{"format":"embedded-agent/actions","version":2,"actions":[{"id":"1","name":"N",` + c.action + `}]}`
		got := call[protocol.Imported](ui, "actions.import", protocol.Import{JSON: doc})
		var said []string
		for _, m := range got.Review {
			text := m.Key
			if names := m.Params["names"]; names != "" && names != "N" {
				text += " " + names
			}
			said = append(said, text)
			if words := i18n.English(m.Key, m.Params); strings.Contains(words, "{") && !strings.Contains(words, "${") {
				t.Errorf("a parameter is missing: %s", words)
			}
		}
		if strings.Join(said, "; ") != strings.Join(c.want, "; ") || got.Kept {
			t.Errorf("%s\n got %v\nwant %v", c.action, said, c.want)
		}
	}
}

func plans(steps ...string) string { return `"plan":` + planOf("g", steps...) }

func TestABundledPlanHasNoStepThatAsksAModel(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{}), free)
	for _, v := range call[protocol.ActionList](ui, "actions.list", protocol.Empty{}).Actions {
		a, err := ui.s.library.Get(t.Context(), v.ID)
		if err != nil {
			t.Fatal(err)
		}
		p, err := a.Template()
		if err != nil {
			t.Fatal(err)
		}
		g, problems := plan.Check(p, ui.s.registry, plan.Rules{Template: true})
		if g != nil && protocol.Risk(g.Risk) != v.Risk {
			t.Errorf("%s: the risk is %s, the list says %s", v.Name, g.Risk, v.Risk)
		}
		if g == nil || v.NeedsModel || !g.Simulable() || len(problems) > 0 || len(p.Steps) > 6 {
			t.Errorf("%s: want something, NeedsModel false, no problems and at most 6 Steps, got %v", v.Name, problems)
		}
	}
}
