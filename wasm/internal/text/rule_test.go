package text_test

import (
	"bytes"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/text"
	"embedded-agent/wasm/internal/text/texttest"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// The index and the boundary are asked in tests of their own.
func TestWhatIsTextIsJudgedAlikeByAllWhoAsk(t *testing.T) {
	var plain []byte
	changed := func(c []byte) overlay.Change {
		return overlay.Change{Path: "A.md", Kind: host.File, Status: overlay.Modify, Before: plain, After: c}
	}
	for who, isText := range map[string]func(*testing.T, []byte) bool{
		"the rule":                    func(_ *testing.T, c []byte) bool { return text.Is(c) },
		"the review's difference":     func(_ *testing.T, c []byte) bool { return !fileview.Of(changed(c)).Binary },
		"the review's list":           func(_ *testing.T, c []byte) bool { return !fileview.Row(changed(c)).Binary },
		"who edits and reverts":       func(_ *testing.T, c []byte) bool { return fileview.IsText(plain, c) },
		"the journal's merge":         merges,
		"a tool that reads":           func(t *testing.T, c []byte) bool { return reads(t, "vault.readFile", c) },
		"a tool that looks for words": finds,
		"a tool that writes":          func(t *testing.T, c []byte) bool { return reads(t, "vault.appendFile", c) },
	} {
		for _, c := range texttest.Contents() {
			if got := isText(t, c.Data); got != c.Text {
				t.Errorf("%s takes %s for text: %v, want %v", who, c.Name, got, c.Text)
			}
		}
	}
}

// merges says whether two changes of a content are put together.
func merges(_ *testing.T, c []byte) bool {
	base := "first\n\n\n" + string(c) + "\n\n\nlast\n"
	_, ok := journal.Merge(base, "changed\n"+base, base+"changed\n")
	return ok
}

// run calls a tool of the plugin on a vault with one note.
func run(t *testing.T, name string, args tool.Args, note []byte) (tool.Data, error) {
	t.Helper()
	h := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": string(note)}}).Host()
	for _, tl := range builtin.All() {
		if tl.Name == name {
			return tl.Run(t.Context(), &tool.Env{Vault: h.Vault, Platform: h.Platform, Now: time.Unix(0, 0), Progress: func(tool.Progress) {}}, args)
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil, nil
}

func reads(t *testing.T, name string, note []byte) bool {
	t.Helper()
	_, err := run(t, name, tool.Args{"path": "A.md", "content": "x"}, note)
	return err == nil
}

// finds says whether a search looks into a note: for a word behind all else.
func finds(t *testing.T, note []byte) bool {
	t.Helper()
	data, err := run(t, "vault.searchText", tool.Args{"query": "needle"}, append(bytes.Clone(note), "\nneedle\n"...))
	if err != nil {
		t.Fatal(err)
	}
	switch found := data["hits"].(type) {
	case []any:
		return len(found) > 0
	case []map[string]any:
		return len(found) > 0
	}
	t.Fatalf("the search gave %v", data)
	return false
}
