package server

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/transaction"
)

// panel plays the panel: it asks the core, and hears its events.
type panel struct {
	t   testing.TB
	s   *Server
	mem *hosttest.Memory

	mu     sync.Mutex
	cond   sync.Cond
	events []protocol.Event
	all    []protocol.Event
	// says answers every question, where it is set. Where it is not, the person
	// lets model steps cost what they cost.
	says *bool
}

// heard gives every event so far.
func (ui *panel) heard() []protocol.Event {
	ui.mu.Lock()
	defer ui.mu.Unlock()
	return append([]protocol.Event(nil), ui.all...)
}

func newPanel(t *testing.T, mem *hosttest.Memory, set protocol.Settings, turns ...llmtest.Turn) *panel {
	t.Helper()
	ui := &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: mem.Host(), Provider: llmtest.NewProvider(turns...), Emit: ui.hear})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	set.Streaming = true
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux"}})
	return ui
}

func (ui *panel) hear(e protocol.Event) {
	ui.mu.Lock()
	defer ui.mu.Unlock()
	ui.events, ui.all = append(ui.events, e), append(ui.all, e)
	ui.cond.Broadcast()
	if e.Type == protocol.EventQuestionOpened && (ui.says != nil || e.Question.Text.Key == "question.model") {
		answer := protocol.Answer{ID: e.Question.ID, Yes: ui.says == nil || *ui.says}
		go func() { _, _ = ui.s.questions.Answer(ui.t.Context(), answer) }()
	}
}

// answers has every question answered the same from now on.
func (ui *panel) answers(yes bool) {
	ui.mu.Lock()
	defer ui.mu.Unlock()
	ui.says = &yes
}

// questions gives the questions so far.
func (ui *panel) questions() []protocol.Question {
	var out []protocol.Question
	for _, e := range ui.heard() {
		if e.Type == protocol.EventQuestionOpened {
			out = append(out, *e.Question)
		}
	}
	return out
}

// await waits for an event that fits, from the first one on.
func (ui *panel) await(what string, fits func(protocol.Event) bool) protocol.Event {
	ui.t.Helper()
	stop := context.AfterFunc(ui.t.Context(), ui.cond.Broadcast)
	defer stop()
	ui.mu.Lock()
	defer ui.mu.Unlock()
	for i := 0; ; i++ {
		for i == len(ui.events) {
			if ui.t.Context().Err() != nil {
				ui.t.Fatalf("no %s", what)
			}
			ui.cond.Wait()
		}
		if fits(ui.events[i]) {
			e := ui.events[i]
			ui.events = ui.events[i+1:]
			return e
		}
	}
}

func call[R any](ui *panel, method string, params any) R {
	ui.t.Helper()
	r, err := try[R](ui, method, params)
	if err != nil {
		ui.t.Fatalf("%s: %v", method, err)
	}
	return r
}

func try[R any](ui *panel, method string, params any) (R, error) {
	ui.t.Helper()
	var r R
	b, err := json.Marshal(params)
	if err != nil {
		ui.t.Fatal(err)
	}
	out, err := ui.s.Handle(ui.t.Context(), method, b)
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	return r, err
}

func (ui *panel) review() *protocol.Review {
	ui.t.Helper()
	e := ui.await("review", func(e protocol.Event) bool {
		if e.Type == protocol.EventTurnEnded && e.Turn.Problem != nil {
			ui.t.Fatalf("the turn failed: %+v", e.Turn.Problem)
		}
		if e.Type == protocol.EventTurnEnded && e.Turn.Findings != nil && e.Turn.Findings.Done {
			ui.t.Fatal("the turn gave an answer, and no review")
		}
		return e.Type == protocol.EventReviewOpened
	})
	return e.Review
}

func (ui *panel) finished() *protocol.RunState {
	ui.t.Helper()
	e := ui.await("end of the run", func(e protocol.Event) bool {
		return e.Type == protocol.EventRunState && e.Run.State == "finished"
	})
	return e.Run
}

const bulletsPlan = `{"goal":"One note per bullet","assumptions":[],"riskLevel":"writes","steps":[
{"id":"sel","tool":"editor.getSelection","args":{}},
{"id":"list","tool":"util.parseMarkdownBullets","args":{"text":"$steps.sel.text"}},
{"id":"make","tool":"vault.createFile","args":{"folder":"Projects/XYZ","title":"{bullet.title}","content":"{bullet.text}\n"},"foreach":{"from":"$steps.list.items","itemName":"bullet"}},
{"id":"links","tool":"util.joinLines","args":{"items":"$steps.make.items","field":"link","prefix":"- "}},
{"id":"put","tool":"editor.replaceSelection","args":{"text":"$steps.links.text"}}]}`

var ideas = map[string]string{
	"Inbox/Ideas.md":   "# Ideas\n\n⟦- Rain barrel\n- Compost\n- Compost\n- ../../etc/passwd\n- CON\n- a/b:c?\n- 🌱 Seeds\n- " + strings.Repeat("long ", 60) + "⟧\n\nThe end.\n",
	"Projects/Plan.md": "See [[Ideas]].\n",
}

func ideasVault() *hosttest.Memory {
	return hosttest.New(hosttest.Options{Files: ideas, Active: "Inbox/Ideas.md"})
}

func TestABulletListBecomesNotesAndOneClickTakesThemBack(t *testing.T) {
	mem := ideasVault()
	before := mem.Snapshot()
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai"}, llmtest.Call("c1", "submit_plan", bulletsPlan))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "make notes", Mode: protocol.ModePlan, UseSelection: true})
	r := ui.review()
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("the simulation wrote:\n%s", d)
	}
	if !r.Approvable || r.Risk != "writes" {
		t.Fatalf("want a review that can be approved and Risk \"writes\", got %+v", r)
	}
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	end := ui.finished()
	if end.Outcome != "ok" || !end.Can.Revert || !end.Can.Save {
		t.Fatalf("want Outcome \"ok\", Can.Revert true and Can.Save true, got %+v %+v", end, end.Problem)
	}
	for _, f := range r.Files {
		v := call[protocol.FileView](ui, "review.file", protocol.FileRef{Run: r.Run, Path: f.Path})
		if f.Status == "mkdir" {
			continue
		}
		if got, _ := mem.File(f.Path); string(got) != v.After {
			t.Fatalf("%s: shown %q, written %q", f.Path, v.After, got)
		}
	}
	back := call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: r.Run})
	if d := before.Diff(mem.Snapshot()); d != "" || len(back.Conflicts) != 0 || back.Problem != nil {
		t.Fatalf("after revert:\n%s\n%+v", d, back)
	}
	// A revert can be reverted.
	call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: back.Run})
	if got, _ := mem.File("Projects/XYZ/Rain barrel.md"); string(got) == "" {
		t.Fatal("the revert was not reverted")
	}
}

// reviewed gives the review that is open.
func (ui *panel) reviewed() *transaction.Review {
	ui.t.Helper()
	st := call[protocol.State](ui, "state", protocol.Empty{})
	if st.Review == nil {
		ui.t.Fatal("no review is open")
	}
	se, err := ui.s.tx.Open(st.Review.Run)
	if err != nil {
		ui.t.Fatal(err)
	}
	return se
}
