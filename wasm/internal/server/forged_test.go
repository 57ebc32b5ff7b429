package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/journal/journaltest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/seal"
)

const forgedRun = "019a0000-0000-7000-8000-000000000001"

// ourName is the name of this device, as a forged run can know it: that of another
// device is not offered at all.
var ourName = host.NameOf("this device")

// forgedVault is a vault with a plugin folder that somebody else could write to.
func forgedVault(t *testing.T, r journaltest.Run, elsewhere bool) *hosttest.Memory {
	t.Helper()
	mem := hosttest.New(hosttest.Options{Files: map[string]string{
		"Note.md": "note\n", "Sub/Note.md": "sub\n", "Private/Diary.md": "mine\n", ".git/config": "theirs\n", ".git/hooks/sample": "x",
		".obsidian/app.json": "theirs\n", ".obsidian/plugins/evil/main.js": "theirs\n", ".hidden.md": "theirs\n", "Sub/.hidden.md": "theirs\n",
	}})
	store := mem.Host().Store
	if elsewhere {
		mem.MoveTo("theirs")
		sealed := seal.Over(store, mem.Host().Device)
		if err := sealed.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		store = sealed
	}
	r.ID, r.Goal, r.Device = forgedRun, "Tidy up", ourName
	journaltest.Forge(t, store, r)
	mem.MoveTo("")
	return mem
}

// attempt is one way in which a person, or nobody, makes use of a past run.
type attempt struct {
	method string
	params any
}

func attempts(hot bool) []attempt {
	out := []attempt{
		{"run.revert", protocol.Revert{Run: forgedRun}},
		{"run.revert", protocol.Revert{Run: forgedRun, Path: "Note.md"}},
		{"run.verify", protocol.RunRef{Run: forgedRun}},
		{"run.replay", protocol.RunRef{Run: forgedRun}},
		{"run.rest", protocol.RunRef{Run: forgedRun}},
		{"run.get", protocol.RunRef{Run: forgedRun}},
		{"runs.list", protocol.RunsQuery{}},
		{"actions.save", protocol.ActionSave{Run: forgedRun, Name: "Mine"}},
	}
	if hot {
		for _, choice := range []protocol.RecoveryChoice{protocol.RecoverFinish, protocol.RecoverRevert, protocol.RecoverKeep} {
			out = append(out, attempt{"recovery.resolve", protocol.Recovery{Run: forgedRun, Choice: choice}})
		}
	}
	return out
}

// careless are settings under which nothing is asked that need not be.
var careless = protocol.Settings{
	Provider: "openai", Confirm: "never", AllowDeletes: true, AllowRenames: true, AllowCommands: true, DenyPatterns: []string{"Private"},
}

