package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/plan/plantest"
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
		"a key twice":     {`{"goal":"g","steps":[{"id":"a","tool":"any.value","args":{"x":{"k":1,"k":2}}}]}`, []string{`Step “a”, args.x: “k” is given twice. Give it only once.`}},
		"an unknown field": {
			`{"goal":"g","stepz":[],"steps":[{"id":"a","tool":"any.value","dependOn":[],"code":"x"}]}`,
			[]string{
				`The plan, stepz: there is no field “stepz”. Did you mean “steps”?`,
				`Step “a”, code: there is no field “code”. The fields are: id, tool, version, args, foreach, when, dependsOn, onError, retry, timeoutMs, captureAs, preview.`,
				`Step “a”, dependOn: there is no field “dependOn”. Did you mean “dependsOn”?`,
			},
		},
		"wrong types": {
			`{"goal":1,"assumptions":"x","riskLevel":"none","steps":[{"id":"a","tool":["x"],"args":[],"foreach":{"from":1,"itemName":2},` +
				`"retry":{"maxAttempts":1.5,"backoffMs":-1},"onError":"panic","timeoutMs":"1"},"step"]}`,
			[]string{
				`The plan, goal: this must be text.`,
				`The plan, riskLevel: this must be one of: read-only, writes, commands.`,
				`Step “a”, tool: this must be text.`,
				`Step “a”, args: this must be an object.`,
				`Step “a”, onError: this must be one of: stop, skip, retry.`,
				`Step “a”, retry.maxAttempts: this must be a whole number, at least 1.`,
				`Step “a”, retry.backoffMs: this must be a whole number, at least 0.`,
				`Step “a”, foreach.itemName: this must be text.`,
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
			[]string{`Step “a”, tool: There is no tool “vault.createFiles”. Did you mean “vault.createFile”?`},
		},
		"an unknown version": {
			steps(`{"id":"a","tool":"note.two@9"},{"id":"b","tool":"note.two@1.0.0","version":"2.0.0"}`),
			[]string{
				`Step “a”, tool: The tool “note.two” has no version 9. Open the action and choose an existing version.`,
				`Step “b”, version: the tool is given as “note.two@1.0.0” but the version as “2.0.0”. Give only one of them.`,
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
				`Step “first”, dependsOn[0]: there is no step “frist” to wait for. Did you mean “first”?`,
				`Step “first”, dependsOn[1]: a step cannot wait for itself. Leave it out.`,
				`Step “first”, dependsOn[2]: there is no step “nowhere” to wait for. Name a step of this plan.`,
			},
		},
		"a cycle": {
			steps(file("a", `,"dependsOn":["c"]`) + "," + file("b", `,"dependsOn":["a"]`) + "," + file("c", `,"dependsOn":["b"]`)),
			[]string{`Step “a”: these steps wait for each other in a circle: a → c → b → a. Remove one of the dependencies.`},
		},
		"a reference to what comes later": {
			steps(`{"id":"a","tool":"any.value","args":{"x":"$steps.b.ok"}},{"id":"b","tool":"commands.run","args":{"id":"i"},"dependsOn":["a"]}`),
			[]string{`Step “a”, args.x: $steps.b.ok does not exist yet: step “b” runs only after this one (a → b → a). Refer to an earlier step, or change the order.`},
		},
		"references in a circle": {
			steps(`{"id":"a","tool":"any.value","args":{"x":"$steps.b"}},{"id":"b","tool":"any.value","args":{"x":"$steps.a"}}`),
			[]string{`Step “a”: these steps wait for each other in a circle: a → b → a. Remove one of the dependencies.`},
		},
		"an unknown step": {
			steps(sel + `,{"id":"a","tool":"editor.replaceSelection","args":{"text":"$steps.sell.text and $steps.elsewhere.x"}}`),
			[]string{
				`Step “a”, args.text: $steps.sell.text refers to a step “sell”, which is not in the plan. Did you mean “sel”?`,
				`Step “a”, args.text: $steps.elsewhere.x refers to a step “elsewhere”, which is not in the plan. The steps are: sel, a.`,
			},
		},
		"a reference to itself": {
			steps(`{"id":"a","tool":"any.value","args":{"x":"$steps.a.y"},"captureAs":"v"},{"id":"b","tool":"any.value","captureAs":"w","args":{"x":"$vars.w"}}`),
			[]string{
				`Step “a”, args.x: $steps.a.y is the result of this step itself. Refer to an earlier step.`,
				`Step “b”, args.x: $vars.w is the result of this step itself. Refer to an earlier step.`,
			},
		},
		"a field that the tool does not give": {
			steps(sel + `,{"id":"a","tool":"editor.replaceSelection","args":{"text":"$steps.sel.txt $steps.sel.from.column $steps.sel.text.length"}}`),
			[]string{
				`Step “a”, args.text: $steps.sel.txt: there is no field “txt”. Did you mean “text”?`,
				`Step “a”, args.text: $steps.sel.from.column: there is no field “column”. The fields are: ch, line.`,
				`Step “a”, args.text: $steps.sel.text.length: this value (string) has no fields, so it has no “length”. Refer to the value itself.`,
			},
		},
		"a foreach step gives items": {
			steps(sel + "," + bul + "," + loop + `,{"id":"a","tool":"editor.replaceSelection","args":{"text":"$steps.make.link $steps.make.items.link $steps.make.items[0].lnk"}}`),
			[]string{
				`Step “a”, args.text: $steps.make.link: there is no field “link”. The fields are: items, skipped.`,
				`Step “a”, args.text: $steps.make.items.link: a list has no field “link”. Take one element, as in [0], or all of them, with [*], or use foreach.`,
				`Step “a”, args.text: $steps.make.items[0].lnk: there is no field “lnk”. Did you mean “link”?`,
			},
		},
		"an item's field": {
			steps(sel + "," + bul + `,{"id":"make","tool":"vault.createFile","args":{"title":"{b.titel}","content":"{b.children[0].children[1].text}{b.children[0].nope}"},` +
				`"foreach":{"from":"$steps.bul.items","itemName":"b"}}`),
			[]string{
				`Step “make”, args.content: {b.children[0].nope}: there is no field “nope”. The fields are: checked, children, content, level, text, title.`,
				`Step “make”, args.title: {b.titel}: there is no field “titel”. Did you mean “title”?`,
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
				`Step “b”, captureAs: “selection” is already captured by step “a”. Choose another name.`,
				`Step “b”, args.x: $vars.selectoin.text refers to “selectoin”, which no step captures. Did you mean “selection”?`,
				`Step “b”, args.y: $vars.zzzzzz refers to “zzzzzz”, which no step captures. Add captureAs to the step that gives it.`,
				`Step “b”, args.z: $vars.selection.nope: there is no field “nope”. The fields are: from, path, text.`,
			},
		},
		"arguments": {
			steps(`{"id":"a","tool":"vault.createFile","args":{"path":"a.md","contents":"x","onCollision":"overwrite","zzzzz":1}},` +
				`{"id":"b","tool":"vault.listFiles","args":{"limit":"ten","extensions":["md",3]}},{"id":"c","tool":"note.either"}`),
			[]string{
				`Step “a”, args.contents: vault.createFile has no argument “contents”. Did you mean “content”?`,
				`Step “a”, args.zzzzz: vault.createFile has no argument “zzzzz”. It has: content, folder, onCollision, path, title.`,
				`Step “a”, args.content: vault.createFile needs the argument “content”. Give it.`,
				`Step “a”, args.onCollision: this does not fit vault.createFile: value must be one of "unique", "error", "skip".`,
				`Step “b”, args.extensions[1]: this does not fit vault.listFiles: expected string, but got number.`,
				`Step “b”, args.limit: this does not fit vault.listFiles: expected integer, but got string.`,
				`Step “c”, args: this does not fit note.either: missing properties: 'path'.`,
				`Step “c”, args: this does not fit note.either: missing properties: 'title'.`,
			},
		},
		"two spellings": {
			steps(`{"id":"a","tool":"vault.createFile","args":{"path":"a.md","content":"","on_collision":"skip","onCollision":"error"}}`),
			[]string{`Step “a”, args: vault.createFile: “onCollision” is given twice, in two spellings with different values. Give it only once.`},
		},
		"text around a reference where no text fits": {
			steps(`{"id":"l","tool":"vault.listFiles"},{"id":"a","tool":"util.joinLines","args":{"items":"all $steps.l.files","limit":"$steps.l.truncated"}}`),
			[]string{
				`Step “a”, args.items: this is text with a reference in it, but the type must be: array. Use the reference alone, without text around it.`,
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
				`{"id":"j","tool":"vault.ensureFolder","args":{"path":"/"}},` +
				`{"id":"k","tool":"vault.createFile","args":{"path":"Old [2020]/x.md","content":""}}`),
			[]string{
				`Step “a”, args.path: “../x.md” leads outside the vault. Use a path inside it, without “..”.`,
				`Step “b”, args.path: “a:x.md” is an absolute path or an address. Use a path inside the vault, such as “Folder/Note.md”.`,
				`Step “c”, args.path: “Plan: x?.md” contains “:”, which some systems forbid in names or which breaks links. Choose another name.`,
				`Step “d”, args.path: “.obsidian/app.json” is hidden, because a name in it starts with a dot. Hidden files are never read or changed.`,
				`Step “f”, args.path: “a/%2e%2e/b” leads outside the vault. Use a path inside it, without “..”.`,
				`Step “g”, args.path: “x/../{index}.md” leads outside the vault. Use a path inside it, without “..”.`,
				`Step “h”, args.path: “x/a|b.md” contains “|”, which some systems forbid in names or which breaks links. Choose another name.`,
				`Step “i”, args.path: “NUL.md” contains “NUL”, a name that Windows reserves. Choose another name.`,
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
