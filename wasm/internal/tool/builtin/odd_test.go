package builtin_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
)

// odd is a call on notes that are not as most notes are, and what becomes of
// them; files that it does not name stay as they are.
type odd struct {
	tool  string
	given map[string]string
	args  map[string]any
	want  map[string]string
	err   fault.Code
}

// gone stands for a note that is in the trash afterwards.
const gone = "\x00gone"

func (o odd) run(t *testing.T, name string) {
	t.Run(name, func(t *testing.T) {
		m := hosttest.New(hosttest.Options{Files: o.given})
		want := maps.Clone(o.want)
		var away []string
		for path, text := range want {
			if text == gone {
				away = append(away, path)
				delete(want, path)
			}
		}
		expected := m.Snapshot().With(want, away)
		if _, err := call(t, envOf(m.Host()), o.tool, o.args); o.err == "" && err != nil || !fault.Is(err, o.err) && o.err != "" {
			t.Fatalf("%v, want %q", err, o.err)
		}
		if d := expected.Diff(m.Snapshot()); d != "" {
			t.Error("want the vault as expected; it differs:", d)
		}
	})
}

type (
	files = map[string]string
	args  = map[string]any
)

func TestToolsOnOddNotes(t *testing.T) {
	for name, o := range map[string]odd{
		"a line is not there because a longer one is": {
			"vault.appendFile",
			files{"a.md": "- [ ] call Ann tomorrow\n"},
			args{"path": "a", "content": "- [ ] call Ann", "skipIfPresent": true},
			files{"a.md": "- [ ] call Ann tomorrow\n- [ ] call Ann\n"},
			"",
		},
		"a line is there, indented and with another line end": {
			"vault.appendFile", files{"a.md": "x\r\n  - a \r\n  - b\r\n"}, args{"path": "a", "content": "- a\n- b\n", "skipIfPresent": true}, nil, "",
		},
		"two lines are not there when they stand apart": {
			"vault.appendFile",
			files{"a.md": "- a\n- c\n- b"},
			args{"path": "a", "content": "- a\n- b", "skipIfPresent": true},
			files{"a.md": "- a\n- c\n- b\n- a\n- b\n"},
			"",
		},
		"a text with the note's second kind of line end is found as it stands": {
			"vault.patchFile", files{"a.md": "a\r\nb\nc\n"}, args{"path": "a", "find": "b\nc", "replace": "X"}, files{"a.md": "a\r\nX\n"}, "",
		},
		"a text is found whichever line end it is given with": {
			"vault.patchFile", files{"a.md": "a\r\nb\r\n"}, args{"path": "a", "find": "a\nb", "replace": "A\nB"}, files{"a.md": "A\r\nB\r\n"}, "",
		},
		"several lines are replaced in a note with CRLF": {
			"vault.replaceText",
			files{"a.md": "x\r\ny\r\nx\r\ny", "b.md": "x\ny\n"},
			args{"find": "x\ny", "replace": "z\nw"},
			files{"a.md": "z\r\nw\r\nz\r\nw", "b.md": "z\nw\n"},
			"",
		},
		"an expression's line ends are those of any note": {
			"vault.replaceText",
			files{"a.md": "\ufeffa: 1\r\nb: 22\r\n\r\n`c: 3`\r\nd: 4"},
			args{"find": `: (\d+)$`, "replace": "=$1;", "regex": true},
			files{"a.md": "\ufeffa=1;\r\nb=22;\r\n\r\n`c: 3`\r\nd=4;"},
			"",
		},
		"blank lines are joined in a note with CRLF": {
			"vault.replaceText", files{"a.md": "a\r\n\r\n\r\n\r\nb\r\n"}, args{"find": `\n{3,}`, "replace": "\n\n", "regex": true}, files{"a.md": "a\r\n\r\nb\r\n"}, "",
		},
		"a group that is not there is refused, not emptied": {
			"vault.replaceText", files{"a.md": "1 Jan"}, args{"find": `(\d) (\w+)`, "replace": "$3", "regex": true}, nil, fault.Validation,
		},
		"a named group that is not there is refused": {
			"vault.replaceText", files{"a.md": "1 Jan"}, args{"find": `(?P<day>\d)`, "replace": "${month}", "regex": true}, nil, fault.Validation,
		},
		"a property is found however its name is written": {
			"metadata.set",
			files{"a.md": "---\nStatus: open # why\nTags: [x]\n---\n"},
			args{"path": "a", "properties": args{"status": "done"}, "add": args{"tags": "z"}},
			files{"a.md": "---\nStatus: done # why\nTags: [x, z]\n---\n"},
			"",
		},
		"the very name comes first": {
			"metadata.set", files{"a.md": "---\nA: 1\na: 2\n---\n"}, args{"path": "a", "properties": args{"a": 3.0}}, files{"a.md": "---\nA: 1\na: 3\n---\n"}, "",
		},
		"only what is missing is set, however it is written": {
			"metadata.set", files{"a.md": "---\nStatus: open\n---\n"}, args{"path": "a", "properties": args{"status": "done"}, "overwrite": false}, nil, "",
		},
		"a property is renamed in case alone": {
			"metadata.rename", files{"a.md": "---\nSTATUS: 1\n---\n"}, args{"path": "a", "from": "status", "to": "Status"}, files{"a.md": "---\nStatus: 1\n---\n"}, "",
		},
		"a property is removed however it is written": {
			"metadata.remove", files{"a.md": "---\nStatus: 1\nb: 2\n---\n"}, args{"path": "a", "keys": []any{"status", "STATUS"}}, files{"a.md": "---\nb: 2\n---\n"}, "",
		},
		"inline fields in two spellings are one property": {
			"metadata.fromInline", files{"a.md": "Key:: a\nkey:: b\n"}, args{"path": "a"}, files{"a.md": "---\nKey:\n  - a\n  - b\n---\n"}, "",
		},
		"a link in a table has its bar escaped": {
			"links.unlinkedMentions",
			files{"Cat.md": "", "a.md": "| who | what |\n|---|---|\n| a cat | 1 |\n\nsome | words\n", "b.md": "> x | y\n> --|--\n> cat | z\n\ncat"},
			args{"link": true},
			files{"a.md": "| who | what |\n|---|---|\n| a [[Cat\\|cat]] | 1 |\n\nsome | words\n", "b.md": "> x | y\n> --|--\n> [[Cat\\|cat]] | z\n\ncat"},
			"",
		},
		"an alias in a table has its bar escaped": {
			"links.rewrite",
			files{"20260102 - Plan.md": "", "a.md": "| [[20260102 - Plan]] | x |\n|---|---|\n| [[20260102 - Plan\\|20260102 - Plan]] | |\n\n[[20260102 - Plan]]"},
			args{"mode": "alias"},
			files{"a.md": "| [[20260102 - Plan\\|Plan]] | x |\n|---|---|\n| [[20260102 - Plan\\|Plan]] | |\n\n[[20260102 - Plan|Plan]]"},
			"",
		},
		"a title of two characters is a word in Chinese": {
			"links.unlinkedMentions", files{"日本.md": "", "水.md": "", "ab.md": "", "a.md": "去日本。喝水 ab"}, args{"link": true}, files{"a.md": "去[[日本]]。喝水 ab"}, "",
		},
		"the longest of many names that begin alike": {
			"links.unlinkedMentions",
			files{"New York.md": "", "New York (state).md": "", "New.md": "", "New York City.md": "", "a.md": "new york city, New York (state), new  york and new, New York"},
			args{"path": "a", "link": true},
			files{"a.md": "[[New York City|new york city]], [[New York (state)]], [[New York|new  york]] and [[New|new]], New York"},
			"",
		},
		"many inline fields of one name": {
			"metadata.fromInline",
			files{"a.md": "---\nKey: zero\n---\nkey:: one\nKEY:: [[two, three]], four\nother:: 1\nOther:: 2\n"},
			args{"path": "a"},
			files{"a.md": "---\nKey:\n  - zero\n  - one\n  - \"[[two, three]]\"\n  - four\nother:\n  - 1\n  - 2\n---\n"},
			"",
		},
		"a note that is written anew keeps its line ends and its mark": {
			"vault.writeFile", files{"a.md": "\ufeffx\r\n"}, args{"path": "a", "content": "y\nz\n"}, files{"a.md": "\ufeffy\r\nz\r\n"}, "",
		},
		"a picture is not written over with text": {
			"vault.writeFile", files{"a.png": "\x89PNG\x00"}, args{"path": "a.png", "content": "y"}, nil, fault.Precondition,
		},
		"a task that code shows is not there already": {
			"tasks.move",
			files{"a.md": "- [ ] t\n", "b.md": "```\n- [ ] t\n```\n> - [ ] t\n"},
			args{"path": "a", "to": "b"},
			files{"a.md": "", "b.md": "```\n- [ ] t\n```\n> - [ ] t\n- [ ] t\n"},
			"",
		},
		"a task that is there with more below it is not added again": {
			"tasks.move", files{"a.md": "- [ ] t\r\n\t- s\r\n", "b.md": "- [ ] t\n\t- s\n\t- mine\n"}, args{"path": "a", "to": "b"}, files{"a.md": ""}, "",
		},
		"a task with less below it is another one": {
			"tasks.move", files{"a.md": "- [ ] t\n\t- s", "b.md": "- [ ] t\n"}, args{"path": "a", "to": "b"}, files{"a.md": "", "b.md": "- [ ] t\n- [ ] t\n\t- s\n"}, "",
		},
		"tasks go below words with a heading of their own or as a list": {
			"tasks.move",
			files{"a.md": "1. [ ] one\n2. [x] two\n", "b.md": "> quote"},
			args{"path": "a", "to": "b", "status": "done"},
			files{"a.md": "1. [ ] one\n", "b.md": "> quote\n2. [x] two\n"},
			"",
		},
	} {
		o.run(t, name)
	}
}

