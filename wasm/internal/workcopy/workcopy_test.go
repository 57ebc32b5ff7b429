//go:build linux || darwin

package workcopy_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"embedded-agent/wasm/internal/copychange"
	"embedded-agent/wasm/internal/workcopy"
)

func TestMain(m *testing.M) {
	workcopy.Main() // does not return where a test's command runs below this process
	if os.Getenv(asHolder) != "" {
		hold()
		return
	}
	os.Exit(m.Run())
}

// notes makes a folder with files; a name that ends with "/" is a folder.
func notes(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "notes")
	put(t, dir, files)
	return dir
}

func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(path))
		folder := filepath.Dir(at)
		if strings.HasSuffix(path, "/") {
			folder = at
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if folder != at {
			if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func everything(string) error { return nil }

// made makes a copy that is removed with the test.
func made(t testing.TB, o workcopy.Options) *workcopy.Copy {
	t.Helper()
	if o.MaySee == nil {
		o.MaySee = everything
	}
	if o.Temp == "" {
		o.Temp = t.TempDir()
	}
	c, err := workcopy.Make(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Remove(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// listed lists every file and folder below one.
func listed(t testing.TB, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() {
			out = append(out, rel+"/")
			return err
		}
		data, err := os.ReadFile(path)
		out = append(out, fmt.Sprintf("%s %q", rel, data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

var kinds = []string{"create", "modify", "move", "delete", "mkdir", "rmdir"}

// compared tells what a copy says, as lines.
func compared(t testing.TB, c *workcopy.Copy) string {
	t.Helper()
	out, err := c.Compare()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, ch := range copychange.Order(copychange.Moves(out.Changes)) {
		line := fmt.Sprintf("%s %s", kinds[ch.Kind], ch.Path)
		if ch.From != "" {
			line = fmt.Sprintf("%s %s -> %s", kinds[ch.Kind], ch.From, ch.Path)
		}
		lines = append(lines, line)
	}
	for what, list := range map[string][]string{"odd": out.Odd, "hidden": out.Hidden, "kept": out.Kept} {
		for _, path := range list {
			lines = append(lines, what+" "+path)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func do(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestACopyHasWhatMayBeSeenAndNothingElse(t *testing.T) {
	vault := notes(t, map[string]string{
		"A.md": "a", "Deep/B.md": "b", "Deep/Empty/": "", ".obsidian/app.json": "{}", "Deep/.secret": "s",
		"Private/Diary.md": "p", "Bad.bin": "\xff\x00", "Large.bin": strings.Repeat("x", 3<<20),
	})
	do(t, os.Symlink("/etc", filepath.Join(vault, "link")), os.Symlink("A.md", filepath.Join(vault, "alias.md")),
		syscall.Mkfifo(filepath.Join(vault, "pipe"), 0o644), os.Chmod(filepath.Join(vault, "A.md"), 0o640))
	c := made(t, workcopy.Options{Vault: vault, MaySee: func(path string) error {
		if strings.HasPrefix(path, "Private") {
			return errors.New("no")
		}
		return nil
	}})
	want := strings.Join([]string{
		`A.md "a"`, `Bad.bin "\xff\x00"`, `Deep/`, `Deep/B.md "b"`, `Deep/Empty/`, fmt.Sprintf("Large.bin %q", strings.Repeat("x", 3<<20)),
	}, "\n")
	if got := listed(t, c.Notes()); got != want {
		t.Errorf("the copy has\n%.500s\nwant\n%.500s", got, want)
	}
	a, err := os.Stat(filepath.Join(vault, "A.md"))
	do(t, err)
	b, err := os.Stat(filepath.Join(c.Notes(), "A.md"))
	do(t, err)
	if a.Mode() != b.Mode() || !a.ModTime().Equal(b.ModTime()) {
		t.Errorf("the copy has %v %v, want %v %v", b.Mode(), b.ModTime(), a.Mode(), a.ModTime())
	}
	if st, err := os.Stat(filepath.Dir(c.Notes())); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("others may open the copy: %v %v", st.Mode(), err)
	}
	if got := compared(t, c); got != "" {
		t.Errorf("nothing has changed, and the comparison says\n%s", got)
	}
}

func TestEveryKindOfChangeIsFound(t *testing.T) {
	vault := notes(t, map[string]string{
		"Same.md": "same", "Text.md": "one", "Gone.md": "gone", "From.md": "moved\nhere\n", "case.md": "case", "é.md": "nfc",
		"Folder/in.md": "in", "Whole/": "", "Holds/.hidden": "h", "File": "file", "Rights.md": "rights", "Bin": "\xff", "Touched.md": "t",
		"Large": strings.Repeat("x", 2<<20), "Large too": strings.Repeat("y", 2<<20),
	})
	c := made(t, workcopy.Options{Vault: vault})
	at := func(path string) string { return filepath.Join(c.Notes(), path) }
	do(t, os.WriteFile(at("Text.md"), []byte("two"), 0o644), os.Remove(at("Gone.md")), os.Rename(at("From.md"), at("To.md")),
		os.Rename(at("case.md"), at("Case.md")), os.Rename(at("é.md"), at("e\u0301.md")), os.RemoveAll(at("Folder")), os.WriteFile(at("Folder"), []byte("now a file"), 0o644),
		os.Remove(at("Whole")), os.Remove(at("Holds")), os.Remove(at("File")), os.Mkdir(at("File"), 0o755), os.WriteFile(at("File/new.md"), []byte("n"), 0o644),
		os.Chmod(at("Rights.md"), 0), os.WriteFile(at("Bin"), []byte("\xfe\x00"), 0o644), os.Chtimes(at("Touched.md"), a1970, a1970),
		os.WriteFile(at("New\xff.md"), []byte("n"), 0o644), os.WriteFile(at("Large"), []byte("small"), 0o644),
		os.WriteFile(at("Large too"), []byte("small"), 0o644), os.WriteFile(filepath.Join(vault, "Large too"), []byte("mine"), 0o644))
	want := strings.Join([]string{
		"create File/new.md", "create Folder", "create New\xff.md", "delete File", "delete Folder/in.md", "delete Gone.md", "kept Holds",
		"mkdir File", "modify Bin", "modify Large", "modify Large too", "modify Text.md",
		"move From.md -> To.md", "move case.md -> Case.md", "move é.md -> e\u0301.md", "rmdir Folder", "rmdir Whole",
	}, "\n")
	if got := compared(t, c); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	out, err := c.Compare()
	do(t, err)
	for _, ch := range out.Changes {
		switch ch.Path {
		case "Large":
			if ch.Lost || len(ch.Base) != 2<<20 {
				t.Error("the bytes of a large note that is as it was are not known")
			}
		case "Large too":
			if !ch.Lost {
				t.Error("the bytes of a large note that has changed are said to be known")
			}
		case "Text.md":
			if string(ch.Base) != "one" || string(ch.Data) != "two" {
				t.Errorf("Text.md was %q and is %q", ch.Base, ch.Data)
			}
		}
	}
}

func TestAChangeThatKeepsLengthAndTimeIsFound(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("%03d.md", i)] = "before"
	}
	c := made(t, workcopy.Options{Vault: notes(t, files)})
	for path := range files {
		at := filepath.Join(c.Notes(), path)
		st, err := os.Stat(at)
		do(t, err)
		f, err := os.OpenFile(at, os.O_WRONLY, 0)
		do(t, err)
		_, err = f.WriteString("AFTER.")
		do(t, err, f.Close(), os.Chtimes(at, st.ModTime(), st.ModTime()))
	}
	if got := strings.Count(compared(t, c), "modify "); got != len(files) {
		t.Errorf("%d changes of %d were found", got, len(files))
	}
}

func TestLinksPipesAndDevicesAreNeitherFollowedNorOpened(t *testing.T) {
	vault := notes(t, map[string]string{"Note.md": "note", "Folder/in.md": "in", "Other.md": "other"})
	c := made(t, workcopy.Options{Vault: vault})
	at := func(path string) string { return filepath.Join(c.Notes(), path) }
	secret := filepath.Join(t.TempDir(), "secret")
	do(t, os.WriteFile(secret, []byte("secret"), 0o600),
		os.Symlink("/", at("root")), os.Symlink("..", at("up")), os.Symlink(secret, at("secret.md")), os.Symlink("nowhere", at("dangling")),
		os.Remove(at("Note.md")), os.Symlink(secret, at("Note.md")),
		os.RemoveAll(at("Folder")), os.Symlink(filepath.Dir(secret), at("Folder")),
		syscall.Mkfifo(at("pipe.md"), 0o644), os.Remove(at("Other.md")), syscall.Mkfifo(at("Other.md"), 0o644))
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	do(t, err)
	defer syscall.Close(fd)

	t.Chdir(c.Notes()) // the path of a socket is short
	do(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: "socket"}))
	want := "odd Folder\nodd Note.md\nodd Other.md\nodd dangling\nodd pipe.md\nodd root\nodd secret.md\nodd socket\nodd up"
	if got := compared(t, c); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if n, err := c.Refresh(); err != nil || n != 3 {
		t.Errorf("%d files were copied again (%v), want 3", n, err)
	}
	if got := listed(t, c.Notes()); got != listed(t, vault) {
		t.Errorf("brought up to date, the copy has\n%s", got)
	}
	if data, err := os.ReadFile(secret); string(data) != "secret" {
		t.Errorf("a file outside was written: %q %v", data, err)
	}
}

func TestASecondTurnBringsOverWhatChangedAlone(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("%d/%03d.md", i%7, i)] = fmt.Sprint("note ", i)
	}
	vault := notes(t, files)
	c := made(t, workcopy.Options{Vault: vault})
	if n, err := c.Refresh(); err != nil || n != 0 {
		t.Errorf("%d files were copied again (%v) though nothing has changed", n, err)
	}
	put(t, vault, map[string]string{"0/000.md": "by me", "New/one.md": "new", "New/.hidden": "h"})
	put(t, c.Notes(), map[string]string{"1/001.md": "by the command", "2/extra.md": "extra", ".git/config": "g"})
	do(t, os.Remove(filepath.Join(vault, "5/005.md")), os.RemoveAll(filepath.Join(vault, "3")), os.RemoveAll(filepath.Join(c.Notes(), "4")))
	gone := 0
	for i := range 200 {
		if i%7 == 4 {
			gone++
		}
	}
	if n, err := c.Refresh(); err != nil || n != 3+gone {
		t.Errorf("%d files were copied (%v), want %d", n, err, 3+gone)
	}
	do(t, os.Remove(filepath.Join(vault, "New/.hidden")))
	if got, want := listed(t, c.Notes()), listed(t, vault); got != want {
		t.Errorf("the copy has\n%s\nwant\n%s", got, want)
	}
	if got := compared(t, c); got != "" {
		t.Errorf("brought up to date, it says\n%s", got)
	}
}

func TestNotesThatAreLargerThanTheLimitAreNotCopied(t *testing.T) {
	vault := notes(t, map[string]string{"A.md": strings.Repeat("a", 1000), "B.md": strings.Repeat("b", 1000)})
	for _, limit := range []workcopy.Limit{{Bytes: 1500}, {Files: 1}} {
		temp := t.TempDir()
		if _, err := workcopy.Make(workcopy.Options{Vault: vault, MaySee: everything, Temp: temp, Limit: limit}); !errors.Is(err, workcopy.ErrTooLarge) {
			t.Errorf("%+v: want the error workcopy.ErrTooLarge, got %v", limit, err)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%+v: %v is left (%v)", limit, left, err)
		}
	}
	if _, err := workcopy.Make(workcopy.Options{Vault: vault, MaySee: everything, Temp: vault}); err == nil {
		t.Error("a copy was made inside of the notes")
	}
}

func TestEverythingCanBeDeletedAndAHundredThousandFilesMade(t *testing.T) {
	vault := notes(t, map[string]string{"A.md": "a", "B/C.md": "c"})
	c := made(t, workcopy.Options{Vault: vault})
	do(t, os.RemoveAll(c.Notes()), os.Mkdir(c.Notes(), 0o700))
	if got := compared(t, c); got != "delete A.md\ndelete B/C.md\nrmdir B" {
		t.Errorf("got %s", got)
	}
	n := 100_000
	if testing.Short() {
		n = 2_000
	}
	for i := range n {
		do(t, os.WriteFile(filepath.Join(c.Notes(), fmt.Sprintf("%06d.md", i)), []byte{byte(i), byte(i >> 8), byte(i >> 16)}, 0o644))
	}
	out, err := c.Compare()
	do(t, err)
	created := 0
	for _, ch := range out.Changes {
		if ch.Kind == copychange.Create && len(ch.Data) == 3 {
			created++
		}
	}
	if created != n {
		t.Errorf("%d new files of %d", created, n)
	}
	if !bytes.Equal(out.Changes[0].Base, []byte("a")) {
		t.Errorf("want Changes[0].Base as expected, got %+v", out.Changes[0])
	}
}
