package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/chat"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

func create(id, path string) llmtest.Turn {
	return llmtest.Call(id, "vault.createFile", `{"path":"`+path+`","content":"text of `+path+`"}`)
}

// saidTo gives what the last request says, role by role.
func (r *rig) saidTo() string {
	reqs := r.model.Requests()
	var b strings.Builder
	for _, m := range reqs[len(reqs)-1].Messages[1:] {
		text := m.Text()
		if m.Role == llm.RoleUser {
			text = chat.WordsOf(m)
			for _, block := range m.Content {
				if strings.HasPrefix(block.Text, "(") {
					text = block.Text + text
				}
			}
		}
		fmt.Fprintf(&b, "%s: %s\n", m.Role, text)
		for _, c := range m.Calls() {
			fmt.Fprintf(&b, "  calls %s\n", c.Name)
		}
	}
	return b.String()
}

func (r *rig) detail() protocol.ConversationDetail {
	r.t.Helper()
	return call[protocol.ConversationDetail](r.panel, "conversation.get", protocol.ConversationRef{ID: "talk"})
}

func TestAConversationIsKeptAndGoneOnWithAfterAStartInBothModes(t *testing.T) {
	mem := note()
	r := newRig(t, mem, protocol.Settings{}, nil, reads(1), llmtest.Say("It says alpha."), llmtest.Say("Plainly: alpha."))
	a := call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "What does A say?", Mode: protocol.ModeAgent, Conversation: "talk"})
	r.await("the list", func(e protocol.Event) bool { return e.Type == protocol.EventConversationsChanged && len(e.Talks) == 1 })
	end := r.turnEnded(a.Turn)
	if end.Mode != protocol.ModeAgent || end.Outcome != protocol.TurnAnswer || end.TracesURL == "" || end.StartedAt == "" || end.Usage == nil {
		t.Errorf("want Mode protocol.ModeAgent, Outcome protocol.TurnAnswer, TracesURL set, StartedAt set and Usage set, got %+v", end)
	}
	r.send(protocol.Send{Text: "And in plan mode?", Mode: protocol.ModePlan, Conversation: "talk", Attached: []protocol.Attachment{{Kind: "note", Path: "A.md"}}})
	if said := r.saidTo(); !strings.Contains(said, "What does A say?") || !strings.Contains(said, "It says alpha.") {
		t.Errorf("plan mode was told\n%s", said)
	}

	later := newRig(t, mem.CrashClone(), protocol.Settings{}, nil, llmtest.Say("Still alpha."))
	list := call[protocol.Conversations](later.panel, "conversations.list", protocol.ConversationsQuery{})
	if len(list.Conversations) != 1 || list.Conversations[0].Title != "What does A say?" || list.Conversations[0].Turns != 2 {
		t.Fatalf("want 1 Conversations, Conversations[0].Title \"What does A say?\" and Conversations[0].Turns 2, got %+v", list)
	}
	d := later.detail()
	if d.Turns[0].Reply != "It says alpha." || d.Turns[1].Mode != protocol.ModePlan || len(d.Turns[1].Attached) != 1 || d.Turns[1].Usage == nil {
		t.Errorf("want Turns[0].Reply \"It says alpha.\", Turns[1].Mode protocol.ModePlan, 1 Turns[1].Attached and Turns[1].Usage set, got %+v", d.Turns)
	}
	later.say("Now?")
	want := "user: What does A say?\nassistant: \n  calls vault.readFile\ntoolResult: "
	if said := later.saidTo(); !strings.HasPrefix(said, want) || !strings.Contains(said, "assistant: It says alpha.\nuser: And in plan mode?\nassistant: Plainly: alpha.\nuser: Now?") {
		t.Errorf("the agent was told\n%s", said)
	}
}

func TestAnotherConversationHearsNothingOfTheFirst(t *testing.T) {
	for _, mode := range []protocol.Mode{protocol.ModePlan, protocol.ModeAgent} {
		r := newRig(t, note(), protocol.Settings{}, nil, llmtest.Say("One."), llmtest.Say("Two."))
		r.send(protocol.Send{Text: "canary", Mode: mode, Conversation: "first"})
		r.send(protocol.Send{Text: "hello", Mode: mode, Conversation: "second"})
		if said := r.saidTo(); strings.Contains(said, "canary") || strings.Contains(said, "One.") {
			t.Errorf("%s: want said without \"canary\" and said without \"One.\", got %s", mode, said)
		}
	}
}

