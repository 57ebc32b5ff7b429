package hosttest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// Conform proves that a host keeps the contract of package host. open gives a
// host with an empty vault and an empty store; it is called once per subtest.
func Conform(t *testing.T, open func(t *testing.T) host.Host) {
	for _, c := range conformance {
		t.Run(c.name, func(t *testing.T) {
			h := open(t)
			c.run(&conformer{T: t, ctx: t.Context(), v: h.Vault, s: h.Store, h: h})
		})
	}
}

var conformance = []struct {
	name string
	run  func(c *conformer)
}{
	{"the root is a folder and always there", (*conformer).root},
	{"what is not there is NOT_FOUND", (*conformer).missing},
	{"bytes come back as they went in", (*conformer).bytesKept},
	{"a create refuses what is there and changes nothing", (*conformer).createRefuses},
	{"a write needs a parent folder that is there", (*conformer).parentNeeded},
	{"a modify refuses other bytes and changes nothing", (*conformer).modifyRefuses},
	{"of 20 writers with one baseline exactly one wins", (*conformer).oneWriterWins},
	{"a rename moves a file, and a folder with all in it", (*conformer).renames},
	{"a rename refuses a taken path and changes nothing", (*conformer).renameRefuses},
	{"a rename can change only the case", (*conformer).renameCase},
	{"trash refuses other bytes, and takes files and folders", (*conformer).trashes},
	{"a remove refuses other bytes, and takes a file for good", (*conformer).removes},
	{"rmdir takes an empty folder only", (*conformer).rmdirs},
	{"lists are sorted, without hidden entries", (*conformer).lists},
	{"backlinks hold at least every file that links", (*conformer).backlinks},
	{"a path that leaves the vault is refused", (*conformer).outside},
	{"nothing is done for a cancelled caller", (*conformer).cancelled},
	{"the store appends, replaces, lists and removes", (*conformer).store},
	{"the store is no part of the vault", (*conformer).storeApart},
}

// conformer is one subtest's host with the words that the tests are written
// in.
type conformer struct {
	*testing.T
	ctx context.Context
	h   host.Host
	v   host.Vault
	s   host.Store
}

func (c *conformer) apply(op host.Op) host.Info {
	c.Helper()
	info, err := c.v.Apply(c.ctx, op)
	if err != nil {
		c.Fatalf("%s %s: %v", op.Kind, op.Path, err)
	}
	return info
}

func (c *conformer) refused(op host.Op, codes ...fault.Code) {
	c.Helper()
	_, err := c.v.Apply(c.ctx, op)
	c.code(string(op.Kind)+" "+op.Path, err, codes...)
}

func (c *conformer) code(what string, err error, codes ...fault.Code) {
	c.Helper()
	if !slices.ContainsFunc(codes, func(k fault.Code) bool { return fault.Is(err, k) }) {
		c.Errorf("%s: got %v, want one of %v", what, err, codes)
	}
}

func (c *conformer) has(path, text string) {
	c.Helper()
	data, err := c.v.Read(c.ctx, path)
	if err != nil || string(data) != text {
		c.Errorf("%s holds %q (%v), want %q", path, data, err, text)
	}
}

func (c *conformer) gone(path string) {
	c.Helper()
	_, err := c.v.Stat(c.ctx, path)
	c.code("stat "+path, err, fault.NotFound)
}

func (c *conformer) create(path, text string) {
	c.Helper()
	c.apply(host.Op{Kind: host.OpCreate, Path: path, Data: []byte(text)})
}

func (c *conformer) mkdir(path string) {
	c.Helper()
	c.apply(host.Op{Kind: host.OpMkdir, Path: path})
}

func (c *conformer) root() {
	info, err := c.v.Stat(c.ctx, "")
	if err != nil || info.Kind != host.Folder {
		c.Errorf("root: %+v, %v", info, err)
	}
	if list, err := c.v.List(c.ctx, ""); err != nil || len(list) != 0 {
		c.Errorf("an empty vault lists %v, %v", list, err)
	}
}

