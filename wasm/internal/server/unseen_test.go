package server

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// step writes one step of a plan.
func stepOf(id, tool string, args map[string]any) string {
	b, err := json.Marshal(map[string]any{"id": id, "tool": tool, "args": args})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func planWith(steps ...string) string {
	return `{"goal":"Write","assumptions":[],"riskLevel":"writes","steps":[` + strings.Join(steps, ",") + `]}`
}

func TestNoTextToolWritesControlCharactersAndSaysWhere(t *testing.T) {
	files := map[string]string{"A.md": "# A\n\n- [ ] task\n", "T.md": "{{title}}"}
	for name, s := range map[string]string{
		"writeFile":   stepOf("s", "vault.writeFile", map[string]any{"path": "A.md", "content": "one\ntwo\x00 ```dataviewjs"}),
		"createFile":  stepOf("s", "vault.createFile", map[string]any{"path": "N.md", "content": "one\ntwo\x00"}),
		"appendFile":  stepOf("s", "vault.appendFile", map[string]any{"path": "A.md", "content": "\x1b[2K"}),
		"append new":  stepOf("s", "vault.appendFile", map[string]any{"path": "N.md", "content": "\x08", "ifMissing": "create"}),
		"patchFile":   stepOf("s", "vault.patchFile", map[string]any{"path": "A.md", "find": "task", "replace": "a\x7f"}),
		"replaceText": stepOf("s", "vault.replaceText", map[string]any{"find": "task", "replace": "a\x00"}),
		"exe":         stepOf("s", "vault.createFile", map[string]any{"path": "a.exe", "content": "MZ\x00"}),
	} {
		t.Run(name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: files})
			ui := begin(t, mem, free)
			r, err := ui.s.tx.OpenPlan(t.Context(), []byte(planWith(s)), nil, false)
			if err != nil {
				t.Fatal(err)
			}
			if r.Problem == nil || r.Problem.Code != protocol.ProblemCode(fault.Validation) || r.Problem.Key != "tools.content.control" || r.Problem.Params["line"] == "" || len(r.Files) > 0 {
				t.Errorf("%+v, files %+v", r.Problem, r.Files)
			}
		})
	}
}

func TestANoteThatHasAControlCharacterIsStillEditedShownAndTakenBack(t *testing.T) {
	const odd = "# A\x00\n\nold \x1b[1m\n"
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": odd}})
	ui := begin(t, mem, free)
	before := mem.Snapshot()
	r := ui.open(planWith(
		stepOf("p", "vault.patchFile", map[string]any{"path": "A.md", "find": "old", "replace": "new"}),
		stepOf("c", "vault.copyFile", map[string]any{"path": "A.md", "newPath": "B.md"})))
	for path, v := range ui.shown(r) {
		if v.Binary || !strings.Contains(v.After, "new \x1b[1m") && !strings.Contains(v.After, "old \x1b[1m") || len(v.Hunks) == 0 {
			t.Errorf("%s: want Binary false, After with \"new \\x1b[1m\" (or After with \"old \\x1b[1m\") and some Hunks, got %+v", path, v)
		}
	}
	if end := ui.approve(r); end.Outcome != "ok" || ui.text("A.md") != strings.Replace(odd, "old", "new", 1) {
		t.Fatalf("want Outcome \"ok\" and A.md equal to strings.Replace(odd, \"old\", \"new\", 1), got %+v %q", end, ui.text("A.md"))
	}
	call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: r.Run})
	if got := mem.Snapshot(); !maps.EqualFunc(got, before, bytes.Equal) {
		t.Errorf("want the vault as it was before, got %v", got)
	}
}

