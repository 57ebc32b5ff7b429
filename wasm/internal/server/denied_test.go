package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// A canary stands in everything that there is of notes which may not be seen:
// their folders' names, paths, titles, text, properties, tags, links, tasks,
// selection. Whatever is done, the word must come out nowhere.
const canary = "QUETZAL"

// isCanary finds the word in any case, since tools fold words.
func isCanary(text string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(canary))
}

// deniedVault has a refused note open, with a selection, beside notes that may
// be seen. "Private/Plain.md" can be asked for without saying the word.
func deniedVault() *hosttest.Memory {
	inside := "---\ntitle: " + canary + "\naliases: [Seen, " + canary + "-alias]\ntags: [shared, " + canary + "-tag]\nstatus: " + canary + "-value\n" + canary + "-key: 1\n---\n" +
		"# Heading " + canary + "\n\n- [ ] task " + canary + "\n\nneedle " + canary + " #shared #" + canary + "-inline [[Seen]] [[" + canary + "-link]] field:: " + canary + "\n\n"
	return hosttest.New(hosttest.Options{
		Files: map[string]string{
			"Seen.md":          "---\nstatus: open\ntags: [shared]\n---\nneedle #shared and [[Other]]\n\n- [ ] task\n",
			"Work/Other.md":    "needle [[Seen]]\n",
			"Work/T.md":        "# {{title}}\n",
			"Private/Plain.md": inside,
			"Private/" + canary + " dir/" + canary + ".md": inside + "⟦chosen " + canary + "⟧\n",
			"Private/" + canary + ".canvas":                `{"nodes":[{"id":"a","type":"text","text":"needle ` + canary + `","x":0,"y":0,"width":1,"height":1},{"id":"b","type":"file","file":"Seen.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}`,
			"Private/" + canary + ".png":                   "\x89PNG\x00" + canary,
			"Private/Seen.md":                              inside,
			".obsidian/core-plugins.json":                  `{"daily-notes":true,"templates":true}`,
			".obsidian/daily-notes.json":                   `{"folder":"Private/` + canary + ` dir","template":"Private/` + canary + ` dir/T"}`,
			".obsidian/templates.json":                     `{"folder":"Private/` + canary + ` dir"}`,
			".obsidian/workspace.json":                     `{"lastOpenFiles":["Private/` + canary + `.md"]}`,
		},
		Active: "Private/" + canary + " dir/" + canary + ".md",
		Commands: []hosttest.Command{
			{ID: "app:reload", Name: "Reload"},
			{ID: "app:refuse", Name: "Refuses", Run: func(*hosttest.Memory) (bool, error) { return false, nil }},
			{ID: "files:Private/" + canary + ".md", Name: "Open Private/" + canary + ".md"},
		},
	})
}

// deniedWays are the settings that keep the notes in Private out of sight.
var deniedWays = map[string]func(*protocol.Settings){
	"a refused name":    func(s *protocol.Settings) { s.DenyPatterns = []string{"Private"} },
	"a refused pattern": func(s *protocol.Settings) { s.DenyPatterns = []string{"private/**"} },
	"allowed folders":   func(s *protocol.Settings) { s.AllowedRoots = []string{"Work", "Seen.md"} },
}

