package conversation

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/tool"
)

func said(t *testing.T, l *Library, id string) string {
	t.Helper()
	c, err := l.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c.Title + ": " + words(c)
}

func TestTurnsThatTwoDevicesAddAreAllKeptOnBoth(t *testing.T) {
	a, b := hosttest.New(hosttest.Options{}), hosttest.New(hosttest.Options{})
	la, lb := libraryOn("a", a, plain), libraryOn("b", b, plain)
	staged := turn(1, "one")
	staged.Staged, staged.Run = []tool.Envelope{{CallID: "call_1", Name: "vault.createFile"}}, "r1"
	mustAdd(t, la, "talk", staged, turn(2, "two"))
	a.Sync(b, nil)
	if got := said(t, lb, "talk"); got != "one: one,two" {
		t.Fatal("want \"one: one,two\", got:", got)
	}
	base := a.StoreFiles()
	ctx := t.Context()
	mustAdd(t, la, "talk", turn(3, "three of a"))
	mustAdd(t, lb, "talk", turn(4, "four of b"))
	for _, err := range []error{
		lb.Drop(ctx, "talk", "t2"), lb.Settle(ctx, "talk", Settled{Run: "r1", Approved: true}),
		la.Rename(ctx, "talk", "A name"), lb.Rename(ctx, "talk", "B's"), la.Rename(ctx, "talk", "A's last word"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	mustAdd(t, lb, "other", turn(5, "five of b"))
	a.Sync(b, base)
	b.Sync(a, base)
	for _, l := range []*Library{la, lb, libraryOn("a", a, plain), libraryOn("b", b, plain), libraryOn("c", b, plain)} {
		if got := said(t, l, "talk"); !strings.Contains(got, "three of a") || !strings.Contains(got, "four of b") || strings.Contains(got, "two") {
			t.Errorf("want a text with \"three of a\", a text with \"four of b\" and a text without \"two\", got %q", got)
		}
		c, err := l.Get(ctx, "talk")
		if err != nil || len(c.Staged()) != 0 {
			t.Errorf("%v: what was approved on the other device is still staged", err)
		}
		if list, err := l.List(ctx, "", 0); err != nil || len(list) != 2 {
			t.Errorf("want no error and 2 list, got %v %+v", err, list)
		}
	}
	if x, y := said(t, la, "talk"), said(t, lb, "talk"); x != y {
		t.Errorf("the devices do not agree: %q, %q", x, y)
	}
	// Both go on where the other has been, and what is said next comes last.
	mustAdd(t, la, "talk", turn(6, "six of a"))
	if got := said(t, la, "talk"); !strings.HasSuffix(got, "six of a") {
		t.Error("want a text ending in \"six of a\", got:", got)
	}
}

func TestATurnOfAnotherDeviceIsSeenWhileTheConversationIsOpen(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	la, lb := libraryOn("a", mem, plain), libraryOn("b", mem, plain)
	mustAdd(t, la, "talk", turn(1, "one"))
	was, err := la.Revision(t.Context(), "talk")
	if err != nil {
		t.Fatal(err)
	}
	mustAdd(t, la, "talk", turn(2, "two"))
	if is, err := la.Revision(t.Context(), "talk"); err != nil || is != was {
		t.Errorf("%v: what it adds itself is nothing new", err)
	}
	mustAdd(t, lb, "talk", turn(3, "three"))
	if is, err := la.Revision(t.Context(), "talk"); err != nil || is == was {
		t.Errorf("%v: what the other has added is not seen", err)
	}
	if got := said(t, la, "talk"); got != "one: one,two,three" {
		t.Error("want \"one: one,two,three\", got:", got)
	}
	if err := lb.Remove(t.Context(), "talk"); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, la, "talk", turn(4, "four")) // its own file is gone, too
	if got := said(t, libraryOn("a", mem, plain), "talk"); got != "four: four" {
		t.Error("want \"four: four\", got:", got)
	}
}

func TestTwoWindowsOfOneDeviceAddToTheSameFile(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	one, two := libraryOn("a", mem, plain), libraryOn("a", mem, plain)
	for i := range 6 {
		mustAdd(t, []*Library{one, two}[i%2], "talk", turn(i, fmt.Sprint("w", i)))
	}
	for _, l := range []*Library{one, two, libraryOn("a", mem, plain)} {
		if got := said(t, l, "talk"); got != "w0: w0,w1,w2,w3,w4,w5" {
			t.Error("want \"w0: w0,w1,w2,w3,w4,w5\", got:", got)
		}
	}
}

// A second window has a file of its own until it takes over; from then on it adds to
// that of the device, with the conversation open or not.
func TestAWindowThatTakesOverAddsToTheFileOfTheDevice(t *testing.T) {
	for name, first := range map[string][]*Turn{"which is not there yet": nil, "which another window has begun": {turn(0, "first")}} {
		t.Run(name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{})
			mustAdd(t, libraryOn("device", mem, plain), "talk", first...)
			second := libraryOn("window", mem, plain)
			own := "window"
			second.device = func(context.Context) (string, error) { return own, nil }
			mustAdd(t, second, "talk", turn(1, "second"))
			said(t, second, "talk") // its files are known as they are
			own = "device"
			mustAdd(t, second, "talk", turn(2, "third"), turn(3, "fourth"))
			want := said(t, libraryOn("elsewhere", mem, plain), "talk")
			if got := said(t, second, "talk"); got != want || !strings.HasSuffix(got, "second,third,fourth") {
				t.Errorf("%q, and another device reads %q", got, want)
			}
		})
	}
}

