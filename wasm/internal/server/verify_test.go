package server

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
)

func (ui *panel) verified(run string) protocol.Verified {
	ui.t.Helper()
	return call[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: run})
}

// tampered writes a file of a run anew.
func (ui *panel) tamper(run, file string, data []byte) {
	ui.t.Helper()
	store, path := ui.mem.Host().Store, history.Dir(run)+"/"+file
	var err error
	if data == nil {
		err = store.Remove(ui.t.Context(), path)
	} else {
		err = store.Write(ui.t.Context(), path, data)
	}
	if err != nil {
		ui.t.Fatal(err)
	}
}

func TestAnyChangedFileOfARunFolderIsFoundByVerify(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	run := ui.do(editPlan).Run
	if v := ui.verified(run); !v.OK || v.Records == 0 {
		t.Fatalf("want everything in order and Records other than 0, got %+v", v)
	}
	tested := 0
	for name, data := range mem.StoreFiles() {
		file, ok := strings.CutPrefix(name, history.Dir(run)+"/")
		if !ok {
			continue
		}
		tested++
		flipped := bytes.Clone(data)
		flipped[len(flipped)/2] ^= 1
		for what, now := range map[string][]byte{"a bit": flipped, "cut": data[:len(data)-1], "gone": nil} {
			if file == history.SummaryFile && what != "a bit" {
				continue // the line is read from the end record then
			}
			ui.tamper(run, file, now)
			if v, err := try[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: run}); err == nil && v.OK {
				t.Errorf("%s, %s: verified", file, what)
			}
		}
		ui.tamper(run, file, data)
	}
	if tested < 7 {
		t.Fatalf("only %d files", tested)
	}
	ui.tamper(run, journal.SettledFile, []byte("{}\n"))
	if v := ui.verified(run); v.OK {
		t.Error("a file that was put there: verified")
	}
	ui.tamper(run, journal.SettledFile, nil)
	if v := ui.verified(run); !v.OK {
		t.Errorf("as it was: %+v", v)
	}
}

func TestTheHistoryIsReadFromWhatVerifyCovers(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	run := ui.do(editPlan).Run
	read := func() protocol.RunSummary {
		return call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: run}).Summary
	}
	was := read()
	kept := mem.StoreFiles()[history.Dir(run)+"/"+history.SummaryFile]
	for _, torn := range [][]byte{nil, kept[:len(kept)/2]} {
		ui.tamper(run, history.SummaryFile, torn)
		if now := read(); fmt.Sprint(now) != fmt.Sprint(was) {
			t.Errorf("without its file the line is %+v, was %+v", now, was)
		}
	}
	ui.tamper(run, history.SummaryFile, bytes.Replace(kept, []byte(`"outcome":"ok"`), []byte(`"outcome":"failed"`), 1))
	if v := ui.verified(run); v.OK {
		t.Error("another outcome: verified")
	}
	ui.tamper(run, history.SummaryFile, kept)
	back := ui.revert(run)
	if v := ui.verified(run); !v.OK {
		t.Errorf("taken back: %+v", v)
	}
	if v := ui.verified(back.Run); !v.OK {
		t.Errorf("the revert: %+v", v)
	}
	marked := mem.StoreFiles()[history.Dir(run)+"/"+history.SummaryFile]
	ui.tamper(run, history.SummaryFile, bytes.Replace(marked, []byte(back.Run), []byte(run), 1))
	if v := ui.verified(run); v.OK {
		t.Error("taken back by a run that is no revert of it: verified")
	}
}

