package note

import (
	"strings"
	"testing"
)

func TestTextGoesWhereItWasMeantTo(t *testing.T) {
	const text = "---\nk: v\n---\nIntro\n\n# A\n\none\n\n## B\ntwo\n\n# C\n"
	for _, c := range []struct{ heading, in, want string }{
		{"A", text, strings.Replace(text, "one\n", "one\nNEW\n", 1)},
		{"b", text, strings.Replace(text, "two\n", "two\nNEW\n", 1)},
		{"C", text, text + "NEW\n"},
		{"C", strings.TrimSuffix(text, "\n"), text + "NEW\n"},
		{"## D", text, text + "\n## D\nNEW\n"},
		{"D", "", "## D\nNEW\n"},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			in, want := strings.ReplaceAll(c.in, "\n", eol), strings.ReplaceAll(c.want, "\n", eol)
			if in == "" {
				want = c.want
			}
			got, _ := InsertUnder([]byte(in), c.heading, "NEW", false)
			if string(got) != want {
				t.Errorf("under %q in %q:\n got %q\nwant %q", c.heading, in, got, want)
			}
		}
	}
	got, _ := InsertUnder([]byte(text), "A", "NEW\n", true)
	if want := strings.Replace(text, "# A\n", "# A\nNEW\n", 1); string(got) != want {
		t.Errorf("at the start: %q", got)
	}
	if got := Append([]byte("a"), "b"); string(got) != "a\nb\n" {
		t.Errorf("append: %q", got)
	}
	if got := Append([]byte("\ufeff"), "b"); string(got) != "\ufeffb\n" {
		t.Errorf("append to a BOM: %q", got)
	}
}

func TestASectionIsReplacedAndItsSurroundingsStay(t *testing.T) {
	d := Parse([]byte("# A\r\n\r\nold\r\n## Sub\r\nx\r\n\r\n# B\r\nb"))
	if got := d.ReplaceSection(0, "new\nlines\n"); string(got) != "# A\r\n\r\nnew\r\nlines\r\n\r\n# B\r\nb" {
		t.Errorf("got %q", got)
	}
	if got := Parse([]byte("# A\n# B\n")).ReplaceSection(0, "x"); string(got) != "# A\nx\n# B\n" {
		t.Errorf("an empty section: %q", got)
	}
}