func TestLinksOfTextThatMovesLeadWhereTheyLed(t *testing.T) {
	for name, o := range map[string]odd{
		"merged from two folders": {
			"note.merge",
			files{"A/n.md": "[[x]] [r](./x.md) ![[A/x|w]] [[#h]]\n# h\n", "B/m.md": "[[x]] [[n#h]]", "A/x.md": "", "B/x.md": "", "i.png": ""},
			args{"paths": []any{"A/n", "B/m"}, "path": "C/out.md"},
			files{"C/out.md": "[[x]] [r](A/x.md) ![[A/x|w]] [[#h]]\n# h\n\n[[B/x]] [[n#h]]\n"},
			"",
		},
		"merged, and the sources go": {
			"note.merge",
			files{"A/n.md": "[[m]] [[n]]", "B/m.md": "[b](../A/n.md)", "d.md": "---\nup: \"[[n]]\"\n---\n[[m|M]] `[[m]]` [x](B/m.md#h)", "c.canvas": `{"nodes":[{"id":"1","type":"file","file":"A/n.md"}]}`},
			args{"paths": []any{"A/n", "B/m"}, "path": "out.md", "deleteSources": true},
			files{
				"out.md": "[[out]] [[out]]\n\n[b](out.md)\n", "d.md": "---\nup: \"[[out]]\"\n---\n[[out|M]] `[[m]]` [x](out.md#h)",
				"c.canvas": `{"nodes":[{"id":"1","type":"file","file":"out.md"}]}`,
				"A/n.md":   gone, "B/m.md": gone,
			},
			"",
		},
		"merged where the name is taken": {
			"note.merge",
			files{"n.md": "[[m]]", "m.md": "x\n", "out.md": "another", "d.md": "[[n]]"},
			args{"paths": []any{"n", "m"}, "path": "out.md", "deleteSources": true},
			files{"out (2).md": "[[out (2)]]\n\nx\n", "d.md": "[[out (2)]]", "n.md": gone, "m.md": gone},
			"",
		},
		"merged, one of them named twice, in the line ends of the first": {
			"note.merge",
			files{"n.md": "---\r\na: 1\r\n---\r\nN", "m.md": "\ufeff---\nb: 2\n---\n\nM\nM\n", "e.md": ""},
			args{"paths": []any{"n", "m.md", "n.md", "e"}, "path": "out.md", "headings": true},
			files{"out.md": "---\r\na: 1\r\n---\r\n## n\r\n\r\nN\r\n\r\n## m\r\n\r\nM\r\nM\r\n\r\n## e\r\n\r\n"},
			"",
		},
		"embeds in a list, a quote, a table and a line, and one of a section that is not there": {
			"note.merge",
			files{"n.md": "- ![[s/p]]\n> ![[s/p]]\n\n| ![[s/p]] |\nsee ![[p#A]], ![[p#none]]\n", "s/p.md": "# A\n[[q]] ![](./i.png)\n", "s/q.md": "", "a/q.md": "", "s/i.png": "", "i.png": ""},
			args{"embedsOf": "n", "path": "out.md"},
			files{"out.md": "- # A\n  [[s/q]] ![](s/i.png)\n> # A\n> [[s/q]] ![](s/i.png)\n\n| ![[s/p]] |\nsee # A\n[[s/q]] ![](s/i.png), ![[p#none]]\n"},
			"",
		},
		"split off into a folder": {
			"note.splitAtHeadings",
			files{"A/n.md": "# T\n## One\n[r](./x.md) [[#Two]] [[#sub]] [[#^b]]\n### sub\n## Two\ntext ^b\n", "A/x.md": "", "x.md": ""},
			args{"path": "A/n", "level": 2.0, "folder": "Parts"},
			files{
				"A/n.md": "# T\n## One\n[[One]]\n## Two\n[[Two]]\n", "Parts/One.md": "[r](A/x.md) [[n#Two]] [[#sub]] [[n#^b]]\n### sub\n",
				"Parts/Two.md": "text ^b\n",
			},
			"",
		},
		"a task into another folder": {
			"tasks.move",
			files{"A/n.md": "# H\n- [ ] see [r](./x.md) and [[#H]]\n  - ![[./x]]\n", "A/x.md": "", "x.md": ""},
			args{"path": "A/n", "to": "B/new", "create": true},
			files{"A/n.md": "# H\n", "B/new.md": "- [ ] see [r](A/x.md) and [[n#H]]\n  - ![[A/x]]\n"},
			"",
		},
	} {
		o.run(t, name)
	}
}