func (c *conformer) missing() {
	_, err := c.v.Stat(c.ctx, "a.md")
	c.code("stat", err, fault.NotFound)
	_, err = c.v.Read(c.ctx, "a.md")
	c.code("read", err, fault.NotFound)
	_, err = c.v.List(c.ctx, "folder")
	c.code("list", err, fault.NotFound)
	_, err = c.v.Walk(c.ctx, "folder")
	c.code("walk", err, fault.NotFound)
	c.refused(host.Op{Kind: host.OpModify, Path: "a.md", Data: []byte("x")}, fault.NotFound)
	c.refused(host.Op{Kind: host.OpRename, Path: "a.md", To: "b.md"}, fault.NotFound)
	c.refused(host.Op{Kind: host.OpTrash, Path: "a.md"}, fault.NotFound)
	c.refused(host.Op{Kind: host.OpRmdir, Path: "folder"}, fault.NotFound)
}

func (c *conformer) bytesKept() {
	for name, text := range map[string]string{
		"empty.md": "", "crlf.md": "a\r\nb\r\n", "bom.md": "\ufeff# T\n", "broken.md": "a\xff\xfe\x00b",
		"Ünïcode 🌱.md": "žluťoučký", "long.md": strings.Repeat("0123456789", 100_000), "no newline.md": "x",
	} {
		info := c.apply(host.Op{Kind: host.OpCreate, Path: name, Data: []byte(text)})
		if info.Path != name || info.Kind != host.File || info.Size != int64(len(text)) {
			c.Errorf("create gave %+v", info)
		}
		c.has(name, text)
		c.apply(host.Op{Kind: host.OpModify, Path: name, Before: []byte(text), Data: []byte(text + "\r\n\xfe")})
		c.has(name, text+"\r\n\xfe")
		if st, err := c.v.Stat(c.ctx, name); err != nil || st.Size != int64(len(text)+3) {
			c.Errorf("stat after modify: %+v, %v", st, err)
		}
	}
}

func (c *conformer) createRefuses() {
	c.create("a.md", "one")
	c.mkdir("folder")
	c.refused(host.Op{Kind: host.OpCreate, Path: "a.md", Data: []byte("two")}, fault.Conflict)
	c.refused(host.Op{Kind: host.OpCreate, Path: "folder", Data: []byte("two")}, fault.Conflict)
	c.refused(host.Op{Kind: host.OpMkdir, Path: "folder"}, fault.Conflict)
	c.refused(host.Op{Kind: host.OpMkdir, Path: "a.md"}, fault.Conflict)
	c.has("a.md", "one")
}

func (c *conformer) parentNeeded() {
	c.refused(host.Op{Kind: host.OpCreate, Path: "no/a.md", Data: []byte("x")}, fault.NotFound)
	c.refused(host.Op{Kind: host.OpMkdir, Path: "no/sub"}, fault.NotFound)
	c.create("a.md", "x")
	c.refused(host.Op{Kind: host.OpRename, Path: "a.md", To: "no/a.md"}, fault.NotFound)
	c.has("a.md", "x")
	c.gone("no")
}

func (c *conformer) modifyRefuses() {
	c.create("a.md", "one")
	c.refused(host.Op{Kind: host.OpModify, Path: "a.md", Before: []byte("other"), Data: []byte("two")}, fault.Conflict)
	c.refused(host.Op{Kind: host.OpModify, Path: "a.md", Data: []byte("two")}, fault.Conflict)
	c.has("a.md", "one")
	c.apply(host.Op{Kind: host.OpModify, Path: "a.md", Before: []byte("one"), Data: nil})
	c.has("a.md", "")
}

func (c *conformer) oneWriterWins() {
	c.create("a.md", "base")
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = c.v.Apply(c.ctx, host.Op{
				Kind: host.OpModify, Path: "a.md",
				Before: []byte("base"), Data: []byte(strings.Repeat("x", i+1)),
			})
		})
	}
	wg.Wait()
	won := -1
	for i, err := range errs {
		switch {
		case err == nil && won >= 0:
			c.Errorf("writers %d and %d both won", won, i)
		case err == nil:
			won = i
		default:
			c.code("a writer that lost", err, fault.Conflict)
		}
	}
	if won < 0 {
		c.Fatal("no writer won")
	}
	c.has("a.md", strings.Repeat("x", won+1))
}

