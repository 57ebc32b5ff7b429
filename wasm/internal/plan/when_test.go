package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/plan/plantest"
)

var day = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// notes gives the output that a step called q has in these tests.
func notes() plan.Scope {
	note := func(path, due string, size float64, status any) map[string]any {
		return map[string]any{"path": path, "size": size, "properties": map[string]any{"due": due, "status": status}}
	}
	s := plan.MapScope(map[string]any{"q": map[string]any{"count": 4.0, "files": []any{
		note("a.md", "2026-11-01", 10, "open"), note("b.md", "TBD", 20, "Open"), note("c.md", "2027-01-01", 30, nil), note("d.md", "2026-10-01", 40, []any{"open", "x"}),
	}}}, map[string]any{"least": 20.0})
	s.Now = day
	return s
}

// loopWhen gives the paths of the elements that a loop keeps, and of those that are
// unclear.
func loopWhen(t *testing.T, when string) (kept, unclear string) {
	t.Helper()
	p, _, _, problems := plan.Accept([]byte(steps(`{"id":"q","tool":"any.value"},`+
		`{"id":"a","tool":"any.value","foreach":{"from":"$steps.q.files","itemName":"n","when":`+when+`},"args":{"x":"{index}"}}`)), plantest.Registry(), plan.Rules{})
	if problems != nil {
		t.Fatal("want no problems, got:", when, problems)
	}
	sc := notes()
	l, err := plan.Expand(&p.Steps[1], &sc, 0)
	if err != nil {
		t.Fatal("want no error, got:", when, err)
	}
	if l.Of != 4 {
		t.Errorf("%s: want Of 4, got of %d", when, l.Of)
	}
	var a, b []string
	for _, e := range l.Items {
		a = append(a, strings.TrimSuffix(e.(map[string]any)["path"].(string), ".md"))
	}
	for _, u := range l.Unclear {
		if !fault.Is(u.Why, fault.Validation) {
			t.Error("want the error fault.Validation, got:", u.Why)
		}
		b = append(b, strings.TrimSuffix(u.Item.(map[string]any)["path"].(string), ".md"))
	}
	return strings.Join(a, " "), strings.Join(b, " ")
}

func TestALoopsConditionLeavesElementsOut(t *testing.T) {
	for when, want := range map[string]string{
		`[{"property":"size","op":">=","value":20}]`:                                    "b c d",
		`[{"property":"{n.size}","op":">","value":"${steps.q.files[1].size}"}]`:         "c d",
		`[{"property":"due","op":"<","value":"today"}]`:                                 "a d, unclear b",
		`[{"property":"properties.due","op":"<","value":"today"}]`:                      "a d, unclear b",
		`[{"property":"status","value":"open"}]`:                                        "a b d",
		`[{"property":"status","op":"missing"}]`:                                        "c",
		`[{"property":"status","op":"exists"},{"property":"size","op":"<","value":20}]`: "a",
		`{"property":"size","op":"<","value":15}`:                                       "a",
		`[{"property":"nothing","op":"exists"}]`:                                        "",
		`[{"property":"$steps.q.count","op":">","value":3}]`:                            "a b c d",
		`[{"property":"path","op":"=","value":"{n.path}"}]`:                             "a b c d",
		`"[{\"property\":\"size\",\"op\":\">\",\"value\":30}]"`:                         "d",
		`[]`: "a b c d",
	} {
		kept, unclear := loopWhen(t, when)
		if unclear != "" {
			kept += ", unclear " + unclear
		}
		if kept != want {
			t.Errorf("%s keeps %q, want %q", when, kept, want)
		}
	}
}

