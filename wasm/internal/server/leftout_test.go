package server

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/leftout"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// badNotes are notes that some tools cannot work on, by kind. What the vault does
// not hold has no text.
var badNotes = map[string]struct{ path, text string }{
	"front":     {"N/front.md", "---\nk: 1\ntags:\n  - t\ntitle: [a\n---\n" + badBody},
	"duplicate": {"N/duplicate.md", "---\ntags:\n  - t\nk: 1\nk: 2\n---\n" + badBody},
	"bytes":     {"N/bytes.md", "\xff\xfe task #x"},
	"large":     {"N/large.md", strings.Repeat("text ", 2<<20+1)},
	"canvas":    {"N/board.canvas", `{"nodes":[{"id":"1","type":"text","text":"Tea and"}],"edges":[]}`},
	"missing":   {"N/missing.md", ""},
	"excluded":  {"Out/secret.md", goodNote},
	"folder":    {"N/Below", ""},
}

const (
	badBody  = "- [ ] task\n- [ ] a task\n\nfield:: value\n\n## One\n\nTea and [[tea]] #x\n\n## Two\n\nmore\n"
	goodNote = "---\ntags:\n  - t\nk: 1\n---\n" + badBody
)

func badVault() map[string]string {
	files := map[string]string{"Tea.md": "tea\n", "N/a.md": goodNote, "N/z.md": goodNote, "N/Below/": ""}
	for _, n := range badNotes {
		if n.text != "" {
			files[n.path] = n.text
		}
	}
	return files
}

// treated says which bad notes a kind of tool leaves alone, and why. Whoever only
// moves a file asks nothing of its text.
var treated = map[string]map[string]string{
	"front": {
		"front": "skip.front", "duplicate": "skip.front", "bytes": "skip.notText", "large": "skip.tooLarge",
		"canvas": "skip.notMarkdown", "missing": "skip.missing", "excluded": "skip.kept", "folder": "skip.folder",
	},
	"note": {
		"bytes": "skip.notText", "large": "skip.tooLarge", "canvas": "skip.notMarkdown",
		"missing": "skip.missing", "excluded": "skip.kept", "folder": "skip.folder",
	},
	"text": {"bytes": "skip.notText", "large": "skip.tooLarge", "missing": "skip.missing", "excluded": "skip.kept", "folder": "skip.folder"},
	"copy": {"missing": "skip.missing", "excluded": "skip.kept", "folder": "skip.folder"},
	"file": {"missing": "skip.missing", "excluded": "skip.kept"},
}

// onNotes is how each tool that writes is called for the notes of a list: as a
// whole, or in a loop by "path".
var onNotes = map[string]struct{ kind, args string }{
	"metadata.set":           {"front", `"property":"k","value":2`},
	"metadata.remove":        {"front", `"keys":["k"]`},
	"metadata.rename":        {"front", `"from":"k","to":"m"`},
	"metadata.fromInline":    {"front", `"keys":["field"]`},
	"metadata.tidy":          {"front", `"plain":["k"],"sort":true`},
	"tags.add":               {"front", `"tags":["new"]`},
	"tags.remove":            {"front", `"tags":["t"]`},
	"tags.rename":            {"front", `"from":"t","to":"u"`},
	"links.rewrite":          {"text", `"mode":"plain"`},
	"links.unlinkedMentions": {"text", `"link":true,"every":true`},
	"tasks.setStatus":        {"note", `"to":"done"`},
	"tasks.move":             {"note", `"to":"Tea.md"`},
	"note.splitAtHeadings":   {"note", `"level":2,"folder":"Split"`},
	"note.movePart":          {"note", `"heading":"Two","place":"start"`},
	"note.sort":              {"note", `"what":"items"`},
	"vault.replaceText":      {"text", `"find":"Tea","replace":"Chai"`},
	"vault.appendFile":       {"text", `"content":"more"`},
	"vault.patchFile":        {"text", `"find":"Tea and","replace":"Chai and"`},
	"vault.rename":           {"file", `"newPath":"Moved/{item}"`},
	"vault.copyFile":         {"copy", `"newPath":"Copies/{item}"`},
	"vault.delete":           {"file", ``},
}

// elsewhere are tools that write and are not about the notes of a list: they make
// notes, take all or nothing, or write where the cursor is.
var elsewhere = []string{
	"editor.insertAtCursor", "editor.replaceSelection", "note.export", "note.merge", "template.apply",
	"vault.createFile", "vault.ensureFolder", "vault.writeFile",
}

