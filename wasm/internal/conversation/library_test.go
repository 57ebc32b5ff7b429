package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

func plain(s string) string { return s }

// library opens the conversations of a store, with a clock that goes on by a
// second with every record.
func library(mem *hosttest.Memory, redact func(string) string) *Library {
	return libraryOn("here", mem, redact)
}

// libraryOn is that of a device.
func libraryOn(device string, mem *hosttest.Memory, redact func(string) string) *Library {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	now := func() string {
		at = at.Add(time.Second)
		return at.Format(time.RFC3339)
	}
	return NewLibrary(mem.Host().Store, redact, now, func(context.Context) (string, error) { return device, nil })
}

func turn(n int, text string) *Turn {
	return &Turn{
		Shown:    protocol.Turn{ID: fmt.Sprint("t", n), Text: text, Reply: "reply to " + text, Mode: protocol.ModeAgent},
		Messages: []llm.Message{llm.UserMessage(text), llm.AssistantMessage(llm.Text("reply to " + text))},
		Seq:      n, Asked: 2 * n,
	}
}

func mustAdd(t *testing.T, l *Library, id string, turns ...*Turn) {
	t.Helper()
	for _, x := range turns {
		if err := l.Add(t.Context(), id, x); err != nil {
			t.Fatal(err)
		}
	}
}

func words(c *Conversation) string {
	var out []string
	for _, t := range c.Turns {
		out = append(out, t.Shown.Text)
	}
	return strings.Join(out, ",")
}

func TestAConversationIsThereAgainAfterAStart(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	l := library(mem, plain)
	mustAdd(t, l, "a", turn(1, "one"), turn(2, "two"), turn(3, "three"))
	if err := l.Drop(t.Context(), "a", "t2"); err != nil {
		t.Fatal(err)
	}
	if err := l.Rename(t.Context(), "a", "  A title\nand more "); err != nil {
		t.Fatal(err)
	}
	for _, lib := range []*Library{l, library(mem.CrashClone(), plain)} {
		c, err := lib.Get(t.Context(), "a")
		if err != nil || words(c) != "one,three" || c.Title != "A title" {
			t.Fatalf("want no error, \"one,three\" and Title \"A title\", got %v %+v", err, c)
		}
		if seq, asked := c.Numbers(); seq != 3 || asked != 6 || len(c.Messages()) != 4 || c.Last().Shown.Mode != protocol.ModeAgent {
			t.Errorf("want seq 3, asked 6, 4 Messages and Last.Shown.Mode protocol.ModeAgent, got %d %d %+v", seq, asked, c.Messages())
		}
	}
}

func TestACrashAtEveryWriteLosesAtMostTheTurnUnderWay(t *testing.T) {
	for n := 1; ; n++ {
		mem := hosttest.New(hosttest.Options{})
		l := library(mem, plain)
		l.limit = 3 << 10 // so that the file is made anew several times
		mem.KillAt(n, uint64(n), false)
		added := 0
		for i := range 12 {
			if l.Add(t.Context(), "a", turn(i, strings.Repeat(fmt.Sprint(i, " "), 60))) != nil {
				break
			}
			added++
		}
		after := library(mem.CrashClone(), plain)
		c, err := after.Get(t.Context(), "a")
		if added > 0 && err != nil {
			t.Fatalf("killed at %d after %d turns: %v", n, added, err)
		}
		if err == nil {
			last := c.Last().Shown.ID
			if last != fmt.Sprint("t", added-1) && last != fmt.Sprint("t", added) {
				t.Fatalf("killed at %d after %d turns: the last is %s", n, added, last)
			}
			for i, x := range c.Turns[1:] { // no turn in between is missing
				var a, b int
				fmt.Sscan(c.Turns[i].Shown.ID[1:], &a)
				fmt.Sscan(x.Shown.ID[1:], &b)
				if b != a+1 {
					t.Fatalf("killed at %d: t%d follows t%d", n, b, a)
				}
			}
		}
		// It goes on where it is.
		mustAdd(t, after, "a", turn(99, "after"))
		if c, err := after.Get(t.Context(), "a"); err != nil || c.Last().Shown.ID != "t99" {
			t.Fatalf("killed at %d: %v", n, err)
		}
		if added == 12 {
			if n < 15 {
				t.Fatalf("only %d writes", n)
			}
			return
		}
	}
}

