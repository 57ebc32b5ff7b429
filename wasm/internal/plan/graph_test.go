package plan_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/plan/plantest"
	"embedded-agent/wasm/internal/tool"
)

func TestTenThousandStepsAreRefusedWithOneMessage(t *testing.T) {
	g, got := errorsOf(string(plantest.Steps(10_000)), plan.Rules{})
	want := []string{`The plan, steps: the plan has 10000 steps; at most 500 are allowed. Use one step with “foreach” for work that repeats.`}
	if d := cmp.Diff(want, got); d != "" || g != nil {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
	if g, got := errorsOf(string(plantest.Steps(10_000)), plan.Rules{MaxSteps: 10_000}); g == nil {
		t.Errorf("allowed, but %v", got)
	}
}

func TestALongReportEndsWithACount(t *testing.T) {
	var list []string
	for i := range 40 {
		list = append(list, fmt.Sprintf(`{"id":"s%d","tool":"no.such"}`, i))
	}
	_, got := errorsOf(steps(strings.Join(list, ",")), plan.Rules{})
	if len(got) != 26 || got[25] != "And 15 more problems like these." {
		t.Errorf("%d: want 26 of them and got[25] \"And 15 more problems like these.\", got %s", len(got), got[len(got)-1])
	}
}

func TestAPlanOfNothingButMistakesIsToldBriefly(t *testing.T) {
	var list []string
	long := strings.Repeat("x", 1000)
	for i := range 3000 {
		list = append(list, fmt.Sprintf(`{"id":"step%d","tool":"any.value","dependsOn":["stop%d"],"args":{"%s%d":"$steps.stap%d.x $vars.v%d"}}`, i, i, long, i, i, i))
	}
	_, got := errorsOf(steps(strings.Join(list, ",")), plan.Rules{MaxSteps: 3000})
	if len(got) != 26 {
		t.Errorf("%d problems", len(got))
	}
	for _, s := range got {
		if len(s) > 1000 {
			t.Errorf("%d bytes: %.200s", len(s), s)
		}
	}
}

func TestAFiveMegabytePlanIsRefusedAndASmallerOneRead(t *testing.T) {
	big := steps(`{"id":"a","tool":"any.value","args":{"x":"` + strings.Repeat("x", 5<<20) + `"}}`)
	_, got := errorsOf(big, plan.Rules{})
	want := fmt.Sprintf("The plan is %d bytes long; at most 4194304 are read. Do not write the text of notes into the plan: refer to the step that reads them.", len(big))
	if len(got) != 1 || got[0] != want {
		t.Error("want 1 of them and got[0] equal to want, got:", got)
	}
	p, problems := plan.Decode([]byte(big), plan.Limits{Bytes: 6 << 20})
	if problems != nil || len(p.Steps[0].Args["x"].(string)) != 5<<20 {
		t.Error("want no problems and as many of them as 5<<20, got:", problems)
	}
}

func TestAGoodPlanBecomesAGraph(t *testing.T) {
	g, got := errorsOf(`{"goal":"g","assumptions":[],"riskLevel":"read-only","version":1,"steps":[
		{"id":"links","tool":"util.joinLines","args":{"items":"$steps.make.items","field":"link","limit":"${steps.size.size}"}},`+
		sel+","+bul+","+loop+`,
		{"id":"size","tool":"vault__readFile","args":{"path":"a.md"},"onError":null},
		{"id":"replace","tool":"editor.replaceSelection","args":{"text":"$steps.links.text\n{c}"},"dependsOn":["size","links","size"]}],
		"outputs":{"made":"$steps.make.items","text":"- $steps.links.text"}}`, plan.Rules{})
	if got != nil {
		t.Fatal("want nothing, got:", got)
	}
	var ids []string
	deps := map[string][]string{}
	for _, n := range g.Nodes {
		ids = append(ids, n.Step.ID)
		deps[n.Step.ID] = n.DependsOn
	}
	if d := cmp.Diff([]string{"sel", "bul", "make", "size", "links", "replace"}, ids); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
	want := map[string][]string{
		"links": {"make", "size"}, "sel": nil, "bul": {"sel"}, "make": {"bul"}, "size": nil, "replace": {"links", "size"},
	}
	if d := cmp.Diff(want, deps); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
	if g.Risk != tool.RiskWrites {
		t.Errorf("risk %s", g.Risk)
	}
	if !g.Node("links").Deferred || g.Node("sel").Deferred || !g.Simulable() {
		t.Error("deferred or simulable is wrong")
	}
	sc := plan.MapScope(map[string]any{"make": map[string]any{"items": []any{1.0}}, "links": tool.Data{"text": "L"}}, nil)
	out, err := g.BindOutputs(&sc)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]any{"made": []any{1.0}, "text": "- L"}, out); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
}

func TestRiskIsComputedFromTheTools(t *testing.T) {
	for list, want := range map[string]tool.Risk{
		sel:                       tool.ReadOnly,
		sel + "," + file("f", ""): tool.RiskWrites,
		file("f", "") + `,{"id":"c","tool":"commands.run","args":{"id":"x"}}`: tool.RiskCommands,
	} {
		g, got := errorsOf(`{"goal":"g","riskLevel":"read-only","steps":[`+list+`]}`, plan.Rules{})
		if g == nil || g.Risk != want {
			t.Errorf("%s: want something and Risk equal to want, got %v %v", list, g, got)
		}
	}
}