func TestARunThatACrashHasLeftIsVerifiedOnceItIsSettled(t *testing.T) {
	for _, choice := range []protocol.RecoveryChoice{protocol.RecoverRevert, protocol.RecoverKeep, protocol.RecoverFinish} {
		settled := 0
		for at := 2; at < 24; at++ {
			where := fmt.Sprintf("%s, killed at %d", choice, at)
			mem := hosttest.New(hosttest.Options{Files: twoNotes})
			ui := begin(t, mem, free)
			r := ui.open(editPlan)
			mem.KillAt(at, uint64(at)*7, false)
			ui.approve(r)
			ui.s.Close()
			ui, w, err := start(t, mem.CrashClone(), free)
			if err != nil {
				t.Fatalf("%s: want no error, got %v", where, err)
			}
			if len(w.State.Recoveries) == 0 {
				continue
			}
			settled++
			back := call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: choice})
			for _, run := range []string{r.Run, back.Run} {
				if run == "" {
					continue
				}
				if v := ui.verified(run); !v.OK {
					t.Errorf("%s: want everything in order, got %+v", where, v)
				}
			}
			journalFile := ui.mem.StoreFiles()[history.Dir(r.Run)+"/"+journal.File]
			ui.tamper(r.Run, journal.File, journalFile[:len(journalFile)-2])
			if v := ui.verified(r.Run); v.OK {
				t.Errorf("%s: cut after it was settled: verified", where)
			}
		}
		if settled < 3 {
			t.Errorf("%s: only %d runs were found after a crash", choice, settled)
		}
	}
}

func TestWhatThePersonTypedInReviewIsRedactedInTheRecords(t *testing.T) {
	const canary = "sk-canary0123456789abcdef"
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	r := ui.open(editPlan)
	next := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendEdit, Path: "D.md", Text: "key " + canary + "\n"})
	end := ui.approve(&next)
	if got := ui.text("D.md"); got != "key "+canary+"\n" {
		t.Fatalf("written %q: what is approved is written as it is", got)
	}
	d, err := ui.s.history.Read(t.Context(), end.Run)
	if err != nil || d.Amendments == nil || !d.Redacted {
		t.Fatalf("want no error, Amendments set and Redacted true, got %v %+v", err, d)
	}
	if data := string(d.Amendments.Edits["D.md"].Data); strings.Contains(data, canary) || !strings.Contains(data, "[redacted:") {
		t.Errorf("kept: %q", data)
	}
	call[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: end.Run}) // the text is still at hand
	ui.s.Close()
	ui = begin(t, mem, free)
	if _, err := try[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: end.Run}); err == nil {
		t.Error("replayed without the text")
	}
	ui.revert(end.Run)
	if got := ui.text("D.md"); got != "(none)" {
		t.Errorf("taken back: %q", got)
	}
}

func TestTheHistoryIsSearchedByWordsKindAndOutcome(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	ok := ui.do(editPlan).Run
	back := ui.revert(ok).Run
	r := ui.open(planOf("Sign B", `{"id":"b","tool":"vault.appendFile","args":{"path":"B.md","content":"x"}}`))
	justBefore(mem, func() { mem.Put("B.md", "drift") })
	drifted := ui.approve(r).Run
	for _, c := range []struct {
		q    protocol.RunsQuery
		want []string
	}{
		{protocol.RunsQuery{}, []string{drifted, back, ok}},
		{protocol.RunsQuery{Text: "sign"}, []string{drifted}},
		{protocol.RunsQuery{Kind: "revert"}, []string{back}},
		{protocol.RunsQuery{Kind: "run"}, []string{drifted, ok}},
		{protocol.RunsQuery{Outcome: "conflict"}, []string{drifted}},
		{protocol.RunsQuery{Kind: "run", Limit: 1}, []string{drifted}},
	} {
		var got []string
		for _, sum := range call[protocol.Runs](ui, "runs.list", c.q).Runs {
			got = append(got, sum.Run)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%+v: %v, want %v", c.q, got, c.want)
		}
	}
}

func TestARunThatWasLeftAsItIsCanBeTakenBackLater(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	before := mem.Snapshot()
	ui := begin(t, mem, free)
	r := ui.open(editPlan)
	mem.KillAt(11, 1, false)
	ui.approve(r)
	ui.s.Close()
	mem = mem.CrashClone()
	ui = begin(t, mem, free)
	call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: protocol.RecoverKeep})
	ui.s.Close()
	ui, w, err := start(t, mem, free)
	if err != nil || w.State.LastRun == nil || w.State.LastRun.Run != r.Run || !w.State.LastRun.Can.Revert {
		t.Fatalf("want no error, State.LastRun set, State.LastRun.Run equal to r.Run and State.LastRun.Can.Revert true, got %v %+v", err, w.State.LastRun)
	}
	ui.revert(r.Run)
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatal("want the vault as it was before; it differs:", d)
	}
}
