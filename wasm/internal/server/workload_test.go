package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// use is how the workload uses one writing tool: notes it finds below its own
// folder, and steps. In both, "@" stands for that folder.
type use struct {
	files map[string]string
	steps []string
}

func one(args string, files ...string) use {
	u := use{files: map[string]string{}, steps: []string{args}}
	for i := 0; i < len(files); i += 2 {
		u.files[files[i]] = files[i+1]
	}
	return u
}

func (u use) then(args ...string) use {
	u.steps = append(u.steps, args...)
	return u
}

// uses has an entry for every tool that writes; a test holds it against the
// registry, so a new tool joins the workload or fails it.
var uses = map[string]use{
	"editor.insertAtCursor":   one(`{"text":" and more"}`),
	"editor.replaceSelection": one(`{"text":"chosen"}`),
	"links.rewrite":           one(`{"path":"@/a.md","mode":"retarget","target":"Nowhre","to":"@/Target.md"}`, "Target.md", "t", "a.md", "to [[Nowhre|here]] and [[Hub]]\n"),
	"links.unlinkedMentions":  one(`{"path":"@/a.md","link":true}`, "a.md", "The lighthouse keeper is a mention.\n", "Lighthouse keeper.md", "x\n"),
	"metadata.fromInline":     one(`{"path":"@/a.md"}`, "a.md", "Year:: 1999\nText [rating:: 4] here\n"),
	"metadata.remove":         one(`{"folder":"@","keys":["x"]}`, "a.md", "---\nx: 1\ny: 2\n---\nT\n", "b.md", "---\nx: 1\n---\nT"),
	"metadata.rename":         one(`{"folder":"@","from":"old","to":"new"}`, "a.md", "---\nold: 1 # kept\n---\n", "b.md", "---\nold: 2\n---\n"),
	"metadata.set":            one(`{"path":"@/a.md","properties":{"n":1,"up":"[[Hub]]"}}`, "a.md", "---\r\nk: v\r\n---\r\nT\r\n"),
	"metadata.tidy":           one(`{"folder":"@","plain":["who"],"sort":true}`, "a.md", "---\nz: 1\nwho: \"[[Hub]]\"\n---\nT\n", "b.md", "---\r\nb: 1\r\na: 2\r\n---"),
	"note.export":             one(`{"folder":"@/In","path":"@/Out/Page.html"}`, "In/a.md", "A [[b]]\n", "In/b.md", "![[a]] ![[p.png]]", "p.png", "p").then(`{"linksOf":"@/In/a.md","path":"@/Out/One.md"}`),
	"note.merge":              one(`{"paths":["@/a.md","@/b.md"],"path":"@/Both.md","deleteSources":true}`, "a.md", "A\n", "b.md", "B"),
	"note.movePart":           one(`{"path":"@/a.md","heading":"Two","place":"start"}`, "a.md", "# One\r\n- x\r\n# Two\r\n## Sub").then(`{"path":"@/a.md","heading":"Two","to":"@/Out/Two.md","create":true,"leave":"link"}`).with("b.md", "[[a#Sub]]\n"),
	"note.sort":               one(`{"path":"@/a.md","by":"done"}`, "a.md", "- [x] one\n\t- below\n- [ ] two"),
	"note.splitAtHeadings":    one(`{"path":"@/Big.md","folder":"@/Parts"}`, "Big.md", "Intro\n\n## One\nText 1\n## Two: b\nText 2\n"),
	"tags.add":                one(`{"folder":"@","tags":["done"]}`, "a.md", "text", "b.md", "#done text"),
	"tags.remove":             one(`{"folder":"@","tags":["todo"]}`, "a.md", "---\ntags: [todo, x]\n---\nCall #todo now\n"),
	"tags.rename":             one(`{"folder":"@","from":"meetings","to":"meeting"}`, "a.md", "#meetings/weekly\n"),
	"tasks.move":              one(`{"path":"@/a.md","to":"@/Archive.md","status":"done"}`, "a.md", "- [x] one\n- [ ] two\n", "Archive.md", "# Archive\n"),
	"tasks.setStatus":         one(`{"path":"@/a.md","to":"done","status":"open"}`, "a.md", "- [ ] one\n  - [/] sub\n"),
	"template.apply":          one(`{"template":"@/T.md","folder":"@/New/Deep","title":"Review: Q4"}`, "T.md", "# {{title}}\n"),
	"vault.appendFile":        one(`{"path":"Log.md","content":"- first"}`).then(`{"path":"Log.md","content":"- second"}`, `{"path":"@/made.md","content":"x","ifMissing":"create"}`),
	"vault.copyFile":          one(`{"path":"Pic.png","newPath":"@/Copies/"}`).then(`{"path":"Pic.png","newPath":"@/Copies/"}`),
	"vault.createFile":        one(`{"path":"@/Sub/New.md","content":"new\n"}`).then(`{"folder":"@/Sub","title":"New","content":"second\n"}`),
	"vault.delete":            one(`{"path":"@/Old"}`, "Old/a.md", "1", "Old/Sub/b.md", "2", "Old/Sub/p.png", "\x89PNG\x00\xff", "c.md", "3").then(`{"path":"@/c.md"}`),
	"vault.ensureFolder":      one(`{"path":"@/Deep/Er"}`),
	"vault.patchFile":         one(`{"path":"@/a.md","find":"draft","replace":"final"}`, "a.md", "\ufeffStatus: draft\r\n"),
	"vault.rename":            one(`{"path":"Hub.md","newPath":"@/Moved/Centre"}`).then(`{"path":"@/Box","newPath":"@/Case"}`, `{"path":"@/low.md","newPath":"@/LOW.md"}`).with("Box/in.md", "x", "Box/Sub/y.md", "[[in]]", "low.md", "l"),
	"vault.replaceText":       one(`{"folder":"@","find":"colour","replace":"color"}`, "a.md", "colour\n", "b.md", "a colour, `colour`\n"),
	"vault.writeFile":         one(`{"path":"@/a.md","content":"rewritten\n"}`, "a.md", "old\n").then(`{"path":"@/a.md","content":"rewritten twice\n"}`),
}