func TestRetriesAndTimeoutsAreSettledAndClamped(t *testing.T) {
	rules := plan.Rules{MaxAttempts: 4, MaxBackoffMs: 1000, MaxTimeoutMs: 5000}
	g, got := errorsOf(`{"goal":"g","defaults":{"onError":"skip","timeoutMs":100,"retry":{"maxAttempts":2}},"steps":[
		`+file("a", "")+","+file("b", `,"onError":"stop"`)+","+
		file("c", `,"onError":"retry","retry":{"maxAttempts":9,"backoffMs":99999},"timeoutMs":60000`)+","+
		file("d", `,"retry":{"maxAttempts":3,"backoffMs":10}`)+`]}`, rules)
	want := []string{
		`warning: Step “c”, retry.maxAttempts: 9 is more than the settings allow, so 4 is used.`,
		`warning: Step “c”, retry.backoffMs: 99999 is more than the settings allow, so 1000 is used.`,
		`warning: Step “c”, timeoutMs: 60000 is more than the settings allow, so 5000 is used.`,
	}
	if d := cmp.Diff(want, got); d != "" || g == nil {
		t.Fatal("it differs from what was wanted (-want +got):", d)
	}
	type control struct {
		OnError string
		Retry   plan.Retry
		Timeout int64
	}
	have := map[string]control{}
	for _, n := range g.Nodes {
		have[n.Step.ID] = control{n.OnError, n.Retry, n.TimeoutMs}
	}
	expect := map[string]control{
		"a": {"skip", plan.Retry{MaxAttempts: 2}, 100},
		"b": {"stop", plan.Retry{MaxAttempts: 2}, 100},
		"c": {"retry", plan.Retry{MaxAttempts: 4, BackoffMs: 1000}, 5000},
		"d": {"retry", plan.Retry{MaxAttempts: 3, BackoffMs: 10}, 100},
	}
	if d := cmp.Diff(expect, have); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
	g, _ = errorsOf(steps(file("a", `,"onError":"retry"`)), plan.Rules{})
	if g == nil || g.Nodes[0].Retry != (plan.Retry{MaxAttempts: 3, BackoffMs: 500}) {
		t.Error("retry without numbers")
	}
}