func TestAStoppedTurnGoesOnWithWhatItStagedAlsoAfterAStart(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart ", restart), func(t *testing.T) {
			mem := note()
			held := make(chan struct{})
			r := newRig(t, mem, protocol.Settings{}, nil, create("1", "B.md"), llmtest.Turn{Blocks: []llm.Block{llm.Text("And then")}, Hold: true, Held: held},
				llmtest.Call("2", "vault.readFile", `{"path":"B.md"}`), create("3", "C.md"), llmtest.Say("Both are staged."))
			a := call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "make both", Mode: protocol.ModeAgent, Conversation: "talk"})
			<-held
			call[protocol.Empty](r.panel, "stop", protocol.Stop{})
			end := r.turnEnded(a.Turn)
			if end.Outcome != protocol.TurnCancelled || !end.CanContinue || end.Run != "" {
				t.Fatalf("want Outcome protocol.TurnCancelled, CanContinue true and no Run, got %+v", end)
			}
			if restart {
				turns := []llmtest.Turn{llmtest.Call("2", "vault.readFile", `{"path":"B.md"}`), create("3", "C.md"), llmtest.Say("Both are staged.")}
				r = newRig(t, mem.CrashClone(), protocol.Settings{}, nil, turns...)
				if d := r.detail(); !d.Turns[0].CanContinue {
					t.Fatalf("want Turns[0].CanContinue true, got %+v", d.Turns)
				}
			}
			end = r.send(protocol.Send{Conversation: "talk", Continue: true})
			if end.Outcome != protocol.TurnPlan {
				t.Fatalf("want Outcome protocol.TurnPlan, got %+v %+v", end, end.Problem)
			}
			if told := r.results(); !strings.Contains(strings.Join(told, "\n"), "text of B.md") {
				t.Errorf("it did not see what it had staged: %q", told)
			}
			p := call[protocol.Review](r.panel, "review.get", protocol.RunRef{Run: end.Run})
			if len(p.Files) != 2 || p.Goal != "make both" {
				t.Fatalf("want 2 Files and Goal \"make both\", got %+v", p)
			}
			call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
			if end := r.finished(); end.Outcome != "ok" {
				t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
			}
			if _, err := try[protocol.Accepted](r.panel, "send", protocol.Send{Conversation: "talk", Continue: true}); err != nil {
				t.Fatal(err)
			}
			e := r.await("a refusal", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
			if e.Turn.Problem == nil || e.Turn.Problem.Key != "error.conversation.nothingToContinue" {
				t.Errorf("want Turn.Problem set and Turn.Problem.Key \"error.conversation.nothingToContinue\", got %+v", e.Turn)
			}
		})
	}
}

func TestWhatIsNotApprovedYetStaysStagedAndWhatIsRefusedIsSaidToBeGone(t *testing.T) {
	mem := note()
	r := newRig(t, mem, protocol.Settings{}, nil, create("1", "B.md"), llmtest.Say("One."), create("2", "C.md"), llmtest.Say("Two."),
		create("3", "D.md"), llmtest.Say("Three."), llmtest.Call("4", "vault.readFile", `{"path":"D.md"}`), llmtest.Say("Four."))
	r.say("make B")
	second := r.say("also C")
	if p := call[protocol.Review](r.panel, "review.get", protocol.RunRef{Run: second.Run}); len(p.Files) != 2 {
		t.Fatalf("want 2 Files, got %+v", p.Files)
	}
	call[protocol.Empty](r.panel, "review.close", protocol.RunRef{Run: second.Run})
	third := r.say("then D")
	if p := call[protocol.Review](r.panel, "review.get", protocol.RunRef{Run: third.Run}); len(p.Files) != 1 || p.Files[0].Path != "D.md" {
		t.Fatalf("want 1 Files and Files[0].Path \"D.md\", got %+v", p.Files)
	}
	if said := r.saidTo(); !strings.Contains(said, "did not approve what you had staged") {
		t.Errorf("told\n%s", said)
	}
	p := call[protocol.Review](r.panel, "review.get", protocol.RunRef{Run: third.Run})
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	r.finished()
	fourth := r.say("what is in D")
	if fourth.Outcome != protocol.TurnAnswer || strings.Count(r.saidTo(), "did not approve") != 1 || !strings.Contains(strings.Join(r.results(), ""), "text of D.md") {
		t.Errorf("want Outcome protocol.TurnAnswer, 1 and a text with \"text of D.md\", got %+v\n%s", fourth, r.saidTo())
	}
}