func TestAForgedRunChangesNothingWithoutAnApproval(t *testing.T) {
	denied := []journaltest.Attack{
		{Name: "a denied note's text", Ops: []host.Op{{Kind: host.OpModify, Path: "Private/Diary.md", Before: []byte("theirs"), Data: []byte("mine\n")}}},
		{Name: "a denied note", Ops: []host.Op{{Kind: host.OpTrash, Path: "Private/New.md", Before: []byte("theirs")}}},
		{Name: "a denied note's end", Ops: []host.Op{{Kind: host.OpCreate, Path: "Private/Diary.md", Data: []byte("mine\n")}}},
		{Name: "a denied note's place", Ops: []host.Op{{Kind: host.OpRename, Path: "Found.md", To: "Private/Diary.md"}}},
		{Name: "a note into a denied folder", Ops: []host.Op{{Kind: host.OpRename, Path: "Private/Note.md", To: "Note.md"}}},
		{Name: "a denied folder", Ops: []host.Op{{Kind: host.OpRmdir, Path: "Private/Sub"}}},
	}
	n := 0
	for i, a := range slices.Concat(denied, journaltest.Attacks()) {
		for way := range 4 {
			hot, elsewhere := way%2 == 1, way/2 == 1
			// Of the many spellings of hidden paths each is tried in one way, in turn.
			if exhaustive() || !slow && (a.Allowed || i < len(denied)) || i%4 == way {
				n++
				t.Run(fmt.Sprintf("%q,hot=%v,elsewhere=%v", a.Name, hot, elsewhere), func(t *testing.T) {
					// Interrupted before it did anything, on one of the two devices.
					forgedOnce(t, a, journaltest.Run{Ops: a.Ops, Hot: hot, Open: hot && !elsewhere}, elsewhere)
				})
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d", n)
	}
}

func forgedOnce(t *testing.T, a journaltest.Attack, r journaltest.Run, elsewhere bool) {
	t.Helper()
	for _, at := range attempts(r.Hot) {
		mem := forgedVault(t, r, elsewhere)
		before := mem.Snapshot()
		ui, w, err := start(t, mem, careless)
		if err != nil {
			t.Fatalf("the start fails: %v", err)
		}
		if r.Hot && (len(w.State.Recoveries) != 1 || w.State.Recoveries[0].Origin == "") || w.State.LastRun != nil {
			t.Errorf("offered as our own: %+v, %+v", w.State.Recoveries, w.State.LastRun)
		}
		_, failed := try[map[string]any](ui, at.method, at.params)
		if d := before.Diff(mem.Snapshot()); d != "" {
			t.Fatalf("%s %+v wrote without an approval (%v):\n%s", at.method, at.params, failed, d)
		}
		if len(mem.Trash()) > 0 {
			t.Fatalf("%s %+v moved to the trash", at.method, at.params)
		}
		if call[protocol.State](ui, "state", protocol.Empty{}).Review == nil {
			continue
		}
		review := ui.reviewed()
		if v := review.View; v.Approvable && !a.Allowed && at.method != "run.rest" && !r.Open {
			t.Errorf("%s offers %+v", at.method, v.Files)
		}
		if review.Undo != nil && (review.View.Origin == "" || !slices.ContainsFunc(review.View.Warnings, func(m protocol.Message) bool { return strings.HasPrefix(m.Key, "review.origin.") })) {
			t.Errorf("the review does not say whose it is: %+v", review.View.Warnings)
		}
		if !review.View.Approvable {
			continue
		}
		if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: review.ID, Approval: review.View.Approval}); err == nil {
			ui.ended(true)
		}
		for line := range strings.Lines(before.Diff(mem.Snapshot())) {
			path, _, _ := strings.Cut(line[2:], " ")
			if strings.HasPrefix(path, ".") || strings.Contains(path, "/.") || strings.HasPrefix(path, "Private") || strings.Contains(path, "..") || strings.HasPrefix(path, "/") {
				t.Errorf("%s, approved, wrote %s", at.method, line)
			}
		}
	}
}

func TestWhatAPersonApprovesOfAForgedRunIsARunOfItsOwn(t *testing.T) {
	for _, hot := range []bool{false, true} {
		mem := forgedVault(t, journaltest.Run{Hot: hot, Ops: []host.Op{
			{Kind: host.OpModify, Path: "Note.md", Before: []byte("old\n"), Data: []byte("note\n")},
			{Kind: host.OpTrash, Path: "Gone.md", Before: []byte("gone\n")},
			{Kind: host.OpCreate, Path: "Sub/Note.md", Data: []byte("sub\n")},
		}}, true)
		before := mem.Snapshot()
		ui := begin(t, mem, careless)
		back := call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: forgedRun})
		r := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: back.Review})
		if len(r.Files) != 3 || r.Title == nil || r.Title.Key != "review.undo.revert" {
			t.Fatalf("want 3 Files, Title set and Title.Key \"review.undo.revert\", got %+v", r)
		}
		v := call[protocol.FileView](ui, "review.file", protocol.FileRef{Run: r.Run, Path: "Note.md"})
		if v.Before != "note\n" || v.After != "old\n" {
			t.Errorf("want Before \"note\\n\" and After \"old\\n\", got %+v", v)
		}
		r = call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: "Gone.md"})
		end := ui.approve(&r)
		if end.Outcome != protocol.OutcomeOK || !end.Can.Revert || ui.text("Note.md") != "old\n" || ui.text("Gone.md") != "(none)" || ui.text("Sub/Note.md") != "(none)" {
			t.Fatalf("want Outcome protocol.OutcomeOK, Can.Revert true, Note.md \"old\\n\", Gone.md \"(none)\" and Sub/Note.md \"(none)\", got %+v\n%s", end, before.Diff(mem.Snapshot()))
		}
		if len(mem.Trash()) != 1 {
			t.Error("what a stranger's run removes is gone for good")
		}
		if verified := ui.verified(end.Run); !verified.OK || verified.Origin != "" {
			t.Errorf("want everything in order and no Origin, got %+v", verified)
		}
		ui.revert(end.Run)
		if d := before.Diff(mem.Snapshot()); d != "" {
			t.Errorf("the undo, taken back:\n%s", d)
		}
	}
}

