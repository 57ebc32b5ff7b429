package plan_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/plan/plantest"
)

// Marks stand in the values of references; no text has them. A number cannot be a
// mark, so the place in the loop is one that no text has.
const (
	mark      = "\uFDD0"
	placeText = "90210"
	place     = 90210
)

// leftovers match text that nobody means to have in a note: one that begins like a
// reference, and marks with the rest of one beside them. They are written here
// anew, so that they do not depend on how the package reads braces.
var leftovers = []*regexp.Regexp{
	regexp.MustCompile(`\$(steps|vars)\.[A-Za-z0-9_]`),
	regexp.MustCompile(`\{ *(steps|vars)\.[A-Za-z0-9_][^{}\\\n]{0,80}\}`),
	regexp.MustCompile(`\{ *(n|i)( *\}|[.\[|+*/ ][^{}\\\n:,]{0,80}\})`),
	regexp.MustCompile(`\{ *q\.(files|truncated)\b[^{}\\\n]{0,80}\}`),
	regexp.MustCompile(`\{\{` + mark + `\}\}`),
	regexp.MustCompile(mark + `\[` + placeText + `\]`),
	regexp.MustCompile(mark + `\|["']`),
}

// kept is text with which somebody says that it is to stay.
var kept = regexp.MustCompile(`\\`)

// bracePlan has a text where a plan writes it into a note, in a loop or out of one,
// with conditions. The step that writes is the last one.
func bracePlan(text string, loop bool) []byte {
	type step = map[string]any
	each := step{
		"id": "each", "tool": "vault.createFile", "args": step{"title": "{n.title}", "content": "x"},
		"foreach": step{"from": "$steps.q.files", "itemName": "n", "indexName": "i", "when": []step{{"property": "size", "op": ">", "value": 0}}},
	}
	last := step{"id": "last", "tool": "vault.createFile", "args": step{"title": "x", "content": text}, "when": []step{{"property": "$steps.q.truncated", "op": "!=", "value": true}}}
	if loop {
		last["foreach"] = each["foreach"]
	}
	b, err := json.Marshal(step{"goal": "g", "steps": []step{
		{"id": "q", "tool": "vault.listFiles", "args": step{}}, {"id": "c", "tool": "code.value", "args": step{}}, each, last,
	}})
	if err != nil {
		panic(err) // maps of texts
	}
	return b
}

// braceScope has a mark in every value.
func braceScope() plan.Scope {
	file := map[string]any{"path": mark, "title": mark, "size": float64(7), "properties": map[string]any{"due": mark, "own key": mark}}
	return plan.MapScope(map[string]any{
		"q":    map[string]any{"files": []any{file, file}, "truncated": false},
		"c":    map[string]any{"value": mark},
		"each": map[string]any{"items": []any{map[string]any{"path": mark, "link": mark, "item": file}}},
	}, nil).At(place, file)
}

// brokenOff finds the rest of a reference in a text as it would be written. Brackets
// and bars behind braces are the text's own.
func brokenOff(text, written string) string {
	for _, l := range leftovers {
		at := l.FindString(written)
		if at != "" && !(strings.HasPrefix(at, mark) && (strings.Contains(text, "}[") || strings.Contains(text, "}|"))) {
			return at
		}
	}
	return ""
}

// checkBraces holds a text of a plan to the promise: each thing in it that looks like
// a reference is one, and has its value; or the plan is refused; or somebody said
// that it is to stay.
func checkBraces(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || strings.Contains(text, mark) || strings.Contains(text, placeText) {
		return
	}
	for _, loop := range []bool{true, false} {
		p, g, _, _ := plan.Accept(bracePlan(text, loop), plantest.Registry(), plan.Rules{})
		if g == nil {
			continue // refused
		}
		scope := braceScope()
		args, err := plan.Bind(&p.Steps[3], &scope)
		if err != nil {
			continue // told when it happens
		}
		written, _ := args["content"].(string)
		if broken := brokenOff(text, written); broken != "" && !kept.MatchString(text) && (loop || !ofLoop.MatchString(broken)) {
			t.Fatalf("in a loop %v: %q is written as %q, with %q in it", loop, text, written, broken)
		}
		if !strings.ContainsAny(text, "${") && !strings.HasPrefix(text, "steps.") && written != text {
			t.Fatalf("in a loop %v: %q has nothing of a reference, and is written as %q", loop, text, written)
		}
	}
}

