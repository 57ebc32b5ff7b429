package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/plan/plantest"
	"embedded-agent/wasm/internal/tool"
)

// scope has the values that the references of these tests see.
func scope() plan.Scope {
	return plan.MapScope(
		map[string]any{
			"make": map[string]any{
				"path": "Notes/A.md", "count": 3.0, "ratio": 1.5, "done": true, "none": nil,
				"items": []any{map[string]any{"path": "B.md", "tags": []string{"x", "y"}}, "second"},
				"inner": map[string]any{"b": 1.0, "a": []any{}},
				"größe": "L", "due date": "today", "x-y": "hyphen",
			},
			"read-note": tool.Data{"content": "text with $steps.make.path, {item.title}, \\{item} and ${x}"},
			"loop":      map[string]any{"items": []any{tool.Data{"link": "[[A]]"}, tool.Data{"link": "[[B]]"}}},
		},
		map[string]any{"name": "V", "n": 7},
	).At(4, map[string]any{"title": "T", "n": 2.0, "sub": map[string]any{"x": "deep"}, "list": []any{1.0, "a"}})
}

func bindOne(t *testing.T, template any) (any, error) {
	t.Helper()
	step := &plan.Step{
		ID: "s", Tool: "any.value", Args: map[string]any{"v": template},
		Foreach: &plan.Foreach{From: "$steps.make.items", ItemName: "item"},
	}
	sc := scope()
	args, err := plan.Bind(step, &sc)
	return args["v"], err
}

func TestReferencesBecomeValues(t *testing.T) {
	for _, c := range []struct {
		template any
		want     any
	}{
		// Whole values keep their type.
		{"$steps.make.path", "Notes/A.md"},
		{"$steps.make.count", 3.0},
		{"$steps.make.done", true},
		{"$steps.make.none", nil},
		{"$steps.make.items[0].path", "B.md"},
		{"$steps.make.items.0.path", "B.md"},
		{"$steps.make.items[0].tags", []any{"x", "y"}},
		{"$steps.make.items[0].tags[1]", "y"},
		{"${steps.make.items[1]}", "second"},
		{"$steps.make.inner", map[string]any{"b": 1.0, "a": []any{}}},
		{"$steps.make.x-y", "hyphen"},
		{"${steps.make.größe}", "L"},
		{`${steps.make["due date"]}`, "today"},
		{"$steps.loop", map[string]any{"items": []any{map[string]any{"link": "[[A]]"}, map[string]any{"link": "[[B]]"}}}},
		{"$steps.loop.items[1].link", "[[B]]"},
		{"$vars.name", "V"},
		{"$vars.n", 7},
		{"{item}", map[string]any{"title": "T", "n": 2.0, "sub": map[string]any{"x": "deep"}, "list": []any{1.0, "a"}}},
		{"{item.n}", 2.0},
		{"{item.list[1]}", "a"},
		{"{item.sub.x}", "deep"},
		{"{index}", 4},
		{"${item.title}", "T"},
		{"${index}", 4},
		// Inside a text, a text is put in as it is and the rest as JSON.
		{"See $steps.make.path.", "See Notes/A.md."},
		{"$steps.make.path, $vars.name!", "Notes/A.md, V!"},
		{"${steps.make.path}.bak", "Notes/A.md.bak"},
		{"a$steps.make.count", "a3"},
		{"r=$steps.make.ratio d=$steps.make.done n=$steps.make.none", "r=1.5 d=true n=null"},
		{"o=$steps.make.inner", `o={"a":[],"b":1}`},
		{"{index}. {item.title}", "4. T"},
		{"{item.title}{item.title}", "TT"},
		{"[{item.title}]({item.sub.x})", "[T](deep)"},
		{"{item.list}", []any{1.0, "a"}},
		{"l={item.list}", `l=[1,"a"]`},
		{"$steps.make.path$steps.make.path", "Notes/A.mdNotes/A.md"},
		{"$vars.name-$vars.n", "V-7"},
		{"$steps.make.path\nnext", "Notes/A.md\nnext"},
		{"cost $${item.n}", "cost $2"},
		// [*] goes into every element; lists become one.
		{"$steps.loop.items[*].link", []any{"[[A]]", "[[B]]"}},
		{"${steps.make.items[*].tags}", []any{"x", "y"}},
		{"$steps.make.items[*].path", []any{"B.md"}},
		{"$steps.make.items[*].nothing", []any{}},
		{"$steps.make.items[0].tags[*]", []any{"x", "y"}},
		{"{item.list[*]}", []any{1.0, "a"}},
		{"l=$steps.loop.items[*].link.", `l=["[[A]]","[[B]]"].`},
		// A default stands for a value that is missing or null.
		{`{item.gone|"none"}`, "none"},
		{`{item.gone | 0}`, 0.0},
		{`{item.title|"none"}`, "T"},
		{`${steps.make.none|"a {b} \"c\""}`, `a {b} "c"`},
		{`${steps.gone.items|[]}`, []any{}},
		{`${steps.gone.items[*].x|null}`, nil},
		{`- {item.sub.y|"?"}, {item.sub.x|"?"}`, "- ?, deep"},
		// What came from a note is never read again.
		{"$steps.read-note.content", "text with $steps.make.path, {item.title}, \\{item} and ${x}"},
		{"> $steps.read-note.content", "> text with $steps.make.path, {item.title}, \\{item} and ${x}"},
		// Structures.
		{
			map[string]any{"a": []any{"{item.title}", 1.0, "lit"}, "b": nil, "{item.title}": "key"},
			map[string]any{"a": []any{"T", 1.0, "lit"}, "b": nil, "{item.title}": "key"},
		},
		{[]any{}, []any{}},
		{1.5, 1.5},
		{"", ""},
	} {
		got, err := bindOne(t, c.template)
		if err != nil {
			t.Errorf("%v: want no error, got %v", c.template, err)
		} else if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%v (-want +got):\n%s", c.template, d)
		}
	}
}