func (c *conformer) renames() {
	c.mkdir("from")
	c.mkdir("from/sub")
	c.create("from/a.md", "a")
	c.create("from/sub/b.md", "b")
	c.mkdir("to")
	info := c.apply(host.Op{Kind: host.OpRename, Path: "from/a.md", To: "to/c.md"})
	if info.Path != "to/c.md" || info.Kind != host.File {
		c.Errorf("rename gave %+v", info)
	}
	c.has("to/c.md", "a")
	c.gone("from/a.md")
	info = c.apply(host.Op{Kind: host.OpRename, Path: "from", To: "to/moved"})
	if info.Path != "to/moved" || info.Kind != host.Folder {
		c.Errorf("rename gave %+v", info)
	}
	c.has("to/moved/sub/b.md", "b")
	c.gone("from")
	c.gone("from/sub/b.md")
}

func (c *conformer) renameRefuses() {
	c.create("a.md", "a")
	c.create("b.md", "b")
	c.mkdir("f")
	c.mkdir("g")
	c.create("g/x.md", "x")
	c.refused(host.Op{Kind: host.OpRename, Path: "a.md", To: "b.md"}, fault.Conflict)
	c.refused(host.Op{Kind: host.OpRename, Path: "a.md", To: "f"}, fault.Conflict)
	c.refused(host.Op{Kind: host.OpRename, Path: "f", To: "g"}, fault.Conflict)
	c.refused(host.Op{Kind: host.OpRename, Path: "g", To: "g/inside"}, fault.Conflict, fault.NotFound)
	c.has("a.md", "a")
	c.has("b.md", "b")
	c.has("g/x.md", "x")
}

func (c *conformer) renameCase() {
	c.create("note.md", "n")
	c.apply(host.Op{Kind: host.OpRename, Path: "note.md", To: "Note.md"})
	c.has("Note.md", "n")
	list, err := c.v.List(c.ctx, "")
	if err != nil || len(list) != 1 || list[0].Path != "Note.md" {
		c.Errorf("after the rename the vault lists %v, %v", list, err)
	}
}

func (c *conformer) trashes() {
	c.create("a.md", "a")
	c.refused(host.Op{Kind: host.OpTrash, Path: "a.md", Before: []byte("other")}, fault.Conflict)
	c.has("a.md", "a")
	for range 2 { // twice, so that the trash must find another name
		c.apply(host.Op{Kind: host.OpTrash, Path: "a.md", Before: []byte("a")})
		c.gone("a.md")
		c.create("a.md", "a")
	}
	c.mkdir("f")
	c.create("f/b.md", "b")
	c.apply(host.Op{Kind: host.OpTrash, Path: "f"})
	c.gone("f/b.md")
	c.gone("f")
}

func (c *conformer) removes() {
	c.create("a.md", "a")
	c.refused(host.Op{Kind: host.OpRemove, Path: "a.md", Before: []byte("other")}, fault.Conflict)
	c.has("a.md", "a")
	c.apply(host.Op{Kind: host.OpRemove, Path: "a.md", Before: []byte("a")})
	c.gone("a.md")
	c.refused(host.Op{Kind: host.OpRemove, Path: "a.md", Before: []byte("a")}, fault.NotFound)
}

func (c *conformer) rmdirs() {
	c.mkdir("f")
	c.create("f/a.md", "a")
	c.refused(host.Op{Kind: host.OpRmdir, Path: "f"}, fault.Conflict)
	c.has("f/a.md", "a")
	c.apply(host.Op{Kind: host.OpTrash, Path: "f/a.md", Before: []byte("a")})
	c.apply(host.Op{Kind: host.OpRmdir, Path: "f"})
	c.gone("f")
}

