package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/reach"
	"embedded-agent/wasm/internal/tool"
)

// reachVault has notes in several folders that link to each other, and one open.
func reachVault() *hosttest.Memory {
	return hosttest.New(hosttest.Options{Active: "Open/Now.md", Files: map[string]string{
		"Safe/a.md": "---\ntags: [t]\nstatus: x\n---\n# One\n\nneedle [[b]] #t key:: v\n\n## Two\n\n- [ ] task\n- [x] done\n",
		"Safe/b.md": "Year:: 1999\n\nneedle [[a]] ![[c]] of the Lighthouse keeper\n- [ ] task\n", "Other/Lighthouse keeper.md": "x\n", "Safe/Sub/c.md": "needle #t\n", "Other/d.md": "[[a]] [[b]] [[c]] needle #t\n- [ ] task\n",
		"Other/T.md": "# {{title}} needle\n", "root.md": "needle [[a]] [[Safe/Sub/c]] #t\n", "Open/Now.md": "⟦selected⟧ [[a]]\n", "Pic.png": "\x89PNG",
	}})
}

// reachPaths are the values for arguments that are paths.
var reachPaths = map[string][]string{
	"existing": {"Safe/a.md", "Safe/b", "Safe/Sub/c.md", "Other/d.md", "root.md", "Safe", "Other/T.md", "Safe/./a.md", "Safe\\b.md", "Other/new.md"},
	"new":      {"Safe/new.md", "Safe/Deep/new", "Other/x.md", "new.md", "Safe/", "Other/", "../x.md", "Safe/a.md"},
	"folder":   {"", "Safe", "Safe/Sub", "Other", "New/Deep", "/"},
}

// valueOf draws a value for an argument by its schema.
func valueOf(rt *rapid.T, name string, schema map[string]any) any {
	if kind, ok := schema["x-path"].(string); ok {
		return rapid.SampledFrom(reachPaths[kind]).Draw(rt, name)
	}
	if list, ok := schema["enum"].([]any); ok {
		return rapid.SampledFrom(list).Draw(rt, name)
	}
	switch schema["type"] {
	case "boolean":
		return rapid.Bool().Draw(rt, name)
	case "integer", "number":
		return float64(rapid.IntRange(1, 3).Draw(rt, name))
	case "array":
		item, _ := schema["items"].(map[string]any)
		out := []any{}
		for i := range rapid.IntRange(1, 3).Draw(rt, name+" n") {
			out = append(out, valueOf(rt, fmt.Sprint(name, i), item))
		}
		return out
	case "object":
		return map[string]any{"status": "y"}
	}
	return rapid.SampledFrom([]string{"needle", "t", "x", "One", "../Other/y", "a/b", "done", "status", "case", "Safe"}).Draw(rt, name)
}

// sureArgs make a tool write that seldom does by chance.
var sureArgs = map[string]map[string]any{
	"links.unlinkedMentions": {"link": true},
	"metadata.fromInline":    {"keys": []any{"Year"}},
	"metadata.tidy":          {"sort": true},
	"note.movePart":          {"path": "Safe/a.md", "heading": "Two", "place": "start"},
	"note.sort":              {"path": "Safe/a.md", "by": "text"},
	"tasks.setStatus":        {"to": "done"},
	"tasks.move":             {"path": "Safe/a.md", "to": "Safe/b.md"},
	"vault.patchFile":        {"path": "Safe/a.md", "find": "needle", "replace": "x"},
}

// argsFor draws arguments of a tool: those it must have, and some that it may.
func argsFor(rt *rapid.T, e *tool.Entry) map[string]any {
	var schema struct {
		Properties map[string]map[string]any
		Required   []string
	}
	if err := json.Unmarshal(e.Input, &schema); err != nil {
		rt.Fatal(err)
	}
	args := map[string]any{}
	if sure := sureArgs[e.Name]; sure != nil && rapid.Bool().Draw(rt, "sure") {
		if schema.Properties["folder"] != nil {
			args["folder"] = valueOf(rt, "folder", schema.Properties["folder"])
		}
		maps.Copy(args, sure)
		return args
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if slices.Contains(schema.Required, name) || rapid.IntRange(0, 2).Draw(rt, "has "+name) > 0 {
			args[name] = valueOf(rt, name, schema.Properties[name])
		}
	}
	return args
}