func TestBlocksAreFoundByTheirIDs(t *testing.T) {
	d := Parse([]byte("par one\nstill ^p1\n\n- item ^i1\n  - sub\n- other\n\n| a |\n|---|\n\n^t1\n"))
	for id, want := range map[string]string{"p1": "par one\nstill ^p1", "I1": "- item ^i1\n  - sub", "t1": "| a |\n|---|\n\n^t1"} {
		s, ok := d.BlockWithID(id)
		if got := string(s.Of(d.Data)); !ok || got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
}

func TestTagEditsReachFrontMatterAndText(t *testing.T) {
	rename := func(tag string) string {
		if HasTag(tag, "meeting") {
			return "meetings" + tag[len("meeting"):]
		}
		return tag
	}
	in := "---\ntags: [meeting, Meetings, work] # mine\n---\n#meeting #meeting/weekly #meetingroom `#meeting` [[#meeting]]\n"
	got, n, err := MapTags([]byte(in), rename)
	want := "---\ntags: [meetings, work] # mine\n---\n#meetings #meetings/weekly #meetingroom `#meeting` [[#meeting]]\n"
	if err != nil || string(got) != want || n != 3 {
		t.Errorf("rename: %q, %d, %v", got, n, err)
	}
	drop := func(tag string) string {
		if HasTag(tag, "x") {
			return ""
		}
		return tag
	}
	got, _, err = MapTags([]byte("---\ntags:\n  - x\n  - y\n---\na #x b\n#x/z\n#x end #x\n"), drop)
	if want := "---\ntags:\n  - y\n---\na b\n\nend\n"; err != nil || string(got) != want {
		t.Errorf("remove: %q, %v", got, err)
	}
	got, err = AddTags([]byte("#inline text"), []string{"new", "#Inline", "new"})
	if want := "---\ntags:\n  - new\n---\n#inline text"; err != nil || string(got) != want {
		t.Errorf("add: %q, %v", got, err)
	}
	got, err = AddTags([]byte("---\ntag: a, b\n---\n"), []string{"c"})
	if want := "---\ntag:\n  - a\n  - b\n  - c\n---\n"; err != nil || string(got) != want {
		t.Errorf("add to a text: %q, %v", got, err)
	}
	got, n, err = DedupeTags([]byte("---\ntags:\n  - a # keep\n  - b\n  - A\n  - a\n---\n"))
	if want := "---\ntags:\n  - a # keep\n  - b\n---\n"; err != nil || string(got) != want || n != 2 {
		t.Errorf("dedupe: %q, %d, %v", got, n, err)
	}
}

func TestValidTags(t *testing.T) {
	for tag, want := range map[string]bool{"a": true, "a/b": true, "标签": true, "2026": false, "a b": false, "": false, "a,b": false, "y2026": true, "/a": false} {
		if ValidTag(tag) != want {
			t.Errorf("%q: want it taken as a tag: %v", tag, want)
		}
	}
}

func TestItemsAreCutWithTheirSubItems(t *testing.T) {
	d := Parse([]byte("## To-Do\r\n- [ ] a\r\n\t- [ ] sub\r\n- [x] b\r\n\r\nend"))
	if got := string(d.CutItems([]int{0})); got != "## To-Do\r\n- [x] b\r\n\r\nend" {
		t.Errorf("got %q", got)
	}
	if got := d.ItemText(0); got != "- [ ] a\n\t- [ ] sub" {
		t.Errorf("item %q", got)
	}
	if got := d.ItemText(1); got != "- [ ] sub" {
		t.Errorf("sub-item %q", got)
	}
	out, n := d.SetTaskState(func(i int) (string, bool) { return "x", d.HeadingOf(d.Items[i].Start) == 0 })
	if n != 2 || string(out) != "## To-Do\r\n- [x] a\r\n\t- [x] sub\r\n- [x] b\r\n\r\nend" {
		t.Errorf("%d changes: %q", n, out)
	}
}

func TestTextThatIsAddedIsNotReadAsPartOfItsNeighbours(t *testing.T) {
	for _, c := range []struct{ data, text, want string }{
		{"> quote\n", "words", "> quote\n\nwords\n"},
		{"> [!note] x\r\n> quote", "words", "> [!note] x\r\n> quote\r\n\r\nwords\r\n"},
		{"> quote\n", "> more", "> quote\n> more\n"},
		{"| a |\n|---|\n", "words", "| a |\n|---|\n\nwords\n"},
		{"| a |\n|---|\n", "| b |", "| a |\n|---|\n| b |\n"},
		{"words\n", "| a |\n|---|", "words\n\n| a |\n|---|\n"},
		{"- item\n", "words", "- item\n\nwords\n"},
		{"- item\n  more of it\n", "words", "- item\n  more of it\n\nwords\n"},
		{"- item\n", "  more of it", "- item\n  more of it\n"},
		{"- item\n", "- next", "- item\n- next\n"},
		{"- item\n\n", "words", "- item\n\nwords\n"},
		{"1. item\n", "# Heading", "1. item\n# Heading\n"},
		{"words\n", "more", "words\nmore\n"},
		{"words\n", "- item", "words\n- item\n"},
		{"words\n", "---\nmore", "words\n\n---\nmore\n"},
		{"words\n", "===", "words\n\n===\n"},
		{"# Heading\n", "---", "# Heading\n---\n"},
		{"---\na: 1\n---\n", "words", "---\na: 1\n---\nwords\n"},
		{"```\n- code\n```\n", "words", "```\n- code\n```\nwords\n"},
		{"", "---", "---\n"},
		{BOM, "---", BOM + "---\n"},
	} {
		if got := string(Append([]byte(c.data), c.text)); got != c.want {
			t.Errorf("%q after %q\n got %q\nwant %q", c.text, c.data, got, c.want)
		}
	}
	for _, c := range []struct{ data, text, want string }{
		{"words\n", "> quote", "> quote\n\nwords\n"},
		{"words\n", "- item", "- item\n\nwords\n"},
		{"---\na: 1\n---\nwords\n", "| a |\n|---|", "---\na: 1\n---\n| a |\n|---|\n\nwords\n"},
		{"- item\n", "- first", "- first\n- item\n"},
		{"more\n", "words", "words\nmore\n"},
		{"---\n", "words", "words\n\n---\n"},
	} {
		if got := string(Prepend([]byte(c.data), c.text)); got != c.want {
			t.Errorf("%q before %q\n got %q\nwant %q", c.text, c.data, got, c.want)
		}
	}
}