func TestTheFileOfEarlierVersionsIsReadAndGoneOnWith(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	l := libraryOn("a", mem, plain)
	mustAdd(t, l, "talk", turn(1, "one"), turn(2, "two"))
	store := mem.Host().Store
	if err := store.Write(t.Context(), "conversations/talk.jsonl", mem.StoreFiles()[pathOf("talk", "a")]); err != nil {
		t.Fatal(err)
	}
	if err := store.Remove(t.Context(), pathOf("talk", "a")); err != nil {
		t.Fatal(err)
	}
	old := string(mem.StoreFiles()["conversations/talk.jsonl"])
	l = libraryOn("a", mem, plain)
	mustAdd(t, l, "talk", turn(3, "three"))
	if err := l.Drop(t.Context(), "talk", "t1"); err != nil {
		t.Fatal(err)
	}
	if got := said(t, libraryOn("b", mem, plain), "talk"); got != "one: two,three" {
		t.Error("want \"one: two,three\", got:", got)
	}
	if string(mem.StoreFiles()["conversations/talk.jsonl"]) != old {
		t.Error("the old file was changed")
	}
}

func TestADeviceMakesOnlyItsOwnFileAnew(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	la, lb := libraryOn("a", mem, plain), libraryOn("b", mem, plain)
	la.limit = 3 << 10
	mustAdd(t, lb, "talk", turn(0, "of b"))
	theirs := string(mem.StoreFiles()[pathOf("talk", "b")])
	for i := 1; i < 12; i++ {
		mustAdd(t, la, "talk", turn(i, strings.Repeat(fmt.Sprint(i, " "), 60)))
	}
	if err := la.Drop(t.Context(), "talk", "t0"); err != nil {
		t.Fatal(err)
	}
	for i := 12; i < 24; i++ {
		mustAdd(t, la, "talk", turn(i, strings.Repeat(fmt.Sprint(i, " "), 60)))
	}
	got := said(t, libraryOn("b", mem, plain), "talk")
	if string(mem.StoreFiles()[pathOf("talk", "b")]) != theirs || strings.Contains(got, ",of b") || !strings.HasSuffix(got, "23 ") || !strings.HasPrefix(got, "of b: ") {
		t.Error("want StoreFiles[pathOf(\"talk\", \"b\")] equal to theirs, a text without \",of b\", a text ending in \"23 \" and a text beginning with \"of b: \", got:", got)
	}
}
