package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/pins"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/seal"
)

// pin keeps a value, as a run that has gone well does.
func pin(t *testing.T, ui *panel, key, value string) {
	t.Helper()
	if err := tryPin(t, ui, key, value); err != nil {
		t.Fatal(err)
	}
}

func tryPin(t *testing.T, ui *panel, key, value string) error {
	set := &pins.Set{}
	ui.s.pins.Of(t.Context(), set, "action", "step", "").Keep(key, value)
	return ui.s.pins.Keep(t.Context(), set)
}

// keptPins gives what is kept of the pins x, y and z.
func keptPins(t *testing.T, ui *panel) string {
	t.Helper()
	values := ui.s.pins.Of(t.Context(), &pins.Set{}, "action", "step", "")
	var out []string
	for _, key := range []string{"x", "y", "z"} {
		if v, ok := values.Last(key); ok {
			out = append(out, fmt.Sprint(key, "=", v))
		}
	}
	return strings.Join(out, " ")
}

func TestThePinsOfTwoDevicesDoNotReplaceEachOther(t *testing.T) {
	a, b := hosttest.New(hosttest.Options{Device: "a"}), hosttest.New(hosttest.Options{Device: "b"})
	sa, sb := begin(t, a, free), beginAt(t, b, otherDevice)
	pin(t, sa, "x", "1")
	a.Sync(b, nil)
	base := a.StoreFiles()
	pin(t, sb, "y", "2")
	pin(t, sa, "z", "3")
	a.Sync(b, base)
	b.Sync(a, base)
	if got := keptPins(t, sa); got != "x=1 z=3" {
		t.Errorf("on the first device: %q", got)
	}
	if got := keptPins(t, sb); got != "y=2" {
		t.Errorf("on the second device: %q", got)
	}
}

func TestThePinsOfEarlierVersionsAreStillThere(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	ui := begin(t, mem, free)
	old := seal.Wrap(seal.Of(ui.s.host.Store), "pins.json", []byte(`[{"key":"action/step/x","value":"1"}]`))
	if err := mem.Host().Store.Write(t.Context(), "pins.json", old); err != nil {
		t.Fatal(err)
	}
	if got := keptPins(t, ui); got != "x=1" {
		t.Errorf("want \"x=1\", got %q", got)
	}
	pin(t, ui, "y", "2")
	if got := keptPins(t, ui); got != "x=1 y=2" {
		t.Errorf("want \"x=1 y=2\", got %q", got)
	}
}

func TestACrashWhileAPinIsKeptLosesNoOther(t *testing.T) {
	for n := 1; ; n++ {
		mem := hosttest.New(hosttest.Options{})
		ui := begin(t, mem, free)
		pin(t, ui, "x", "1")
		mem.ResetCounts()
		mem.KillAt(n, uint64(n), false)
		err := tryPin(t, ui, "y", "2")
		if got := keptPins(t, begin(t, mem.CrashClone(), free)); got != "x=1" && got != "x=1 y=2" {
			t.Errorf("killed at %d: %q", n, got)
		}
		if err == nil {
			return
		}
	}
}

func TestATurnOfAnotherDeviceIsPartOfWhatTheModelIsTold(t *testing.T) {
	mem := ideasVault()
	ui, tr := endpoint(t, mem, custom, streamed("First."), streamed("Second."))
	talk := func(text string) {
		call[protocol.Accepted](ui, "send", protocol.Send{Text: text, Conversation: "c"})
		ui.turnEnd()
	}
	talk("one")
	other := conversation.NewLibrary(mem.Host().Store, func(s string) string { return s },
		func() string { return "2030-01-01T00:00:00.000Z" }, deviceNamed("another"))
	if err := other.Add(t.Context(), "c", &conversation.Turn{
		Shown:    protocol.Turn{ID: "t-other", Text: "said elsewhere", Reply: "heard"},
		Messages: []llm.Message{llm.UserMessage("said elsewhere"), llm.AssistantMessage(llm.Text("heard"))},
	}); err != nil {
		t.Fatal(err)
	}
	talk("two")
	requests := tr.Requests()
	if body := string(requests[len(requests)-1].Body); !strings.Contains(body, "said elsewhere") || !strings.Contains(body, "one") {
		t.Errorf("want body with \"said elsewhere\" and body with \"one\", got %s", body)
	}
	c := call[protocol.ConversationDetail](ui, "conversation.get", protocol.ConversationRef{ID: "c"})
	if len(c.Turns) != 3 || c.Turns[2].Text != "two" {
		t.Errorf("want 3 Turns and Turns[2].Text \"two\", got %+v", c.Turns)
	}
}

// deviceNamed is a device of a name.
func deviceNamed(name string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return name, nil }
}
