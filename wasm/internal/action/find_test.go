package action_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

var tools = sync.OnceValues(func() (*tool.Registry, error) {
	return tool.NewRegistry(append(builtin.All(), modelstep.Tool())...) // which is not run here
})

func registry(t testing.TB) *tool.Registry {
	t.Helper()
	r, err := tools()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func decode(t testing.TB, raw string) *plan.Plan {
	t.Helper()
	p, problems := plan.Decode([]byte(raw), plan.Limits{})
	if p == nil {
		t.Fatal("want something, got:", plan.Fault(problems))
	}
	return p
}

func written(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// origin is where the person was in these tests.
var origin = action.Origin{Selection: "- Rain barrel\n- a/b & c", Note: "Inbox/Größe.md", Date: "2026-11-20"}

// TestParametersAreFoundInWhatRan has steps of a plan and what is kept of them:
// the arguments with their parameters, and the parameters with their values.
func TestParametersAreFoundInWhatRan(t *testing.T) {
	for _, c := range []struct {
		name, steps string
		kept        []string // texts of the template
		gone        []string // texts that it has no more
		params      string   // name=value of what is kept
	}{
		{
			"the folder that notes go into", `{"id":"a","tool":"vault.createFile","args":{"folder":"Projects/XYZ","title":"x","content":"in Projects/XYZ"}}`,
			[]string{`"folder":"${folderName}"`, `"in Projects/XYZ"`},
			nil, "folderName=Projects/XYZ",
		},
		{
			"the folder that notes are moved into, where it is left out too",
			`{"id":"a","tool":"vault.query","args":{"exclude":["02-Projects"],"tags":["project"]}},{"id":"b","tool":"vault.rename","args":{"path":"{n.path}","newPath":"02-Projects/"},"foreach":{"from":"$steps.a.notes","itemName":"n"}}`,
			[]string{`"exclude":["${folderName}"]`, `"newPath":"${folderName}/"`, `"tags":["project"]`},
			[]string{"02-"},
			"folderName=02-Projects",
		},
		{
			"a folder that is read, and another that is written to",
			`{"id":"a","tool":"vault.query","args":{"folder":"In"}},{"id":"b","tool":"vault.copyFile","args":{"path":"{n.path}","newPath":"Out/Copies/"},"foreach":{"from":"$steps.a.notes","itemName":"n"}}`,
			[]string{`"folder":"${fromFolder}"`, `"newPath":"${folderName}/"`},
			nil, "folderName=Out/Copies fromFolder=In",
		},
		{
			"two folders", `{"id":"a","tool":"vault.ensureFolder","args":{"path":"A"}},{"id":"b","tool":"vault.ensureFolder","args":{"path":"B & c"}}`,
			[]string{"${folderName}", "${folderName2}"},
			nil, "folderName2=B & c folderName=A",
		},
		{
			"what lies in a folder moves along", `{"id":"a","tool":"vault.ensureFolder","args":{"path":"P/Pond"}},{"id":"b","tool":"vault.createFile","args":{"path":"P/Pond/Log.md","content":""}}`,
			[]string{`"path":"${folderName}/Log.md"`},
			nil, "folderName=P/Pond",
		},
		{
			"the open note", `{"id":"a","tool":"vault.appendFile","args":{"path":"Inbox/Größe.md","content":"see Inbox/Größe.md"}}`,
			[]string{`"path":"${note}"`, `"see Inbox/Größe.md"`},
			nil, "note=",
		},
		{
			"another note", `{"id":"a","tool":"vault.appendFile","args":{"path":"It's (old).md","content":"x"}}`,
			[]string{`"path":"${noteName}"`},
			nil, "noteName=It's (old).md",
		},
		{
			"the day of the run, in a path and in a text", `{"id":"a","tool":"vault.createFile","args":{"path":"Log/2026-11-20.md","content":"# 2026-11-20\nv2026-11-20 12026-11-20"}}`,
			[]string{`Log/${date}.md`, `# ${date}\nv2026-11-20 12026-11-20`},
			nil, "date=",
		},
		{
			"another day", `{"id":"a","tool":"metadata.set","args":{"path":"{n}","properties":{"deadline":"2026-09-30","seen":"2026-11-20"}},"foreach":{"from":["x.md"],"itemName":"n"}}`,
			[]string{`"deadline":"${otherDate}"`, `"seen":"${date}"`},
			nil, "date= otherDate=2026-09-30",
		},
		{
			"the selection, alone and in a text", `{"id":"a","tool":"vault.createFile","args":{"path":"x.md","content":"- Rain barrel\n- a/b & c"}},{"id":"b","tool":"vault.createFile","args":{"path":"y.md","content":"# List\n- Rain barrel\n- a/b & c\n"}}`,
			[]string{`"content":"${selection}"`, `# List\n${selection}\n`},
			[]string{"barrel"},
			"selection=",
		},
		{
			"a loop over the selected items", `{"id":"a","tool":"vault.createFile","args":{"title":"{t}","folder":"","content":""},"foreach":{"from":["Rain barrel","a/b & c"],"itemName":"t"}}`,
			[]string{`"from":"${selectionBullets}"`},
			[]string{"barrel"},
			"selectionBullets=",
		},
		{
			"a name that a loop has taken stays with the loop", `{"id":"a","tool":"vault.createFile","args":{"path":"x.md","content":"{note}","onCollision":"skip"},"foreach":{"from":["Inbox/Größe.md"],"itemName":"note"}}`,
			[]string{`"from":["${note}"]`, `"content":"{note}"`},
			nil, "note=",
		},
		{
			"a text that looks like a parameter is text", `{"id":"a","tool":"vault.createFile","args":{"path":"x.md","content":"${folderName} ${date} {{date}} $x$ \\${y}"}}`,
			[]string{`\\${folderName} \\${date} {{date}} $x$`},
			nil, "",
		},
		{
			"a backslash before a day", `{"id":"a","tool":"vault.createFile","args":{"path":"x.md","content":"\\2026-11-20"}}`,
			[]string{`\\2026-11-20`},
			nil, "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := decode(t, `{"goal":"g","assumptions":[],"steps":[`+c.steps+`]}`)
			a, err := action.FromPlan("id", " Name ", p, registry(t), origin)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(string(a.Plan))
			for _, k := range c.kept {
				if !strings.Contains(text, k) {
					t.Errorf("want text with k, got no %s in %s", k, text)
				}
			}
			for _, k := range c.gone {
				if strings.Contains(text, k) {
					t.Errorf("%s is still in %s", k, text)
				}
			}
			var params []string
			for _, p := range a.Params {
				params = append(params, p.Name+"="+p.Value)
			}
			slices.Sort(params)
			if got := strings.Join(params, " "); got != c.params {
				t.Errorf("parameters %q, want %q", got, c.params)
			}
			comesBack(t, a, p)
		})
	}
}

// comesBack proves that an action, filled as it was, is the plan that ran.
func comesBack(t *testing.T, a *action.Action, ran *plan.Plan) {
	t.Helper()
	bound, err := a.Bind(nil, origin)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := written(t, bound), written(t, ran); got != want {
		t.Errorf("filled, it is not the plan that ran:\n got %s\nwant %s", got, want)
	}
	tp, err := a.Template()
	if err != nil {
		t.Fatal(err)
	}
	if g, problems := plan.Check(tp, registry(t), plan.Rules{Template: true, Platform: "linux"}); g == nil {
		t.Errorf("it does not fit the tools: %v", plan.Fault(problems))
	}
}

// TestThePlansOfTheRequestsBecomeActions takes every plan of the stories of
// requests. Filled as it was, each is the plan again.
func TestThePlansOfTheRequestsBecomeActions(t *testing.T) {
	files, err := filepath.Glob("../tool/builtin/testdata/requests/*.txtar")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d stories, %v", len(files), err)
	}
	kinds := map[string]int{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(raw).Files {
			if f.Name != "plan.json" {
				continue
			}
			p := decode(t, string(f.Data))
			a, err := action.FromPlan("id", filepath.Base(file), p, registry(t), origin)
			if err != nil {
				t.Fatal(err)
			}
			comesBack(t, a, p)
			for _, param := range a.Params {
				kinds[param.Kind]++
			}
			if missing, err := a.Missing(nil, origin, registry(t)); err != nil || len(missing) > 0 {
				t.Errorf("%s asks for %v although all is known: %v", file, missing, err)
			}
		}
	}
	t.Log(kinds)
	for _, kind := range []string{action.Folder, action.Note, action.Date} {
		if kinds[kind] == 0 {
			t.Errorf("no parameter of the kind %s in any of them", kind)
		}
	}
}

