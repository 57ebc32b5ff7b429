package server

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/secrets"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/web/webtest"
)

// What the records of a run say is what was so.

func TestTheLogSaysWhenTheChangesWereShownAndWhoSaidYes(t *testing.T) {
	for _, automatic := range []bool{false, true} {
		began, looked := time.Now(), atomic.Int64{}
		ui := newRig(t, hosttest.New(hosttest.Options{Files: twoNotes}), free, func(d *Deps) {
			d.Now = func() time.Time { return began.Add(time.Duration(looked.Load())) }
		})
		r := ui.open(editPlan)
		looked.Store(int64(time.Second)) // a person looks for a second
		call[protocol.RunRef](ui.panel, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval, Automatic: automatic})
		ui.finished()
		var requested, confirmed map[string]any
		for _, e := range recorded(t, ui.mem, r.Run, audit.EventsFile) {
			if e["message"] == "" {
				t.Errorf("%s says nothing", e["type"])
			}
			switch e["type"] {
			case "run.confirmationRequested":
				requested = e
			case "run.confirmed":
				confirmed = e
			}
		}
		if confirmed["payload"].(map[string]any)["automatic"] != automatic || (requested == nil) != automatic {
			t.Errorf("automatic %v: requested %v, confirmed %v", automatic, requested, confirmed)
		}
		if requested != nil && requested["timestamp"].(string) >= confirmed["timestamp"].(string) {
			t.Errorf("shown %v, confirmed %v", requested["timestamp"], confirmed["timestamp"])
		}
	}
}

func TestACallSaysWhetherItsRunHadToBeConfirmed(t *testing.T) {
	set := free
	set.Confirm = "never"
	for _, c := range []struct {
		plan string
		want bool
	}{
		{planOf("write", `{"id":"a","tool":"vault.writeFile","args":{"path":"A.md","content":"x"}}`), false},
		{planOf("delete", `{"id":"a","tool":"vault.delete","args":{"path":"A.md"}}`), true},
	} {
		ui := begin(t, hosttest.New(hosttest.Options{Files: twoNotes}), set)
		p, g := ui.checked(c.plan)
		d := ui.s.tx.NewDraft(p, g, []byte(c.plan)) // as a plan that comes from the panel
		if err := ui.s.tx.OpenReview(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if c.want {
			ui.approve(ui.reviewed().View)
		} else {
			ui.finished()
		}
		for _, line := range recorded(t, ui.mem, d.ID, audit.CallsFile) {
			if got := line["policy"].(map[string]any)["confirmationsRequired"]; got != c.want {
				t.Errorf("%s: confirmationsRequired is %v", line["tool"], got)
			}
		}
	}
}

func TestCancellableIsFalseOfWhatRunsToItsEnd(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes, Commands: []hosttest.Command{{ID: "x:do"}}})
	set := free
	set.AllowCommands = true
	ui := begin(t, mem, set)
	r := ui.open(planOf("both", `{"id":"a","tool":"vault.writeFile","args":{"path":"A.md","content":"x"}}`, `{"id":"b","tool":"commands.run","args":{"id":"x:do"}}`))
	ui.answered(r, true)
	for _, line := range recorded(t, mem, r.Run, audit.CallsFile) {
		if line["cancellable"] != (line["tool"] != "commands.run") {
			t.Errorf("%s: cancellable is %v", line["tool"], line["cancellable"])
		}
	}
	var kinds []string
	for _, e := range recorded(t, mem, r.Run, audit.EventsFile) {
		if e["tool"] == "commands.run" {
			kinds = append(kinds, e["type"].(string))
		}
	}
	if want := []string{"step.scheduled", "run.confirmationRequested", "run.confirmed", "step.started", "step.finished"}; !slices.Equal(kinds, want) {
		t.Errorf("the command's events are %v", kinds)
	}
}

