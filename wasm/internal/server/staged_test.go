//go:build !js

package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/copychange"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// stagedOf opens the review of what a command left.
func (ui *panel) stagedOf(w StagedWork) *protocol.Review {
	ui.t.Helper()
	if w.Command == "" {
		w.Command = "sed -i s/a/b/ A.md"
	}
	r, err := ui.s.OpenStaged(ui.t.Context(), w)
	if err != nil {
		ui.t.Fatal(err)
	}
	return r
}

// leftOutOf lists what a review leaves out: each as REASON NAME.
func leftOutOf(r *protocol.Review) string {
	var out []string
	for _, st := range r.Steps {
		if st.LeftOut == nil {
			continue
		}
		for _, g := range st.LeftOut.Groups {
			for _, i := range g.Items {
				out = append(out, strings.TrimPrefix(g.Reason.Key, "staged.left.")+" "+i.Name)
			}
		}
	}
	return strings.Join(out, "\n")
}

func modified(path, base, data string) copychange.Change {
	return copychange.Change{Kind: copychange.Modify, Path: path, Base: []byte(base), Data: []byte(data)}
}

func createdFile(path, data string) copychange.Change {
	return copychange.Change{Kind: copychange.Create, Path: path, Data: []byte(data)}
}

func deletedFile(path, base string) copychange.Change {
	return copychange.Change{Kind: copychange.Delete, Path: path, Base: []byte(base)}
}

func change(kind copychange.Kind, path string) copychange.Change {
	return copychange.Change{Kind: kind, Path: path}
}

// everyKind is a vault and what a command made of it: changes of every kind, bytes that
// are no text, a folder in the place of a file and the reverse.
func everyKind() (files map[string]string, w StagedWork, after map[string]string) {
	files, after = map[string]string{"Kept.md": "kept\n"}, map[string]string{"Kept.md": "kept\n"}
	for i := range 12 {
		path := fmt.Sprintf("Notes/%02d.md", i)
		files[path] = fmt.Sprintf("note %d\nof some lines\nand more\n", i)
		switch i % 4 {
		case 0:
			after[path] = files[path] + "RUN\n"
			w.Changes = append(w.Changes, modified(path, files[path], after[path]))
		case 1:
			w.Changes = append(w.Changes, deletedFile(path, files[path]))
		case 2:
			to := fmt.Sprintf("New/Deep/%02d.md", i)
			after[to] = files[path] + "moved\n"
			w.Changes = append(w.Changes, deletedFile(path, files[path]), createdFile(to, after[to]))
		default:
			after[path] = files[path]
		}
	}
	files["Was a file"], files["Was a folder/in.md"], files["Bad.bin"] = "text\n", "in it\n", "\xff\x00\xfe"
	after["Was a file/now in it.md"], after["Was a folder"], after["Bad.bin"] = "inside\n", "a file now\n", "\x00\xff\r\n\xef\xbb\xbf"
	w.Changes = append(
		w.Changes, change(copychange.Mkdir, "New"), change(copychange.Mkdir, "New/Deep"),
		deletedFile("Was a file", "text\n"), change(copychange.Mkdir, "Was a file"), createdFile("Was a file/now in it.md", "inside\n"),
		deletedFile("Was a folder/in.md", "in it\n"), change(copychange.Rmdir, "Was a folder"), createdFile("Was a folder", "a file now\n"),
		modified("Bad.bin", files["Bad.bin"], after["Bad.bin"]),
	)
	return files, w, after
}

// calmStaged makes the changes of everyKind without faults.
func calmStaged(t *testing.T, p hosttest.Profile) calm {
	t.Helper()
	files, w, after := everyKind()
	c := calm{files: files, review: func(ui *panel) *protocol.Review { return ui.stagedOf(w) }}
	mem := hosttest.New(hosttest.Options{Profile: p, Files: files})
	c.before = mem.Snapshot()
	ui := begin(t, mem, free)
	r := c.open(ui)
	if n := mem.Counts(); n.Ops() != 0 {
		t.Fatalf("the review wrote: %+v", n)
	}
	if left := leftOutOf(r); left != "" {
		t.Fatalf("left out: %s", left)
	}
	if end := ui.approve(r); end.Outcome != "ok" {
		t.Fatalf("the run ended %s: %+v", end.Outcome, end.Problem)
	}
	c.after, c.ops, c.writes = mem.Snapshot(), mem.Counts().Ops(), mem.Counts().Writes
	for path, want := range after {
		if got, ok := mem.File(path); !ok || string(got) != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	ui.revert(r.Run)
	if d := c.before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("reverted, the vault is not what it was:\n%s", d)
	}
	return c
}