// peeks are calls of each tool that look for what may not be seen: with the open
// note, the whole vault, the folder, and a note named. It is held against the
// registry, so that a new tool joins or fails.
var peeks = map[string][]string{
	"agent.run":                 {`{"prompt":"go","tools":["editor.getActiveFilePath","editor.getSelection","workspace.getContext","vault.readFile","vault.listFiles"]}`},
	"agent.readOutput":          {`{"file":"Private/Plain.md"}`, `{"file":"../Private/Plain.md"}`},
	"code.run":                  {`{"script":"def main(x):\n  return x\n","input":1}`},
	"commands.list":             {`{}`, `{"query":"open"}`},
	"commands.run":              {`{"id":"app:reload"}`, `{"id":"app:refuse"}`, `{"id":"none"}`},
	"dates.add":                 {`{"date":"2026-01-01","days":1}`},
	"dates.dailyNote":           {`{}`, `{"last":true}`, `{"folder":"Work"}`, `{"last":true,"folder":"Private"}`, `{"last":true,"folder":"Work"}`},
	"dates.format":              {`{"format":"YYYY"}`},
	"dates.parse":               {`{"text":"today"}`},
	"editor.getActiveFilePath":  {`{}`},
	"editor.getCursor":          {`{}`},
	"editor.getSelection":       {`{}`},
	"editor.insertAtCursor":     {`{"text":"x"}`},
	"editor.replaceSelection":   {`{"text":"x"}`},
	"http.request":              {`{"url":"https://a.example/"}`},
	"http.send":                 {`{"url":"https://a.example/","method":"POST"}`},
	"links.find":                {`{}`, `{"folder":""}`, `{"folder":"Private"}`, `{"path":"Private/Plain.md"}`, `{"paths":["Private/Plain"]}`, `{"folder":"","to":"Seen.md"}`, `{"folder":"","to":"Private/Plain.md"}`, `{"folder":"","kind":"broken"}`},
	"links.make":                {`{"to":"Private/Plain.md"}`, `{"to":"Plain"}`, `{"to":"Seen.md"}`, `{"to":"Seen.md","from":"Private/Plain.md"}`},
	"links.rewrite":             {`{"mode":"case","folder":""}`, `{"mode":"plain","path":"Private/Plain.md"}`, `{"mode":"retarget","folder":"","target":"Other","to":"Private/Plain.md"}`, `{"mode":"plain","folder":"","matching":"."}`},
	"links.unlinkedMentions":    {`{"folder":""}`, `{"folder":"","to":"Private/Plain.md"}`, `{"path":"Seen.md"}`, `{"folder":"","aliases":true,"link":true}`},
	"metadata.fromInline":       {`{"folder":""}`, `{"path":"Private/Plain.md"}`},
	"metadata.get":              {`{"path":"Private/Plain.md"}`, `{"path":"Plain"}`, `{"path":"PRIVATE/plain.md"}`},
	"metadata.remove":           {`{"keys":["status"],"folder":""}`, `{"keys":["status"],"paths":["Private/Plain.md"]}`},
	"metadata.rename":           {`{"from":"status","to":"state","folder":""}`, `{"from":"status","to":"state","path":"Private/Plain.md"}`},
	"metadata.set":              {`{"path":"Private/Plain.md","property":"a","value":1}`},
	"metadata.tidy":             {`{"folder":"","sort":true}`, `{"path":"Private/Plain.md","plain":["status"]}`},
	"metadata.values":           {`{}`, `{"folder":""}`, `{"property":"tags"}`, `{"property":"status","folder":"Private"}`, `{"path":"Private/Plain.md"}`},
	"note.export":               {`{"paths":["Private/Plain.md","Seen.md"],"path":"Work/M.md"}`, `{"folder":"","path":"Work/M.html","properties":true}`, `{"folder":"Private","path":"Work/M.md"}`, `{"linksOf":"Seen.md","path":"Work/M.html"}`, `{"linksOf":"Private/Plain.md","path":"Work/M.md"}`, `{"paths":["Seen.md"],"path":"Private/M.html"}`},
	"note.merge":                {`{"paths":["Private/Plain.md","Seen.md"],"path":"Work/M.md"}`, `{"embedsOf":"Private/Plain.md","path":"Work/M.md"}`, `{"paths":["Seen.md"],"path":"Work/M.md","deleteSources":true}`},
	"note.splitAtHeadings":      {`{"path":"Private/Plain.md"}`, `{"path":"Seen.md","folder":"Private"}`},
	"note.movePart":             {`{"path":"Private/Plain.md","line":1,"place":"start"}`, `{"path":"Seen.md","line":1,"to":"Private/Plain.md"}`, `{"path":"Seen.md","heading":"Seen","to":"Work/M.md","create":true,"leave":"link"}`},
	"note.sort":                 {`{"path":"Private/Plain.md"}`, `{"path":"Seen.md","what":"sections"}`},
	"plugins.search":            {`{"query":"calendar"}`},
	"tags.add":                  {`{"tags":["x"],"folder":""}`, `{"tags":["x"],"path":"Private/Plain.md"}`},
	"tags.remove":               {`{"tags":["shared"],"folder":""}`, `{"duplicates":true,"folder":"Private"}`},
	"tags.rename":               {`{"from":"shared","to":"common"}`, `{"from":"shared","to":"common","folder":""}`, `{"from":"shared","to":"common","path":"Private/Plain.md"}`},
	"tasks.list":                {`{}`, `{"folder":""}`, `{"folder":"Private"}`, `{"path":"Private/Plain.md"}`},
	"tasks.move":                {`{"path":"Private/Plain.md","to":"Seen.md"}`, `{"path":"Seen.md","to":"Private/Plain.md"}`},
	"tasks.setStatus":           {`{"to":"done","folder":""}`, `{"to":"done","path":"Private/Plain.md"}`},
	"template.apply":            {`{"template":"Private/Plain.md","path":"Work/N.md"}`, `{"template":"Work/T.md","folder":"Private","title":"Plain"}`, `{"template":"Plain","path":"Work/N.md"}`},
	"list.arrange":              {`{"items":["a"]}`},
	"tools.describe":            {`{"names":["vault"]}`, `{"names":["Private/Plain.md"]}`},
	"util.joinLines":            {`{"items":["a"]}`},
	"util.parseMarkdownBullets": {`{"text":"- a"}`},
	"util.random":               {`{"items":["a"]}`, `{}`},
	"util.slugifyTitle":         {`{"title":"Plain","path":"Private/Plain.md"}`, `{"title":"x"}`},
	"vault.appendFile":          {`{"path":"Private/Plain.md","content":"x"}`},
	"vault.copyFile":            {`{"path":"Private/Plain.md","newPath":"Work/C.md"}`, `{"path":"Seen.md","newPath":"Private/Plain.md"}`},
	"vault.createFile":          {`{"path":"Private/Plain.md","content":"x"}`, `{"folder":"Private","title":"Plain","content":"x","onCollision":"unique"}`},
	"vault.delete":              {`{"path":"Private/Plain.md"}`, `{"path":"Private"}`},
	"vault.ensureFolder":        {`{"path":"Private/New"}`},
	"vault.listFiles":           {`{}`, `{"folder":""}`, `{"folder":"Private"}`, `{"folder":"Private/"}`, `{"folder":"private","recursive":false}`},
	"vault.patchFile":           {`{"path":"Private/Plain.md","find":"needle","replace":"x"}`},
	"vault.query":               {`{}`, `{"text":"needle"}`, `{"tags":["shared"]}`, `{"folder":"Private"}`, `{"linksTo":"Seen.md"}`, `{"linkedFrom":"Private/Plain.md"}`, `{"kind":"any"}`, `{"kind":"attachment"}`, `{"tasks":"open","fields":["status"]}`, `{"brokenLinks":true}`},
	"vault.readFile":            {`{"path":"Private/Plain.md"}`, `{"path":"Private/Plain"}`, `{"path":"Plain"}`, `{"path":"PRIVATE/Plain.md"}`, `{"path":"Private./Plain.md"}`, `{"path":".obsidian/workspace.json"}`},
	"vault.rename":              {`{"path":"Private/Plain.md","newPath":"Work/"}`, `{"path":"Seen.md","newPath":"Private/"}`, `{"path":"Private","newPath":"Open"}`},
	"vault.replaceText":         {`{"find":"needle","replace":"x","folder":""}`, `{"find":"needle","replace":"x","path":"Private/Plain.md"}`},
	"vault.related":             {`{"text":"needle"}`, `{"path":"Seen.md"}`, `{"path":"Private/Plain.md"}`, `{"text":"needle","folder":"Private"}`},
	"vault.searchText":          {`{"query":"needle"}`, `{"query":"needle","folder":"Private"}`, `{"query":"n.*","regex":true}`},
	"vault.writeFile":           {`{"path":"Private/Plain.md","content":"x"}`},
	"workspace.focusPane":       {`{"pane":"editor"}`},
	"workspace.getContext":      {`{}`},
	"workspace.openFile":        {`{"path":"Private/Plain.md"}`, `{"path":"Plain"}`},
}