func TestThePersonSteersAndQueuesWhileAnAgentWorks(t *testing.T) {
	running := make(chan struct{}, 1)
	r := newRig(t, note(), protocol.Settings{}, func(d *Deps) {
		d.Tools = []tool.Tool{sample("test.stuck", "1.0.0", func(x *tool.Tool) {
			x.Run = func(ctx context.Context, _ *tool.Env, _ tool.Args) (tool.Data, error) {
				running <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			}
		})}
	}, llmtest.Reply(llm.Call("1", "vault.readFile", []byte(`{"path":"A.md"}`)), llm.Call("2", "test.stuck", []byte(`{}`))),
		llmtest.Say("Understood."), llmtest.Say("And that."))
	a := call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "work", Mode: protocol.ModeAgent, Conversation: "talk"})
	<-running
	// What is finished by the time of the message is kept.
	r.await("the note that was read", func(e protocol.Event) bool {
		return e.Type == protocol.EventExec && e.Exec.Tool == "vault.readFile" && e.Exec.Type == "step.finished"
	})
	queued := call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "afterwards this", Mode: protocol.ModeAgent, Conversation: "talk", Queue: true})
	r.await("the queue", func(e protocol.Event) bool {
		return e.Type == protocol.EventTurnChanged && len(e.Turn.Queued) == 1 && e.Turn.Queued[0] == "afterwards this"
	})
	steered := call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "rather that", Mode: protocol.ModeAgent, Conversation: "talk"})
	if queued.Turn != a.Turn || steered.Turn != a.Turn {
		t.Errorf("%v %v joined %v", queued, steered, a)
	}
	end := r.turnEnded(a.Turn)
	if len(end.Queued) != 0 || strings.Join(end.Steered, ",") != "rather that,afterwards this" || end.Reply != "And that." {
		t.Errorf("want no Queued, \"rather that,afterwards this\" and Reply \"And that.\", got %+v", end)
	}
	told := r.results()
	if !strings.Contains(told[0], "alpha") || !strings.Contains(told[1], "The person sent a message") {
		t.Errorf("want told[0] with \"alpha\" and told[1] with \"The person sent a message\", got %q", told)
	}
	if said := r.saidTo(); !strings.Contains(said, "user: rather that\nassistant: Understood.\nuser: afterwards this") {
		t.Errorf("want the two messages of the person in their order, got %s", said)
	}
	if d := r.detail(); len(d.Turns) != 1 || len(d.Turns[0].Steered) != 2 {
		t.Errorf("want 1 Turns and 2 Turns[0].Steered, got %+v", d.Turns)
	}
}

func TestWhatWasQueuedWhenATurnWasStoppedIsReadWhenItGoesOn(t *testing.T) {
	held := make(chan struct{})
	r := newRig(t, note(), protocol.Settings{}, nil, llmtest.Turn{Blocks: []llm.Block{llm.Text("Well")}, Hold: true, Held: held}, llmtest.Say("Done."), llmtest.Say("And read."))
	a := call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "work", Mode: protocol.ModeAgent, Conversation: "talk"})
	<-held
	call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "read this too", Mode: protocol.ModeAgent, Conversation: "talk", Queue: true})
	call[protocol.Empty](r.panel, "stop", protocol.Stop{})
	if end := r.turnEnded(a.Turn); len(end.Queued) != 1 {
		t.Fatalf("want 1 Queued, got %+v", end)
	}
	end := r.send(protocol.Send{Conversation: "talk", Continue: true})
	if end.Reply != "And read." || !strings.Contains(r.saidTo(), "user: read this too") || len(end.Queued) != 0 {
		t.Errorf("want Reply \"And read.\", saidTo with \"user: read this too\" and no Queued, got %+v\n%s", end, r.saidTo())
	}
}

func TestALastTurnIsReplaced(t *testing.T) {
	for _, mode := range []protocol.Mode{protocol.ModePlan, protocol.ModeAgent} {
		mem := note()
		r := newRig(t, mem, protocol.Settings{}, nil, llmtest.Say("First."), llmtest.Say("Wrong."), llmtest.Say("Right."))
		say := func(text string, replace bool) {
			r.send(protocol.Send{Text: text, Mode: mode, Conversation: "talk", Replace: replace})
		}
		say("one", false)
		say("two", false)
		say("two, better", true)
		if said := r.saidTo(); strings.Contains(said, "Wrong.") || !strings.Contains(said, "First.") {
			t.Errorf("%s: want said without \"Wrong.\" and said with \"First.\", got %s", mode, said)
		}
		for _, x := range []*rig{r, newRig(t, mem.CrashClone(), protocol.Settings{}, nil)} {
			if d := x.detail(); len(d.Turns) != 2 || d.Turns[1].Text != "two, better" || d.Turns[1].Reply != "Right." {
				t.Errorf("%s: want 2 Turns, Turns[1].Text \"two, better\" and Turns[1].Reply \"Right.\", got %+v", mode, d.Turns)
			}
		}
	}
}

