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

// shell plays the panel: it asks the core, and hears its events.
type shell struct {
	t   testing.TB
	s   *Server
	mem *hosttest.Memory

	mu     sync.Mutex
	cond   sync.Cond
	events []protocol.Event
	all    []protocol.Event
}

// heard gives every event so far.
func (sh *shell) heard() []protocol.Event {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return append([]protocol.Event(nil), sh.all...)
}

func newShell(t *testing.T, mem *hosttest.Memory, set protocol.Settings, turns ...llmtest.Turn) *shell {
	t.Helper()
	sh := &shell{t: t, mem: mem}
	sh.cond.L = &sh.mu
	s, err := New(Deps{Host: mem.Host(), Provider: llmtest.NewProvider(turns...), Emit: sh.hear})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	sh.s = s
	set.Streaming = true
	call[protocol.Welcome](sh, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux"}})
	return sh
}

func (sh *shell) hear(e protocol.Event) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.events, sh.all = append(sh.events, e), append(sh.all, e)
	sh.cond.Broadcast()
}

// await waits for an event that fits, from the first one on.
func (sh *shell) await(what string, fits func(protocol.Event) bool) protocol.Event {
	sh.t.Helper()
	stop := context.AfterFunc(sh.t.Context(), sh.cond.Broadcast)
	defer stop()
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for i := 0; ; i++ {
		for i == len(sh.events) {
			if sh.t.Context().Err() != nil {
				sh.t.Fatalf("no %s", what)
			}
			sh.cond.Wait()
		}
		if fits(sh.events[i]) {
			e := sh.events[i]
			sh.events = sh.events[i+1:]
			return e
		}
	}
}

func call[R any](sh *shell, method string, params any) R {
	sh.t.Helper()
	r, err := try[R](sh, method, params)
	if err != nil {
		sh.t.Fatalf("%s: %v", method, err)
	}
	return r
}

func try[R any](sh *shell, method string, params any) (R, error) {
	sh.t.Helper()
	var r R
	b, err := json.Marshal(params)
	if err != nil {
		sh.t.Fatal(err)
	}
	out, err := sh.s.Handle(sh.t.Context(), method, b)
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	return r, err
}

func (sh *shell) review() *protocol.Review {
	sh.t.Helper()
	e := sh.await("review", func(e protocol.Event) bool {
		if e.Type == protocol.EventTurnEnded && e.Turn.Problem != nil {
			sh.t.Fatalf("the turn failed: %+v", e.Turn.Problem)
		}
		if e.Type == protocol.EventTurnEnded && e.Turn.Findings != nil && e.Turn.Findings.Done {
			sh.t.Fatal("the turn gave an answer, and no review")
		}
		return e.Type == protocol.EventReviewOpened
	})
	return e.Review
}

func (sh *shell) finished() *protocol.RunState {
	sh.t.Helper()
	e := sh.await("end of the run", func(e protocol.Event) bool {
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
	sh := newShell(t, mem, protocol.Settings{Provider: "openai"}, llmtest.Call("c1", "submit_plan", bulletsPlan))
	call[protocol.Accepted](sh, "send", protocol.Send{Text: "make notes", Mode: protocol.ModePlan, UseSelection: true})
	r := sh.review()
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("the simulation wrote:\n%s", d)
	}
	if !r.Approvable || r.Risk != "writes" {
		t.Fatalf("%+v", r)
	}
	call[protocol.RunRef](sh, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	end := sh.finished()
	if end.Outcome != "ok" || !end.Can.Revert || !end.Can.Save {
		t.Fatalf("%+v %+v", end, end.Problem)
	}
	for _, f := range r.Files {
		v := call[protocol.FileView](sh, "review.file", protocol.FileRef{Run: r.Run, Path: f.Path})
		if f.Status == "mkdir" {
			continue
		}
		if got, _ := mem.File(f.Path); string(got) != v.After {
			t.Fatalf("%s: shown %q, written %q", f.Path, v.After, got)
		}
	}
	back := call[protocol.Reverted](sh, "run.revert", protocol.Revert{Run: r.Run})
	if d := before.Diff(mem.Snapshot()); d != "" || len(back.Conflicts) != 0 || back.Problem != nil {
		t.Fatalf("after revert:\n%s\n%+v", d, back)
	}
	// A revert can be reverted.
	call[protocol.Reverted](sh, "run.revert", protocol.Revert{Run: back.Run})
	if got, _ := mem.File("Projects/XYZ/Rain barrel.md"); string(got) == "" {
		t.Fatal("the revert was not reverted")
	}
}

// reviewed gives the review that is open.
func (sh *shell) reviewed() *transaction.Review {
	sh.t.Helper()
	st := call[protocol.State](sh, "state", protocol.Empty{})
	if st.Review == nil {
		sh.t.Fatal("no review is open")
	}
	se, err := sh.s.tx.Open(st.Review.Run)
	if err != nil {
		sh.t.Fatal(err)
	}
	return se
}