func (u use) with(files ...string) use {
	for i := 0; i < len(files); i += 2 {
		u.files[files[i]] = files[i+1]
	}
	return u
}

// writingTools lists the registry's tools that write and can be simulated.
func writingTools(t testing.TB) []string {
	t.Helper()
	reg, err := tool.NewRegistry(builtin.All()...)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range reg.All() {
		if e.SideEffects == tool.Writes && e.Simulable && !slices.Contains(out, e.Name) {
			out = append(out, e.Name)
		}
	}
	return out
}

func TestEveryWritingToolIsInTheWorkload(t *testing.T) {
	names := writingTools(t)
	for _, n := range names {
		if len(uses[n].steps) == 0 {
			t.Errorf("%s writes and has no entry in uses: say how the workload uses it", n)
		}
	}
	for n := range uses {
		if !slices.Contains(names, n) {
			t.Errorf("%s is in uses and is no writing tool", n)
		}
	}
}

// workload is a vault and a plan that uses every writing tool, with a foreach
// of more notes beside, about a hundred writes in all.
func workload(t testing.TB) (map[string]string, string) {
	t.Helper()
	files := map[string]string{
		"Active.md": "# Active\nThe ⟦selected⟧ text\n", "Log.md": "start\r\n", "Hub.md": "---\nk: v\n---\nThe hub\n",
		"Pic.png": "\x89PNG\r\n\x1a\n\x00\xff\xfe", "Links/one.md": "[[Hub]] and ![[Hub#The|h]]\n",
		"Links/two.md": "[md](../Hub.md)\n", "Links/three.canvas": `{"nodes":[{"id":"1","type":"file","file":"Hub.md"}],"edges":[]}`,
		"Empty/": "", "Untouched.md": "not\xffutf8",
	}
	var steps []string
	add := func(name, args string) {
		steps = append(steps, fmt.Sprintf(`{"id":"s%d","tool":%q,"args":%s,"onError":"stop"}`, len(steps), name, args))
	}
	names := writingTools(t)
	slices.Reverse(names) // the selection is replaced before an insertion puts the cursor elsewhere
	for _, name := range names {
		u := uses[name]
		folder := "W/" + strings.ReplaceAll(name, ".", " ")
		for path, text := range u.files {
			files[folder+"/"+path] = text
		}
		for _, s := range u.steps {
			add(name, strings.ReplaceAll(s, "@", folder))
		}
	}
	var list []string
	for i := range 40 {
		list = append(list, fmt.Sprintf(`{"n":"Note %d","f":"Many/F%d"}`, i%37, i%5))
	}
	steps = append(steps,
		`{"id":"many","tool":"vault.createFile","args":{"folder":"{item.f}","title":"{item.n}","content":"{index}: {item.n}\n"},"foreach":{"from":[`+strings.Join(list, ",")+`],"itemName":"item"}}`,
		`{"id":"list","tool":"util.joinLines","args":{"items":"$steps.many.items","field":"link","prefix":"- "}}`,
		`{"id":"log","tool":"vault.appendFile","args":{"path":"Log.md","content":"$steps.list.text"}}`)
	return files, planOf("Everything", steps...)
}