func TestWhatIsNoReferenceSurvivesByteForByte(t *testing.T) {
	for _, s := range []string{
		"{{date}}", "{{title}} {{date:YYYY-MM-DD}}", "{{item}}", "{{index}}", "{date}", "{}", "{ item }", "{item", "item}",
		`\frac{a}{b}`, `\{a, b\}`, `$x$ and $$\sum_{i=1}^{n} x_i$$`, "$1 $2", "$HOME ${HOME} ${1:-x}", `\$5`, `\\$`, "$", "$$",
		"$steps", "$steps.", "$vars. x", "$step.make", "$stepsmake", "$(steps.make)", "{steps.make.path}", "{vars.name}",
		"function f() { return `${x}` }", "const {item: a} = b", "a = {index: 1}", "map[string]struct{}{}", "{items.title}",
		"{Item.title}", "{item.}", "{item..title}", "{item[}", "{item[x]}", "$index", "#{item", "{\n}",
		`C:\dir\{name}`, `regex \{2,3\} \d+\$`, "<% tp.date.now() %>", "```js\nconst a = {b: {c: 1}};\n```",
		"\x00\xff\xfe", "{é}", "$é", "é{", "{item.a b}", "${item.a b}", "${", "${}", "$\\{item",
	} {
		got, err := bindOne(t, s)
		if err != nil || got != s {
			t.Errorf("%q became %q, %v", s, got, err)
		}
	}
}

