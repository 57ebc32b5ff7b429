package notepage_test

import (
	"slices"
	"testing"

	"embedded-agent/wasm/internal/notepage"
)

func TestNotesBecomeOneNoteInWhichEachIsWhatItWas(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string // two notes
		want string // what they are together
		left []string
	}{
		"each has its title, and headings move down": {
			a: "---\nk: v\n---\nIntro\n\n# One\n## Two\nx\n###### Six\n", b: "Set\n===\ny\n\nlow\n---\n",
			want: "# A\n\nIntro\n\n## One\n### Two\nx\n###### Six\n\n# B\n\n## Set\ny\n\n### low\n",
		},
		"a note that begins with its name keeps it": {a: "# A\n## x\n", b: "# Another\n", want: "# A\n## x\n\n# B\n\n## Another\n"},
		"links between them lead within the new note": {
			a: "[[B]] [[B#Deep|d]] [b](B.md) [[#Own]] [[C]] [[B#^id]]\n# Own\n", b: "| a |\n|---|\n| [[A\\|x]] |\n\n# Deep\nw ^id\n",
			want: "# A\n\n[[#B|B]] [[#B#Deep|d]] [[#B|b]] [[#A#Own|Own]] [[C]] [[#^id|B > ^id]]\n## Own\n\n# B\n\n| a |\n|---|\n| [[#A\\|x]] |\n\n## Deep\nw ^id\n",
		},
		"footnotes and block ids are kept apart": {
			a: "a[^1] [[#^x]] ^x\n\n[^1]: mine\n", b: "b[^1] c[^n] [[#^x]] ^x\n\n[^1]: theirs\n[^n]: n\n",
			want: "# A\n\na[^1] [[#^x|^x]] ^x\n\n[^1]: mine\n\n# B\n\nb[^1-2] c[^n] [[#^x-2|^x]] ^x-2\n\n[^1-2]: theirs\n[^n]: n\n",
		},
		"addresses that are defined are kept apart": {
			a: "[t][l] [l]\n\n[l]: https://a.example\n", b: "[t][l] [l] [l][] [l](x)\n\n[l]: https://b.example\n",
			want: "# A\n\n[t][l] [l]\n\n[l]: https://a.example\n\n# B\n\n[t][l-2] [l][l-2] [l][l-2] [l](x)\n\n[l-2]: https://b.example\n",
		},
		"comments are left out": {a: "a %%x%% b\n\n%%\nsecret\n%%\n`%%c%%`\n", b: "%%never closed\n", want: "# A\n\na  b\n\n`%%c%%`\n\n# B\n\n\n"},
		"code that is left open ends with its note": {
			a: "```js\n# not a heading\n", b: "~~~~\n$$ %% [[A]]\n", want: "# A\n\n```js\n# not a heading\n```\n\n# B\n\n~~~~\n$$ %% [[A]]\n~~~~\n",
		},
		"what looks like a mark in code is code": {
			a: "`[[B]]` and `[^1]`\n\n```\n![[B]]\n# no\n```\n", b: "x[^1]\n\n[^1]: y\n",
			want: "# A\n\n`[[B]]` and `[^1]`\n\n```\n![[B]]\n# no\n```\n\n# B\n\nx[^1]\n\n[^1]: y\n",
		},
		"an embed is written out below its heading": {
			a: "## H\nbefore\n![[C]]\nafter\n", b: "x\n",
			want: "# A\n\n## H\nbefore\n\n### Top\nwords[^1]\n\n[^1]: c\n\nafter\n\n# B\n\nx\n",
		},
		"an embed among words":        {a: "say ![[Word]] now\n", b: "- ![[C]]\n- [ ] ![[Word]]\n", want: "# A\n\nsay a word now\n\n# B\n\n- ## Top\n  words[^1]\n  \n  [^1]: c\n- [ ] a word\n"},
		"blocks among words":          {a: "say ![[C]] now\n", b: "> ![[C]]\n", want: "# A\n\nsay \n\n## Top\nwords[^1]\n\n[^1]: c\n\n now\n\n# B\n\n> ## Top\n> words[^1-2]\n> \n> [^1-2]: c\n"},
		"an embed in a row is a link": {a: "|a|\n|-|\n|![[B]]|\n", b: "x\n", want: "# A\n\n|a|\n|-|\n|[[#B\\|B]]|\n\n# B\n\nx\n", left: []string{"B.md kind"}},
		"an embed that is not there, or in itself": {
			a: "![[Gone]]\n\n![[B#no]]\n\n![[A]]\n\n![[gone.png]]\n", b: "x\n",
			want: "# A\n\n*(Gone: missing)*\n\n*(B: missing)*\n\n*(A: cycle)*\n\n![[gone.png]]\n\n# B\n\nx\n",
			left: []string{"A.md cycle", "B#no missing", "Gone missing", "gone.png missing"},
		},
		"other line ends": {a: "a\r\nb\r\n", b: "---\r\nk: v\r\n---\r\n---\r\nx\r\n", want: "# A\n\na\nb\n\n# B\n\n---\nx\n"},
	} {
		t.Run(name, func(t *testing.T) {
			from := newFolder(map[string]string{"A.md": c.a, "B.md": c.b, "C.md": "# Top\nwords[^1]\n\n[^1]: c\n", "Word.md": "a word ^w\n"})
			got, err := notepage.Markdown(from, []string{"A.md", "B.md"}, notepage.Options{Path: "All.md"})
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("the note is\n%s\nwant\n%s\n%q\n%q", got, c.want, got, c.want)
			}
			slices.Sort(from.left)
			if left := slices.Compact(from.left); !slices.Equal(left, c.left) {
				t.Errorf("left out are %q, want %q", left, c.left)
			}
		})
	}
}