func TestEveryToolIsTriedOnANoteThatMayNotBeSeen(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{}), free)
	for _, name := range ui.s.registry.Names() {
		if len(peeks[name]) == 0 {
			t.Errorf("%s is in no trial of what may be seen: give it calls in peeks", name)
		}
	}
	for name := range peeks {
		if _, err := ui.s.registry.Get(name, ""); err != nil {
			t.Errorf("%s is tried and not there", name)
		}
	}
}

// deniedSettings let everything happen but what the way forbids.
func deniedSettings(way func(*protocol.Settings)) protocol.Settings {
	set := free
	way(&set)
	return set
}

// leaks says where the word came out: of what was told to the panel, kept in the
// plugin's store, and sent to the model.
func (r *trial) leaks() []string {
	var out []string
	look := func(where string, v any) {
		b, err := json.Marshal(v)
		if err != nil {
			r.t.Fatal(err)
		}
		if isCanary(string(b)) {
			at := strings.Index(strings.ToLower(string(b)), strings.ToLower(canary))
			out = append(out, fmt.Sprintf("%s: …%s…", where, b[max(0, at-120):min(len(b), at+80)]))
		}
	}
	for i, q := range r.model.Requests() {
		look(fmt.Sprintf("request %d", i), q)
	}
	for _, e := range r.all {
		look("event "+string(e.Type), e)
	}
	for path, data := range r.mem.StoreFiles() {
		if strings.HasPrefix(path, "index/") {
			continue // signatures: numbers of words, and the list of files
		}
		look("store "+path, string(data))
	}
	return out
}