// leftOpen leaves arguments open in each shape that a plan has: a parameter that is
// all of it, one that is a part, a reference to a step, the item of a loop. What
// it gives besides fills them.
func leftOpen(rt *rapid.T, args map[string]any) (template map[string]any, values map[string]any) {
	template, values = map[string]any{}, map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		v := args[name]
		p := "p_" + name
		shape := rapid.SampledFrom([]string{"literal", "literal", "parameter", "part", "item"}).Draw(rt, "shape of "+name)
		s, isText := v.(string)
		list, isList := v.([]any)
		switch {
		case shape == "parameter":
			template[name], values[p] = "${"+p+"}", v
		case shape == "part" && isText && len(s) > 2:
			at := rapid.IntRange(1, len(s)-1).Draw(rt, "cut of "+name)
			template[name], values[p] = s[:at]+"${"+p+"}", s[at:]
		case shape == "item" && isList && len(list) > 0:
			with := slices.Clone(list)
			values[p] = list[0]
			with[0] = "${" + p + "}"
			template[name] = with
		default:
			template[name] = v
		}
	}
	return template, values
}

// TestWhatAnActionWritesIsNeverMoreThanWhatWasSaid simulates calls of every tool
// that writes, with arguments that an action leaves open in some shape and that
// are then filled, and holds what is written against what was said beforehand.
func TestWhatAnActionWritesIsNeverMoreThanWhatWasSaid(t *testing.T) {
	ui := begin(t, reachVault(), free)
	for _, name := range writingTools(t) {
		wrote := 0
		t.Run(name, func(t *testing.T) {
			e, err := ui.s.registry.Get(name, "")
			if err != nil {
				t.Fatal(err)
			}
			trial := func(rt *rapid.T) {
				template, values := leftOpen(rt, argsFor(rt, e))
				p := &plan.Plan{Version: "1", Goal: "g", Assumptions: []string{}, Steps: []plan.Step{{ID: "a", Tool: name, Args: template}}}
				said := reach.Of(p, ui.s.registry)
				bound, err := plan.BindParameters(p, values)
				if err != nil {
					rt.Fatal(err)
				}
				g, problems := plan.Check(bound, ui.s.registry, ui.s.guard.BoundRules())
				if g == nil || plan.Failed(problems) {
					return
				}
				raw, err := canon.Encode(bound)
				if err != nil {
					rt.Fatal(err)
				}
				se, err := ui.s.tx.Simulate(t.Context(), ui.s.tx.NewDraft(bound, g, raw))
				if err != nil {
					rt.Fatal(err)
				}
				for _, w := range se.Vault.Log() {
					if w.Refused != nil || w.Op.Kind == "" {
						continue
					}
					wrote++
					above := w.Op.Kind == host.OpMkdir && slices.ContainsFunc(said.Folders, func(f string) bool { return strings.HasPrefix(f, w.Op.Path+"/") })
					if !said.Covers(w.Op.Path) && !above || w.Op.To != "" && !said.Covers(w.Op.To) {
						rt.Fatalf("%v\nwas filled to %v\nsaid %+v\nand does: %s %s %s", template, bound.Steps[0].Args, said, w.Op.Kind, w.Op.Path, w.Op.To)
					}
					if (w.Op.Kind == host.OpTrash || w.Op.Kind == host.OpRmdir) && !said.Deletes || w.Op.Kind == host.OpRename && !said.Renames {
						rt.Fatalf("%v: %s of %s was not said", template, w.Op.Kind, w.Op.Path)
					}
				}
			}
			// Arguments are drawn, and for some tools few of them fit the notes: it is
			// drawn until some do.
			for rounds := 0; rounds < 100 && wrote == 0 && !t.Failed(); rounds++ {
				rapid.Check(t, trial)
			}
			if wrote == 0 {
				t.Error("no call of it wrote anything: the trial tries nothing")
			}
		})
	}
}