func TestTheHashOfDataIsThatOfTheDataInTheRecord(t *testing.T) {
	ui, run, _, _ := fields(t)
	n := 0
	for _, line := range ui.lines(run, audit.ResultsFile) {
		var r struct {
			OK   bool            `json:"ok"`
			Data json.RawMessage `json:"data"`
			Hash string          `json:"dataHash"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		sum := digest.Sum256(r.Data)
		if r.OK && r.Hash != hex.EncodeToString(sum[:]) || !r.OK && r.Hash != "" {
			t.Errorf("%s has %q", r.Data, r.Hash)
		}
		n++
	}
	if n == 0 {
		t.Fatal("no results")
	}
}

// lines gives the records of a file as they are in it.
func (ui *panel) lines(run, name string) []json.RawMessage {
	var out []json.RawMessage
	for _, l := range strings.Split(strings.TrimSpace(string(ui.mem.StoreFiles()[history.Dir(run)+"/"+name])), "\n") {
		var frame struct {
			R json.RawMessage `json:"r"`
		}
		if err := json.Unmarshal([]byte(l), &frame); err != nil {
			ui.t.Fatal(err)
		}
		out = append(out, frame.R)
	}
	return out
}

func TestALinkIsNotTheOwner(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes, Commands: []hosttest.Command{{ID: "x:do"}}})
	set := free
	set.AllowCommands = true
	ui := begin(t, mem, set)
	r := ui.open(planOf("do", `{"id":"b","tool":"commands.run","args":{"id":"x:do"}}`))
	ui.answered(r, true)
	d := call[protocol.ActionDetail](ui, "action.step", protocol.ActionStep{Run: r.Run, CallID: recorded(t, mem, r.Run, audit.CallsFile)[0]["callId"].(string), Name: "Do"})
	for _, link := range []bool{true, false} {
		call[protocol.Accepted](ui, "actions.run", protocol.ActionRun{ID: d.Action.ID, Link: link})
		r := ui.review()
		if r.Approvable == link {
			t.Errorf("from a link: %v, approvable: %v, %+v", link, r.Approvable, r.Problem)
		}
		if link && r.Problem.Key != "policy.ownerOnly" {
			t.Errorf("want not link (or Problem.Key \"policy.ownerOnly\"), got %+v", r.Problem)
		}
		ui.await("end of the turn", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
	}
}

func TestAnOutputThatIsTooLargeForAPlanIsRefusedAndNotCut(t *testing.T) {
	flood := sample("test.flood", "1.0.0", func(x *tool.Tool) {
		x.Run = func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
			part := strings.Repeat("x", 1<<20)
			list := make([]any, 64) // a plan may not have more than 64 MB
			for i := range list {
				list[i] = part
			}
			return tool.Data{"list": list}, nil
		}
	})
	ui := &panel{t: t, mem: hosttest.New(hosttest.Options{})}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: ui.mem.Host(), Emit: ui.hear, Tools: []tool.Tool{flood}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	r, err := s.tx.OpenPlan(t.Context(), []byte(planOf("flood", `{"id":"a","tool":"test.flood","args":{}}`)), nil, false)
	if err != nil || r.Approvable || r.Problem == nil || r.Problem.Code != protocol.ProblemCode(fault.Denied) || r.Problem.Key != "error.tool.outputTooLarge" {
		t.Fatalf("want no error, a review that cannot be approved, Problem set, Problem.Code fault.Denied and Problem.Key \"error.tool.outputTooLarge\", got %v %+v", err, r.Problem)
	}
}

func TestTheSelectorSaysWhetherTheKeysOfTheWebToolsAreThereAndFromWhere(t *testing.T) {
	for _, c := range []struct {
		name        string
		secrets     []protocol.NamedSecret
		has         bool
		auth, scope string
	}{
		{"none named", nil, true, "", ""},
		{"on the device", []protocol.NamedSecret{{Name: "api", Scope: "device", Secret: "k"}}, true, "set", string(secrets.DeviceScope)},
		{"in the vault", []protocol.NamedSecret{{Name: "api", Scope: "vault", Secret: "k"}}, true, "set", string(secrets.VaultScope)},
		{"without a value", []protocol.NamedSecret{{Name: "api", Scope: "vault", Secret: "k"}}, false, "missing", ""},
	} {
		set := webtest.Allowed()
		set.Secrets = c.secrets
		ui := &panel{t: t, mem: hosttest.New(hosttest.Options{})}
		ui.cond.L = &ui.mu
		s, err := New(Deps{Host: ui.mem.Host(), Emit: ui.hear, HasSecret: func(_ context.Context, name string) (bool, error) { return c.has && name == "k", nil }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		ui.s = s
		call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux"}})
		for _, info := range call[protocol.ToolList](ui, "tools.list", protocol.Empty{}).Tools {
			auth, scope := "", ""
			if strings.HasPrefix(info.Name, "http.") {
				auth, scope = c.auth, c.scope
			}
			if info.Auth != auth || info.Scope != scope {
				t.Errorf("%s: %s is %q from %q", c.name, info.Name, info.Auth, info.Scope)
			}
		}
	}
}