func TestABackslashKeepsAReferenceFromBeingOne(t *testing.T) {
	for in, want := range map[string]string{
		`\{item.title}`:           `{item.title}`,
		`\\{item.title}`:          `\T`,
		`\\\{item.title}`:         `\{item.title}`,
		`\\\\{item.title}`:        `\\T`,
		`\$steps.make.path`:       `$steps.make.path`,
		`\${steps.make.path}`:     `${steps.make.path}`,
		`\${item.title}`:          `${item.title}`,
		`a\{index}b{index}`:       `a{index}b4`,
		`\{x} \{item.title} \$5`:  `\{x} {item.title} \$5`,
		`\$vars.name$vars.name`:   `$vars.nameV`,
		`\begin{x}\{item.title}`:  `\begin{x}{item.title}`,
		`\\server\{item.title}\x`: `\\server{item.title}\x`,
	} {
		got, err := bindOne(t, in)
		if err != nil || got != want {
			t.Errorf("%q became %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestAMissingValueNamesItsReference(t *testing.T) {
	for in, want := range map[string]string{
		"$steps.gone.path":             "Step “s” uses $steps.gone.path, which has no value.",
		"x ${steps.make.nothing} y":    "Step “s” uses ${steps.make.nothing}, which has no value.",
		"$steps.make.items[7]":         "Step “s” uses $steps.make.items[7], which has no value.",
		"$steps.make.path.deeper":      "Step “s” uses $steps.make.path.deeper, which has no value.",
		"$steps.make.path[*]":          "Step “s” uses $steps.make.path[*], which has no value.",
		"{item.gone}":                  "Step “s” uses {item.gone}, which has no value.",
		"$vars.gone":                   "Step “s” uses $vars.gone, which has no value.",
		"$steps.make.items[999999999]": "Step “s” uses $steps.make.items[999999999], which has no value.",
	} {
		_, err := bindOne(t, in)
		if err == nil || err.Error() != want || !fault.Is(err, fault.Validation) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

func TestBoundArgumentsShareNothing(t *testing.T) {
	inner := map[string]any{"list": []any{"a"}}
	sc := plan.MapScope(map[string]any{"a": map[string]any{"inner": inner}}, nil)
	step := &plan.Step{ID: "s", Args: map[string]any{"x": "$steps.a.inner", "y": map[string]any{"k": []any{"v"}}}}
	c := plan.Compile(step)
	first, err := c.Bind(&sc)
	if err != nil {
		t.Fatal(err)
	}
	first["x"].(map[string]any)["list"].([]any)[0] = "changed"
	first["y"].(map[string]any)["k"].([]any)[0] = "changed"
	second, err := c.Bind(&sc)
	if err != nil {
		t.Fatal(err)
	}
	want := tool.Args{"x": map[string]any{"list": []any{"a"}}, "y": map[string]any{"k": []any{"v"}}}
	if d := cmp.Diff(want, second); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
}

func TestAFiveMegabyteTextIsReadInOnePass(t *testing.T) {
	for unit, size := range map[string]int{
		"\\": 5 << 20, "{item": 5 << 20, "{item.a[": 1 << 20, "$steps.a[": 1 << 20, "{{": 1 << 20, "${": 1 << 20,
		"{item.title": 1 << 20, `${steps.a["`: 1 << 20, "$steps.a.": 1 << 20, "{item[0": 1 << 20,
	} {
		big := strings.Repeat(unit, size/len(unit))
		got, err := bindOne(t, big)
		if strings.HasPrefix(unit, "$steps") {
			if err == nil {
				t.Errorf("%q: no step a is there", unit)
			}
			continue
		}
		if err != nil || got != big {
			t.Errorf("%q, repeated, changed: %v", unit, err)
		}
	}
}

func TestForeachExpandsRealData(t *testing.T) {
	sc := scope()
	step := &plan.Step{ID: "s", Foreach: &plan.Foreach{From: "$steps.loop.items", ItemName: "link", Concurrency: 2}}
	loop, err := plan.Expand(step, &sc, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := &plan.Loop{
		ID: "loop:s", ItemName: "link", IndexName: "index",
		Items: []any{map[string]any{"link": "[[A]]"}, map[string]any{"link": "[[B]]"}},
		Of:    2,
	}
	if d := cmp.Diff(want, loop); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
	again, err := plan.Expand(step, &sc, 0)
	if err != nil || again.ID != loop.ID {
		t.Errorf("a second expansion is %v, %v", again, err)
	}
	for _, c := range []struct {
		from any
		most int
		want string
	}{
		{"$steps.loop.items", 1, "Step “s” would run 2 times; at most 1 are allowed. Narrow it down."},
		{"$steps.make.path", 0, "Step “s” repeats over $steps.make.path, which is not a list."},
		{"$steps.make.none", 0, "Step “s” repeats over $steps.make.none, which is not a list."},
		{"$steps.gone.items", 0, "Step “s” uses $steps.gone.items, which has no value."},
	} {
		step.Foreach.From = c.from
		if _, err := plan.Expand(step, &sc, c.most); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.from, err, c.want)
		}
	}
	step.Foreach.From = []any{"one", "$vars.name", map[string]any{"t": `\$vars.name`}}
	loop, err = plan.Expand(step, &sc, 0)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]any{"one", "V", map[string]any{"t": "$vars.name"}}, loop.Items); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
	if none, err := plan.Expand(&plan.Step{ID: "x"}, &sc, 0); none != nil || err != nil {
		t.Errorf("a step without foreach gives %v, %v", none, err)
	}
}

func TestParametersOfASavedAction(t *testing.T) {
	p := decode(t, `{"goal":"Notes for ${topic}","assumptions":["in ${folder}","\\${kept}"],"steps":[
		{"id":"a","tool":"vault.createFile","args":{"path":"${folder}/{item.title}.md","content":"# ${topic}\n${selection}\n`+
		`\\${HOME} $steps.b.text ${steps.b.text} ${item.title} ${index}","title":"${n}"},
		"foreach":{"from":"${bullets}","itemName":"item"},"preview":"For ${topic}: {item.title}"},
		{"id":"b","tool":"util.joinLines","args":{"items":"${bullets}","prefix":"{item.title}"}}],
		"outputs":{"t":"${topic}"}}`)
	names := plan.Parameters(p)
	if d := cmp.Diff([]string{"topic", "folder", "bullets", "selection", "n"}, names); d != "" {
		t.Fatal("it differs from what was wanted (-want +got):", d)
	}
	evil := "$steps.b.text {item.title} \\{index} ${other} ${folder} \\"
	bullets := []any{map[string]any{"title": "{item.title}"}, map[string]any{"title": "$vars.x"}}
	before := encode(t, p)
	bound, err := plan.BindParameters(p, map[string]any{
		"topic": evil, "folder": "F", "selection": evil, "n": 3.0, "bullets": bullets, "unused": 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if encode(t, p) != before {
		t.Error("the action itself was changed")
	}
	if bound.Goal != "Notes for "+evil || bound.Assumptions[1] != "${kept}" || bound.Assumptions[0] != "in F" {
		t.Errorf("want Goal equal to \"Notes for \"+evil, Assumptions[1] \"${kept}\" and Assumptions[0] \"in F\", got %q %q", bound.Goal, bound.Assumptions)
	}
	sc := plan.MapScope(map[string]any{"b": map[string]any{"text": "B"}}, nil)
	loop, err := plan.Expand(&bound.Steps[0], &sc, 0)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(bullets, loop.Items); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
	sc = sc.At(1, map[string]any{"title": "T"})
	args, err := plan.Bind(&bound.Steps[0], &sc)
	if err != nil {
		t.Fatal(err)
	}
	want := tool.Args{
		"path": "F/T.md", "title": 3.0,
		"content": "# " + evil + "\n" + evil + "\n${HOME} B B T 1",
	}
	if d := cmp.Diff(want, args); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
	args, err = plan.Bind(&bound.Steps[1], &sc)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(tool.Args{"items": bullets, "prefix": "{item.title}"}, args); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
	// The bound plan crosses JSON as it is.
	var crossed plan.Plan
	if err := json.Unmarshal([]byte(encode(t, bound)), &crossed); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(bound, &crossed); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
	}
	_, err = plan.BindParameters(p, map[string]any{"topic": "x", "n": nil})
	if err == nil || err.Error() != "The action needs a value for: folder, bullets, selection." {
		t.Error(err)
	}
}

func TestAPlanThatRanBecomesATemplateWithoutNewParameters(t *testing.T) {
	p := decode(t, `{"goal":"Show ${x}","steps":[{"id":"a","tool":"any.value",
		"args":{"t":"echo ${HOME} $steps.b.p.","u":"\\${HOME}","plain":"{{date}} $1"}},{"id":"b","tool":"any.value"}]}`)
	tpl := plan.AsTemplate(p)
	if names := plan.Parameters(tpl); names != nil {
		t.Errorf("parameters %v", names)
	}
	bound, err := plan.BindParameters(tpl, nil)
	if err != nil {
		t.Fatal(err)
	}
	sc := plan.MapScope(map[string]any{"b": map[string]any{"p": "P"}}, nil)
	args, err := plan.Bind(&bound.Steps[0], &sc)
	if err != nil {
		t.Fatal(err)
	}
	want := tool.Args{"t": "echo ${HOME} P.", "u": `\${HOME}`, "plain": "{{date}} $1"}
	if d := cmp.Diff(want, args); d != "" || bound.Goal != "Show ${x}" {
		t.Error("it differs from what was wanted (-want +got):", d, bound.Goal)
	}
}

func encode(t *testing.T, p *plan.Plan) string {
	t.Helper()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func decode(t testing.TB, text string) *plan.Plan {
	t.Helper()
	p, problems := plan.Decode([]byte(text), plan.Limits{})
	if problems != nil {
		t.Fatal("want no problems, got:", problems)
	}
	return p
}

func TestOneStepIsBoundByManyGoroutinesAtOnce(t *testing.T) {
	g, problems := plan.Check(decode(t, string(plantest.Steps(5))), plantest.Registry(), plan.Rules{})
	if g == nil {
		t.Fatal("want something, got:", problems)
	}
	scope := plan.MapScope(map[string]any{"folder": tool.Data{"path": "F"}}, nil)
	node := g.Node("copy2")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				s := scope.At(i*50+j, map[string]any{"title": "T", "path": "p"})
				args, err := node.Args.Bind(&s)
				if want := fmt.Sprintf("From p, number %d", i*50+j); err != nil || args["content"] != want {
					t.Errorf("%v, %v; want %s", args, err, want)
				}
			}
		})
	}
	wg.Wait()
}
