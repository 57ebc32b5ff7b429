package offer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// others are the tools that a model which plans is told of by name.
func others(t testing.TB) []*tool.Entry {
	t.Helper()
	reg, err := tool.NewRegistry(append(builtin.All(), modelstep.Tool())...)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(reg.All()), func(e *tool.Entry) bool { return Core(e.Name, Planning) })
}

func chosen(t testing.TB, asked Asked) []string {
	t.Helper()
	var out []string
	for _, e := range Choose(others(t), asked, false) {
		out = append(out, e.Name)
	}
	return out
}

func TestEveryToolHasItsWordsAndEveryLineOfWordsItsTool(t *testing.T) {
	names := map[string]bool{}
	for _, tl := range append(builtin.All(), modelstep.Tool()) {
		names[tl.Name] = true
		if w, ok := book()[tl.Name]; !ok || len(w.brief) > maxBrief || w.marks == "-" && len(w.asked) == 0 {
			t.Errorf("%s has no line in words.txt, or none with stems: add what people say for it, in English, German and Chinese", tl.Name)
		}
	}
	for name, w := range book() {
		if !names[name] {
			t.Errorf("words.txt has a line for %s, which is no tool", name)
		}
		for _, way := range w.asked {
			for _, stem := range way {
				if stem != strings.ToLower(stem) || stem == "" {
					t.Errorf("%s: the stem %q is not in small letters", name, stem)
				}
			}
		}
	}
}

func TestTheCoreIsTenToolsAndTwelveForASmallWindow(t *testing.T) {
	for kind, want := range map[Kind]int{Planning: 10, Acting: 10, Compact: 12} {
		n := 0
		for name := range book() {
			if Core(name, kind) {
				n++
			}
		}
		if n != want {
			t.Errorf("%c: %d tools are core, want %d", kind, n, want)
		}
	}
}

func TestWhatPeopleSayFindsTheToolInEveryLanguage(t *testing.T) {
	for words, want := range map[string]string{
		"Merge #meeting and #meetings into one tag everywhere": "tags.rename", "Führe die Tags #a und #b zusammen: Tag umbenennen": "tags.rename", "把标签 #a 和 #b 合并": "tags.rename",
		"Tag all notes in this folder": "tags.add", "Verschlagworte alle Notizen hier": "tags.add", "给这些笔记添加标签": "tags.add",
		"move my finished tasks to the archive": "tasks.move", "Verschiebe erledigte Aufgaben ins Archiv": "tasks.move", "把已完成的任务归档": "tasks.move",
		"new note from my project template": "template.apply", "Neue Notiz nach der Vorlage Projekt": "template.apply", "用模板新建笔记": "template.apply",
		"delete the empty notes": "vault.delete", "Lösche leere Notizen": "vault.delete", "删除空笔记": "vault.delete",
		"Summarise each note": "agent.run", "Fasse jede Notiz zusammen, als Zusammenfassung": "agent.run", "总结每篇笔记": "agent.run",
		"replace foo with bar in all notes": "vault.replaceText", "Ersetze foo durch bar": "vault.replaceText", "把 foo 替换成 bar": "vault.replaceText",
		"run the command for the graph": "commands.run", "Führe den Befehl aus": "commands.run", "运行命令": "commands.run",
		"append it to today's daily note": "dates.dailyNote", "Schreib es in die Tagesnotiz": "dates.dailyNote", "写进今天的日记": "dates.dailyNote",
		"Please use tasks.list here": "tasks.list",
	} {
		if got := chosen(t, Asked{Words: words}); !slices.Contains(got, want) {
			t.Errorf("%q gives %v, without %s", words, got, want)
		}
	}
	for words, never := range map[string]string{
		"a stage for actors": "tags.add", "the vintage car": "tags.add", "make a note about Rome": "vault.delete",
	} {
		if got := chosen(t, Asked{Words: words}); slices.Contains(got, never) {
			t.Errorf("%q gives %v", words, got)
		}
	}
}

func TestWhatIsSelectedFindsTheToolToo(t *testing.T) {
	for selection, want := range map[string]string{
		"- one\n- two": "util.parseMarkdownBullets", "Author:: Eco\nYear:: 1980": "metadata.fromInline", "plain words": "",
	} {
		got := chosen(t, Asked{Words: "do it", Selection: selection})
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%q gives %v, want %q", selection, got, want)
		}
	}
}