func TestAStepsConditionIsTestedOnce(t *testing.T) {
	for when, want := range map[string]string{
		`[{"property":"$steps.q.count","op":">","value":3}]`:                         "true",
		`[{"property":"$steps.q.count","op":">","value":4}]`:                         "false",
		`[{"property":"${steps.q.files[*].path}","value":"c.md"}]`:                   "true",
		`[{"property":"$steps.q.gone","op":"missing"}]`:                              "true",
		`[{"property":"$steps.q.count"},{"property":"$steps.q.count"}]`:              "false",
		`{"property":"{steps.q.count}","value":"4"}`:                                 "true",
		`[{"property":"$steps.q.files[1].properties.due","op":"<","value":"today"}]`: "false VALIDATION_ERROR",
	} {
		p, _, _, problems := plan.Accept([]byte(steps(`{"id":"q","tool":"any.value"},{"id":"a","tool":"any.value","when":`+when+`}`)), plantest.Registry(), plan.Rules{})
		if problems != nil {
			t.Fatal("want no problems, got:", when, problems)
		}
		sc := notes()
		met, err := plan.Met(&p.Steps[1], &sc)
		got := fmt.Sprint(met)
		if err != nil {
			got += " " + string(fault.From(err).Code)
		}
		if got != want || !p.Conditional() {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
}

func TestAConditionOfAStepThatIsAboutTheElementIsTheLoops(t *testing.T) {
	step, taken, problems := accepted(t, steps(q+`{"id":"a","tool":"any.value","foreach":{"from":"$steps.q.files","itemName":"f"},`+
		`"when":[{"property":"{f.size}","op":">","value":1},{"property":"$steps.q.truncated","value":false},{"property":"title","op":"exists"}]}`))
	if problems != nil || len(step.When) != 1 || len(step.Foreach.When) != 2 || len(taken) != 2 {
		t.Errorf("want no problems, 1 When, 2 Foreach.When and 2 taken, got %+v %v %v", step, taken, problems)
	}
}

func TestABadConditionIsRefused(t *testing.T) {
	for step, want := range map[string]string{
		`"when":[{"property":"count","op":">","value":0}]`:                                        `Step “a”, when[0].property: “count” is not a single reference.`,
		`"when":[{"property":"x $steps.q.truncated"}]`:                                            `Step “a”, when[0].property: “x $steps.q.truncated” is not a single reference.`,
		`"when":[{"property":"$steps.q.counts"}]`:                                                 `Step “a”, when[0].property: $steps.q.counts: there is no field “counts”.`,
		`"when":[{"property":"$steps.gone.count"}]`:                                               `refers to a step “gone”`,
		`"when":[{"property":"$steps.q.truncated","op":"is"}]`:                                    `Step “a”, when[0].op: this must be one of: =, !=, <, <=, >, >=, contains, exists, missing.`,
		`"when":[{"op":"="}]`:                                                                     `Step “a”, when[0].property: it is missing.`,
		`"when":[{"property":"$steps.q.truncated","vale":1}]`:                                     `Did you mean “value”?`,
		`"when":"$steps.q.truncated = true"`:                                                      `Step “a”, when: conditions are a list`,
		`"when":[{"property":"$steps.q.truncated","value":"{steps.q.nope}"}]`:                     `Step “a”, when[0].value: {steps.q.nope} is not a reference`,
		`"foreach":{"from":"$steps.files.files","itemName":"f","when":[{"property":"{g.size}"}]}`: `refers to a step “files”`,
		`"foreach":{"from":"$steps.tk.items","itemName":"f","when":[{"property":"sizes"}]}`:       `sizes: there is no field “sizes”.`,
	} {
		_, _, problems := accepted(t, steps(q+`{"id":"tk","tool":"util.parseMarkdownBullets","args":{"text":""}},{"id":"a","tool":"any.value",`+step+`}`))
		all := ""
		for _, p := range problems {
			all += p.Error() + "\n"
		}
		if !strings.Contains(all, want) {
			t.Errorf("%s: %s, want %s", step, all, want)
		}
	}
}

func TestAConditionsParametersAreFilledIn(t *testing.T) {
	p, problems := plan.Decode([]byte(steps(`{"id":"a","tool":"any.value","when":[{"property":"$steps.q.count","value":"${n}"}],`+
		`"foreach":{"from":"$steps.q.files","itemName":"f","when":[{"property":"${field}","value":"${text} {f.path}"}]}}`)), plan.Limits{})
	if problems != nil {
		t.Fatal("want no problems, got:", problems)
	}
	if got := fmt.Sprint(plan.Parameters(p)); got != "[n field text]" {
		t.Error("want \"[n field text]\", got:", got)
	}
	bound, err := plan.BindParameters(p, map[string]any{"n": 4.0, "field": "status", "text": "{f.path}"})
	if err != nil {
		t.Fatal(err)
	}
	one, each := bound.Steps[0].When[0], bound.Steps[0].Foreach.When[0]
	if one.Value != 4.0 || each.Property != "status" || each.Value != `\{f.path} ${f.path}` {
		t.Errorf("want Value 4.0, Property \"status\" and Value \"\\\\{f.path} ${f.path}\", got %+v %+v", one, each)
	}
}
