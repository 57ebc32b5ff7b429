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

// steps wraps steps into a plan.
func steps(list string) string { return `{"goal":"g","steps":[` + list + `]}` }

// errorsOf decodes and checks a plan and gives the English of what is wrong,
// warnings with "warning: " before them.
func errorsOf(text string, rules plan.Rules) (*plan.Graph, []string) {
	p, problems := plan.Decode([]byte(text), plan.Limits{})
	var g *plan.Graph
	if p != nil {
		g, problems = plan.Check(p, plantest.Registry(), rules)
	}
	var out []string
	for _, p := range problems {
		if p.Warning {
			out = append(out, "warning: "+p.Error())
		} else {
			out = append(out, p.Error())
		}
	}
	return g, out
}

const (
	sel  = `{"id":"sel","tool":"editor.getSelection"}`
	bul  = `{"id":"bul","tool":"util.parseMarkdownBullets","args":{"text":"$steps.sel.text"}}`
	loop = `{"id":"make","tool":"vault.createFile","args":{"folder":"F","title":"{b.title}","content":"{b.text}"},` +
		`"foreach":{"from":"$steps.bul.items","itemName":"b"}}`
)

func file(id, rest string) string {
	return `{"id":"` + id + `","tool":"vault.createFile","args":{"path":"` + id + `.md","content":"c"}` + rest + `}`
}