// TestAnImportThatLiesIsSaidToTouchWhatItTouches has exports that try to seem
// less than they are. Each has to be refused, or what it does to be said.
func TestAnImportThatLiesIsSaidToTouchWhatItTouches(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{}), free)
	step := func(tl, args string) string {
		return plans(fmt.Sprintf(`{"id":"a","tool":%q,"args":%s}`, tl, args))
	}
	for name, c := range map[string]struct{ action, want string }{
		"a rename to a parameter":           {step("vault.rename", `{"path":"Safe/x.md","newPath":"${p}"}`), "import.renames import.anywhere"},
		"a rename within a folder":          {step("vault.rename", `{"path":"Safe/x.md","newPath":"Safe/y.md"}`), "import.renames import.anywhere"},
		"sources that a merge deletes":      {step("note.merge", `{"paths":["Other/a.md"],"path":"Safe/x.md","deleteSources":true}`), "import.deletes import.anywhere"},
		"by another name":                   {step("note.merge", `{"paths":["Other/a.md"],"path":"Safe/x.md","delete_sources":true}`), "import.deletes import.anywhere"},
		"by a parameter":                    {step("note.merge", `{"paths":["Other/a.md"],"path":"Safe/x.md","deleteSources":"${yes}"}`), "import.deletes import.anywhere"},
		"paths beside a folder":             {step("tags.add", `{"folder":"Safe","paths":["Other/a.md"],"tags":["x"]}`), "import.writes import.inFolders"},
		"paths that are a parameter":        {step("tags.add", `{"folder":"Safe","paths":"${list}","tags":["x"]}`), "import.writes import.anywhere"},
		"a path in a list that is one":      {step("tags.add", `{"paths":["Safe/a.md","${p}"],"tags":["x"]}`), "import.writes import.anywhere"},
		"no folder":                         {step("vault.replaceText", `{"find":"a","replace":"b"}`), "import.writes import.anywhere"},
		"the root":                          {step("tags.add", `{"folder":"/","tags":["x"]}`), "import.writes import.anywhere"},
		"a copy to a reference":             {step("vault.copyFile", `{"path":"Safe/a.md","newPath":"${p}"}`), "import.writes import.anywhere"},
		"a folder that is half a parameter": {step("vault.createFile", `{"path":"Safe${p}/x.md","content":"x"}`), "import.writes import.anywhere"},
		"a name that leads out":             {step("vault.createFile", `{"path":"Safe/../Other/x.md","content":"x"}`), "import.writes import.anywhere"},
		"another separator":                 {step("vault.createFile", `{"path":"Other\\x.md","content":"x"}`), "import.writes import.anywhere"},
		"a delete of a folder":              {step("vault.delete", `{"path":"Safe"}`), "import.deletes import.anywhere"},
		"a delete by another name":          {step("vault.delete", `{"file_path":"Other/Deep/x.md"}`), "import.deletes import.inFolders"},
		"a path under two names":            {step("vault.appendFile", `{"path":"Safe/a.md","file_path":"Other/b.md","content":"x"}`), "import.writes import.anywhere"},
		"the open note":                     {step("editor.insertAtCursor", `{"text":"x"}`), "import.writes import.anywhere"},
		"a command by a parameter":          {step("commands.run", `{"id":"${id}"}`), "import.commands import.anyCommand"},
		"a host by a parameter":             {step("http.request", `{"url":"https://${host}/"}`), "import.readOnly import.anyHost"},
		"a host before the sign":            {step("http.request", `{"url":"https://good.example@bad.example/"}`), "import.readOnly import.hosts"},
		"what is sent":                      {step("http.send", `{"url":"https://a.example/","method":"POST","body":"${selection}"}`), "import.sends import.hosts"},
		"a model":                           {step("agent.run", `{"prompt":"x"}`), "import.readOnly import.model"},
		"a tool of another version":         {plans(`{"id":"a","tool":"vault.delete@9.9.9","args":{"path":"Safe/a.md"}}`), "import.readOnly import.gone"},
		"a loop over paths":                 {plans(`{"id":"q","tool":"vault.query","args":{}}`, `{"id":"a","tool":"vault.appendFile","args":{"path":"{n.path}","content":"x"},"foreach":{"from":"$steps.q.notes","itemName":"n"}}`), "import.writes import.anywhere"},
		"a harmless step before":            {plans(`{"id":"a","tool":"vault.createFile","args":{"path":"Safe/x.md","content":"x"}}`, `{"id":"b","tool":"vault.writeFile","args":{"path":"$steps.a.path","content":"x"}}`), "import.writes import.anywhere"},
		"a trusted flag":                    {`"trusted":true,` + step("vault.createFile", `{"path":"Safe/x.md","content":"x"}`), "import.writes import.inFolders"},
		"a flag of the plugin's own":        {`"bundled":true,` + step("vault.createFile", `{"path":"Safe/x.md","content":"x"}`), "error.action.unclear"},
		"a risk of its own":                 {`"risk":"read-only",` + step("vault.delete", `{"path":"Safe/x.md"}`), "error.action.unclear"},
		"two plans":                         {step("vault.query", `{}`) + "," + step("vault.delete", `{"path":"Safe/x.md"}`), "error.action.unclear"},
		"a plan in another case":            {`"Plan":{"goal":"g","steps":[]},` + step("vault.query", `{}`), "error.action.unclear"},
		"arguments twice":                   {plans(`{"id":"a","tool":"vault.createFile","args":{"path":"Safe/x.md","path":"Other/x.md","content":"x"}}`), "error.action.unclear"},
	} {
		doc := `{"format":"embedded-agent/actions","version":2,"actions":[{"id":"1","name":"N <b>x</b>",` + c.action + `}]}`
		got, err := try[protocol.Imported](ui, "actions.import", protocol.Import{JSON: doc})
		var said []string
		if err != nil {
			said = append(said, ui.s.out.Problem(err).Key)
		}
		for _, m := range got.Review {
			said = append(said, m.Key)
			if words := i18n.English(m.Key, m.Params); words == m.Key || strings.Contains(words, "{n") {
				t.Errorf("%s: %s has no words", name, m.Key)
			}
		}
		if strings.Join(said, " ") != c.want {
			t.Errorf("%s: said %v, want %s", name, said, c.want)
		}
		for _, a := range got.Actions {
			if a.Bundled {
				t.Errorf("%s: it passes for one of the plugin's own", name)
			}
		}
	}
}