func TestConversationsAreSearchedRenamedRemovedAndExportedThroughAReview(t *testing.T) {
	mem := note()
	r := newRig(t, mem, protocol.Settings{Confirm: "never"}, nil, llmtest.Say("Use {{date}} and {item.x} or $steps.a.b."), llmtest.Say("Leaves."))
	r.say("How do templates work?\nExactly?")
	r.send(protocol.Send{Text: "What is compost?", Mode: protocol.ModeAgent, Conversation: "other"})
	if l := call[protocol.Conversations](r.panel, "conversations.list", protocol.ConversationsQuery{Text: "TEMPLATES"}); len(l.Conversations) != 1 || l.Conversations[0].ID != "talk" {
		t.Errorf("want 1 Conversations and Conversations[0].ID \"talk\", got %+v", l)
	}
	l := call[protocol.Conversations](r.panel, "conversation.rename", protocol.ConversationRename{ID: "talk", Title: "Templates"})
	if len(l.Conversations) != 2 || l.Conversations[0].Title != "Templates" {
		t.Errorf("want 2 Conversations and Conversations[0].Title \"Templates\", got %+v", l)
	}
	ref := call[protocol.RunRef](r.panel, "conversation.export", protocol.ConversationExport{ID: "talk", Path: "Talks/Templates.md"})
	if _, there := mem.File("Talks/Templates.md"); there {
		t.Fatal("it was written without a review")
	}
	p := call[protocol.Review](r.panel, "review.get", ref)
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	r.finished()
	want := "# Templates\n\n> How do templates work?\n> Exactly?\n\nUse {{date}} and {item.x} or $steps.a.b.\n"
	if got, _ := mem.File("Talks/Templates.md"); string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	call[protocol.Conversations](r.panel, "conversation.remove", protocol.ConversationRef{ID: "talk"})
	if _, err := try[protocol.ConversationDetail](r.panel, "conversation.get", protocol.ConversationRef{ID: "talk"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("want the error fault.NotFound, got %v", err)
	}
	if _, err := try[protocol.Accepted](r.panel, "send", protocol.Send{Text: "x", Conversation: "../up"}); !fault.Is(err, fault.Validation) {
		t.Errorf("want the error fault.Validation, got %v", err)
	}
}

func TestAConversationHoldsNothingThatIsRedacted(t *testing.T) {
	const key = "sk-canary-0123456789abcdefABCDEF"
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "the key is " + key}})
	r := newRig(t, mem, protocol.Settings{}, nil, reads(1), llmtest.Call("2", "vault.createFile", `{"path":"B.md","content":"`+key+`"}`), llmtest.Say("I saw "+key), llmtest.Say("Again."))
	first := r.say("what is " + key)
	for p, data := range mem.StoreFiles() {
		if strings.Contains(string(data), key) {
			t.Errorf("%s holds the key", p)
		}
	}
	// At hand it is whole; after a start, what was staged with it is gone, and said to be.
	if p := call[protocol.Review](r.panel, "review.get", protocol.RunRef{Run: first.Run}); len(p.Files) != 1 {
		t.Errorf("want 1 Files, got %+v", p.Files)
	}
	later := newRig(t, mem.CrashClone(), protocol.Settings{}, nil, llmtest.Say("Again."))
	later.say("go on")
	if said := later.saidTo(); !strings.Contains(said, "What you had staged was not kept") || strings.Contains(said, key) {
		t.Errorf("want said with \"What you had staged was not kept\" and said without key, got %s", said)
	}
}

func TestAModelReadsNothingThatIsToBeHiddenAndCannotWriteItsMarkerOverIt(t *testing.T) {
	const key = "sk-canary-0123456789abcdefABCDEF"
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "one\nthe key is " + key + "\nthree\n"}})
	r := newRig(t, mem, protocol.Settings{}, nil, reads(1), llmtest.Turn{Answer: func(q llm.Request) llmtest.Turn {
		last := q.Messages[len(q.Messages)-1].Text()
		at := strings.Index(last, "[redacted:")
		if at < 0 {
			return llmtest.Say("nothing was hidden: " + last)
		}
		marker := last[at : at+len("[redacted:0123456789ab]")]
		return llmtest.Reply(
			llm.Call("1", "vault.writeFile", []byte(`{"path":"A.md","content":"one\nthe key is `+marker+`\n"}`)),
			llm.Call("2", "vault.patchFile", []byte(`{"path":"A.md","find":"three","replace":"3"}`)))
	}}, llmtest.Say("Done."))
	end := r.say("tidy A")
	if end.Outcome != protocol.TurnPlan {
		t.Fatalf("want Outcome protocol.TurnPlan, got %+v", end)
	}
	for _, told := range r.results() {
		if strings.Contains(told, key) {
			t.Errorf("the model read %s", told)
		}
	}
	if told := r.results()[1]; !strings.Contains(told, "VALIDATION_ERROR") {
		t.Errorf("want told with \"VALIDATION_ERROR\", got %s", told)
	}
	p := call[protocol.Review](r.panel, "review.get", protocol.RunRef{Run: end.Run})
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	r.finished()
	if got, _ := mem.File("A.md"); string(got) != "one\nthe key is "+key+"\n3\n" {
		t.Errorf("want equal to \"one\\nthe key is \"+key+\"\\n3\\n\", got %q", got)
	}
}