func TestAChangeThatIsNotSafeIsNotCalledAMistakeInTheNote(t *testing.T) {
	for given, key := range map[string]string{
		"---\na: &x [1, 2]\nb: *x\n---\n": "tools.front.refused", "---\na: [\n---\n": "tools.front.invalid", "---\na: 1\na: 2\n---\n": "tools.front.invalid",
	} {
		m := hosttest.New(hosttest.Options{Files: files{"a.md": given}})
		_, err := call(t, envOf(m.Host()), "metadata.set", args{"path": "a.md", "properties": args{"a": "z"}})
		if f := fault.From(err); f.Code != fault.Precondition || f.Key != key {
			t.Errorf("%q: %v, want %s", given, err, key)
		}
		if got, _ := m.File("a.md"); string(got) != given {
			t.Errorf("%q became %q", given, got)
		}
	}
}

func TestAPropertyIsOneHoweverItsNameIsWritten(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: files{"a.md": "---\nStatus: x\n---\n", "b.md": "---\nstatus: X\n---\n"}})
	d := mustCall(t, envOf(m.Host()), "metadata.values", args{})
	want := []any{map[string]any{"property": "Status", "different": 1.0, "values": []any{map[string]any{"value": "x", "count": 2.0}}}}
	if diff := cmp.Diff(want, d["properties"]); diff != "" {
		t.Error("it differs from what was wanted (-want +got):", diff)
	}
}

