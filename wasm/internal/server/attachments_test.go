package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

func TestAnOutputThatWasTooLongIsReadOnByTheModelAndOpenedByThePerson(t *testing.T) {
	long := strings.Repeat("0123456789abcdeü", 8000) + "THE END"
	read, next, file := "", 0, ""
	more := func(r llm.Request) llmtest.Turn {
		last := r.Messages[len(r.Messages)-1].Text()
		var part struct {
			Text string `json:"text"`
			Next int    `json:"next"`
		}
		if file == "" {
			_, after, ok := strings.Cut(last, "file=")
			if !ok {
				t.Errorf("no attachment is named in %.300q", last)
				return llmtest.Say("no")
			}
			file, _, _ = strings.Cut(after, `"`)
		} else {
			if err := json.Unmarshal([]byte(last), &part); err != nil {
				t.Errorf("%v: want no error, got %.200q", err, last)
				return llmtest.Say("no")
			}
			if part.Text == "" {
				t.Errorf("want Text set, got %.300q", last)
			}
			read += part.Text
			if next = part.Next; next == 0 {
				return llmtest.Say("Read.")
			}
		}
		args, _ := json.Marshal(map[string]any{"file": "obsidian://embedded-agent?run=x&file=" + file, "offset": next})
		return llmtest.Call("n", "agent.readOutput", string(args))
	}
	turns := []llmtest.Turn{llmtest.Call("1", "vault.readFile", `{"path":"A.md"}`)}
	for range 12 {
		turns = append(turns, llmtest.Turn{Answer: more})
	}
	ui := newPanel(t, hosttest.New(hosttest.Options{Files: map[string]string{"A.md": long}}), protocol.Settings{Provider: "openai"}, turns...)
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "read it", Mode: protocol.ModeAgent, Conversation: "c"})
	var row *protocol.CallView
	ui.await("end", func(e protocol.Event) bool {
		if e.Type == protocol.EventExec && e.Exec.Call.Tool == "vault.readFile" && e.Exec.Call.Attached != nil {
			row = e.Exec.Call
		}
		return e.Type == protocol.EventTurnEnded
	})
	if !strings.Contains(read, "THE END") || !strings.Contains(read, long[:1000]) {
		t.Errorf("the model read %d bytes", len(read))
	}
	if row == nil || row.Attached[0].File != file || row.Run == "" {
		t.Fatalf("want row set, Attached[0].File equal to file and Run set, got %+v", row)
	}
	got := call[protocol.AttachmentText](ui, "attachment.get", protocol.AttachmentRef{Run: row.Run, File: file})
	if got.Text != read || int64(len(got.Text)) != row.Attached[0].Bytes {
		t.Errorf("%d bytes are shown, the model read %d, the row says %d", len(got.Text), len(read), row.Attached[0].Bytes)
	}
}

func TestOnlyAnAttachmentIsGivenAsOne(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{Files: twoNotes}), free)
	r := ui.open(editPlan)
	ui.approve(r)
	for _, p := range []protocol.AttachmentRef{
		{Run: r.Run, File: "../run.json"},
		{Run: r.Run, File: ".."},
		{Run: r.Run, File: ""},
		{Run: r.Run, File: "gone.json"},
		{Run: "../" + r.Run, File: "run.json"},
		{Run: r.Run + "/x", File: "run.json"},
		{Run: r.Run, File: "a/b"},
		{Run: r.Run, File: "a\\b"},
	} {
		if _, err := try[protocol.AttachmentText](ui, "attachment.get", p); !fault.Is(err, fault.NotFound) {
			t.Errorf("%+v: want the error fault.NotFound, got %v", p, err)
		}
	}
	if _, err := ui.s.history.KeptOf(r.Run)(context.Background(), "../../settings.json"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

func TestTheCallsOfAModelStepAreToldWhileItWorksAndBecomeSteps(t *testing.T) {
	ui := newPanel(t, hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\n"}}), protocol.Settings{Provider: "openai"},
		llmtest.Call("p", "submit_plan", planOf("ask", `{"id":"ask","tool":"agent.run","args":{"prompt":"Sum up A.md.","tools":["vault.readFile"]}}`)),
		llmtest.Call("1", "vault.readFile", `{"path":"A.md"}`), llmtest.Say("It says a."))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "sum up", Mode: protocol.ModePlan})
	r := ui.answer()
	var id string
	var kinds []string
	for _, e := range ui.heard() {
		if e.Type == protocol.EventExec && e.Exec.Tool == "vault.readFile" {
			kinds, id = append(kinds, e.Exec.Type), e.Exec.CallID
			if e.Exec.RunID != r.Run {
				t.Errorf("told of run %s", e.Exec.RunID)
			}
		}
	}
	if len(kinds) == 0 || kinds[len(kinds)-1] != "step.finished" {
		t.Fatalf("want some kinds and kinds[len(kinds)-1] \"step.finished\", got %v", kinds)
	}
	d := call[protocol.ActionDetail](ui, "action.step", protocol.ActionStep{Run: r.Run, CallID: id, Name: "Read"})
	if len(d.Steps) != 1 || d.Steps[0].Tool != "vault.readFile" {
		t.Errorf("want 1 Steps and Steps[0].Tool \"vault.readFile\", got %+v", d.Steps)
	}
}
