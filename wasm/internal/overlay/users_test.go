package overlay_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/overlay"
)

// blind is a host's vault whose own index knows the links of notes alone, as the
// app's does; it counts how often it is asked.
type blind struct {
	host.Vault
	asked *int
}

func (b blind) Backlinks(context.Context, string) ([]string, error) {
	*b.asked++
	return []string{"note.md"}, nil
}

func usersVault() *hosttest.Memory {
	return hosttest.New(hosttest.Options{Files: map[string]string{
		"note.md": "[[A b]] ![[pic.png]]", "html.md": `<img src="x/pic.png">`, "none.md": "A b pic.png",
		"board.canvas": `{"nodes":[{"type":"file","file":"x/pic.png"},{"type":"text","text":"[[a B#c|d]]"}]}`,
		"all.base":     `filters: link("A b")`, "A b.md": "", "x/pic.png": "1",
	}})
}

func TestCanvasesBasesAndHTMLAreAmongThoseThatMayLink(t *testing.T) {
	for name, follows := range map[string]bool{"the app": true, "a folder": false} {
		asked := 0
		m := usersVault()
		h := m.Host()
		if !follows {
			h.Changes, h.Metadata = nil, nil
		} else if h.Changes == nil {
			t.Fatal("the host in memory follows no changes")
		}
		h.Vault = blind{h.Vault, &asked}
		h.Vault = index.Over(h)
		view := overlay.New(overlay.NewBase(h.Vault, nil, time.Now())).For("c")
		for path, want := range map[string][]string{
			"A b.md":    {"all.base", "board.canvas", "note.md"},
			"x/pic.png": {"board.canvas", "html.md", "note.md"},
		} {
			got, err := view.Backlinks(t.Context(), path)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %s: want no error and as expected, got %v, %v", name, path, got, err)
			}
		}
		if !follows && asked > 0 {
			t.Errorf("%s was asked %d times", name, asked)
		}
	}
}

// A folder was read whole for each of 278 renames.
func TestManyRenamesInAFolderReadTheVaultOnce(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("n%d.md", i)] = fmt.Sprintf("[[n%d]]", (i+1)%200)
	}
	m := hosttest.New(hosttest.Options{Files: files})
	h := m.Host()
	h.Changes, h.Metadata = nil, nil
	h.Vault = index.Over(h)
	view := overlay.New(overlay.NewBase(h.Vault, nil, time.Now())).For("c")
	m.ResetCounts()
	for i := range 200 {
		got, err := view.Backlinks(t.Context(), fmt.Sprintf("n%d.md", (i+1)%200))
		if err != nil || !slices.Contains(got, fmt.Sprintf("n%d.md", i)) {
			t.Fatalf("%d: want no error and a text with fmt.Sprintf(\"n%%d.md\", i), got %v, %v", i, got, err)
		}
	}
	if n := m.Counts().Reads; n > 450 {
		t.Errorf("%d reads for 200 notes", n)
	}
}
