package builtin_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
)

func TestPartsOfOddNotesAreMovedAndSorted(t *testing.T) {
	for name, o := range map[string]odd{
		"a section of a note with a byte order mark": {
			"note.movePart", files{"a.md": "\ufeff# A\r\na\r\n# B\r\nb"}, args{"path": "a", "heading": "B", "place": "before", "toHeading": "A"}, files{"a.md": "\ufeff# B\r\nb\r\n# A\r\na\r\n"}, "",
		},
		"into a note with other line ends": {
			"note.movePart",
			files{"a.md": "# A\r\n- x\r\n\r\n# B\r\n", "b.md": "Text\n"},
			args{"path": "a", "heading": "A", "to": "b"},
			files{"a.md": "# B\r\n", "b.md": "Text\n\n# A\n- x\n"},
			"",
		},
		"into a note that ends in open code": {
			"note.movePart", files{"a.md": "# A\nx\n", "b.md": "```\ncode\n"}, args{"path": "a", "heading": "A", "to": "b"}, nil, fault.Precondition,
		},
		"links to it follow, those to the rest do not": {
			"note.movePart",
			files{
				"a.md": "# Keep\n[[#Go]] [[#Go#Deep]] [[#^b]] [[#Keep]]\n# Go\n[[#Keep]] [[#Deep]] [k](#Keep) [[x]]\n## Deep\nt ^b\n", "F/b.md": "Old\n", "x.md": "", "F/x.md": "",
				"c.md": "[[a#Go|g]] ![[a#^b]] [m](a.md#Go) [[a]] `[[a#Go]]`\n", "b2.md": "[[a#Keep]]\n",
			},
			args{"path": "a", "heading": "Go", "to": "F/b.md", "leave": "link"},
			files{
				"a.md": "# Keep\n[[b#Go]] [[b#Go#Deep]] [[b#^b]] [[#Keep]]\n[[b#Go]]\n", "F/b.md": "Old\n# Go\n[[a#Keep]] [[#Deep]] [k](a.md#Keep) [[x]]\n## Deep\nt ^b\n",
				"c.md": "[[b#Go|g]] ![[b#^b]] [m](b.md#Go) [[a]] `[[a#Go]]`\n",
			},
			"",
		},
		"an item becomes a link to where it went": {
			"note.movePart", files{"a.md": "- [ ] x\n  - y\n- z\n", "b.md": "# T\nt\n"}, args{"path": "a", "line": 1, "to": "b", "toHeading": "T", "leave": "link"}, files{"a.md": "- [[b]]\n- z\n", "b.md": "# T\nt\n- [ ] x\n  - y\n"}, "",
		},
		"a section in a callout is a part of it": {"note.movePart", files{"a.md": "> # A\n\n# B\n"}, args{"path": "a", "heading": "A"}, nil, fault.Precondition},
		"a line without an item":                 {"note.movePart", files{"a.md": "x\n"}, args{"path": "a", "line": 1}, nil, fault.NotFound},
		"a section beside an item":               {"note.movePart", files{"a.md": "# A\n- x\n"}, args{"path": "a", "heading": "A", "toLine": 2, "place": "after"}, nil, fault.Validation},
		"a link within one note":                 {"note.movePart", files{"a.md": "# A\n# B\n"}, args{"path": "a", "heading": "A", "leave": "link"}, nil, fault.Validation},
		"a canvas has no sections":               {"note.sort", files{"a.canvas": "{}"}, args{"path": "a.canvas"}, nil, fault.Precondition},
		"a list below one of two headings":       {"note.sort", files{"a.md": "# A\n- b\n- a\n# B\n- d\n- c\n"}, args{"path": "a", "heading": "B", "descending": true}, files{}, ""},
		"sections within a section": {
			"note.sort", files{"a.md": "# X\n## 10\n## 9\n# Y\n## b\n## a\n"}, args{"path": "a", "heading": "X", "what": "sections"}, files{"a.md": "# X\n## 9\n## 10\n# Y\n## b\n## a\n"}, "",
		},
		"tasks to the end of a heading that has them already": {
			"tasks.move", files{"a.md": "# A\n- [x] a\n# Done\n- [x] b\n\n# C\n- [x] c"}, args{"path": "a", "to": "a", "status": "done", "toHeading": "Done"}, files{"a.md": "# A\n# Done\n- [x] b\n- [x] a\n- [x] c\n\n# C\n"}, "",
		},
		"a sub-task goes out of its list":  {"tasks.move", files{"a.md": "- a\n\t- [x] b\n\t\t- c\n"}, args{"path": "a", "to": "a.md"}, files{"a.md": "- a\n- [x] b\n\t- c\n"}, ""},
		"tasks at the end stay":            {"tasks.move", files{"a.md": "- [ ] o\n\n- [x] a\n- [x] b\n\n"}, args{"path": "a", "to": "a", "status": "done"}, nil, ""},
		"tasks of one note are not copied": {"tasks.move", files{"a.md": "- [x] a\n"}, args{"path": "a", "to": "a", "keep": true}, nil, fault.Validation},
		"a link with no alias in a property": {
			"metadata.tidy", files{"a.md": "---\nx: [\"[[A/b c|d]]\", \"[[A/b c]]\", \"[t](u.md)\"]\nn: 3\n---"}, args{"path": "a", "plain": []any{"X", "n"}}, files{"a.md": "---\nx: [\"d\", \"b c\", \"t\"]\nn: 3\n---"}, "",
		},
	} {
		o.run(t, name)
	}
}

// TestASecondRunChangesNothing holds for what is put in order, not for what is moved on.
func TestASecondRunChangesNothing(t *testing.T) {
	const text = "---\nb: \"[[x]]\"\na: 1\n---\n# B\n- [x] b\n  - c\n- [ ] a\n\n# A\n- [x] z\n\nend"
	for name, a := range map[string]args{
		"note.sort":     {"path": "a", "by": "done", "deep": true},
		"metadata.tidy": {"path": "a", "plain": []any{"b"}, "sort": true},
		"tasks.move":    {"path": "a", "to": "a", "status": "done", "withHeading": true},
		"note.movePart": {"path": "a", "heading": "A", "place": "before", "toHeading": "B"},
	} {
		m := hosttest.New(hosttest.Options{Files: files{"a.md": text}})
		mustCall(t, envOf(m.Host()), name, a)
		once, _ := m.File("a.md")
		mustCall(t, envOf(m.Host()), name, a)
		if twice, _ := m.File("a.md"); string(once) == text || string(once) != string(twice) {
			t.Errorf("%s: want once other than text and once equal to string(twice), got %s", name, cmp.Diff(string(once), string(twice)))
		}
	}
}