func (r *trial) noLeak(what string) {
	r.t.Helper()
	for _, l := range r.leaks() {
		r.t.Errorf("%s: the note that may not be seen came out in %s", what, l)
	}
}

// trial is a rig over the vault with the refused note. It keeps every event, and
// says yes to every question, with values to those that ask for some.
type trial struct {
	*rig
	all    []protocol.Event
	values map[string]string
}

func deniedRig(t *testing.T, way func(*protocol.Settings), turns ...llmtest.Turn) *trial {
	t.Helper()
	r := &trial{}
	var emit func(protocol.Event)
	var lock sync.Mutex
	r.rig = newRig(t, deniedVault(), deniedSettings(way), func(d *Deps) {
		emit = d.Emit
		d.Emit = func(e protocol.Event) {
			lock.Lock()
			r.all = append(r.all, e)
			lock.Unlock()
			if e.Type == protocol.EventQuestionOpened {
				b, err := json.Marshal(protocol.Answer{ID: e.Question.ID, Yes: true, Values: r.values})
				if err != nil {
					t.Error(err)
				}
				go func() { _, _ = r.s.Handle(t.Context(), "answer", b) }()
			}
			emit(e)
		}
	}, turns...)
	r.s.guard.SetPlatform(protocol.Platform{ConfigDir: ".obsidian"}) // as a handshake says it
	if err := r.s.configure(deniedSettings(way)); err != nil {
		t.Fatal(err)
	}
	return r
}

// peeking gives the tools of peeks that are tried with a way: all of them, or
// where a program is slow each with one way in turn.
func peeking(way string) []string {
	at := slices.Index(slices.Sorted(maps.Keys(deniedWays)), way)
	var out []string
	for i, tl := range slices.Sorted(maps.Keys(peeks)) {
		if !slow || i%len(deniedWays) == at {
			out = append(out, tl)
		}
	}
	return out
}

func TestWhatMayNotBeSeenComesOutOfNoToolThatAnAgentUses(t *testing.T) {
	for name, way := range deniedWays {
		t.Run(name, func(t *testing.T) {
			for _, tl := range peeking(name) {
				if tl == "agent.run" {
					continue // a tool of plans
				}
				var calls []llm.Block
				for i, args := range peeks[tl] {
					calls = append(calls, llm.Call(fmt.Sprint(i), tl, []byte(args)))
				}
				r := deniedRig(t, way, llmtest.Reply(calls...), llmtest.Say("Done."))
				end := r.send(protocol.Send{Text: "look at Private and Work/ now", Mode: protocol.ModeAgent, UseSelection: true, Conversation: "talk"})
				if len(r.model.Requests()) != 2 {
					t.Fatalf("%s: the model was asked %d times: %+v", tl, len(r.model.Requests()), end.Problem)
				}
				r.noLeak(tl)
			}
		})
	}
}

func TestWhatMayNotBeSeenComesOutOfNoStepOfAPlan(t *testing.T) {
	for name, way := range deniedWays {
		t.Run(name, func(t *testing.T) {
			for _, tl := range peeking(name) {
				for _, args := range peeks[tl] {
					r := deniedRig(t, way,
						llmtest.Reply(llm.Call("a", "editor.getActiveFilePath", []byte(`{}`)), llm.Call("b", "editor.getSelection", []byte(`{}`)),
							llm.Call("c", "workspace.getContext", []byte(`{}`)), llm.Call("d", "vault.readFile", []byte(`{"path":"Private/Plain.md"}`)),
							llm.Call("e", "vault.listFiles", []byte(`{}`))),
						llmtest.Say("Done."))
					// Through what a plan is checked with, and without it, as where the path
					// is known only when it runs.
					doc := []byte(fmt.Sprintf(`{"goal":"peek","assumptions":[],"steps":[{"id":"peek","tool":%q,"args":%s}]}`, tl, args))
					r.runsDenied(doc)
					r.noLeak(tl + " " + args)
				}
			}
		})
	}
}