func TestWhatACommandLeftIsMadeAndTakenBackByteForByte(t *testing.T) {
	for _, p := range hosttest.Profiles() {
		t.Run(p.Name, func(t *testing.T) { calmStaged(t, p) })
	}
}

func TestAKillAtAnyOperationOfAStagedRunIsRecoveredAndTakenBackWhole(t *testing.T) {
	eachProfile(t, func(t *testing.T, p hosttest.Profile, sample int) {
		c := calmStaged(t, p)
		for _, n := range points(c.ops, sample) {
			for _, choice := range []protocol.RecoveryChoice{protocol.RecoverRevert, protocol.RecoverKeep, protocol.RecoverFinish} {
				killed(t, c, p, n, choice)
			}
		}
	})
}

func TestAFailureAtAnyOperationOfAStagedRunIsTakenBackWhole(t *testing.T) {
	eachProfile(t, func(t *testing.T, p hosttest.Profile, sample int) {
		c := calmStaged(t, p)
		for _, n := range points(c.ops, sample*2) {
			failed(t, c, p, n)
		}
	})
}

func TestWhatThePersonEditedMeanwhileIsMergedOrLeftAlone(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{
		"Both.md":   "mine\n\none\ntwo\nthree\n",
		"Clash.md":  "mine\n",
		"Gone.md":   "edited by me\n",
		"Moved.md":  "mine\n\none\ntwo\nthree\nfour\n",
		"Taken.md":  "I made this\n",
		"Same.md":   "we made the same\n",
		"Binary.md": "\xffmine",
	}})
	ui := begin(t, mem, free)
	r := ui.stagedOf(StagedWork{Changes: []copychange.Change{
		modified("Both.md", "one\ntwo\nthree\n", "one\ntwo\nTHREE\n"),
		modified("Clash.md", "first\n", "theirs\n"),
		modified("Binary.md", "\xffbase", "\xfftheirs"),
		deletedFile("Gone.md", "as it was\n"),
		deletedFile("Moved.md", "one\ntwo\nthree\nfour\n"), createdFile("Elsewhere.md", "one\ntwo\nthree\nFOUR\n"),
		createdFile("Taken.md", "theirs\n"), createdFile("Same.md", "we made the same\n"),
		modified("Not there.md", "a\n", "b\n"),
		{Kind: copychange.Modify, Path: "Clash.md", Data: []byte("x"), Lost: true},
	}})
	if got, want := leftOutOf(r), "edited Binary.md\nedited Clash.md\nedited Clash.md\nedited Gone.md\nedited Not there.md\nedited Taken.md"; got != want {
		t.Errorf("left out:\n%s\nwant\n%s", got, want)
	}
	if end := ui.approve(r); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end)
	}
	for path, want := range map[string]string{
		"Both.md": "mine\n\none\ntwo\nTHREE\n", "Clash.md": "mine\n", "Gone.md": "edited by me\n",
		"Elsewhere.md": "mine\n\none\ntwo\nthree\nFOUR\n", "Taken.md": "I made this\n", "Binary.md": "\xffmine",
	} {
		if got, _ := mem.File(path); string(got) != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if _, there := mem.File("Moved.md"); there {
		t.Error("the note did not move")
	}
}

