package designtest

import (
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
)

func TestTheRunOfThePageIsReviewedMadeAndRevertedAsItShows(t *testing.T) {
	p := open(t, "transaction.md")
	c := start(t, map[string]string{"List.md": p.given("note")}, protocol.Settings{Provider: "openai"})
	before := c.mem.Snapshot()

	first := c.review(p.given("plan"))
	if d := before.Diff(c.mem.Snapshot()); d != "" {
		t.Fatalf("the simulation wrote:\n%s", d)
	}
	p.shows("changeset", changeset(first))

	// Somebody edits the note before the yes.
	c.mem.Put("List.md", p.given("edited"))
	drifted := c.mem.Snapshot()
	_, err := try[protocol.RunRef](c, "review.approve", protocol.Approve{Run: first.Run, Approval: first.Approval})
	if !fault.Is(err, fault.Conflict) {
		t.Fatalf("the yes to a review of other bytes gave %v, not CONFLICT", err)
	}
	if d := drifted.Diff(c.mem.Snapshot()); d != "" {
		t.Fatalf("a run that drifted wrote:\n%s", d)
	}
	second := ask[protocol.Review](c, "review.get", protocol.RunRef{Run: first.Run})
	if second.Approval == first.Approval {
		t.Fatal("other changes have the same approval")
	}
	if end := c.approve(second); end.Outcome != "ok" {
		t.Fatalf("the run ended as %s: %+v", end.Outcome, end.Problem)
	}
	p.shows("written", c.note("List.md"))
	p.shows("journal", c.journal(first.Run))

	// And once more after the run.
	c.mem.Put("List.md", p.given("later")+c.note("List.md"))
	back := ask[protocol.Reverted](c, "run.revert", protocol.Revert{Run: first.Run})
	if back.Problem != nil {
		t.Fatalf("the revert failed: %+v", back.Problem)
	}
	p.shows("reverted", pretty(t, map[string]any{
		"restored": back.Restored, "merged": back.Merged, "kept": back.Kept, "gone": back.Gone, "conflicts": back.Conflicts,
	}))
	p.shows("after", c.note("List.md"))
	if _, there := c.mem.File("Bought.md"); there {
		t.Error("the note that the run made is still there")
	}
}

func (c *core) note(path string) string {
	c.t.Helper()
	text, there := c.mem.File(path)
	if !there {
		c.t.Fatalf("%s is not there", path)
	}
	return string(text)
}

func changeset(r *protocol.Review) string {
	return list(r.Files, func(f protocol.FileChange) string {
		return fmt.Sprintf("%s  %s  +%d -%d", f.Status, f.Path, f.Added, f.Removed)
	})
}

// journal tells the records of a run's journal without what differs from run to
// run.
func (c *core) journal(run string) string {
	c.t.Helper()
	return list(c.records(run, "journal.jsonl"), func(raw []byte) string {
		return strings.TrimSpace(compact(c.t, without(object(c.t, raw), "run", "at", "approval", "doc", "key", "call", "m")))
	})
}