// runsDenied simulates and runs a plan whose arguments no check has looked at.
func (r *trial) runsDenied(doc []byte) {
	r.t.Helper()
	if p, err := r.s.tx.OpenPlan(r.t.Context(), doc, nil, false); err == nil {
		_, _ = json.Marshal(p)
	}
	p, problems := plan.Decode(doc, plan.Limits{})
	if p == nil {
		r.t.Fatal(problems)
	}
	rules := r.s.guard.Rules()
	rules.Sandbox = tool.Sandbox{} // what the check cannot know
	g, problems := plan.Check(p, r.s.registry, rules)
	if g == nil || plan.Failed(problems) {
		return // refused before anything looks
	}
	d := r.s.tx.NewDraft(p, g, doc)
	if err := r.s.tx.OpenReview(r.t.Context(), d); err != nil {
		return
	}
	se, err := r.s.tx.Open(d.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	if !se.View.Approvable {
		return
	}
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: se.ID, Approval: se.View.Approval})
	r.finished()
}

func TestAnOpenNoteThatMayNotBeSeenIsNotToldToTheModel(t *testing.T) {
	for name, way := range deniedWays {
		for _, mode := range []protocol.Mode{protocol.ModePlan, protocol.ModeAgent} {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				r := deniedRig(t, way, llmtest.Say("Fine."))
				r.send(protocol.Send{Text: "what is in Private and in Work/?", Mode: mode, UseSelection: true, Conversation: "talk", Attached: []protocol.Attachment{
					{Kind: "note", Path: "Private/Plain.md"},
					{Kind: "heading", Path: "Private/Plain.md", Name: "Heading"},
					{Kind: "folder", Path: "Private"},
					{Kind: "tag", Name: "shared"},
					{Kind: "folder", Path: "/"},
				}})
				if len(r.model.Requests()) != 1 {
					t.Fatalf("the model was asked %d times", len(r.model.Requests()))
				}
				r.noLeak("a message")
			})
		}
	}
}

func TestASavedActionTakesNothingFromANoteThatMayNotBeSeen(t *testing.T) {
	for name, way := range deniedWays {
		t.Run(name, func(t *testing.T) {
			for _, action := range []string{
				`"prompt":"Sum up ${selection} of ${activeNote}"`,
				`"plan":{"version":"1","goal":"keep ${selection}","assumptions":[],"steps":[{"id":"a","tool":"vault.createFile","args":{"path":"Work/K.md","content":"${selection} ${activeNote}"}}]}`,
			} {
				r := deniedRig(t, way, llmtest.Say("Fine."))
				got := call[protocol.Imported](r.panel, "actions.import", protocol.Import{
					Confirm: true,
					JSON:    `{"format":"embedded-agent/actions","version":2,"actions":[{"id":"1","name":"N",` + action + `}]}`,
				})
				r.values = map[string]string{"selection": "given", "activeNote": "Seen.md"}
				a := call[protocol.Accepted](r.panel, "actions.run", protocol.ActionRun{ID: got.Actions[0].ID})
				r.turnEnded(a.Turn)
				r.noLeak(action)
			}
		})
	}
}

// A folder that may be seen holds a note that may not be touched: moving or
// removing the folder would take the note along.
func TestAFolderIsNotMovedOrRemovedWithANoteInItThatMayNotBeTouched(t *testing.T) {
	for _, step := range []string{
		`{"id":"a","tool":"vault.rename","args":{"path":"Box","newPath":"Moved"}}`,
		`{"id":"a","tool":"vault.delete","args":{"path":"Box"}}`,
	} {
		mem := hosttest.New(hosttest.Options{Files: map[string]string{"Box/a.md": "a", "Box/salary.md": "kept", "Box/Deep/salary.md": "kept"}})
		set := free
		set.DenyPatterns = []string{"salary"}
		ui := begin(t, mem, set)
		r, err := ui.s.tx.OpenPlan(t.Context(), []byte(`{"goal":"move","assumptions":[],"steps":[`+step+`]}`), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		se, err := ui.s.tx.Open(r.Run)
		if err != nil {
			t.Fatal(err)
		}
		if f := se.Report.Steps[0].Results[0].Fault; f == nil || f.Code != "POLICY_DENIED" || strings.Contains(f.Error(), "salary") {
			t.Errorf("%s: want something, Code \"POLICY_DENIED\" and Error without \"salary\", got %v", step, f)
		}
		for _, w := range se.Vault.Log() {
			if w.Refused == nil && (w.Op.Kind == host.OpRename || w.Op.Kind == host.OpTrash) {
				t.Errorf("%s: %s of %s is staged", step, w.Op.Kind, w.Op.Path)
			}
		}
	}
}