func TestABinaryFileIsToldBySizeKindAndHash(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("\xff\x00", 50)
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"p.png": png, "q.png": png, "r.bin": "\xff\x01\x02"}})
	ui := begin(t, mem, free)
	r := ui.open(planWith(
		stepOf("c", "vault.copyFile", map[string]any{"path": "p.png", "newPath": "copy.png"}),
		stepOf("m", "vault.rename", map[string]any{"path": "q.png", "newPath": "moved.png"}),
		stepOf("d", "vault.delete", map[string]any{"path": "r.bin"})))
	sum := digest.Sum256([]byte(png))
	want := protocol.FileFacts{Bytes: int64(len(png)), Type: protocol.Message{Key: "file.type.image", Params: map[string]string{"format": "PNG"}}, Hash: hex.EncodeToString(sum[:])}
	shown := ui.shown(r)
	for path, facts := range map[string]*protocol.FileFacts{
		"copy.png": shown["copy.png"].AfterFacts, "moved.png": shown["moved.png"].AfterFacts, "moved.png before": shown["moved.png"].BeforeFacts,
	} {
		if facts == nil || fmt.Sprint(*facts) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, want %+v", path, facts, want)
		}
	}
	if f := shown["r.bin"].BeforeFacts; f == nil || f.Bytes != 3 || f.Type.Key != "file.type.data" || shown["r.bin"].AfterFacts != nil {
		t.Errorf("want something, Bytes 3, Type.Key \"file.type.data\" and no shown[\"r.bin\"].AfterFacts, got %+v", shown["r.bin"])
	}
}

// accounted rebuilds what a view says of one side, or its hash.
func accounted(data []byte, there bool, text string, facts *protocol.FileFacts) error {
	switch {
	case facts != nil:
		sum := digest.Sum256(data)
		if !there || facts.Bytes != int64(len(data)) || facts.Hash != hex.EncodeToString(sum[:]) || facts.Type.Key == "" {
			return fmt.Errorf("%+v for %q", facts, data)
		}
	case text != string(data):
		return fmt.Errorf("%q for %q", text, data)
	}
	return nil
}

func TestNothingThatCanBeApprovedIsUnseen(t *testing.T) {
	contents := rapid.SampledFrom([]string{
		"", "text\n", "a\nb\nc", "a\r\nb\r\n", "\x00", "x\x00y\n", "\x1b[2K", "\xff\xfe", "\x89PNG\r\n\x1a\n\xff", "\ufeffa\n", "a\rb\r", "\u202e\u200b", "ok\xffbad\n", strings.Repeat("long ", 5000), strings.Repeat("\n", 3000),
	})
	names := rapid.SampledFrom([]string{"A.md", "B.md", "p.png", "F/c.md", "F/d.bin", "e.txt"})
	whole := t
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]string{}
		for range rapid.IntRange(0, 5).Draw(t, "files") {
			files[names.Draw(t, "name")] = contents.Draw(t, "content")
		}
		var steps []string
		for i := range rapid.IntRange(1, 4).Draw(t, "steps") {
			path, to := names.Draw(t, "path"), names.Draw(t, "to")
			tool := rapid.SampledFrom([]string{"vault.writeFile", "vault.appendFile", "vault.copyFile", "vault.rename", "vault.delete", "vault.createFile"}).Draw(t, "tool")
			args := map[string]any{"path": path}
			switch tool {
			case "vault.copyFile", "vault.rename":
				args["newPath"] = to
			case "vault.delete":
			default:
				args["content"] = strings.ToValidUTF8(contents.Draw(t, "new"), "")
			}
			s := stepOf(fmt.Sprintf("s%d", i), tool, args)
			steps = append(steps, s[:len(s)-1]+`,"onError":"skip"}`)
		}
		mem := hosttest.New(hosttest.Options{Files: files})
		ui, _, err := start(whole, mem, free)
		if err != nil {
			t.Fatal(err)
		}
		defer ui.s.Close()
		r, err := ui.s.tx.OpenPlan(t.Context(), []byte(planWith(steps...)), nil, false)
		if err != nil {
			return // no plan: the check said so
		}
		se := ui.reviewed()
		for _, c := range se.Changes {
			if c.Kind == "folder" {
				continue
			}
			v, err := ui.s.tx.File(t.Context(), protocol.FileRef{Run: r.Run, Path: c.Path})
			if err != nil {
				t.Fatal(err)
			}
			before, after := c.Before, c.After
			if c.Status == "rename" && before == nil && after == nil {
				before = []byte(files[c.From])
				after = before
			}
			for _, err := range []error{accounted(before, before != nil, v.Before, v.BeforeFacts), accounted(after, after != nil, v.After, v.AfterFacts)} {
				if err != nil {
					t.Fatalf("%s %s: want no error, got %v", c.Status, c.Path, err)
				}
			}
			if v.BeforeFacts == nil && v.AfterFacts == nil && !bytes.Equal(before, after) && len(v.Hunks) == 0 {
				t.Fatalf("%s %s has no difference: %q, %q", c.Status, c.Path, before, after)
			}
		}
	})
}