func TestOnAnotherDeviceARunIsTakenBackByAReview(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	before := mem.Snapshot()
	run := ui.do(editPlan).Run
	ui.s.Close()
	mem.MoveTo("phone")
	ui = begin(t, mem, free)
	if st := call[protocol.State](ui, "state", protocol.Empty{}); st.LastRun != nil {
		t.Errorf("want no LastRun, got %+v", st.LastRun)
	}
	back := ui.revert(run)
	if back.Review == "" || back.Run != "" {
		t.Fatalf("want Review set and no Run, got %+v", back)
	}
	r := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: back.Review})
	if end := ui.approve(&r); end.Outcome != protocol.OutcomeOK {
		t.Fatalf("want Outcome protocol.OutcomeOK, got %+v", end)
	}
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Errorf("want the vault as it was before; it differs: %s", d)
	}
	if sum := call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: run}).Summary; sum.RevertedBy != back.Review {
		t.Errorf("want RevertedBy back.Review, got %+v", sum)
	}
}

func TestARunOfOursIsPreviewedAndTakenBackWhatIsDeniedSinceStays(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	before := mem.Snapshot()
	run := ui.do(editPlan).Run
	after := mem.Snapshot()
	preview := call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: run, Review: true})
	if d := after.Diff(mem.Snapshot()); d != "" || preview.Review == "" {
		t.Fatalf("a preview wrote:\n%s", d)
	}
	call[protocol.Empty](ui, "review.close", protocol.RunRef{Run: preview.Review})
	tight := protocol.Settings{Provider: "openai", DenyPatterns: []string{"B.md"}} // deletes and renames are off, too
	call[protocol.State](ui, "configure", tight)
	back := ui.revert(run)
	if ui.text("B.md") != "b\nmore\n" || len(back.NotUndone) == 0 || back.NotUndone[0].Key != "undo.refused" || slices.Contains(back.Restored, "B.md") {
		t.Errorf("want B.md \"b\\nmore\\n\", some NotUndone, NotUndone[0].Key \"undo.refused\" and Restored without \"B.md\", got %+v", back)
	}
	call[protocol.State](ui, "configure", protocol.Settings{Provider: "openai"})
	ui.revert(run)
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Errorf("with deletes off a person cannot undo what a run made:\n%s", d)
	}
}

func TestWithoutAKeyARunIsMadeAndTakenBackByAReview(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes, NoKey: true})
	ui := begin(t, mem, free)
	ui.await("the notice", func(e protocol.Event) bool { return e.Notice != nil && e.Notice.Text.Key == "notice.noKey" })
	before := mem.Snapshot()
	run := ui.do(editPlan).Run
	back := ui.revert(run)
	r := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: back.Review})
	ui.approve(&r)
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Errorf("want the vault as it was before; it differs: %s", d)
	}
}