func TestAParameterTakesWhatIsGivenThenWhatIsKnownThenWhatIsKept(t *testing.T) {
	p := `{"goal":"${kept} ${optional}","assumptions":["${note} ${date}"],"steps":[{"id":"a","tool":"editor.getSelection","args":{}},{"id":"b","tool":"vault.createFile","args":{"title":"{x}","content":"${selection}"},"foreach":{"from":"${selectionBullets}","itemName":"x"}}]}`
	a := &action.Action{Name: "n", Plan: []byte(p), Params: []action.Param{
		{Name: "kept", Kind: action.Text, Value: "stored"}, {Name: "optional", Kind: action.Text, Optional: true},
	}}
	names := func(list []action.Param) (out []string) {
		for _, p := range list {
			out = append(out, p.Name)
		}
		return out
	}
	missing, err := a.Missing(nil, action.Context{Date: "2026-11-20"}, registry(t))
	if err != nil || strings.Join(names(missing), " ") != "optional note selectionBullets selection" {
		t.Errorf("without note and selection: %v %v", names(missing), err)
	}
	if missing, err := a.Missing(map[string]string{"note": "n.md", "kept": ""}, origin, registry(t)); err != nil || strings.Join(names(missing), " ") != "kept optional" {
		t.Errorf("emptied: %v %v", names(missing), err)
	}
	if missing, err := a.Missing(nil, origin, registry(t)); err != nil || missing != nil {
		t.Errorf("all known: %v %v", names(missing), err)
	}
	bound, err := a.Bind(map[string]string{"kept": "given {x}", "date": "2025-01-01"}, origin)
	if err != nil {
		t.Fatal(err)
	}
	if bound.Goal != "given {x} " || bound.Assumptions[0] != "Inbox/Größe.md 2025-01-01" {
		t.Errorf("want Goal \"given {x} \" and Assumptions[0] \"Inbox/Größe.md 2025-01-01\", got %q %q", bound.Goal, bound.Assumptions)
	}
	if got := written(t, bound.Steps[1].Foreach.From); got != `["Rain barrel","a/b \u0026 c"]` {
		t.Errorf("the selected items are %s", got)
	}
	if _, err := a.Bind(nil, action.Context{}); err == nil {
		t.Error("a parameter without a value was bound")
	}
}
