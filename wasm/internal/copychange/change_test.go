package copychange_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"embedded-agent/wasm/internal/copychange"
	"embedded-agent/wasm/internal/vaultpath"
	"pgregory.net/rapid"
)

var kinds = []string{"create", "modify", "move", "delete", "mkdir", "rmdir"}

// told writes changes as lines.
func told(all []copychange.Change) string {
	var b strings.Builder
	for _, c := range all {
		if c.From != "" {
			fmt.Fprintf(&b, "%s %s -> %s\n", kinds[c.Kind], c.From, c.Path)
		} else {
			fmt.Fprintf(&b, "%s %s\n", kinds[c.Kind], c.Path)
		}
	}
	return b.String()
}

func deleted(path, base string) copychange.Change {
	return copychange.Change{Kind: copychange.Delete, Path: path, Base: []byte(base)}
}

func created(path, data string) copychange.Change {
	return copychange.Change{Kind: copychange.Create, Path: path, Data: []byte(data)}
}

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "line %03d\n", i)
	}
	return b.String()
}

func TestAFileThatIsMostlyTheSameHasMoved(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []copychange.Change
		want string
	}{
		{"the same bytes", []copychange.Change{deleted("A.png", "\x00\xff"), created("B.png", "\x00\xff")}, "move A.png -> B.png\n"},
		{"60 of 100 lines", []copychange.Change{deleted("A.md", lines(0, 100)), created("B.md", lines(0, 60)+lines(200, 240))}, "move A.md -> B.md\n"},
		{"59 of 100 lines", []copychange.Change{deleted("A.md", lines(0, 100)), created("B.md", lines(0, 59)+lines(200, 241))}, "delete A.md\ncreate B.md\n"},
		{"empty files say nothing", []copychange.Change{deleted("A.md", ""), created("B.md", "")}, "delete A.md\ncreate B.md\n"},
		{"letter case alone", []copychange.Change{deleted("note.md", "a"), created("Note.md", "b")}, "move note.md -> Note.md\n"},
		{"Unicode form alone", []copychange.Change{deleted(norm.NFC.String("é.md"), "a"), created(norm.NFD.String("é.md"), "b")}, "move é.md -> " + norm.NFD.String("é.md") + "\n"},
		{"of two with the same bytes, the one of the same name", []copychange.Change{deleted("x/A.md", "1\n"), deleted("x/B.md", "1\n"), created("y/B.md", "1\n")}, "delete x/A.md\nmove x/B.md -> y/B.md\n"},
		{"one that is lost is not compared", []copychange.Change{{Kind: copychange.Delete, Path: "A", Lost: true}, created("B", "x")}, "delete A\ncreate B\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := told(copychange.Moves(c.in)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestTheCandidatesOfACommonLineAreFew(t *testing.T) {
	const n = 3000
	var all []copychange.Change
	for i := range n { // every file has the same front matter
		head := "---\ntags: x\n---\n"
		all = append(all, deleted(fmt.Sprintf("a/%04d.md", i), fmt.Sprintf("%sown %d\nmore %d\n", head, i, i)))
		all = append(all, created(fmt.Sprintf("b/%04d.md", i), fmt.Sprintf("%sown %d\nmore %d\n+\n", head, i, i)))
	}
	moves := 0
	for _, c := range copychange.Moves(all) {
		if c.Kind == copychange.Move {
			moves++
			if vaultpath.Base(c.From) != vaultpath.Base(c.Path) {
				t.Fatalf("%s moved to %s", c.From, c.Path)
			}
		}
	}
	if moves != n {
		t.Errorf("%d moves of %d were found", moves, n)
	}
}

func TestEachChangeCanBeMadeAfterThoseBeforeIt(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []copychange.Change
		want string
	}{
		{"a folder in the place of a file", []copychange.Change{
			created("A/b.md", "new"), {Kind: copychange.Mkdir, Path: "A"}, deleted("A", "file"),
		}, "delete A\nmkdir A\ncreate A/b.md\n"},
		{"a file in the place of a folder", []copychange.Change{
			{Kind: copychange.Rmdir, Path: "A"}, deleted("A/b.md", "old"), {Kind: copychange.Rmdir, Path: "A/c"}, created("A", "file"),
		}, "delete A/b.md\nrmdir A/c\nrmdir A\ncreate A\n"},
		{"a file that moves into a folder of its own name", []copychange.Change{
			{Kind: copychange.Move, From: "A", Path: "A/a.md", Base: []byte("x"), Data: []byte("x")}, {Kind: copychange.Mkdir, Path: "A"},
		}, "delete A\nmkdir A\ncreate A/a.md\n"},
		{"a file that takes the place of its folder", []copychange.Change{
			{Kind: copychange.Move, From: "A/a.md", Path: "A", Base: []byte("x"), Data: []byte("x")}, {Kind: copychange.Rmdir, Path: "A"},
		}, "delete A/a.md\nrmdir A\ncreate A\n"},
		{"new folders before what moves into them", []copychange.Change{
			{Kind: copychange.Move, From: "a.md", Path: "N/M/a.md"}, {Kind: copychange.Mkdir, Path: "N/M"}, {Kind: copychange.Mkdir, Path: "N"},
		}, "mkdir N\nmkdir N/M\nmove a.md -> N/M/a.md\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := told(copychange.Order(c.in)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// tree is a folder as a map: "" is a folder, anything else a file's text.
type tree map[string]string

// between tells what differs between two trees, as a comparison of copies does.
func between(before, after tree) []copychange.Change {
	var out []copychange.Change
	for path, was := range before {
		is, there := after[path]
		switch {
		case was == "" && (!there || is != ""):
			out = append(out, copychange.Change{Kind: copychange.Rmdir, Path: path})
		case was != "" && (!there || is == ""):
			out = append(out, deleted(path, was))
		case was != is:
			out = append(out, copychange.Change{Kind: copychange.Modify, Path: path, Base: []byte(was), Data: []byte(is)})
		}
	}
	for path, is := range after {
		was, there := before[path]
		switch {
		case is == "" && (!there || was != ""):
			out = append(out, copychange.Change{Kind: copychange.Mkdir, Path: path})
		case is != "" && (!there || was == ""):
			out = append(out, created(path, is))
		}
	}
	return out
}

// apply makes a change as a disk would, and says why it cannot.
func (t tree) apply(c copychange.Change) error {
	needFolder := func(path string) error {
		if parent := vaultpath.Parent(path); parent != "" {
			if is, there := t[parent]; !there || is != "" {
				return fmt.Errorf("%s: no folder %s", kinds[c.Kind], parent)
			}
		}
		if _, there := t[path]; there {
			return fmt.Errorf("%s: %s is taken", kinds[c.Kind], path)
		}
		return nil
	}
	switch c.Kind {
	case copychange.Modify:
		t[c.Path] = string(c.Data)
	case copychange.Create:
		if err := needFolder(c.Path); err != nil {
			return err
		}
		t[c.Path] = string(c.Data)
	case copychange.Mkdir:
		if err := needFolder(c.Path); err != nil {
			return err
		}
		t[c.Path] = ""
	case copychange.Move:
		if err := needFolder(c.Path); err != nil {
			return err
		}
		delete(t, c.From)
		t[c.Path] = string(c.Data)
	case copychange.Delete:
		delete(t, c.Path)
	case copychange.Rmdir:
		for path := range t {
			if strings.HasPrefix(path, c.Path+"/") {
				return fmt.Errorf("rmdir: %s holds %s", c.Path, path)
			}
		}
		delete(t, c.Path)
	}
	return nil
}

func drawTree(t *rapid.T, name string) tree {
	out := tree{}
	var fill func(folder string, depth int)
	fill = func(folder string, depth int) {
		for _, part := range []string{"a", "A", "b"} {
			path := strings.TrimPrefix(folder+"/"+part, "/")
			switch rapid.IntRange(0, 3).Draw(t, name+path) {
			case 1:
				out[path] = rapid.SampledFrom([]string{"one\n", "two\n", "one\ntwo\nthree\n"}).Draw(t, "text of "+name+path)
			case 2:
				out[path] = ""
				if depth < 2 {
					fill(path, depth+1)
				}
			}
		}
	}
	fill("", 0)
	return out
}

func TestAnyTreeBecomesAnyOtherByTheChangesInTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawTree(t, "before "), drawTree(t, "after ")
		now := tree{}
		for path, text := range before {
			now[path] = text
		}
		changes := between(before, after)
		slices.SortFunc(changes, func(a, b copychange.Change) int { return strings.Compare(a.Path, b.Path) })
		changes = copychange.Order(copychange.Moves(changes))
		for _, c := range changes {
			if err := now.apply(c); err != nil {
				t.Fatalf("want no error, got %v\n%s", err, told(changes))
			}
		}
		if fmt.Sprint(now) != fmt.Sprint(after) {
			t.Fatalf("%v became %v, want %v\n%s", before, now, after, told(changes))
		}
	})
}

func FuzzMovesLoseNoFile(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n", "x")
	f.Fuzz(func(t *testing.T, a, b, name string) {
		if !utf8.ValidString(name) {
			t.Skip("paths are text here")
		}
		out := copychange.Moves([]copychange.Change{deleted(name, a), created(name+"2", b), deleted("z", b), created("y", a)})
		was, is := map[string]int{}, map[string]int{}
		for _, c := range out {
			switch c.Kind {
			case copychange.Delete:
				was[string(c.Base)]++
			case copychange.Create:
				is[string(c.Data)]++
			case copychange.Move:
				was[string(c.Base)]++
				is[string(c.Data)]++
			}
		}
		if n := was[a] + was[b]; n < 2 || is[a]+is[b] < 2 {
			t.Errorf("a file is lost: %s", told(out))
		}
	})
}
