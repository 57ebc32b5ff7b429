package server

import (
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal/journaltest"
	"embedded-agent/wasm/internal/protocol"
)

// TestAForgedRunThatWasFinishedIsNotOfferedAgain covers what an approved Finish
// may leave as it is, too: what the policy refuses, and what the person left out.
func TestAForgedRunThatWasFinishedIsNotOfferedAgain(t *testing.T) {
	note := host.Op{Kind: host.OpModify, Path: "Note.md", Before: []byte("note\n"), Data: []byte("new\n")}
	sub := host.Op{Kind: host.OpModify, Path: "Sub/Note.md", Before: []byte("sub\n"), Data: []byte("newer\n")}
	for name, c := range map[string]struct {
		ops  []host.Op
		drop string
	}{
		"all of it":                 {[]host.Op{note, sub}, ""},
		"but for what is refused":   {[]host.Op{note, {Kind: host.OpCreate, Path: ".obsidian/evil.json", Data: []byte("x")}}, ""},
		"but for what was left out": {[]host.Op{note, sub}, "Sub/Note.md"},
		"but for what is gone":      {[]host.Op{note, {Kind: host.OpModify, Path: "Gone.md", Before: []byte("a"), Data: []byte("b")}}, ""},
	} {
		for _, elsewhere := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				mem := forgedVault(t, journaltest.Run{Ops: c.ops, Hot: true, Open: true}, elsewhere)
				ui := begin(t, mem, careless)
				back := call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: forgedRun, Choice: protocol.RecoverFinish})
				if st := call[protocol.State](ui, "state", protocol.Empty{}); len(st.Recoveries) != 1 {
					t.Fatalf("without an approval the card is %+v", st.Recoveries)
				}
				r := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: back.Review})
				if c.drop != "" {
					r = call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: c.drop})
				}
				if end := ui.approve(&r); end.Outcome != protocol.OutcomeOK || ui.text("Note.md") != "new\n" {
					t.Fatalf("want Outcome protocol.OutcomeOK and Note.md \"new\\n\", got %+v", end)
				}
				if st := ui.await("the state after it", func(e protocol.Event) bool { return e.State != nil }).State; len(st.Recoveries) != 0 {
					t.Errorf("still offered: %+v", st.Recoveries)
				}
				ui.s.Close()
				if ui = begin(t, mem, careless); len(call[protocol.State](ui, "state", protocol.Empty{}).Recoveries) != 0 {
					t.Error("offered again after a restart")
				}
				// What was finished is a run of its own, and can be taken back.
				if ui.revert(r.Run); ui.text("Note.md") != "note\n" {
					t.Errorf("want Note.md \"note\\n\", got %q", ui.text("Note.md"))
				}
			})
		}
	}
}