func TestAReplacementsGroupsAreReadAsEditorsReadThem(t *testing.T) {
	for replace, want := range map[string]string{
		"$1st": "1st", "$10": "10", "$2$1": "Jan1", "${1}0": "10", "$<2>!": "Jan!", "$&$&": "1 Jan1 Jan", "$0": "1 Jan",
		"US$ $$1 $x": "US$ $1 $x", "$": "$", "$$": "$", "${day}th": "1th", "\\1": "\\1", "": "",
	} {
		m := hosttest.New(hosttest.Options{Files: files{"a.md": "1 Jan"}})
		mustCall(t, envOf(m.Host()), "vault.replaceText", args{"path": "a.md", "find": `(?P<day>\d) (\w+)`, "replace": replace, "regex": true})
		if got, _ := m.File("a.md"); string(got) != want {
			t.Errorf("%q gives %q, want %q", replace, got, want)
		}
	}
}

func TestASearchSeesTheEndsOfLinesOfAnyNote(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: files{"a.md": "one\r\ntwo\r\n", "b.md": "one\ntwo\n"}})
	for query, regex := range map[string]bool{`one$`: true, "one\ntwo": false, `one\ntwo`: true} {
		d := mustCall(t, envOf(m.Host()), "vault.searchText", args{"query": query, "regex": regex})
		if hits := d["hits"].([]any); len(hits) != 2 {
			t.Errorf("%q: want 2 hits, got %v", query, hits)
		}
	}
}

// Models fill in what they leave open: `heading: ""` wrote the link [[Plan#]].
func TestAnEmptyHeadingIsNone(t *testing.T) {
	for _, empty := range []string{"", " ", "#", "## "} {
		m := hosttest.New(hosttest.Options{Files: files{"Plan.md": "# A\n- [ ] x\n", "b.md": ""}})
		env := envOf(m.Host())
		for _, c := range []struct {
			tool       string
			args       args
			field, out string
		}{
			{"links.make", args{"to": "Plan", "heading": empty, "block": ""}, "link", "[[Plan]]"},
			{"vault.readFile", args{"path": "Plan", "heading": empty, "block": "^"}, "content", "# A\n- [ ] x\n"},
			{"vault.appendFile", args{"path": "Plan", "heading": empty, "content": "end"}, "", ""},
			{"vault.patchFile", args{"path": "Plan", "heading": empty, "find": "end", "replace": "END"}, "", ""},
			{"tasks.setStatus", args{"path": "Plan", "heading": empty, "to": "x"}, "", ""},
			{"tasks.move", args{"path": "Plan", "heading": empty, "to": "b", "toHeading": empty}, "", ""},
		} {
			out := mustCall(t, env, c.tool, c.args)
			if c.field != "" && out[c.field] != c.out {
				t.Errorf("%s, heading %q: %v", c.tool, empty, out)
			}
		}
		if got, _ := m.File("Plan.md"); string(got) != "# A\n\nEND\n" {
			t.Errorf("heading %q: %q", empty, got)
		}
		if got, _ := m.File("b.md"); string(got) != "- [x] x\n" {
			t.Errorf("heading %q: %q", empty, got)
		}
	}
}
