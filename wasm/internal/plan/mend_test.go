package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/plan/plantest"
)

// accepted gives the last step of a plan as it is read, and what was taken.
func accepted(t *testing.T, text string) (step plan.Step, taken []string, problems []plan.Problem) {
	t.Helper()
	p, _, raw, problems := plan.Accept([]byte(text), plantest.Registry(), plan.Rules{})
	if p == nil {
		return plan.Step{}, nil, problems
	}
	again, more := plan.Decode(raw, plan.Limits{})
	if more != nil {
		t.Fatalf("what is kept cannot be read: %s: %v", raw, more)
	}
	if d := cmp.Diff(p, again); d != "" {
		t.Errorf("what is kept is another plan: %s", d)
	}
	for _, k := range p.Taken {
		taken = append(taken, k.Step+" "+k.Field+": "+k.From+" → "+k.To)
	}
	return p.Steps[len(p.Steps)-1], taken, problems
}

const q = `{"id":"q","tool":"vault.listFiles"},{"id":"calc","tool":"code.value"},`

func TestWhatIsCertainIsTakenAndTold(t *testing.T) {
	for name, c := range map[string]struct{ step, want, taken string }{
		"another spelling": {
			`"tool":"vault.createFile","args":{"Path":"a.md","content":"x","on_collision":"skip"}`,
			`{"content":"x","onCollision":"skip","path":"a.md"}`, "a args: Path → path\na args: on_collision → onCollision",
		},
		"a number in a text":       {`"tool":"vault.listFiles","args":{"limit":"10"}`, `{"limit":10}`, `a args.limit: "10" → 10`},
		"a text that is a number":  {`"tool":"vault.readFile","args":{"path":2026}`, `{"path":"2026"}`, `a args.path: 2026 → "2026"`},
		"one element for a list":   {`"tool":"vault.listFiles","args":{"extensions":"md"}`, `{"extensions":["md"]}`, `a args.extensions: "md" → ["md"]`},
		"a list in a text":         {`"tool":"vault.listFiles","args":{"extensions":"[\"md\",\"txt\"]"}`, `{"extensions":["md","txt"]}`, `a args.extensions: "[\"md\",\"txt\"]" → ["md","txt"]`},
		"a list in a fence":        {"\"tool\":\"vault.listFiles\",\"args\":{\"extensions\":\"```json\\n[\\\"md\\\"]\\n```\"}", `{"extensions":["md"]}`, "a args.extensions: \"```json\\n[\\\"md\\\"]\\n```\" → [\"md\"]"},
		"arguments in a text":      {`"tool":"vault.listFiles","args":"{\"limit\":\"3\"}"`, `{"limit":3}`, "a args: \"{\\\"limit\\\":\\\"3\\\"}\" → {\"limit\":\"3\"}\na args.limit: \"3\" → 3"},
		"no dollar":                {`"tool":"any.value","args":{"x":"steps.q.truncated"}`, `{"x":"$steps.q.truncated"}`, "a args.x: steps.q.truncated → $steps.q.truncated"},
		"braces without a dollar":  {`"tool":"any.value","args":{"x":"Is {steps.q.truncated}!"}`, `{"x":"Is ${steps.q.truncated}!"}`, "a args.x: {steps.q.truncated} → ${steps.q.truncated}"},
		"template braces":          {`"tool":"any.value","args":{"x":"{{steps.q.truncated}}"}`, `{"x":"${steps.q.truncated}"}`, "a args.x: {{steps.q.truncated}} → ${steps.q.truncated}"},
		"a step's name in braces":  {`"tool":"any.value","args":{"x":"{q.truncated}"}`, `{"x":"${steps.q.truncated}"}`, "a args.x: {q.truncated} → ${steps.q.truncated}"},
		"a step's name":            {`"tool":"any.value","args":{"x":"It is $q.truncated."}`, `{"x":"It is ${steps.q.truncated}."}`, "a args.x: $q.truncated → ${steps.q.truncated}"},
		"spaces":                   {`"tool":"any.value","args":{"x":"{ f.title } {f.size}"},"foreach":{"from":"$steps.q.files","itemName":"f"}`, `{"x":"{f.title} {f.size}"}`, "a args.x: { f.title } → {f.title}"},
		"an item with a dollar":    {`"tool":"any.value","args":{"x":"$f.title"},"foreach":{"from":"$steps.q.files","itemName":"f"}`, `{"x":"{f.title}"}`, "a args.x: $f.title → {f.title}"},
		"the usual name":           {`"tool":"any.value","args":{"x":"{item.title}"},"foreach":{"from":"$steps.q.files","itemName":"f"}`, `{"x":"{f.title}"}`, "a args.x: {item.title} → {f.title}"},
		"a step's value":           {`"tool":"any.value","args":{"x":"$steps.calc","y":"= ${steps.calc}"}`, `{"x":"${steps.calc.value}","y":"= ${steps.calc.value}"}`, "a args.x: $steps.calc → ${steps.calc.value}\na args.y: ${steps.calc} → ${steps.calc.value}"},
		"a step's only list":       {`"tool":"util.joinLines","args":{"items":"$steps.q"}`, `{"items":"${steps.q.files}"}`, "a args.items: $steps.q → ${steps.q.files}"},
		"one value for a list":     {`"tool":"vault.listFiles","args":{"extensions":"$steps.q.files[0].title"}`, `{"extensions":["$steps.q.files[0].title"]}`, `a args.extensions: "$steps.q.files[0].title" → ["$steps.q.files[0].title"]`},
		"a loop over a reference":  {`"tool":"any.value","args":{"x":"{item.title}"},"foreach":"$steps.q.files"`, `{"x":"{item.title}"}`, `a foreach: "$steps.q.files" → {"from":"$steps.q.files"}`},
		"a loop over a step":       {`"tool":"any.value","args":{"x":"{f.title}"},"foreach":{"from":"$steps.q","item_name":"f"}`, `{"x":"{f.title}"}`, "a foreach.item_name: item_name → itemName\na foreach.from: $steps.q → ${steps.q.files}"},
		"a loop without a dollar":  {`"tool":"any.value","args":{"x":"{f.title}"},"foreach":{"from":"q.files","itemName":"f"}`, `{"x":"{f.title}"}`, "a foreach.from: q.files → ${steps.q.files}"},
		"a field's other spelling": {`"tool":"any.value","args":{},"depends_on":"q"`, `{}`, "a depends_on: depends_on → dependsOn\na dependsOn: \"q\" → [\"q\"]"},
		"nothing to take":          {`"tool":"any.value","args":{"x":["$5","{date}","{{title}}","\\frac{q}{b}"],"y":"[1]"}`, `{"x":["$5","{date}","{{title}}","\\frac{q}{b}"],"y":"[1]"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			step, taken, problems := accepted(t, steps(q+`{"id":"a",`+c.step+`}`))
			if problems != nil {
				t.Fatal("want no problems, got:", problems)
			}
			args, err := json.Marshal(step.Args)
			var got, want any
			if err != nil || json.Unmarshal(args, &got) != nil || json.Unmarshal([]byte(c.want), &want) != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if d := cmp.Diff(c.taken, strings.Join(taken, "\n")); d != "" {
				t.Errorf("told (-want +got)\n%s", d)
			}
		})
	}
}

func TestWhatIsNotCertainIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ step, want string }{
		"several elements in a text":    {`"tool":"vault.listFiles","args":{"extensions":"md, txt"}`, "expected array, but got string"},
		"words for a number":            {`"tool":"vault.listFiles","args":{"limit":"ten"}`, "expected integer, but got string"},
		"two spellings":                 {`"tool":"vault.createFile","args":{"path":"a","Path":"b","content":""}`, "given twice"},
		"a template's name":             {`"tool":"any.value","args":{"x":"{{f.title}}"},"foreach":{"from":"$steps.q.files","itemName":"f"}`, "The right form is {f.title}."},
		"arithmetic":                    {`"tool":"any.value","args":{"x":"{index + 1}"},"foreach":{"from":"$steps.q.files","itemName":"f"}`, "The right form is {index}."},
		"a field that is not there":     {`"tool":"any.value","args":{"x":"$q.count"}`, "The right form is ${steps.q.count}."},
		"braces of a step, wrong field": {`"tool":"any.value","args":{"x":"{steps.q.count}"}`, "The right form is ${steps.q.count}."},
		"an object where text is":       {`"tool":"vault.readFile","args":{"path":"$steps.calc2"}`, "refers to a step"},
		"an unknown field":              {`"tool":"any.value","depends":["q"]`, "Did you mean “dependsOn”?"},
	} {
		_, _, problems := accepted(t, steps(q+`{"id":"a",`+c.step+`}`))
		if len(problems) == 0 || !strings.Contains(problems[0].Error(), c.want) {
			t.Errorf("%s: want some problems and Error with what the case names, got %v", name, problems)
		}
	}
}

func TestAPlanInAFenceOrInATextIsRead(t *testing.T) {
	whole := steps(`{"id":"a","tool":"vault.listFiles","args":{}}`)
	inText, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"```json\n" + whole + "\n```", "\n```\n" + whole + "```\n", string(inText)} {
		if step, taken, problems := accepted(t, text); step.Tool != "vault.listFiles" || len(taken) != 1 || problems != nil {
			t.Errorf("%s: want Tool \"vault.listFiles\", 1 taken and no problems, got %v, %v", text, taken, problems)
		}
	}
	if _, _, problems := accepted(t, "```json\n"+whole[:40]+"\n```"); len(problems) == 0 {
		t.Error("a plan that is cut off passes")
	}
}

func TestWhatAPersonFilledInIsNotMended(t *testing.T) {
	text := steps(q + `{"id":"a","tool":"any.value","args":{"x":"{steps.q.truncated}"}}`)
	p, _, raw, _ := plan.Accept([]byte(text), plantest.Registry(), plan.Rules{Bound: true})
	if p == nil || p.Taken != nil || string(raw) != text || p.Steps[2].Args["x"] != "{steps.q.truncated}" {
		t.Errorf("want something, no Taken, raw equal to text and Steps[2].Args[\"x\"] \"{steps.q.truncated}\", got %s", raw)
	}
}

// FuzzAccept reads any plan: what is kept is the plan that was read, and reading it
// once more takes nothing further.
func FuzzAccept(f *testing.F) {
	for _, text := range stories(f) {
		f.Add([]byte(text))
	}
	for _, args := range []string{
		`"{steps.q.truncated} $q.files {{steps.q}} $calc"`, `"[1,{\"a\":\"$steps.q\"}]"`, `"{ index } {index+1} {item.x|0} $item.x"`, "\"```json\\n{}\\n```\"",
		`["$steps.q.files[*].path","steps.calc","${steps.q|[]}"]`, `7`,
	} {
		f.Add([]byte(steps(q + `{"id":"a","tool":"vault.createFile","args":{"path":` + args + `,"Content":` + args + `},"foreach":"$steps.q"}`)))
	}
	reg := plantest.Registry()
	f.Fuzz(func(t *testing.T, given []byte) {
		p, g, raw, problems := plan.Accept(given, reg, plan.Rules{})
		if (g == nil) != plan.Failed(problems) {
			t.Fatalf("want equal to plan.Failed(problems), got %v, %v", g, problems)
		}
		if p == nil {
			return
		}
		again, _, kept, _ := plan.Accept(raw, reg, plan.Rules{})
		if again == nil || len(again.Taken) > 0 {
			t.Fatalf("%s\nread again is\n%s", raw, kept)
		}
		if d := cmp.Diff(p.Steps, again.Steps); d != "" {
			t.Fatalf("%s: it differs from what was wanted (-want +got): %s", raw, d)
		}
	})
}
