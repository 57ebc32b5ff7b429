package notepage_test

import (
	"fmt"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/notepage"
)

// folder is a Source of a few files, by their paths.
type folder struct {
	files map[string]string
	names note.Index
	left  []string
}

var lacks = [...]string{"missing", "cycle", "picture", "kind", "remote", "html", "long"}

func newFolder(files map[string]string) *folder {
	paths := make([]string, 0, len(files))
	for p := range files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return &folder{files: files, names: note.NewIndex(paths)}
}

func (f *folder) Resolve(linkpath, from string) string { return note.Resolve(f.names, linkpath, from) }

func (f *folder) Text(path string) ([]byte, error) {
	text, ok := f.files[path]
	if !ok {
		return nil, notepage.ErrAway
	}
	return []byte(text), nil
}

func (f *folder) Part(_ string, text []byte, sub string) ([]byte, bool) {
	if sub == "" {
		return text[note.ParseFront(text).Body.Start:], true
	}
	d := note.Parse(text)
	if id, ok := strings.CutPrefix(sub, "#^"); ok {
		s, ok := d.BlockWithID(id)
		return s.Of(text), ok
	}
	n := d.HeadingNamed(sub[1:])
	if n < 0 {
		return nil, false
	}
	return d.Section(n).Of(text), true
}

func (f *folder) Picture(path string) (string, notepage.Lack, error) {
	switch {
	case !strings.HasSuffix(path, ".png"):
		return "", notepage.Kind, nil
	case len(f.files[path]) > 20:
		return "", notepage.Picture, nil
	}
	return "data:image/png;base64,AAAA", 0, nil
}

func (f *folder) Moved(text []byte, _ string) []byte { return text }

func (f *folder) Left(path string, why notepage.Lack) {
	f.left = append(f.left, path+" "+lacks[why])
}

func (f *folder) Say(why notepage.Lack, name string) string {
	return fmt.Sprintf("(%s: %s)", name, lacks[why])
}
