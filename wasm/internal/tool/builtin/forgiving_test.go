package builtin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/text"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// argument is an argument of a tool with a value that fits.
type argument struct {
	tool  *tool.Entry
	name  string
	types []string
	value any
}

// property is the part of an argument's schema that matters here.
type property struct {
	Type  any       `json:"type"`
	Enum  []any     `json:"enum"`
	Items *property `json:"items"`
	Ref   string    `json:"$ref"`
	// Required and Properties are those of an object.
	Required   []string             `json:"required"`
	Properties map[string]*property `json:"properties"`
	Pattern    string               `json:"pattern"`
	Minimum    float64              `json:"minimum"`
}

// arguments lists every argument of every tool.
func arguments(t *testing.T) []argument {
	t.Helper()
	var all []argument
	for _, e := range registry(t).All() {
		var root struct {
			Properties  map[string]*property `json:"properties"`
			Definitions map[string]*property `json:"definitions"`
		}
		if err := json.Unmarshal(e.Input, &root); err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
			p := root.Properties[name]
			if p.Ref != "" {
				p = root.Definitions[p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]]
			}
			all = append(all, argument{e, name, p.types(), p.sample(root.Definitions)})
		}
	}
	return all
}

func (p *property) types() []string {
	switch t := p.Type.(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, x := range t {
			out = append(out, fmt.Sprint(x))
		}
		return out
	}
	if p.Enum != nil {
		return []string{"string"}
	}
	return nil
}

// sample gives a value of a property's first type.
func (p *property) sample(defs map[string]*property) any {
	if p.Ref != "" {
		p = defs[p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]]
	}
	if p.Enum != nil {
		return p.Enum[0]
	}
	types := p.types()
	if types == nil {
		return "word"
	}
	switch types[0] {
	case "integer", "number":
		return max(2, p.Minimum)
	case "boolean":
		return true
	case "array":
		if p.Items == nil {
			return []any{"word"}
		}
		return []any{p.Items.sample(defs)}
	case "object":
		out := map[string]any{}
		for _, name := range p.Required {
			if of := p.Properties[name]; of != nil {
				out[name] = of.sample(defs)
			}
		}
		if len(out) == 0 {
			out["word"] = "word"
		}
		return out
	}
	return "word"
}

// written gives other ways to write an argument that can mean one thing only: by the
// way, its name and its value.
func (a argument) written(t *testing.T) map[string]struct {
	name  string
	value any
} {
	t.Helper()
	type way = struct {
		name  string
		value any
	}
	out := map[string]way{}
	for _, name := range append(spellings(a.name), strings.ReplaceAll(spellings(a.name)[2], "_", "-")) {
		if name != a.name {
			out["the name "+name] = way{name, a.value}
		}
	}
	text, err := json.Marshal(a.value)
	if err != nil {
		t.Fatal(err)
	}
	one := len(a.types) == 1
	switch v := a.value.(type) {
	case float64, bool:
		out["a text"] = way{a.name, string(text)}
	case []any:
		out["a text"] = way{a.name, string(text)}
		out["a fence"] = way{a.name, "```json\n" + string(text) + "\n```"}
		if one {
			out["one element"] = way{a.name, v[0]}
		}
	case map[string]any:
		out["a text"] = way{a.name, string(text)}
		out["a fence"] = way{a.name, "```json\n" + string(text) + "\n```"}
	}
	return out
}

// read gives the arguments of the last step of a plan as it is read, what was taken,
// and what is wrong with it.
func read(t *testing.T, name string, args map[string]any) (got map[string]any, taken []plan.Taken, problems []string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"goal": "g", "assumptions": []any{}, "steps": []any{
		map[string]any{"id": "sel", "tool": "editor.getSelection", "args": map[string]any{}},
		map[string]any{"id": "all", "tool": "vault.query", "args": map[string]any{}},
		map[string]any{"id": "a", "tool": name, "args": args},
	}})
	if err != nil {
		t.Fatal(err)
	}
	p, _, _, found := plan.Accept(text, registry(t), plan.Rules{})
	for _, f := range found {
		problems = append(problems, f.Error())
	}
	if p == nil {
		return nil, nil, problems
	}
	return p.Steps[2].Args, p.Taken, problems
}