// ofLoop matches text that means something in a loop only.
var ofLoop = regexp.MustCompile(`^\{ *(n|i)\b`)

// bracePieces are the forms of references, and what people and models write in
// their place.
var bracePieces = []string{
	"{n}", "{n.title}", "{i}", "{i+1}", "{i + 1}", "{n.title | lower}", "{n.properties.due|\"none\"}", "{n.properties.due|none}", "{n.properties.due|'none'}",
	"{n.properties[\"own key\"]}", "${n.title}", "$n.title", "{{n.title}}", "{{ n.title }}", "{ n.title }", "{n.title.upper()}", "{n[0]}", "{n.}", "{n..title}", "{n.nothing}",
	"$steps.q.files[*].path", "${steps.q.files[*].path|[]}", "$steps.q.files[{i}].path", "$steps.q.files[i].path", "$steps.q.files.length", "$steps.q", "$steps.c", "${steps.c}", "$steps.c.value",
	"{steps.q.files}", "{{steps.q.files}}", "steps.c.value", "$q.files", "{q.files}", "$steps.each.items[0].item.title", "$steps.none.x", "$vars.x", "{item.title}", "{index}",
	"{{title}}", "{{date:YYYY}}", "<% tp.date %>", "$x^2$", "\\frac{n}{2}", "{n: 1}", "{n, i}", "{\"n\": 1}", "\\{n.title}", "\\\\{n.title}", "[[", "]]", "[", "]", "{", "}", "$", "|", "\"", " ", "\n", "x",
}

func TestNoTextIsWrittenWithHalfOfAReferenceInIt(t *testing.T) {
	for _, a := range bracePieces {
		checkBraces(t, a)
		checkBraces(t, "- "+a+".")
		for _, b := range []string{"{", "}", "[", "]", "|", "$", "\"", "\\", ".x", "[{i}]", "{n.title}", "$steps.q"} {
			checkBraces(t, a+b)
			checkBraces(t, b+a)
		}
	}
}

// FuzzBraces tries any text in a plan, and combinations of what people and models
// write for references.
func FuzzBraces(f *testing.F) {
	for _, p := range bracePieces {
		f.Add(p, []byte{1, 2})
	}
	f.Fuzz(func(t *testing.T, text string, choice []byte) {
		var b strings.Builder
		for n, c := range choice {
			if n == 6 {
				break
			}
			b.WriteString(bracePieces[int(c)%len(bracePieces)])
			if n == 1 {
				b.WriteString(text)
			}
		}
		checkBraces(t, text)
		checkBraces(t, b.String())
		checkCondition(t, text)
	})
}

// checkCondition holds a text in the place of a condition's property to the same: a
// reference, a field's name, or refused.
func checkCondition(t *testing.T, text string) {
	t.Helper()
	b, err := json.Marshal(map[string]any{"goal": "g", "steps": []any{
		map[string]any{"id": "q", "tool": "vault.listFiles", "args": map[string]any{}},
		map[string]any{
			"id": "each", "tool": "vault.createFile", "args": map[string]any{"title": "{n.title}", "content": "x"},
			"foreach": map[string]any{"from": "$steps.q.files", "itemName": "n", "when": []any{map[string]any{"property": text, "op": "missing"}}},
		},
	}})
	if err != nil {
		return
	}
	p, g, _, _ := plan.Accept(b, plantest.Registry(), plan.Rules{})
	if g == nil {
		return
	}
	property := p.Steps[1].Foreach.When[0].Property
	if strings.ContainsAny(property, "${") && !wholeReference.MatchString(property) {
		t.Fatalf("the condition is about %q", property)
	}
	scope := braceScope()
	if _, err := plan.Expand(&p.Steps[1], &scope, 10); err != nil && fault.From(err).Code == fault.Internal {
		t.Fatal(err)
	}
}

// wholeReference is one reference and nothing else; texts of defaults may hold anything.
var wholeReference = regexp.MustCompile(`(?s)^(\$(steps|vars)\.[^${}\s]+|\$?\{(n|index|steps|vars)\b.*\})$`)