func TestWarningsDoNotStopAPlan(t *testing.T) {
	g, got := errorsOf(steps(`{"id":"a","tool":"note.old"},{"id":"b","tool":"vault.listFiles"},`+
		`{"id":"c","tool":"any.value","args":{"x":"{f.title}"},"foreach":{"from":"$steps.b.files","itemName":"f"}},`+
		`{"id":"d","tool":"any.value","args":{"x":"f({f})"}}`), plan.Rules{})
	want := []string{
		`warning: Step “a”, tool: note.old@1.0.0 is deprecated. It still works, but a newer version or another tool is better.`,
		`warning: Step “d”, args.x: {f} means nothing in this step: “f” is the item of another step's foreach. Add foreach here, or refer to that step with $steps. If the characters themselves are meant, give that item another name.`,
	}
	if d := cmp.Diff(want, got); d != "" || g == nil {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
}

func TestThePinnedVersionIsTaken(t *testing.T) {
	for list, want := range map[string]string{
		`{"id":"a","tool":"note.two"}`:                   "2.0.0",
		`{"id":"a","tool":"note.two@1.0.0"}`:             "1.0.0",
		`{"id":"a","tool":"note.two","version":"1.0.0"}`: "1.0.0",
	} {
		g, got := errorsOf(steps(list), plan.Rules{})
		if g == nil || g.Nodes[0].Tool.Version != want {
			t.Errorf("%s: want something and Nodes[0].Tool.Version equal to want, got %v", list, got)
		}
	}
}

func TestTheSandboxHoldsForPathsWrittenInThePlan(t *testing.T) {
	rules := plan.Rules{Sandbox: tool.Sandbox{Enabled: true, AllowedRoots: []string{"Projects"}, DenyPatterns: []string{"secret"}}}
	_, got := errorsOf(steps(`{"id":"a","tool":"vault.createFile","args":{"path":"Else/x.md","content":""}},`+
		`{"id":"b","tool":"vault.createFile","args":{"path":"Projects/Secret.md","content":""}},`+
		`{"id":"c","tool":"vault.createFile","args":{"path":"Projects/x.md","content":""}}`), rules)
	want := []string{
		`Step “a”, args.path: “Else/x.md” is outside the folders that the settings allow, or matches a pattern that they exclude.`,
		`Step “b”, args.path: “Projects/Secret.md” is outside the folders that the settings allow, or matches a pattern that they exclude.`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
}

func TestParameterNamesAreNormalisedFirst(t *testing.T) {
	g, got := errorsOf(steps(sel+`,{"id":"a","tool":"vault.createFile","args":{"Path":"x.md","content":"$steps.sel.text","on_collision":"skip"}}`), plan.Rules{})
	if g == nil {
		t.Fatal("want something, got:", got)
	}
	sc := plan.MapScope(map[string]any{"sel": map[string]any{"text": "S"}}, nil)
	args, err := g.Node("a").Args.Bind(&sc)
	if d := cmp.Diff(tool.Args{"path": "x.md", "content": "S", "onCollision": "skip"}, args); d != "" || err != nil {
		t.Error("it differs from what was wanted (-want +got):", d, err)
	}
}

func TestANumberInBracesIsTextWhereTextIsAsked(t *testing.T) {
	g, got := errorsOf(steps(`{"id":"a","tool":"vault.createFile","args":{"title":"{index}","content":"{x}"},"foreach":{"from":[7],"itemName":"x"}}`), plan.Rules{})
	if g == nil {
		t.Fatal("want something, got:", got)
	}
	sc := plan.Scope{}.At(3, 7.0)
	args, err := g.Nodes[0].Args.Bind(&sc)
	if d := cmp.Diff(tool.Args{"title": "3", "content": "7"}, args); d != "" || err != nil {
		t.Error("it differs from what was wanted (-want +got):", d, err)
	}
}

func TestATemplateIsCheckedBeforeItsParametersAreKnown(t *testing.T) {
	text := steps(`{"id":"a","tool":"util.joinLines","args":{"items":"${bullets}","prefix":"${mark} ","limit":"${n}"}},` +
		`{"id":"b","tool":"vault.createFile","args":{"path":"${folder}/../x.md","content":"${HOME}"},"foreach":{"from":"${bullets}","itemName":"x"}}`)
	_, got := errorsOf(text, plan.Rules{Template: true})
	want := []string{`Step “b”, args.path: “x/../x.md” leads outside the vault. Use a path inside it, without “..”.`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
}

func TestPreviewsAreFilledAsFarAsKnown(t *testing.T) {
	g, got := errorsOf(steps(sel+","+bul+`,{"id":"a","tool":"vault.createFile","args":{"title":"t","content":""},`+
		`"foreach":{"from":"$steps.bul.items","itemName":"b"},"preview":"Create {b.title} ({index}) from $steps.gone.x, {date}"}`), plan.Rules{})
	if g == nil {
		t.Fatal("want something, got:", got)
	}
	sc := plan.Scope{}.At(2, map[string]any{"title": "T {index}"})
	if p := g.Node("a").Preview(&sc); p != "Create T {index} (2) from $steps.gone.x, {date}" {
		t.Error("want \"Create T {index} (2) from $steps.gone.x, {date}\", got:", p)
	}
}

func TestCheckDoesNotChangeThePlan(t *testing.T) {
	p := decode(t, string(plantest.Steps(50)))
	before := encode(t, p)
	if g, problems := plan.Check(p, plantest.Registry(), plan.Rules{}); g == nil {
		t.Fatal("want something, got:", problems)
	}
	if encode(t, p) != before {
		t.Error("it did")
	}
}

func TestAPlanIsFoundInProseAndFences(t *testing.T) {
	obj := `{"goal":"a } in \" text","steps":[{"id":"a","tool":"any.value"}]}`
	for text, want := range map[string]string{
		obj: obj,
		"Here it is:\n```json\n" + obj + "\n```\nShall I?": obj,
		"First {a}, then {\"b\": 1} and " + obj + " done":  obj,
		"{{x}} " + obj:                     obj,
		"I will not.":                      "",
		"Use {braces} and {\"x\": 1}.":     "",
		"":                                 "",
		`{"steps":`:                        `{"steps":`,
		"```\n" + obj[:40] + "\n```":       obj[:40],
		strings.Repeat("{", 100_000) + obj: "",
	} {
		got, ok := plan.Extract(text)
		if ok != (want != "") || string(got) != want {
			t.Errorf("Extract(%.60q) = %.80q, %v", text, got, ok)
		}
	}
	cut, _ := plan.Extract("```\n" + obj[:40] + "\n```")
	if _, problems := plan.Decode(cut, plan.Limits{}); len(problems) != 1 || problems[0].Key != "error.plan.cutOff" {
		t.Error("want 1 problems and problems[0].Key \"error.plan.cutOff\", got:", problems)
	}
}

func TestProblemsMakeOneErrorForTheModel(t *testing.T) {
	p := decode(t, steps(`{"id":"a","tool":"note.old"},{"id":"b","tool":"no.such"},{"id":"c","tool":"note.bad"}`))
	_, problems := plan.Check(p, plantest.Registry(), plan.Rules{})
	err := plan.Fault(problems)
	want := "The plan cannot be run as it is.\n- Step “b”, tool: There is no tool “no.such”. Did you mean “note.bad”?\n" +
		"- Step “c”, tool: The tool “note.bad” is blocked and does not run."
	if err == nil || err.Error() != want {
		t.Errorf("want an error and Error equal to want, got %v", err)
	}
	if plan.Fault(nil) != nil || plan.Fault(problems[:0]) != nil {
		t.Error("an error of nothing")
	}
	var crossed []plan.Problem
	b, err := json.Marshal(problems)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&crossed); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(problems, crossed); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
}