func TestEveryToolThatWritesNotesIsAskedHowItTreatsABadOne(t *testing.T) {
	reg, err := tool.NewRegistry(builtin.All()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range reg.Names() {
		e, err := reg.Get(name, "")
		if err != nil {
			t.Fatal(err)
		}
		_, asked := onNotes[name]
		if e.SideEffects == tool.Writes && !asked && !slices.Contains(elsewhere, name) {
			t.Errorf("%s writes notes and is not in the table", name)
		}
	}
}

// leftAlone lists what a review says was left out, with the reason.
func leftAlone(left []protocol.LeftOut) map[string]string {
	out := map[string]string{}
	for _, l := range left {
		for _, g := range l.Groups {
			for _, i := range g.Items {
				out[i.Name] = g.Reason.Key
			}
		}
	}
	return out
}

func TestABadNoteIsLeftAloneForTheSameReasonByEveryTool(t *testing.T) {
	reg, err := tool.NewRegistry(builtin.All()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(onNotes)) {
		how := onNotes[name]
		e, err := reg.Get(name, "")
		if err != nil {
			t.Fatal(err)
		}
		whole := strings.Contains(string(e.Input), `"paths"`)
		for kind, bad := range badNotes {
			t.Run(name+"/"+kind, func(t *testing.T) {
				// A path that is written out in a plan is checked before; this one is found.
				found := fmt.Sprintf(`{"id":"found","tool":"util.parseMarkdownBullets","args":{"text":"- %s"}}`, bad.path)
				list := `["N/a.md","$steps.found.items[0].text","N/z.md"]`
				for _, loop := range []bool{false, true} {
					if !loop && !whole {
						continue
					}
					mem := hosttest.New(hosttest.Options{Files: badVault()})
					ui := begin(t, mem, protocol.Settings{Confirm: "always", AllowDeletes: true, AllowRenames: true, DenyPatterns: []string{"Out"}})
					before := mem.Snapshot()
					more := ""
					if how.args != "" {
						more = "," + how.args
					}
					step := fmt.Sprintf(`{"id":"s","tool":%q,"args":{"paths":%s%s}}`, name, list, more)
					if loop {
						step = fmt.Sprintf(`{"id":"s","tool":%q,"foreach":{"from":%s,"itemName":"item"},"args":{"path":"{item}"%s}}`, name, list, more)
					}
					r := ui.open(planOf("bad", found, step))
					if r.Problem != nil || !r.Approvable {
						t.Fatalf("loop %v: %+v", loop, r.Problem)
					}
					left := leftout.Of(r.Steps)
					got, want := leftAlone(left), treated[how.kind][kind]
					if got[bad.path] != want || len(got) != min(1, len(want)) {
						t.Fatalf("loop %v: left alone are %v, want %q", loop, got, want)
					}
					if want != "" && (left[0].Count != 1 || left[0].Total != 3) {
						t.Errorf("loop %v: %d of %d", loop, left[0].Count, left[0].Total)
					}
					end := ui.approve(r)
					if end.Outcome != "ok" || end.Failed != 0 || len(leftAlone(end.LeftOut)) != len(got) {
						t.Fatalf("loop %v: %s, %d failed, left alone %v: %+v", loop, end.Outcome, end.Failed, end.LeftOut, end.Problem)
					}
					if now, _ := mem.File("N/a.md"); string(now) == goodNote && name != "vault.copyFile" {
						t.Errorf("loop %v: a good note beside a bad one was not changed", loop)
					}
					ui.revert(end.Run)
					if d := before.Diff(mem.Snapshot()); d != "" {
						t.Errorf("loop %v: after the revert:\n%s", loop, d)
					}
					ui.s.Close()
				}
			})
		}
	}
}

// largeVault is a large vault: 3,176 notes with 28 among them whose front matter cannot
// be read.
func largeVault() (files map[string]string, bad int) {
	files = map[string]string{}
	for n := range 3176 {
		text := fmt.Sprintf("---\nk: %d\n---\nNote %d\n", n, n)
		if n%113 == 50 {
			text, bad = "---\nk: 1\ncreated: {{date}}\n- x\n---\n", bad+1
		}
		files[fmt.Sprintf("Notes/%04d.md", n)] = text
	}
	return files, bad
}

func TestAllOfThreeThousandNotesAreChangedButThoseThatAreNamed(t *testing.T) {
	files, bad := largeVault()
	for name, step := range map[string]string{
		"a loop":      `{"id":"do","tool":"metadata.set","foreach":{"from":"$steps.q.notes","itemName":"n"},"args":{"path":"{n.path}","property":"done","value":true}}`,
		"a scope":     `{"id":"do","tool":"tags.add","args":{"paths":"$steps.q.paths","tags":["done"]}}`,
		"the folder":  `{"id":"do","tool":"tags.add","args":{"folder":"Notes","tags":["done"]},"dependsOn":["q"]}`,
		"every field": `{"id":"do","tool":"metadata.set","foreach":{"from":"$steps.q.paths","itemName":"n"},"args":{"path":"{n}","properties":{"done":true}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: files})
			ui := begin(t, mem, protocol.Settings{Confirm: "always"})
			before := mem.Snapshot()
			r := ui.open(planOf("all", `{"id":"q","tool":"vault.query","args":{"folder":"Notes"}}`, step))
			left := leftout.Of(r.Steps)
			if len(r.Files) != 3176-bad || len(left) != 1 || left[0].Count != bad || left[0].Total != 3176 {
				t.Fatalf("%d files, left out: %+v", len(r.Files), left)
			}
			if g := left[0].Groups; len(g) != 1 || g[0].Reason.Key != "skip.front" || len(g[0].Items) != bad || g[0].Items[0].Name != "Notes/0050.md" {
				t.Fatalf("want 1 of them, g[0].Reason.Key \"skip.front\", as many g[0].Items as bad and g[0].Items[0].Name \"Notes/0050.md\", got %+v", g)
			}
			end := ui.approve(r)
			if end.Outcome != "ok" || len(end.LeftOut) != 1 || end.LeftOut[0].Count != bad || end.Failed != 0 {
				t.Fatalf("%s, %d failed, left out %+v", end.Outcome, end.Failed, end.LeftOut)
			}
			past := call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: end.Run})
			if len(past.LeftOut) != 1 || past.LeftOut[0].Count != bad {
				t.Fatalf("the history says %+v", past.LeftOut)
			}
			ui.revert(end.Run)
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Fatalf("after the revert:\n%s", d)
			}
		})
	}
}

func TestALimitThatAPlanNamesIsSaidAndCanBeTakenOut(t *testing.T) {
	files, bad := largeVault()
	ui := begin(t, hosttest.New(hosttest.Options{Files: files}), protocol.Settings{Confirm: "always"})
	r := ui.open(planOf("some", `{"id":"q","tool":"vault.query","args":{"folder":"Notes","limit":1000}}`,
		`{"id":"do","tool":"tags.add","args":{"paths":"$steps.q.paths","tags":["done"]}}`))
	if cut := r.Steps[0].Cut; cut == nil || cut.Shown != 1000 || cut.Total != 3176 || !cut.All {
		t.Fatalf("want cut set, Shown 1000, Total 3176 and All true, got %+v", r.Steps[0].Cut)
	}
	all := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendAll, Step: "q"})
	if left := leftout.Of(all.Steps); all.Steps[0].Cut != nil || len(all.Files) != 3176-bad || left[0].Count != bad || left[0].Total != 3176 {
		t.Fatalf("%+v, %d files, %+v", all.Steps[0].Cut, len(all.Files), left)
	}
}

// halfTool makes a note and fails after it, for what is called so.
func halfTool() tool.Tool {
	return tool.Tool{
		Spec: tool.Spec{
			Name: "x.half", Version: "1.0.0", Lifecycle: tool.Active, Category: "data", SideEffects: tool.Writes, Simulable: true, Description: "half",
			Input:  json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`),
			Output: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`),
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			path := args.String("path")
			if _, err := env.Vault.Apply(ctx, host.Op{Kind: host.OpCreate, Path: path, Data: []byte("half\n")}); err != nil {
				return nil, err
			}
			if strings.HasPrefix(path, "bad") {
				return nil, fault.New(fault.Precondition, "tools.front.invalid", fault.P{"path": path})
			}
			return tool.Data{"path": path}, nil
		},
		Claims: func(args tool.Args) []string { return []string{args.String("path")} },
	}
}

func TestAnElementThatFailsLeavesNothingOfItselfInTheReviewOrInTheRun(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\n"}})
	ui := begin(t, mem, protocol.Settings{Confirm: "always"}, func(d *Deps) { d.Tools = append(d.Tools, halfTool()) })
	r := ui.open(planOf("half", `{"id":"do","tool":"x.half","foreach":{"from":["one.md","bad.md","two.md"],"itemName":"p"},"args":{"path":"{p}"}}`))
	if len(r.Files) != 2 || leftAlone(leftout.Of(r.Steps))["bad.md"] != "skip.front" {
		t.Fatalf("want 2 Files and [\"bad.md\"] \"skip.front\", got %+v", r.Files)
	}
	end := ui.approve(r)
	if _, there := mem.File("bad.md"); there || end.Outcome != "ok" || ui.text("one.md") != "half\n" || ui.text("two.md") != "half\n" {
		t.Fatalf("%s: want not there, Outcome \"ok\", one.md \"half\\n\" and two.md \"half\\n\", got %v", end.Outcome, mem.Snapshot())
	}
	checkEnvelopes(t, mem, end.Run)
}