func TestAChangeThatLetsAnActionTouchMoreSaysSo(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{}), free)
	put := func(id, steps string) protocol.ActionDetail {
		return call[protocol.ActionDetail](ui, "action.put", protocol.ActionPut{ID: id, Name: "N", Kind: "plan", Plan: `{"version":"1","goal":"g","assumptions":[],"steps":[` + steps + `]}`})
	}
	said := func(ms []protocol.Message) string {
		var out []string
		for _, m := range ms {
			out = append(out, strings.TrimSpace(m.Key+" "+strings.TrimPrefix(m.Params["names"], "N")))
		}
		return strings.Join(out, "; ")
	}
	const safe = `{"id":"a","tool":"vault.createFile","args":{"path":"Safe/x.md","content":"x"}}`
	first := put("", safe)
	if said(first.Beyond) != "" || said(first.Touches) != "import.writes; import.inFolders Safe" {
		t.Errorf("new: %s, beyond %s", said(first.Touches), said(first.Beyond))
	}
	id := first.Action.ID
	for _, c := range []struct{ steps, beyond string }{
		{safe, ""},
		{strings.Replace(safe, "Safe/x", "Safe/Deep/y", 1), ""},
		{safe, "import.writes; import.inFolders Safe"}, // wider again
		{safe + `,{"id":"b","tool":"vault.createFile","args":{"path":"Other/x.md","content":"x"}}`, "import.writes; import.inFolders Other"},
		{safe + `,{"id":"b","tool":"vault.delete","args":{"path":"Safe/y.md"}}`, "import.deletes"},
		{safe + `,{"id":"b","tool":"vault.rename","args":{"path":"Safe/y.md","newPath":"Safe/z.md"}}`, "import.renames; import.anywhere"},
	} {
		if d := put(id, c.steps); said(d.Beyond) != c.beyond {
			t.Errorf("%s\n says %q, want %q", c.steps, said(d.Beyond), c.beyond)
		}
	}
}