func planOf(goal string, steps ...string) string {
	return `{"goal":` + quote(goal) + `,"assumptions":[],"riskLevel":"writes","steps":[` + strings.Join(steps, ",\n") + `]}`
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string
	}
	return string(b)
}

// free is settings under which every tool may be used.
var free = protocol.Settings{Provider: "openai", AllowDeletes: true, AllowRenames: true, AllowCommands: true}

// exhaustive says whether loops try every point instead of a sample.
func exhaustive() bool { return os.Getenv("EXHAUSTIVE") != "" }

// points gives the operations at which a loop over n breaks things: all, or a
// spread of about so many, always with the first ones and the last.
func points(n, sample int) []int {
	if slow {
		sample = max(4, sample/3)
	}
	step := max(1, n/sample)
	if exhaustive() {
		step = 1
	}
	set := map[int]bool{n: true}
	for i := 1; i <= n; i += step {
		set[i] = true
	}
	for i := 1; i <= min(sample/2, n); i++ {
		set[i] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// stride is how far apart a loop without a known end breaks things: everywhere,
// or by so many operations, or by so many where a program is slow.
func stride(sample, thin int) int {
	switch {
	case exhaustive():
		return 1
	case slow:
		return thin
	}
	return sample
}

// start is newPanel for a host that may be found after a crash.
func start(t testing.TB, mem *hosttest.Memory, set protocol.Settings, with ...func(*Deps)) (*panel, protocol.Welcome, error) {
	t.Helper()
	ui := &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	d := Deps{Host: mem.Host(), Emit: ui.hear}
	for _, also := range with {
		also(&d)
	}
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	w, err := try[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux", Language: "en"}})
	return ui, w, err
}

func begin(t testing.TB, mem *hosttest.Memory, set protocol.Settings, with ...func(*Deps)) *panel {
	t.Helper()
	ui, _, err := start(t, mem, set, with...)
	if err != nil {
		t.Fatal(err)
	}
	return ui
}

// open simulates a plan and gives its review.
func (ui *panel) open(plan string) *protocol.Review {
	ui.t.Helper()
	r, err := ui.s.tx.OpenPlan(ui.t.Context(), []byte(plan), nil, false)
	if err != nil {
		ui.t.Fatal(err)
	}
	if r.Problem != nil {
		ui.t.Fatalf("the simulation failed: %+v %+v", r.Problem, r.Problem.Params)
	}
	return r
}

// approve says yes to a review and gives the end of its run.
func (ui *panel) approve(r *protocol.Review) *protocol.RunState {
	ui.t.Helper()
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	return ui.finished()
}

// do opens a plan, approves it and expects it to go well.
func (ui *panel) do(plan string) *protocol.RunState {
	ui.t.Helper()
	end := ui.approve(ui.open(plan))
	if end.Outcome != "ok" {
		ui.t.Fatalf("the run ended %s: %+v", end.Outcome, end.Problem)
	}
	return end
}

func (ui *panel) revert(run string, choices ...protocol.ConflictChoice) protocol.Reverted {
	ui.t.Helper()
	back := call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: run, Choices: choices})
	if back.Problem != nil {
		ui.t.Fatalf("the revert failed: %+v", back.Problem)
	}
	return back
}

// checked decodes and checks a plan as a model's would be.
func (ui *panel) checked(text string) (*plan.Plan, *plan.Graph) {
	ui.t.Helper()
	p, problems := plan.Decode([]byte(text), plan.Limits{})
	if p == nil || plan.Failed(problems) {
		ui.t.Fatal(plan.Fault(problems))
	}
	g, problems := plan.Check(p, ui.s.registry, ui.s.guard.Rules())
	if g == nil || plan.Failed(problems) {
		ui.t.Fatal(plan.Fault(problems))
	}
	return p, g
}