func TestABadPlanIsRefusedWithStepAndField(t *testing.T) {
	for name, c := range map[string]struct {
		plan string
		want []string
	}{
		"not JSON":        {`I cannot do that.`, []string{`The plan is not valid JSON: a value is missing (line 1, column 1).`}},
		"a missing comma": {"{\"goal\":\"g\"\n \"steps\":[]}", []string{`The plan is not valid JSON: a comma or a closing brace is missing (line 2, column 2).`}},
		"cut off JSON":    {`{"goal":"g","steps":[{"id":"a","tool":"vault.cr`, []string{`The plan is cut off: its JSON ends too early. Send the whole plan again, or a shorter one.`}},
		"a list":          {`[]`, []string{`The plan is not a JSON object.`}},
		"too deep":        {strings.Repeat(`[`, 200), []string{`The data is nested more than 128 levels deep, so it was refused.`}},
		"a key twice":     {`{"goal":"g","steps":[{"id":"a","tool":"any.value","args":{"x":{"k":1,"k":2}}}]}`, []string{`Step “a”, args.x: “k” is given twice. Give it once.`}},
		"an unknown field": {
			`{"goal":"g","stepz":[],"steps":[{"id":"a","tool":"any.value","dependOn":[],"code":"x"}]}`,
			[]string{
				`The plan, stepz: there is no field “stepz”. Is “steps” meant?`,
				`Step “a”, code: there is no field “code”. The fields are: id, tool, version, args, foreach, dependsOn, onError, retry, timeoutMs, captureAs, preview.`,
				`Step “a”, dependOn: there is no field “dependOn”. Is “dependsOn” meant?`,
			},
		},
		"wrong types": {
			`{"goal":1,"assumptions":"x","riskLevel":"none","steps":[{"id":"a","tool":["x"],"args":[],"foreach":{"from":1,"itemName":2},` +
				`"retry":{"maxAttempts":1.5,"backoffMs":-1},"onError":"panic","timeoutMs":"1"},"step"]}`,
			[]string{
				`The plan, goal: this must be a text.`,
				`The plan, assumptions: this must be a list.`,
				`The plan, riskLevel: this must be one of: read-only, writes, commands.`,
				`Step “a”, tool: this must be a text.`,
				`Step “a”, args: this must be an object.`,
				`Step “a”, onError: this must be one of: stop, skip, retry.`,
				`Step “a”, retry.maxAttempts: this must be a whole number, at least 1.`,
				`Step “a”, retry.backoffMs: this must be a whole number, at least 0.`,
				`Step “a”, timeoutMs: this must be a whole number, at least 1.`,
				`Step “a”, foreach.itemName: this must be a text.`,
				`Step “a”, foreach.from: this must be one reference to a list, such as “$steps.ID.items”, or a list.`,
				`Step “#2”: this must be an object.`,
			},
		},
		"missing fields": {
			`{"steps":[{"args":{}}]}`,
			[]string{
				`The plan, goal: it is missing. Give a value.`,
				`Step “#1”, id: it is missing. Give a value.`,
				`Step “#1”, tool: it is missing. Give a value.`,
			},
		},
		"another version": {`{"version":"7","goal":"g","steps":[]}`, []string{`The plan, version: this version of the plan format is not known. Leave it out, or write “1”.`}},
		"no steps":        {steps(""), []string{`The plan, steps: the plan has no steps. Give at least one, or answer in words instead.`}},
		"steps left out":  {`{"goal":"g"}`, []string{`The plan, steps: it is missing. Give a value.`}},
		"an unknown tool": {
			steps(`{"id":"a","tool":"vault.createFiles"}`),
			[]string{`Step “a”, tool: There is no tool “vault.createFiles”. The nearest is “vault.createFile”.`},
		},
		"an unknown version": {
			steps(`{"id":"a","tool":"note.two@9"},{"id":"b","tool":"note.two@1.0.0","version":"2.0.0"}`),
			[]string{
				`Step “a”, tool: There is no version 9 of the tool “note.two”. Open the action and choose the version that is there.`,
				`Step “b”, version: the tool is given as “note.two@1.0.0” but the version as “2.0.0”. Give one of them.`,
			},
		},
		"a blocked tool": {steps(`{"id":"a","tool":"note.bad"}`), []string{`Step “a”, tool: The tool “note.bad” is blocked and does not run.`}},
		"ids": {
			steps(file("a", "") + "," + file("a", "") + `,{"id":"x y","tool":"any.value"}`),
			[]string{
				`Step “a”, id: the id “a” is given to steps 1 and 2. Give each step its own.`,
				`Step “x y”, id: “x y” cannot be a step's id. Use up to 64 letters, digits, “_” and inner hyphens.`,
			},
		},
		"dependsOn": {
			steps(file("first", `,"dependsOn":["frist","first","nowhere"]`)),
			[]string{
				`Step “first”, dependsOn[0]: there is no step “frist” to wait for. Name a step of this plan.`,
				`Step “first”, dependsOn[1]: a step cannot wait for itself. Leave it out.`,
				`Step “first”, dependsOn[2]: there is no step “nowhere” to wait for. Name a step of this plan.`,
			},
		},
		"a cycle": {
			steps(file("a", `,"dependsOn":["c"]`) + "," + file("b", `,"dependsOn":["a"]`) + "," + file("c", `,"dependsOn":["b"]`)),
			[]string{`Step “a”: these steps wait for each other in a circle: a → c → b → a. Take one of the dependencies away.`},
		},
		"a reference to what comes later": {
			steps(`{"id":"a","tool":"any.value","args":{"x":"$steps.b.ok"}},{"id":"b","tool":"commands.run","args":{"id":"i"},"dependsOn":["a"]}`),
			[]string{`Step “a”, args.x: $steps.b.ok is not there yet: step “b” runs only after this one (a → b → a). Refer to an earlier step, or change the order.`},
		},
		"references in a circle": {
			steps(`{"id":"a","tool":"any.value","args":{"x":"$steps.b"}},{"id":"b","tool":"any.value","args":{"x":"$steps.a"}}`),
			[]string{`Step “a”: these steps wait for each other in a circle: a → b → a. Take one of the dependencies away.`},
		},
		"an unknown step": {
			steps(sel + `,{"id":"a","tool":"editor.replaceSelection","args":{"text":"$steps.sell.text and $steps.elsewhere.x"}}`),
			[]string{
				`Step “a”, args.text: $steps.sell.text refers to a step “sell”, which is not in the plan. Is “sel” meant?`,
				`Step “a”, args.text: $steps.elsewhere.x refers to a step “elsewhere”, which is not in the plan. The steps are: sel, a.`,
			},
		},
		"a reference to itself": {
			steps(`{"id":"a","tool":"any.value","args":{"x":"$steps.a.y"},"captureAs":"v"},{"id":"b","tool":"any.value","captureAs":"w","args":{"x":"$vars.w"}}`),
			[]string{
				`Step “a”, args.x: $steps.a.y is what this step itself gives. Refer to an earlier step.`,
				`Step “b”, args.x: $vars.w is what this step itself gives. Refer to an earlier step.`,
			},
		},
		"a field that the tool does not give": {
			steps(sel + `,{"id":"a","tool":"editor.replaceSelection","args":{"text":"$steps.sel.txt $steps.sel.from.column $steps.sel.text.length"}}`),
			[]string{
				`Step “a”, args.text: $steps.sel.txt: there is no field “txt”. Is “text” meant?`,
				`Step “a”, args.text: $steps.sel.from.column: there is no field “column”. There are: ch, line.`,
				`Step “a”, args.text: $steps.sel.text.length: “length” is asked of a value without fields (string). Refer to the value itself.`,
			},
		},
		"a foreach step gives items": {
			steps(sel + "," + bul + "," + loop + `,{"id":"a","tool":"editor.replaceSelection","args":{"text":"$steps.make.link $steps.make.items.link $steps.make.items[0].lnk"}}`),
			[]string{
				`Step “a”, args.text: $steps.make.link: there is no field “link”. There are: items.`,
				`Step “a”, args.text: $steps.make.items.link: “link” is asked of a list. Take one element first, as in [0], or use foreach.`,
				`Step “a”, args.text: $steps.make.items[0].lnk: there is no field “lnk”. Is “link” meant?`,
			},
		},
		"an item's field": {
			steps(sel + "," + bul + `,{"id":"make","tool":"vault.createFile","args":{"title":"{b.titel}","content":"{b.children[0].children[1].text}{b.children[0].nope}"},` +
				`"foreach":{"from":"$steps.bul.items","itemName":"b"}}`),
			[]string{
				`Step “make”, args.content: {b.children[0].nope}: there is no field “nope”. There are: checked, children, content, level, text, title.`,
				`Step “make”, args.title: {b.titel}: there is no field “titel”. Is “title” meant?`,
			},
		},
		"foreach over no list": {
			steps(sel + `,{"id":"a","tool":"any.value","foreach":{"from":"$steps.sel.text","itemName":"x"}},` +
				`{"id":"b","tool":"any.value","foreach":{"from":"all of $steps.sel.text","itemName":"x"}}`),
			[]string{
				`Step “b”, foreach.from: this must be one reference to a list, such as “$steps.ID.items”, or a list.`,
				`Step “a”, foreach.from: $steps.sel.text gives string, but the type here must be: array.`,
			},
		},
		"loop names": {
			steps(`{"id":"a","tool":"any.value","foreach":{"from":[1],"itemName":"steps","indexName":"1x"}},` +
				`{"id":"b","tool":"any.value","foreach":{"from":[1],"itemName":"i","indexName":"i"}}`),
			[]string{
				`Step “a”, foreach.itemName: “steps” cannot be used as a name here. Use a letter, then letters, digits and “_”.`,
				`Step “a”, foreach.indexName: “1x” cannot be used as a name here. Use a letter, then letters, digits and “_”.`,
				`Step “b”, foreach.indexName: the item and the index are both called “i”. Give them two names.`,
			},
		},
		"a forgotten foreach": {
			steps(sel + "," + bul + "," + loop + `,{"id":"a","tool":"editor.replaceSelection","args":{"text":"- {b.title} {date} {{b.title}}"}}`),
			[]string{`Step “a”, args.text: {b.title} means nothing in this step: “b” is the item of another step's foreach. Add foreach here, or refer to that step with $steps. If the characters themselves are meant, give that item another name.`},
		},
		"variables": {
			steps(`{"id":"a","tool":"editor.getSelection","captureAs":"selection"},` +
				`{"id":"b","tool":"any.value","captureAs":"selection","args":{"x":"$vars.selectoin.text","y":"$vars.zzzzzz","z":"$vars.selection.nope"}}`),
			[]string{
				`Step “b”, captureAs: “selection” is captured by step “a” already. Choose another name.`,
				`Step “b”, args.x: $vars.selectoin.text refers to “selectoin”, which no step captures. Is “selection” meant?`,
				`Step “b”, args.y: $vars.zzzzzz refers to “zzzzzz”, which no step captures. Add captureAs to the step that gives it.`,
				`Step “b”, args.z: $vars.selection.nope: there is no field “nope”. There are: from, path, text.`,
			},
		},
		"arguments": {
			steps(`{"id":"a","tool":"vault.createFile","args":{"path":"a.md","contents":"x","onCollision":"overwrite","zzzzz":1}},` +
				`{"id":"b","tool":"vault.listFiles","args":{"limit":"ten","extensions":["md",3]}},{"id":"c","tool":"vault.createFile","args":{"content":""}}`),
			[]string{
				`Step “a”, args.contents: vault.createFile has no argument “contents”. Is “content” meant?`,
				`Step “a”, args.zzzzz: vault.createFile has no argument “zzzzz”. It has: content, folder, onCollision, path, title.`,
				`Step “a”, args.content: vault.createFile needs the argument “content”. Give it.`,
				`Step “a”, args.onCollision: this does not fit vault.createFile: value must be one of "unique", "error", "skip".`,
				`Step “b”, args.extensions[1]: this does not fit vault.listFiles: expected string, but got number.`,
				`Step “b”, args.limit: this does not fit vault.listFiles: expected integer, but got string.`,
				`Step “c”, args: this does not fit vault.createFile: missing properties: 'path'.`,
				`Step “c”, args: this does not fit vault.createFile: missing properties: 'title'.`,
			},
		},
		"two spellings": {
			steps(`{"id":"a","tool":"vault.createFile","args":{"path":"a.md","content":"","on_collision":"skip","onCollision":"error"}}`),
			[]string{`Step “a”, args: vault.createFile: “onCollision” is given twice, in two spellings with different values. Give it once.`},
		},
		"text around a reference where no text fits": {
			steps(`{"id":"l","tool":"vault.listFiles"},{"id":"a","tool":"util.joinLines","args":{"items":"all $steps.l.files","limit":"$steps.l.truncated"}}`),
			[]string{
				`Step “a”, args.items: this is a text with a reference in it, but the type must be: array. Use the reference alone, without text around it.`,
				`Step “a”, args.limit: $steps.l.truncated gives boolean, but the type here must be: integer.`,
			},
		},
		"paths": {
			steps(`{"id":"a","tool":"vault.createFile","args":{"path":"../x.md","content":""}},` +
				`{"id":"b","tool":"vault.createFile","args":{"path":"a:x.md","content":""}},` +
				`{"id":"c","tool":"vault.createFile","args":{"path":"Plan: x?.md","content":""}},` +
				`{"id":"d","tool":"vault.readFile","args":{"path":".obsidian/app.json"}},` +
				`{"id":"e","tool":"vault.readFile","args":{"path":"Plan: x?.md"}},` +
				`{"id":"f","tool":"vault.ensureFolder","args":{"path":"a/%2e%2e/b"}},` +
				`{"id":"g","tool":"vault.createFile","args":{"path":"$steps.e.path/../{index}.md","content":""}},` +
				`{"id":"h","tool":"vault.createFile","args":{"path":"${steps.e.path}/a|b.md","content":""}},` +
				`{"id":"i","tool":"vault.createFile","args":{"path":"NUL.md","content":""}},` +
				`{"id":"j","tool":"vault.ensureFolder","args":{"path":"/"}}`),
			[]string{
				`Step “a”, args.path: “../x.md” would lead outside the vault. Use a path inside it, without “..”.`,
				`Step “b”, args.path: “a:x.md” is an absolute path or an address. Use a path inside the vault, such as “Folder/Note.md”.`,
				`Step “c”, args.path: “Plan: x?.md”: a name cannot contain “:” on this or another of your systems. Choose another name.`,
				`Step “d”, args.path: “.obsidian/app.json” is hidden (a name that starts with a dot). The agent does not touch hidden files.`,
				`Step “f”, args.path: “a/%2e%2e/b” would lead outside the vault. Use a path inside it, without “..”.`,
				`Step “g”, args.path: “x/../{index}.md” would lead outside the vault. Use a path inside it, without “..”.`,
				`Step “h”, args.path: “x/a|b.md”: a name cannot contain “|” on this or another of your systems. Choose another name.`,
				`Step “i”, args.path: “NUL.md”: “NUL” is a name that Windows keeps for itself. Choose another name.`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, got := errorsOf(c.plan, plan.Rules{})
			if g != nil {
				t.Error("there is a graph")
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestTenThousandStepsAreRefusedWithOneMessage(t *testing.T) {
	g, got := errorsOf(string(plantest.Steps(10_000)), plan.Rules{})
	want := []string{`The plan, steps: the plan has 10000 steps; at most 500 are allowed. Use one step with “foreach” for what is done many times.`}
	if d := cmp.Diff(want, got); d != "" || g != nil {
		t.Error(d)
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
		t.Errorf("%d: %s", len(got), got[len(got)-1])
	}
}

func TestAFiveMegabytePlanIsRefusedAndASmallerOneRead(t *testing.T) {
	big := steps(`{"id":"a","tool":"any.value","args":{"x":"` + strings.Repeat("x", 5<<20) + `"}}`)
	_, got := errorsOf(big, plan.Rules{})
	want := fmt.Sprintf("The plan is %d bytes long; at most 4194304 are read. Do not write texts of notes into the plan: refer to the step that reads them.", len(big))
	if len(got) != 1 || got[0] != want {
		t.Error(got)
	}
	p, problems := plan.Decode([]byte(big), plan.Limits{Bytes: 6 << 20})
	if problems != nil || len(p.Steps[0].Args["x"].(string)) != 5<<20 {
		t.Error(problems)
	}
}

func TestAGoodPlanBecomesAGraph(t *testing.T) {
	g, got := errorsOf(`{"goal":"g","assumptions":[],"riskLevel":"read-only","version":1,"steps":[
		{"id":"links","tool":"util.joinLines","args":{"items":"$steps.make.items","field":"link","limit":"${steps.size.size}"}},`+
		sel+","+bul+","+loop+`,
		{"id":"size","tool":"vault__readFile","args":{"path":"a.md"},"onError":null},
		{"id":"replace","tool":"editor.replaceSelection","args":{"text":"$steps.links.text\n{b}"},"dependsOn":["size","links","size"]}],
		"outputs":{"made":"$steps.make.items","text":"- $steps.links.text"}}`, plan.Rules{})
	if got != nil {
		t.Fatal(got)
	}
	var ids []string
	deps := map[string][]string{}
	for _, n := range g.Nodes {
		ids = append(ids, n.Step.ID)
		deps[n.Step.ID] = n.DependsOn
	}
	if d := cmp.Diff([]string{"sel", "bul", "make", "size", "links", "replace"}, ids); d != "" {
		t.Error(d)
	}
	want := map[string][]string{
		"links": {"make", "size"}, "sel": nil, "bul": {"sel"}, "make": {"bul"}, "size": nil, "replace": {"links", "size"},
	}
	if d := cmp.Diff(want, deps); d != "" {
		t.Error(d)
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
		t.Error(d)
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
			t.Errorf("%s: %v %v", list, g, got)
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
		`warning: Step “c”, retry.maxAttempts: 9 is more than the settings allow; 4 is used.`,
		`warning: Step “c”, retry.backoffMs: 99999 is more than the settings allow; 1000 is used.`,
		`warning: Step “c”, timeoutMs: 60000 is more than the settings allow; 5000 is used.`,
	}
	if d := cmp.Diff(want, got); d != "" || g == nil {
		t.Fatal(d)
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
		t.Error(d)
	}
	g, _ = errorsOf(steps(file("a", `,"onError":"retry"`)), plan.Rules{})
	if g == nil || g.Nodes[0].Retry != (plan.Retry{MaxAttempts: 3, BackoffMs: 500}) {
		t.Error("retry without numbers")
	}
}

func TestWarningsDoNotStopAPlan(t *testing.T) {
	g, got := errorsOf(steps(`{"id":"a","tool":"note.old"},{"id":"b","tool":"vault.listFiles"},`+
		`{"id":"c","tool":"any.value","args":{"x":"$f.title {item.title}"},"foreach":{"from":"$steps.b.files","itemName":"f"}}`), plan.Rules{})
	want := []string{
		`warning: Step “a”, tool: note.old@1.0.0 is deprecated. It still works; a newer version or another tool should be used.`,
		`warning: Step “c”, args: $f is not replaced. The loop's item is written in braces: “f” between { and }.`,
		`warning: Step “c”, args: the item of this loop is called “f”; f in braces is replaced, other names are not.`,
	}
	if d := cmp.Diff(want, got); d != "" || g == nil {
		t.Error(d)
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
			t.Errorf("%s: %v", list, got)
		}
	}
}

func TestTheSandboxHoldsForPathsWrittenInThePlan(t *testing.T) {
	rules := plan.Rules{Sandbox: tool.Sandbox{Enabled: true, AllowedRoots: []string{"Projects"}, DenyPatterns: []string{"secret"}}}
	_, got := errorsOf(steps(`{"id":"a","tool":"vault.createFile","args":{"path":"Else/x.md","content":""}},`+
		`{"id":"b","tool":"vault.createFile","args":{"path":"Projects/Secret.md","content":""}},`+
		`{"id":"c","tool":"vault.createFile","args":{"path":"Projects/x.md","content":""}}`), rules)
	want := []string{
		`Step “a”, args.path: “Else/x.md” is outside the folders that the settings allow, or matches a pattern they refuse.`,
		`Step “b”, args.path: “Projects/Secret.md” is outside the folders that the settings allow, or matches a pattern they refuse.`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestParameterNamesAreNormalisedFirst(t *testing.T) {
	g, got := errorsOf(steps(sel+`,{"id":"a","tool":"vault.createFile","args":{"Path":"x.md","content":"$steps.sel.text","on_collision":"skip"}}`), plan.Rules{})
	if g == nil {
		t.Fatal(got)
	}
	sc := plan.MapScope(map[string]any{"sel": map[string]any{"text": "S"}}, nil)
	args, err := g.Node("a").Args.Bind(&sc)
	if d := cmp.Diff(tool.Args{"path": "x.md", "content": "S", "onCollision": "skip"}, args); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestANumberInBracesIsTextWhereTextIsAsked(t *testing.T) {
	g, got := errorsOf(steps(`{"id":"a","tool":"vault.createFile","args":{"title":"{index}","content":"{x}"},"foreach":{"from":[7],"itemName":"x"}}`), plan.Rules{})
	if g == nil {
		t.Fatal(got)
	}
	sc := plan.Scope{}.At(3, 7.0)
	args, err := g.Nodes[0].Args.Bind(&sc)
	if d := cmp.Diff(tool.Args{"title": "3", "content": "7"}, args); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestATemplateIsCheckedBeforeItsParametersAreKnown(t *testing.T) {
	text := steps(`{"id":"a","tool":"util.joinLines","args":{"items":"${bullets}","prefix":"${mark} ","limit":"${n}"}},` +
		`{"id":"b","tool":"vault.createFile","args":{"path":"${folder}/../x.md","content":"${HOME}"},"foreach":{"from":"${bullets}","itemName":"x"}}`)
	_, got := errorsOf(text, plan.Rules{Template: true})
	want := []string{`Step “b”, args.path: “x/../x.md” would lead outside the vault. Use a path inside it, without “..”.`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestPreviewsAreFilledAsFarAsKnown(t *testing.T) {
	g, got := errorsOf(steps(sel+","+bul+`,{"id":"a","tool":"vault.createFile","args":{"title":"t","content":""},`+
		`"foreach":{"from":"$steps.bul.items","itemName":"b"},"preview":"Create {b.title} ({index}) from $steps.gone.x, {date}"}`), plan.Rules{})
	if g == nil {
		t.Fatal(got)
	}
	sc := plan.Scope{}.At(2, map[string]any{"title": "T {index}"})
	if p := g.Node("a").Preview(&sc); p != "Create T {index} (2) from $steps.gone.x, {date}" {
		t.Error(p)
	}
}

func TestCheckDoesNotChangeThePlan(t *testing.T) {
	p := decode(t, string(plantest.Steps(50)))
	before := encode(t, p)
	if g, problems := plan.Check(p, plantest.Registry(), plan.Rules{}); g == nil {
		t.Fatal(problems)
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
		t.Error(problems)
	}
}

func TestProblemsMakeOneErrorForTheModel(t *testing.T) {
	p := decode(t, steps(`{"id":"a","tool":"note.old"},{"id":"b","tool":"no.such"},{"id":"c","tool":"note.bad"}`))
	_, problems := plan.Check(p, plantest.Registry(), plan.Rules{})
	err := plan.Fault(problems)
	want := "The plan cannot be run as it is.\n- Step “b”, tool: There is no tool “no.such”. The nearest is “note.bad”.\n" +
		"- Step “c”, tool: The tool “note.bad” is blocked and does not run."
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
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
		t.Error(d)
	}
}
