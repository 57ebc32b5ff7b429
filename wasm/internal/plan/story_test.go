package plan_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/plan/plantest"
)

var update = flag.Bool("update", false, "write the golden parts of the stories anew")

// A story is a txtar archive that reads from top to bottom:
//
//	reply        what the model wrote
//	values       parameters of a saved action, as JSON (optional)
//	outputs      what the steps give, as JSON: {"id": output} (optional)
//	told         golden: what was taken otherwise, problems and warnings, in words
//	calls        golden: one line for each call, in the order of the graph
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/stories/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { story(t, file) })
	}
}

func story(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]string{}
	for _, f := range archive.Files {
		part[f.Name] = string(f.Data)
	}
	told, calls := tell(t, part)
	golden := map[string]string{"told": told, "calls": calls}
	if *update {
		var kept []txtar.File
		for _, f := range archive.Files {
			if _, is := golden[f.Name]; !is {
				kept = append(kept, f)
			}
		}
		for _, name := range []string{"told", "calls"} {
			if golden[name] != "" {
				kept = append(kept, txtar.File{Name: name, Data: []byte(golden[name])})
			}
		}
		archive.Files = kept
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name, got := range golden {
		if got != part[name] {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, part[name])
		}
	}
}

// tell runs a story.
func tell(t *testing.T, part map[string]string) (told, calls string) {
	raw, found := plan.Extract(part["reply"])
	if !found {
		return "An answer, not a plan.\n", ""
	}
	p, g, _, problems := plan.Accept(raw, plantest.Registry(), plan.Rules{})
	rules := plan.Rules{}
	if text := part["values"]; p != nil && text != "" {
		var values map[string]any
		if err := json.Unmarshal([]byte(text), &values); err != nil {
			t.Fatal(err)
		}
		bound, err := plan.BindParameters(p, values)
		if err != nil {
			return err.Error() + "\n", ""
		}
		p, rules.Bound = bound, true
		g, problems = plan.Check(p, plantest.Registry(), rules)
	}
	if p != nil {
		for _, k := range p.Taken {
			told += "taken: " + strings.TrimSpace(k.Step+" "+k.Field) + ": " + k.From + " → " + k.To + "\n"
		}
	}
	for _, q := range problems {
		if q.Warning {
			told += "warning: "
		}
		told += q.Error() + "\n"
	}
	if g == nil {
		return told, ""
	}
	outputs := map[string]any{}
	if text := part["outputs"]; text != "" {
		if err := json.Unmarshal([]byte(text), &outputs); err != nil {
			t.Fatal(err)
		}
	}
	vars := map[string]any{}
	for _, n := range g.Nodes {
		if v, ok := outputs[n.Step.ID]; ok && n.Step.CaptureAs != "" {
			vars[n.Step.CaptureAs] = v
		}
	}
	var b strings.Builder
	for _, n := range g.Nodes {
		tellNode(&b, n, plan.MapScope(outputs, vars))
	}
	fmt.Fprintf(&b, "risk: %s\n", g.Risk)
	return told, b.String()
}

func tellNode(b *strings.Builder, n *plan.Node, scope plan.Scope) {
	call := func(where string, s plan.Scope) {
		args, err := n.Args.Bind(&s)
		if err != nil {
			fmt.Fprintf(b, "%s%s: %v\n", n.Step.ID, where, err)
			return
		}
		text, err := json.Marshal(args)
		if err != nil {
			fmt.Fprintf(b, "%s%s: %v\n", n.Step.ID, where, err)
			return
		}
		fmt.Fprintf(b, "%s%s %s %s", n.Step.ID, where, n.Tool.ID(), text)
		if words := n.Preview(&s); words != "" {
			fmt.Fprintf(b, " # %s", words)
		}
		b.WriteByte('\n')
	}
	met, unmet := plan.Met(n.Step, &scope)
	loop, err := plan.Expand(n.Step, &scope, 0)
	switch {
	case unmet != nil:
		fmt.Fprintf(b, "%s: %v\n", n.Step.ID, unmet)
	case !met:
		fmt.Fprintf(b, "%s: its condition does not hold\n", n.Step.ID)
	case err != nil:
		fmt.Fprintf(b, "%s: %v\n", n.Step.ID, err)
	case loop == nil:
		call("", scope)
	default:
		for i, item := range loop.Items {
			call(fmt.Sprintf("[%d]", i), scope.At(i, item))
		}
	}
}
