package note

import (
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/costtest"
)

func TestBulletsFollowCommonMark(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []*Bullet
	}{
		{"plain items", "- one\n- two\n", []*Bullet{{Text: "one", Title: "one"}, {Text: "two", Title: "two"}}},
		{"every marker", "* a\n\n+ b\n\n1. c\n", []*Bullet{{Text: "a", Title: "a"}, {Text: "b", Title: "b"}, {Text: "c", Title: "c", Ordered: true}}},
		{"nesting", "- a\n  - b\n    - c\n- d", []*Bullet{
			{Text: "a", Title: "a", Content: "- b\n  - c", Children: []*Bullet{
				{Text: "b", Title: "b", Level: 1, Content: "- c", Children: []*Bullet{{Text: "c", Title: "c", Level: 2}}},
			}},
			{Text: "d", Title: "d"},
		}},
		{"nesting by tabs", "- a\n\t- b\n- c", []*Bullet{
			{Text: "a", Title: "a", Content: "- b", Children: []*Bullet{{Text: "b", Title: "b", Level: 1}}},
			{Text: "c", Title: "c"},
		}},
		{"tasks", "- [ ] open\n- [x] done\n- [-] dropped\n- [link](x)", []*Bullet{
			{Text: "open", Title: "open", Task: true, State: " "},
			{Text: "done", Title: "done", Task: true, State: "x"},
			{Text: "dropped", Title: "dropped", Task: true, State: "-"},
			{Text: "[link](x)", Title: "link"},
		}},
		{"CRLF", "- a\r\n  more\r\n\r\n  body\r\n- b\r\n", []*Bullet{
			{Text: "a\nmore", Title: "a more", Content: "body"},
			{Text: "b", Title: "b"},
		}},
		{"code in an item is no item", "- a\n\n  ```\n  - no\n  ```\n- b", []*Bullet{
			{Text: "a", Title: "a", Content: "```\n- no\n```"},
			{Text: "b", Title: "b"},
		}},
		{"marks in a title", "- **bold** [[Note|alias]] [[Other]] `code` ==lit== ^id1", []*Bullet{
			{Text: "**bold** [[Note|alias]] [[Other]] `code` ==lit== ^id1", Title: "bold alias Other code lit"},
		}},
		{"a selection from inside a list", "    - a\n    - b\n        - c", []*Bullet{
			{Text: "a", Title: "a"},
			{Text: "b", Title: "b", Content: "- c", Children: []*Bullet{{Text: "c", Title: "c", Level: 1}}},
		}},
		{"a quoted list", "> - a\n>   body\n>\n>   par\n> - b", []*Bullet{{Text: "a\nbody", Title: "a body", Content: "par"}, {Text: "b", Title: "b"}}},
		{"front matter is no list", "---\ntags:\n- x\n---\n- a", []*Bullet{{Text: "a", Title: "a"}}},
		{"text between lists", "- a\n\ntext\n\n- b", []*Bullet{{Text: "a", Title: "a"}, {Text: "b", Title: "b"}}},
		{"an empty item", "-\n- b", []*Bullet{{}, {Text: "b", Title: "b"}}},
		{"items on one line", "- - a\n  - b", []*Bullet{{Content: "- a\n- b", Children: []*Bullet{
			{Text: "a", Title: "a", Level: 1}, {Text: "b", Title: "b", Level: 1},
		}}}},
		{"no list", "# Heading\n\ntext - not an item", nil},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, Bullets([]byte(c.in))); d != "" {
				t.Error("it differs from what was wanted (-want +got):", d)
			}
		})
	}
}

func TestBulletsAreLinearOnHostileTexts(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("timed natively; the code is the same")
	}
	for unit, text := range hostile(100_000) {
		if took := costtest.Fastest(func() { Bullets([]byte(text)) }); took > 10*time.Second {
			t.Errorf("%q: %v for 100 kB", unit, took)
		}
	}
}