// Every argument of every tool, written in each of these ways, is read as the argument
// itself: the same value and the same problems. It is noted, in a plan and in a call.
func TestEveryArgumentIsReadInEachWayItCanBeMeant(t *testing.T) {
	tried := 0
	for _, a := range arguments(t) {
		want, _, wanted := read(t, a.tool.Name, map[string]any{a.name: a.value})
		for how, w := range a.written(t) {
			tried++
			got, taken, problems := read(t, a.tool.Name, map[string]any{w.name: w.value})
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s as %s in a plan: %s", a.tool.Name, a.name, how, d)
			}
			if d := cmp.Diff(wanted, problems); d != "" {
				t.Errorf("%s: %s as %s in a plan has other problems: %s", a.tool.Name, a.name, how, d)
			}
			called, told := plan.MendArgs(a.tool, map[string]any{w.name: w.value})
			if d := cmp.Diff(map[string]any{a.name: a.value}, called); d != "" {
				t.Errorf("%s: %s as %s in a call: %s", a.tool.Name, a.name, how, d)
			}
			if len(taken) != 1 || len(told) != 1 {
				t.Errorf("%s: %s as %s is noted %d and %d times", a.tool.Name, a.name, how, len(taken), len(told))
			}
		}
	}
	if tried < 500 {
		t.Errorf("%d ways were tried", tried)
	}
	t.Logf("%d ways", tried)
}

// Where a reference fits, it is read without its dollar, with braces too few or too many.
func TestEveryArgumentTakesAReferenceInEachWayItCanBeMeant(t *testing.T) {
	tried := 0
	for _, a := range arguments(t) {
		to := "sel.text"
		if slices.Equal(a.types, []string{"array"}) {
			to = "all.paths"
		}
		want, _, wanted := read(t, a.tool.Name, map[string]any{a.name: "$steps." + to})
		if len(a.types) != 1 || a.types[0] != "string" && a.types[0] != "array" || strings.Contains(strings.Join(wanted, "\n"), "$steps.") {
			continue // no text and no list goes there
		}
		for _, text := range []string{"$steps." + to, "steps." + to, "{steps." + to + "}", "{{steps." + to + "}}", "{" + to + "}", "$" + to} {
			tried++
			got, taken, problems := read(t, a.tool.Name, map[string]any{a.name: text})
			if text == "$steps."+to {
				taken = append(taken, plan.Taken{}) // it is right as it is
			}
			same := fmt.Sprint(got[a.name]) == fmt.Sprint(want[a.name]) || fmt.Sprint(got[a.name]) == "${steps."+to+"}"
			if !same || len(taken) != 1 || !cmp.Equal(wanted, problems) {
				t.Errorf("%s: %s as %s became %v, noted %v, %v", a.tool.Name, a.name, text, got[a.name], taken, problems)
			}
			// In a call it is text: a call has no steps to refer to.
			literal := any(text)
			if a.types[0] == "array" {
				literal = []any{text}
			}
			if called, _ := plan.MendArgs(a.tool, map[string]any{a.name: text}); !cmp.Equal(called[a.name], literal) {
				t.Errorf("%s: in a call, %s as %s became %v", a.tool.Name, a.name, text, called[a.name])
			}
		}
	}
	if tried < 300 {
		t.Errorf("%d ways were tried", tried)
	}
	t.Logf("%d ways", tried)
}

// What is not certain stays as it was written, and the error names what is nearest.
func TestAMistypedArgumentIsNamedWithTheNearestRightForm(t *testing.T) {
	for _, a := range arguments(t) {
		if len(a.name) < 4 {
			continue
		}
		wrong := a.name[:2] + a.name[3:] // one letter is missing
		if a.tool.OwnName(wrong) != wrong || a.tool.InputProperties()[wrong] {
			continue
		}
		_, taken, problems := read(t, a.tool.Name, map[string]any{wrong: a.value})
		said := strings.Join(problems, "\n")
		near := text.Closest(wrong, slices.Sorted(maps.Keys(a.tool.InputProperties()))) // tags is as near to taks as tasks is
		if taken != nil || !strings.Contains(said, wrong) || near == "" || !strings.Contains(said, "“"+near+"”") {
			t.Errorf("%s: %s for %s: %s", a.tool.Name, wrong, a.name, said)
		}
		called, told := plan.MendArgs(a.tool, map[string]any{wrong: a.value})
		err := a.tool.CheckInput(called)
		if told != nil || err == nil || !strings.Contains(err.Error(), "“"+near+"”") {
			t.Errorf("%s: in a call, %s for %s: %v", a.tool.Name, wrong, a.name, err)
		}
	}
}

// A text that holds several things, or none that fits, is no list and no number.
func TestWhatCanMeanTwoThingsIsNotTaken(t *testing.T) {
	e, err := registry(t).Get(builtin.Query, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{"tags": "garden, work", "limit": "a few", "recursive": "perhaps", "where": "status is open"} {
		if got, taken := plan.MendArgs(e, map[string]any{name: v}); got[name] != v || taken != nil {
			if name != "where" { // one condition that is no condition: the list of it is refused
				t.Errorf("%s: %v became %v", name, v, got[name])
			}
		}
	}
}