func TestWhatTheOpenNoteHoldsFindsTheToolsToo(t *testing.T) {
	const note = "# Garden\n\n- [ ] water\nAuthor:: Eco\n"
	for _, c := range []struct {
		path, text, words string
		want              []string
	}{
		{"Garden.md", note, "put this in order", []string{"metadata.fromInline", "tasks.list", "tasks.move"}},
		{"Garden.md", "- water\n", "put this in order", nil},
		{"Board.canvas", `{"nodes":[]}`, "write it with a capital", []string{"links.rewrite", "vault.replaceText"}},
		{"Board.md", "plain", "write it with a capital", nil},
		{"", "", "do it", nil},
		// What the person asks for comes first, and the rest has the room that is left.
		{"Board.canvas", "", "merge two tags: rename tag a", []string{"tags.rename", "note.merge", "links.rewrite"}},
	} {
		if got := chosen(t, Asked{Words: c.words, Open: Opened(c.path, c.text)}); !slices.Equal(got, c.want) {
			t.Errorf("%s, %q: want %q, got %q", c.path, c.words, c.want, got)
		}
	}
}

func TestTheOpenNoteTakesNoRoomFromWhatIsAskedFor(t *testing.T) {
	open := Opened("A.md", "- [ ] a\nk:: v\n")
	for _, words := range []string{
		"find dead links, rename the property due, sort the list by date and make an index from my template", "delete the empty notes", "把 foo 替换成 bar",
	} {
		for _, small := range []bool{false, true} {
			without, with := Choose(others(t), Asked{Words: words}, small), Choose(others(t), Asked{Words: words, Open: open}, small)
			if len(with) < len(without) || !slices.Equal(with[:len(without)], without) {
				t.Errorf("%q, small %v: want the same tools first, %v, got %v", words, small, without, with)
			}
			if n := len(with) - len(without); n > maxOpen {
				t.Errorf("%q: want at most %d tools for the open note, got %d", words, maxOpen, n)
			}
		}
	}
}

// The requests are those that package builtin runs, each with a plan that is right.
func TestTheToolsOfRightPlansAreToldInFull(t *testing.T) {
	files, err := filepath.Glob("../tool/builtin/testdata/requests/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d requests: %v", len(files), err)
	}
	needed, missed := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words, rest, _ := strings.Cut(string(data), "\n")
		got := chosen(t, Asked{Words: words})
		for _, e := range others(t) {
			if !strings.Contains(rest, `"tool": "`+e.Name+`"`) {
				continue
			}
			needed++
			if !slices.Contains(got, e.Name) {
				missed++
				t.Logf("%s: without %s: %v", words, e.Name, got)
			}
		}
	}
	t.Logf("%d tools are needed beside the core, %d of them are told by name alone", needed, missed)
	if missed*5 > needed {
		t.Error("more than one in five has to be asked about")
	}
}

func TestAToolThatHasNoWordsIsToldByTheBeginningOfItsDescription(t *testing.T) {
	for description, want := range map[string]string{
		"Counts words. More.": "Counts words",
		"Draws a picture of all that there is between the notes of the vault, in colours.": "Draws a picture of all that there is between the notes …",
	} {
		if got := Brief("my.tool", description); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A model with a small window makes the same plans as another, of requests that the twelve tools are enough for: the
// lines that it is told name every tool, argument and output that the right plans use.
func TestTwelveToolsToldInShortAreEnoughForTheirPlans(t *testing.T) {
	reg, err := tool.NewRegistry(append(builtin.All(), modelstep.Tool())...)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for _, e := range reg.All() {
		if Core(e.Name, Compact) {
			lines[e.Name] = strings.Replace(ShortLine(e), scopeText, "path?, paths?, folder?", 1)
		}
	}
	files, err := filepath.Glob("../tool/builtin/testdata/requests/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	plans := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var p plan.Plan
		for _, f := range a.Files {
			if f.Name == "plan.json" {
				if err := json.Unmarshal(f.Data, &p); err != nil {
					t.Fatal("want no error, got:", file, err)
				}
			}
		}
		if len(p.Steps) == 0 || slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return lines[s.Tool] == "" }) {
			continue
		}
		plans++
		for _, s := range p.Steps {
			for arg := range s.Args {
				if !regexp.MustCompile(`[( ]` + arg + `\??[:,)]`).MatchString(lines[s.Tool]) {
					t.Errorf("%s: %s of %s is not told: %s", file, arg, s.Tool, lines[s.Tool])
				}
			}
		}
	}
	t.Logf("%d of %d requests are planned with the twelve tools", plans, len(files))
	if plans < 8 {
		t.Errorf("only %d", plans)
	}
}
