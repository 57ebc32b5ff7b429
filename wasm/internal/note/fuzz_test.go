package note

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/costtest"
)

// Hostile texts for everything that must be linear.
func hostile(n int) map[string]string {
	out := map[string]string{}
	for _, unit := range []string{
		"[[", "]]", "[", "](", "[a](", "`", "``` `", "$a ", "$$", "%%", "<!--", "<a", "#", "# ", "^", "\\", "> ", "- ", "  ", "*", "[[a|", "]:", "[x]: ",
		"- a\n", "> > ", "\n\n    ", "```\n", "~~~\n", "| ", "!", "![[", "\t", "1. ", "a\n===\n", "---\n", "``", "`a``b```",
	} {
		out[unit] = strings.Repeat(unit, n/len(unit))
	}
	out["front"] = "---\n" + strings.Repeat("k: [[a \"[[\n", n/11) + "---\n"
	out["items"] = nested(n)
	return out
}

func nested(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strings.Repeat("  ", i%60) + "- x\n")
	}
	return b.String()
}

func TestParseIsLinearOnHostileTexts(t *testing.T) {
	small, large := hostile(20_000), hostile(200_000)
	for unit := range small {
		t.Run(unit, func(t *testing.T) {
			parse := func(text string) func() { return func() { Parse([]byte(text)) } }
			costtest.NoDearer(t, 40, time.Second, parse(large[unit]), parse(small[unit]))
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range hostile(60) {
		f.Add([]byte(s))
	}
	f.Add([]byte("---\na: \"[[x]]\"\n---\n# H\n- [ ] t #tag [[a|b]] ^id\n```\ncode\n```\n[t](<x> \"y\")\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := Parse(data)
		in := func(what string, s Span) {
			if s.Start < 0 || s.End > len(data) || s.Start > s.End {
				t.Fatalf("%s at %v of %d bytes", what, s, len(data))
			}
		}
		last := -1
		for _, l := range d.Links {
			in("link", l.Span)
			in("target", l.Target)
			in("alias", l.AliasAt)
			if l.Start < last && l.Kind == Wiki {
				t.Fatalf("wikilink at %v before %d", l.Span, last)
			}
			if l.Kind == Wiki {
				last = l.End
			}
		}
		for _, h := range d.Headings {
			in("heading", h.Span)
			in("heading text", h.TextSpan)
		}
		for i := range d.Headings {
			in("section", d.Section(i))
		}
		for _, it := range d.Items {
			in("item", it.Span)
			in("item text", it.Text)
			if it.Parent >= 0 && d.Items[it.Parent].End < it.End {
				t.Fatalf("item %v outside its parent %v", it.Span, d.Items[it.Parent].Span)
			}
		}
		if !slices.IsSortedFunc(d.Opaque, func(a, b Span) int { return a.End - b.Start }) {
			t.Fatalf("opaque spans overlap: %v", d.Opaque)
		}
		for _, g := range d.Tags {
			if !bytes.Equal(g.Of(data), []byte("#"+g.Name)) {
				t.Fatalf("tag %q at %q", g.Name, g.Of(data))
			}
		}
	})
}

func FuzzBullets(f *testing.F) {
	f.Add([]byte("- a\n  - b\n\n    ```\n    x\n    ```\n1. c\n> - d\r\n"))
	f.Add([]byte("    - a\n- \n-\n* * *\n+ [x] t"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var walk func(bs []*Bullet, level int)
		walk = func(bs []*Bullet, level int) {
			for _, b := range bs {
				if b.Level != level || strings.ContainsAny(b.Title, "\n\r") {
					t.Fatalf("bullet %+v at level %d", b, level)
				}
				walk(b.Children, level+1)
			}
		}
		walk(Bullets(data), 0)
	})
}

func FuzzFrontEdit(f *testing.F) {
	f.Add([]byte("---\nk: v # c\nl:\n  - a\n---\nb"), "k", "new: x")
	f.Add([]byte("\ufeff---\r\nk: [a, 'b']\r\n---\r\nb"), "l", "[[x]]")
	f.Add([]byte("body"), "a b", "")
	f.Fuzz(func(t *testing.T, data []byte, key, value string) {
		if !validKey(key) {
			return
		}
		body := ParseFront(data).Body.Of(data)
		out, err := SetProperty(data, key, value)
		if err != nil {
			return // left alone
		}
		if !bytes.HasSuffix(out, body) {
			t.Fatalf("the body of %q changed in %q", data, out)
		}
		back, err := RemoveProperty(out, key)
		if err != nil {
			t.Fatalf("%q cannot be removed from %q: %v", key, out, err)
		}
		if _, had := mustValues(t, data)[key]; !had && !ParseFront(data).FrontBody.Empty() && !bytes.Equal(back, data) && len(mustValues(t, data)) > 0 {
			t.Fatalf("adding and removing %q makes %q of %q", key, back, data)
		}
	})
}

func mustValues(t *testing.T, data []byte) map[string]any {
	t.Helper()
	v, err := ParseFront(data).Values()
	if err != nil {
		t.Fatalf("%q: want no error, got %v", data, err)
	}
	return v
}

func validKey(key string) bool { return plainSafe(key) && !strings.ContainsAny(key, ":?\r\n\t") }

func FuzzRewriteLinks(f *testing.F) {
	f.Add([]byte("[[Old]] ![[Old#H|x]] [t](a/Old.md) `[[Old]]`"))
	f.Add([]byte("---\nup: '[[Old]]'\n---\n[r]: <a/Old.md> 'title'\n\\[[Old]] %%[[Old]]%%"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ix := NewIndex([]string{"a/Old.md", "b/Note.md", "x.md"})
		r := NewRename(ix, Moves{"a/Old.md": "c/New's (1).md"}, Shortest)
		out := r.RewriteLinks(data, "x.md")
		if out == nil {
			return
		}
		was, is := Parse(data), Parse(out)
		if len(was.Links) != len(is.Links) {
			t.Fatalf("%q has %d links, then %q %d", data, len(was.Links), out, len(is.Links))
		}
		// What is outside of the links' paths is the same bytes.
		if !bytes.Equal(withoutTargets(was), withoutTargets(is)) {
			t.Fatalf("%q became %q", data, out)
		}
		if back := NewRename(After(ix, r.Moves), Moves{"c/New's (1).md": "a/Old.md"}, Shortest).RewriteLinks(out, "x.md"); back == nil {
			t.Fatalf("%q does not lead back", out)
		}
	})
}

func withoutTargets(d *Doc) []byte {
	var edits Edits
	for _, l := range d.Links {
		if !l.External {
			edits.Replace(l.pathSpan(d.Data), "")
		}
	}
	return edits.Apply(d.Data)
}

func TestRenamesInRealVaultsKeepEveryLinkLeadingWhereItLed(t *testing.T) {
	all := realNotes(t)
	byVault := map[string]map[string][]byte{}
	for name, data := range all {
		vault, path, _ := strings.Cut(name, "/")
		if byVault[vault] == nil {
			byVault[vault] = map[string][]byte{}
		}
		byVault[vault][path] = data
	}
	for vault, notes := range byVault {
		for _, format := range []Format{Shortest, Relative, Absolute} {
			t.Run(vault+" "+string(format), func(t *testing.T) { renameEveryThird(t, notes, format) })
		}
	}
}

func renameEveryThird(t *testing.T, notes map[string][]byte, format Format) {
	before := Index{}
	moves := Moves{}
	paths := []string{}
	for p := range notes {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for i, p := range paths {
		before.Add(p)
		if i%3 == 0 {
			moves[p] = fmt.Sprintf("Moved %d/It's %d & more.md", i%7, i)
		}
	}
	r := NewRename(before, moves, format)
	links, changed := 0, 0
	for _, p := range paths {
		data := notes[p]
		out := r.RewriteLinks(data, p)
		now := p
		if to, ok := moves[p]; ok {
			now = to
		}
		was := Parse(data)
		is := was
		if out != nil {
			is = Parse(out)
			changed++
			if !bytes.Equal(withoutTargets(was), withoutTargets(is)) {
				t.Fatalf("%s: more than links changed", p)
			}
		}
		for i, l := range was.Links {
			target := Resolve(before, l.Path, p)
			if l.External || l.Path == "" || target == "" {
				continue
			}
			links++
			if to, ok := moves[target]; ok {
				target = to
			}
			if got := Resolve(r.After, is.Links[i].Path, now); got != target {
				t.Errorf("%s: %q led to %s, %q leads to %q", p, l.Of(data), target, is.Links[i].Of(is.Data), got)
			}
			if is.Links[i].Subpath != l.Subpath || is.Links[i].Alias != l.Alias || is.Links[i].Embed != l.Embed || is.Links[i].Kind != l.Kind {
				t.Errorf("%s: %q became %q", p, l.Of(data), is.Links[i].Of(is.Data))
			}
		}
	}
	t.Logf("%d links, %d notes changed", links, changed)
	if links < 50 || changed < 20 {
		t.Errorf("only %d links and %d changed notes", links, changed)
	}
}

func FuzzEdits(f *testing.F) {
	f.Add([]byte("---\ntags: [a, b]\n---\n# H\n- [ ] t #a/b\n  - sub\n\n#a end ^id\n"), "H", "text\nmore")
	f.Add([]byte("\ufeffa\r\n\r\n## H ##\r\n> - [x] q\r\n"), "h", "x")
	f.Add([]byte("K:: [[a, b]], c\n- [k:: v] (x:: y)\n"), "", "")
	f.Fuzz(func(t *testing.T, data []byte, heading, text string) {
		d := Parse(data)
		same, n, err := MapTags(data, func(tag string) string { return tag })
		if err == nil && (n != 0 || !bytes.Equal(same, data)) {
			t.Fatalf("no change makes %q of %q", same, data)
		}
		if out, n := d.SetTaskState(func(int) (string, bool) { return "", false }); n != 0 || !bytes.Equal(out, data) {
			t.Fatalf("no change makes %q of %q", out, data)
		}
		if out := d.CutItems(nil); !bytes.Equal(out, data) {
			t.Fatalf("no cut makes %q of %q", out, data)
		}
		for i := range d.Items {
			d.ItemText(i)
		}
		out, _ := InsertUnder(data, heading, text, false)
		if len(out) < len(data) {
			t.Fatalf("inserting makes %q of %q", out, data)
		}
		if out := Append(data, text); !bytes.HasPrefix(out, data) {
			t.Fatalf("appending to %q makes %q", data, out)
		}
		for i := range d.Headings {
			s := d.Section(i)
			if out := d.ReplaceSection(i, text); !bytes.HasPrefix(out, data[:s.Start]) || !bytes.HasSuffix(out, data[s.End:]) {
				t.Fatalf("replacing section %d of %q makes %q", i, data, out)
			}
		}
		for _, b := range d.Blocks {
			if s, ok := d.BlockWithID(b.ID); ok && (s.Start > s.End || s.End > len(data)) {
				t.Fatalf("block %q at %v", b.ID, s)
			}
		}
		last := 0
		for _, field := range d.Fields() {
			if field.Start < last || field.End > len(data) {
				t.Fatalf("field %+v after %d", field, last)
			}
			last = field.End
			FieldValue(field.Value)
		}
		for _, z := range d.Zones(true, true, true, true) {
			if z.Start > z.End || z.End > len(data) {
				t.Fatalf("zone %v", z)
			}
		}
		Words(data)
		Title(text)
	})
}

func BenchmarkParse(b *testing.B) {
	text := []byte("---\ntags: [a, b]\nup: \"[[Index]]\"\n---\n# Title\n\n" + strings.Repeat(
		"A paragraph with a [[Link|alias]], `code`, a [link](to/a%20note.md) and #tag.\n\n- [ ] a task\n  - an item\n\nMore ordinary text without anything in it, as most lines are.\n", 100))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Parse(text)
	}
}

func BenchmarkSetProperty(b *testing.B) {
	text := []byte("---\ntags: [a, b]\nup: \"[[Index]]\"\nrating: 3\n---\n# Title\n\nText\n")
	for b.Loop() {
		if _, err := SetProperty(text, "rating", 4.0); err != nil {
			b.Fatal(err)
		}
	}
}