func TestCodeThatAWriteAddsIsSaidAndAlwaysAskedAbout(t *testing.T) {
	never := protocol.Settings{Provider: "openai", Confirm: "never", AllowRenames: true, AllowDeletes: true}
	asks := func(ui *panel) bool {
		ui.reviewed().MustAsk = false // as for an action that was seen in a run
		return ui.s.tx.MustAsk(ui.reviewed())
	}
	ui := begin(t, hosttest.New(hosttest.Options{}), never)
	if ui.open(planWith(stepOf("s", "vault.createFile", map[string]any{"path": "N.md", "content": "text"}))); asks(ui) {
		t.Error("plain text is asked about, with confirmation off")
	}
	for name, c := range map[string]struct {
		plan        string
		runs, loads int
	}{
		"templater":        {planWith(stepOf("s", "vault.appendFile", map[string]any{"path": "A.md", "content": "<%* x %>"})), 1, 0},
		"dataviewjs":       {planWith(stepOf("s", "vault.createFile", map[string]any{"path": "N.md", "content": "> ```dataviewjs\n> x\n> ```\n"})), 1, 0},
		"remote picture":   {planWith(stepOf("s", "vault.createFile", map[string]any{"path": "N.md", "content": "![](https://evil.example/x)"})), 0, 1},
		"a program":        {planWith(stepOf("s", "vault.createFile", map[string]any{"path": "run.bat", "content": "calc"})), 1, 0},
		"made a program":   {planWith(stepOf("s", "vault.rename", map[string]any{"path": "c.txt", "newPath": "c.md"})), 1, 0},
		"copied to a note": {planWith(stepOf("s", "vault.copyFile", map[string]any{"path": "c.txt", "newPath": "c.md"})), 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ui := begin(t, hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\n", "c.txt": "```dataviewjs\nx\n```\n"}}), never)
			r := ui.open(c.plan)
			var runs, loads int
			for _, f := range r.Files {
				runs, loads = runs+f.Runs, loads+f.Loads
			}
			if runs != c.runs || loads != c.loads {
				t.Errorf("want runs as in the case and loads as in the case, got %+v", r.Files)
			}
			said := 0
			for _, l := range r.Summary {
				if l.Tone == "runs" {
					said++
				}
			}
			if said != 1 {
				t.Errorf("want said 1, got %+v", r.Summary)
			}
			if !asks(ui) {
				t.Error("it would run without being asked about")
			}
		})
	}
}

func TestOnlyAddedCodeIsSaidByItsLine(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "<% old %>\n"}}), free)
	r := ui.open(planWith(stepOf("s", "vault.appendFile", map[string]any{"path": "A.md", "content": "text\n`$= new`\n"})))
	v := ui.shown(r)["A.md"]
	if len(v.Alerts) != 1 || v.Alerts[0].Line != 3 || v.Alerts[0].Text.Key != "alert.code" || v.Alerts[0].Text.Params["what"] != "Dataview" {
		t.Errorf("want 1 Alerts, Alerts[0].Line 3, Alerts[0].Text.Key \"alert.code\" and Alerts[0].Text.Params[\"what\"] \"Dataview\", got %+v", v.Alerts)
	}
	if quiet := ui.open(planWith(stepOf("s", "vault.appendFile", map[string]any{"path": "A.md", "content": "text"}))); quiet.Files[0].Runs != 0 || len(ui.shown(quiet)["A.md"].Alerts) != 0 {
		t.Errorf("want Files[0].Runs 0 and no [\"A.md\"].Alerts, got %+v", quiet.Files)
	}
}