func TestWhatIsKeptIsRedactedAndWhatIsStagedIsKeptWordForWordOrNotAtAll(t *testing.T) {
	const secret = "ZEBRA-1"
	redact := func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") }
	staged := func(text string) []tool.Envelope {
		return []tool.Envelope{{CallID: "call_1", Name: "vault.createFile", Version: "1.0.0", Input: map[string]any{"path": "A.md", "content": text}, Output: map[string]any{"big": text}, TEnd: "x"}}
	}
	mem := hosttest.New(hosttest.Options{})
	l := library(mem, redact)
	clean, dirty := turn(1, "fine"), turn(2, "the key is "+secret)
	clean.Staged, clean.Run = staged("text"), "r1"
	dirty.Staged, dirty.Run = staged("with "+secret), "r2"
	dirty.Messages = append(dirty.Messages,
		llm.AssistantMessage(llm.Block{Type: llm.BlockThinking, Thinking: "so " + secret, Signature: "s"}, llm.Call("c", "x.y", json.RawMessage(`{"k":"`+secret+`"}`))),
		llm.UserMessage("look", llm.Image("image/png", "AAAA")))
	dirty.Shown.Attached = []protocol.Attachment{{Kind: "image", Name: "p.png", Data: "AAAA"}}
	mustAdd(t, l, "a", clean, dirty)
	for p, data := range mem.StoreFiles() {
		if strings.Contains(string(data), secret) || strings.Contains(string(data), "AAAA") {
			t.Errorf("%s holds what must not be kept", p)
		}
	}
	c, err := library(mem, redact).Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if s := c.Turns[0].Staged; len(s) != 1 || s[0].Input.(map[string]any)["content"] != "text" || c.Turns[0].Lost {
		t.Errorf("want 1 of them, [\"content\"] \"text\" and Turns[0].Lost false, got %+v", s)
	}
	if got := c.Turns[1]; got.Staged != nil || !got.Lost {
		t.Errorf("want no Staged and Lost true, got %+v", got)
	}
	if dirty.Staged == nil || !strings.Contains(dirty.Messages[0].Text(), secret) {
		t.Error("the turn that was handed in was changed")
	}
	if err := l.Settle(t.Context(), "a", Settled{Run: "r2", Approved: true}); err != nil {
		t.Fatal(err)
	}
	if c, err := library(mem, redact).Get(t.Context(), "a"); err != nil || len(c.Staged()) != 0 || c.Turns[1].Lost {
		t.Errorf("want no error, no Staged and Turns[1].Lost false, got %v %+v", err, c.Staged())
	}
}

func TestATurnThatIsTooLargeIsKeptShorter(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	l := library(mem, plain)
	big := turn(1, "big")
	for range 40 {
		big.Messages = append(big.Messages, llm.ToolResult(llm.ToolCall{ID: "c"}, false, llm.Text(strings.Repeat("word ", 4000))))
	}
	huge := turn(2, strings.Repeat("huge ", 400_000))
	mustAdd(t, l, "a", big, huge)
	c, err := library(mem, plain).Get(t.Context(), "a")
	if err != nil || len(c.Turns) != 2 {
		t.Fatal(err)
	}
	for _, x := range c.Turns {
		if n := size(x); n > maxTurn {
			t.Errorf("%s takes %d bytes", x.Shown.ID, n)
		}
	}
	if len(c.Turns[0].Messages) != 42 {
		t.Errorf("%d messages", len(c.Turns[0].Messages))
	}
}

func TestTheListIsSearchedRenamedAndPruned(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	l := library(mem, plain)
	mustAdd(t, l, "a", turn(1, "Rain barrels"), turn(2, "and how to clean them"))
	mustAdd(t, l, "b", turn(3, "Compost\nsecond line"))
	list, err := l.List(t.Context(), "", 0)
	if err != nil || len(list) != 2 || list[0].Title != "Compost" || list[1].Turns != 2 {
		t.Fatalf("want no error, 2 list, list[0].Title \"Compost\" and list[1].Turns 2, got %v %+v", err, list)
	}
	for text, want := range map[string]int{"CLEAN": 1, "reply to compost": 1, "nothing": 0, "": 2} {
		if got, err := library(mem, plain).List(t.Context(), text, 0); err != nil || len(got) != want {
			t.Errorf("%q: want no error and as many of them as want, got %v %+v", text, err, got)
		}
	}
	if err := l.Remove(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if list, err := l.List(t.Context(), "", 0); err != nil || len(list) != 1 {
		t.Errorf("want no error and 1 list, got %v %+v", err, list)
	}
	for i := range maxKept + 5 {
		mustAdd(t, l, fmt.Sprint("x", i), turn(i, "text"))
	}
	list, err = library(mem, plain).List(t.Context(), "", 0)
	if err != nil || len(list) != maxKept || slices.ContainsFunc(list, func(c protocol.Conversation) bool { return c.ID == "a" }) {
		t.Errorf("want no error and as many list as maxKept, got %v %d", err, len(list))
	}
}

func TestWhatCannotBeKeptIsSaid(t *testing.T) {
	l := library(hosttest.New(hosttest.Options{}), plain)
	for _, id := range []string{"", "../x", "a/b", "a.b", strings.Repeat("a", 65), "ä"} {
		if err := l.Add(t.Context(), id, turn(1, "x")); !fault.Is(err, fault.Validation) {
			t.Errorf("%q: want the error fault.Validation, got %v", id, err)
		}
	}
	for what, err := range map[string]error{
		"get": func() error { _, err := l.Get(t.Context(), "no"); return err }(), "drop": l.Drop(t.Context(), "no", "t"),
		"rename": l.Rename(t.Context(), "no", "x"), "settle": l.Settle(t.Context(), "no", Settled{}),
	} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: want the error fault.NotFound, got %v", what, err)
		}
	}
	if err := l.Rename(t.Context(), "no", " \n "); !fault.Is(err, fault.Validation) {
		t.Errorf("want the error fault.Validation, got %v", err)
	}
}