func (c *conformer) lists() {
	for _, f := range []string{"b", "b/deep"} {
		c.mkdir(f)
	}
	for _, p := range []string{"c.md", "a.md", "b/z.md", "b/y.md", "b/deep/x.md"} {
		c.create(p, p)
	}
	// A host may refuse to make hidden entries; it never lists them.
	for _, op := range []host.Op{
		{Kind: host.OpMkdir, Path: ".hidden"}, {Kind: host.OpCreate, Path: ".hidden/h.md"}, {Kind: host.OpCreate, Path: "b/.dot.md"},
	} {
		if _, err := c.h.Vault.Apply(c.Context(), op); err != nil && !fault.Is(err, fault.Denied) {
			c.Fatal(err)
		}
	}
	paths := func(list []host.Info, err error) string {
		if err != nil {
			c.Fatal(err)
		}
		var out []string
		for _, i := range list {
			p := i.Path
			if i.Kind == host.Folder {
				p += "/"
			}
			out = append(out, p)
		}
		return strings.Join(out, " ")
	}
	for _, want := range []struct{ got, want string }{
		{paths(c.v.List(c.ctx, "")), "a.md b/ c.md"},
		{paths(c.v.List(c.ctx, "b")), "b/deep/ b/y.md b/z.md"},
		{paths(c.v.Walk(c.ctx, "b")), "b/deep/ b/deep/x.md b/y.md b/z.md"},
		{paths(c.v.Walk(c.ctx, "")), "a.md b/ b/deep/ b/deep/x.md b/y.md b/z.md c.md"},
	} {
		if want.got != want.want {
			c.Errorf("got %s, want %s", want.got, want.want)
		}
	}
}

func (c *conformer) backlinks() {
	c.mkdir("f")
	c.create("f/Target note.md", "x")
	c.create("wiki.md", "see [[Target note]]")
	c.create("markdown.md", "see [it](f/Target%20note.md)")
	c.create("embed.md", "![[f/Target note#Heading|alias]]")
	c.create("front.md", "---\nup: \"[[Target note]]\"\n---\n")
	c.create("none.md", "nothing here")
	got, err := c.v.Backlinks(c.ctx, "f/Target note.md")
	if err != nil {
		c.Fatal(err)
	}
	for _, want := range []string{"wiki.md", "markdown.md", "embed.md", "front.md"} {
		if !slices.Contains(got, want) {
			c.Errorf("%s links to the note and is not in %v", want, got)
		}
	}
}

func (c *conformer) outside() {
	for _, path := range []string{"../a.md", "f/../../a.md", "/etc/hostname", ".."} {
		_, err := c.v.Read(c.ctx, path)
		c.code("read "+path, err, fault.NotFound, fault.Denied, fault.Validation)
		c.refused(host.Op{Kind: host.OpCreate, Path: path, Data: []byte("x")}, fault.NotFound, fault.Denied, fault.Validation)
		c.refused(host.Op{Kind: host.OpMkdir, Path: path}, fault.NotFound, fault.Denied, fault.Validation)
		_, err = c.s.Read(c.ctx, path)
		c.code("store read "+path, err, fault.NotFound, fault.Denied, fault.Validation)
		c.code("store write "+path, c.s.Write(c.ctx, path, []byte("x")), fault.NotFound, fault.Denied, fault.Validation)
	}
	c.create("a.md", "a")
	c.refused(host.Op{Kind: host.OpRename, Path: "a.md", To: "../a.md"}, fault.NotFound, fault.Denied, fault.Validation)
	c.has("a.md", "a")
}

func (c *conformer) cancelled() {
	c.create("a.md", "a")
	ctx, cancel := context.WithCancel(c.ctx)
	cancel()
	_, err := c.v.Read(ctx, "a.md")
	c.code("read", err, fault.Cancelled)
	_, err = c.v.Walk(ctx, "")
	c.code("walk", err, fault.Cancelled)
	_, err = c.v.Apply(ctx, host.Op{Kind: host.OpModify, Path: "a.md", Before: []byte("a"), Data: []byte("b")})
	c.code("modify", err, fault.Cancelled)
	c.code("append", c.s.Append(ctx, "log", []byte("x")), fault.Cancelled)
	c.has("a.md", "a")
	_, err = c.s.Read(c.ctx, "log")
	c.code("store read", err, fault.NotFound)
}