func TestWhatThePolicyForbidsIsNamedAndLeftOut(t *testing.T) {
	set := protocol.Settings{Provider: "openai", DenyPatterns: []string{"Private/**"}, AllowRenames: false}
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\n", "B.md": "b\nb\nb\n", "Private/Diary.md": "secret\n", "Old/C.md": "c\n"}})
	ui := begin(t, mem, set)
	r := ui.stagedOf(StagedWork{
		Changes: []copychange.Change{
			modified("A.md", "a\n", "A\n"),
			deletedFile("Old/C.md", "c\n"), change(copychange.Rmdir, "Old"),
			deletedFile("B.md", "b\nb\nb\n"), createdFile("Renamed.md", "b\nb\nb\n"),
			createdFile("Private/New.md", "x"), createdFile("CON.md", "x"), createdFile("a:b.md", "x"), createdFile("trailing .", "x"),
			createdFile("../Outside.md", "x"), createdFile("Bad\xff.md", "x"), createdFile("Missing/Folder.md", "x"),
		},
		Odd: []string{"link"}, Hidden: []string{".claude"}, Kept: []string{"Private"},
	})
	want := "refused ../Outside.md\nrefused Bad\xff.md\nrefused CON.md\nrefused Old/C.md\nrefused Private/New.md\nrefused Renamed.md\nrefused a:b.md\nrefused trailing .\n" +
		"holds Old\nholds Private\nfollows Missing/Folder.md\nhidden .claude\nodd link"
	if got := leftOutOf(r); got != want {
		t.Errorf("left out:\n%s\nwant\n%s", got, want)
	}
	if end := ui.approve(r); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end)
	}
	if got, _ := mem.File("A.md"); string(got) != "A\n" {
		t.Errorf("what is allowed was not made: %q", got)
	}
}

func TestAStagedReviewIsHeldAgainstTheVaultAtTheYes(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "one\ntwo\nthree\n"}})
	ui := begin(t, mem, free)
	r := ui.stagedOf(StagedWork{Changes: []copychange.Change{modified("A.md", "one\ntwo\nthree\n", "one\ntwo\nTHREE\n")}})
	mem.Put("A.md", "mine\n\none\ntwo\nthree\n")
	if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval}); !fault.Is(err, fault.Conflict) {
		t.Fatalf("a drift was approved: %v", err)
	}
	again := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: r.Run})
	if end := ui.approve(&again); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end)
	}
	if got, _ := mem.File("A.md"); string(got) != "mine\n\none\ntwo\nTHREE\n" {
		t.Errorf("the note is %q", got)
	}
}

func TestAFileThatIsLeftOutOfAStagedReviewIsNotWritten(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\n", "B.md": "b\n"}})
	ui := begin(t, mem, free)
	r := ui.stagedOf(StagedWork{Changes: []copychange.Change{modified("A.md", "a\n", "A\n"), modified("B.md", "b\n", "B\n")}})
	next := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: "A.md"})
	if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval}); err == nil {
		t.Fatal("what is no longer shown was approved")
	}
	if end := ui.approve(&next); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end)
	}
	if a, _ := mem.File("A.md"); string(a) != "a\n" {
		t.Errorf("want \"a\\n\", got A.md is %q", a)
	}
	if b, _ := mem.File("B.md"); string(b) != "B\n" {
		t.Errorf("want \"B\\n\", got B.md is %q", b)
	}
}

func TestTheRecordsKnowAStagedRunByItsCommand(t *testing.T) {
	const command = `claude -p "tidy up"`
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\n"}})
	ui := begin(t, mem, free)
	r := ui.stagedOf(StagedWork{Command: command, Changes: []copychange.Change{modified("A.md", "a\n", "A\n")}})
	if r.Title == nil || r.Title.Params["goal"] != command {
		t.Errorf("the review is called %+v", r.Title)
	}
	ui.approve(r)
	runs := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{Kind: protocol.KindStaged})
	if len(runs.Runs) != 1 || runs.Runs[0].Goal != command || !runs.Runs[0].Can.Revert || runs.Runs[0].Can.Rest {
		t.Fatalf("the history has %+v", runs.Runs)
	}
	if v := ui.verified(r.Run); !v.OK || v.Origin != "" {
		t.Errorf("verify: %+v", v)
	}
	doc := call[protocol.Document](ui, "run.export", protocol.RunRef{Run: r.Run})
	var out history.ExportDocument
	if err := json.Unmarshal([]byte(doc.Text), &out); err != nil || out.Goal != command {
		t.Errorf("the export has the goal %q (%v)", out.Goal, err)
	}
	ui.revert(r.Run)
	if a, _ := mem.File("A.md"); string(a) != "a\n" {
		t.Errorf("reverted, A.md is %q", a)
	}
	if n := runs.Runs[0].Files; n != 1 {
		t.Errorf("the history counts %d files", n)
	}
}
