//go:build !js

package hostfs

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// sureMark waits until the mark of a path is sure.
func sureMark(t *testing.T, f *Folder, path string, listed bool) any {
	t.Helper()
	for began := time.Now(); ; {
		m, sure := f.Mark(path, listed)
		if sure {
			return m
		}
		if time.Since(began) > 10*time.Second {
			t.Fatalf("%s: want a mark that is sure, got %+v", path, m)
		}
	}
}

func TestAMarkTellsEveryChange(t *testing.T) {
	root := t.TempDir()
	f, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(root, p) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(at("In/Deep"), 0o755))
	must(os.WriteFile(at("In/Note.md"), []byte("one"), 0o644))
	for name, c := range map[string]struct {
		path   string
		listed bool
		do     func() error
		same   bool
	}{
		"other bytes":               {path: "In/Note.md", do: func() error { return os.WriteFile(at("In/Note.md"), []byte("longer"), 0o644) }},
		"nothing":                   {path: "In/Note.md", do: func() error { return nil }, same: true},
		"a new name in a folder":    {path: "In", listed: true, do: func() error { return os.WriteFile(at("In/New.md"), nil, 0o644) }},
		"a new name, not asked of":  {path: "In", do: func() error { return os.WriteFile(at("In/Newer.md"), nil, 0o644) }, same: true},
		"a text in a folder":        {path: "In", listed: true, do: func() error { return os.WriteFile(at("In/Note.md"), []byte("two"), 0o644) }, same: true},
		"a note that was not there": {path: "Out.md", do: func() error { return os.WriteFile(at("Out.md"), nil, 0o644) }},
		"a folder for a folder": {path: "In/Deep", do: func() error {
			if err := os.Rename(at("In/Deep"), at("In/Other")); err != nil {
				return err
			}
			return os.WriteFile(at("In/Deep"), nil, 0o644)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			before := sureMark(t, f, c.path, c.listed)
			if err := c.do(); err != nil {
				t.Fatal(err)
			}
			if now, _ := f.Mark(c.path, c.listed); (now == before) != c.same {
				t.Errorf("want the mark the same: %v, got %+v after %+v", c.same, now, before)
			}
		})
	}
}

func TestAMarkIsNotSureOfALinkOrOfWhatWasChangedAMomentAgo(t *testing.T) {
	root := t.TempDir()
	f, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	for tooSlow := true; tooSlow; { // another program may have had the processor meanwhile
		began := time.Now()
		if err := os.WriteFile(filepath.Join(root, "Note.md"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		m, sure := f.Mark("Note.md", false)
		if tooSlow = sure && time.Since(began) > step; sure && !tooSlow {
			t.Errorf("want no sure mark of a new file, got %+v", m)
		}
	}
	if err := os.Symlink("Note.md", filepath.Join(root, "Link.md")); err != nil {
		t.Skip(err)
	}
	sureMark(t, f, "Note.md", false)
	for path, listed := range map[string]bool{"Link.md": false, "": true} {
		if m, sure := f.Mark(path, listed); sure {
			t.Errorf("%q: want no sure mark where a link is, got %+v", path, m)
		}
	}
}
