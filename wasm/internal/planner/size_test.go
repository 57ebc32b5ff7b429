package planner_test

import (
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/offer"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// The most that is sent before the person's words, in bytes divided by four: the aim of the project is 3,000, and a
// window of 2,048 is to hold the small prompt with room for an answer.
const (
	mostTokens  = 3000
	smallTokens = 1500
)

// ten are requests of many kinds, in the three languages of the interface.
var ten = []string{
	"Make a note for every line in this list, with the line as the title.",
	"Merge #meeting and #meetings into one tag everywhere.",
	"Verschiebe alle erledigten Aufgaben in meine Archivnotiz.",
	"Summarise each note tagged #paper in two sentences, in a new note.",
	"Which notes link to [[Harrowgate Observatory]]?",
	"把所有带 #project 标签的笔记移动到 02-Projects。",
	"Make a new project with my project template: folder, files, and a line in the project index.",
	"Delete attachments that no note uses, in the whole vault.",
	"Ersetze überall „Mailand“ durch „Milano“.",
	"Build my stand-up: yesterday's done tasks under Yesterday, open ones under Today.",
}

// asking is a first request for a plan, with what an ordinary vault says of itself.
func asking(t testing.TB, words string, small bool) planner.Input {
	t.Helper()
	reg, err := tool.NewRegistry(append(builtin.All(), modelstep.Tool())...)
	if err != nil {
		t.Fatal(err)
	}
	return planner.Input{
		Registry: reg, Model: "m", Small: small,
		Context: planner.Context{
			Instruction: words, Today: "2026-11-20, Friday", Language: "en", ActiveFile: "Projects/Garden.md", DeletesAllowed: true, RenamesAllowed: true,
			Folders: []planner.FolderNames{{Names: []string{"Archive/", "Daily/", "Projects/", "Reading/", "Inbox.md"}}, {Folder: "Projects", Names: []string{"Garden.md", "House.md"}}},
		},
	}
}

// before gives the bytes of a request but for the person's words.
func before(r llm.Request, words string) int {
	n := -len(words)
	for _, m := range r.Messages {
		n += len(m.Text())
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return n
}

func TestAPlanIsAskedForWithAtMost3000Tokens(t *testing.T) {
	largest := 0
	for _, words := range ten {
		for _, small := range []bool{false, true} {
			in := asking(t, words, small)
			in.ActiveHolds = offer.Opened("A.md", "- [ ] a\nk:: v\n") // the most that an open note adds
			byCall, byText := before(planner.Request(&in, llm.PlanByCall), words)/4, before(planner.Request(&in, llm.PlanByText), words)/4
			t.Logf("small %v: %d by call, %d by text: %s", small, byCall, byText, words)
			if !small {
				largest = max(largest, byCall, byText)
			}
			if most := map[bool]int{false: mostTokens, true: smallTokens}[small]; byCall > most || byText > most {
				t.Errorf("%d and %d tokens are sent, and the most is %d. Shorten system.md, a tool's description or words.txt", byCall, byText, most)
			}
		}
	}
	t.Logf("at most %d tokens", largest)
}
