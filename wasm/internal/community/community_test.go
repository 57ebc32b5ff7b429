package community

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
)

// official is the list as it was in November 2026.
func official(t testing.TB) []byte {
	t.Helper()
	f, err := os.Open("testdata/community-plugins.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// source is the network: a list, or a failure.
type source struct {
	raw   []byte
	err   error
	asked int
}

func (s *source) fetch(context.Context) ([]byte, error) {
	s.asked++
	return s.raw, s.err
}

func newDirectory(mem *hosttest.Memory, s *source, now *time.Time) *Directory {
	return &Directory{Store: mem.Host().Store, Fetch: s.fetch, Now: func() time.Time { return *now }}
}

func TestPeopleFindWhatTheyMean(t *testing.T) {
	list, err := parse(official(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 6000 {
		t.Fatalf("%d plugins", len(list))
	}
	for query, want := range map[string]string{
		"calendar":                            "calendar",
		"a calendar for my daily notes":       "calendar",
		"kanban board":                        "obsidian-kanban",
		"dataview":                            "dataview",
		"run advanced queries over the vault": "dataview",
		"excalidraw":                          "obsidian-excalidraw-plugin",
		"edit excalidraw drawings":            "obsidian-excalidraw-plugin",
		"git backup":                          "obsidian-git",
		"dynamic templates":                   "templater-obsidian",
		"templater":                           "templater-obsidian",
		"edit tables":                         "table-editor-obsidian",
		"advanced tables":                     "table-editor-obsidian",
		"outliner":                            "obsidian-outliner",
		"highlights from kindle":              "obsidian-kindle-plugin",
		"import kindle highlights":            "obsidian-kindle-plugin",
		"zotero citations":                    "obsidian-citation-plugin",
		"day planner":                         "obsidian-day-planner",
		"review notes with spaced repetition": "obsidian-spaced-repetition",
		"flashcards":                          "flashcards-obsidian",
		"tag wrangler":                        "tag-wrangler",
		"rename tags":                         "tag-wrangler",
		"track tasks across the vault":        "obsidian-tasks-plugin",
		"mind map":                            "obsidian-mind-map",
		"Is there a plugin for a pomodoro timer?": "pomodoro-timer",
		"remotely save": "remotely-save",
		"linter":        "obsidian-linter",
	} {
		top := rank(list, query, 5)
		if !slices.ContainsFunc(top, func(p Plugin) bool { return p.ID == want }) {
			var ids []string
			for _, p := range top {
				ids = append(ids, p.ID)
			}
			t.Errorf("%q does not give %s among %s", query, want, strings.Join(ids, ", "))
		}
	}
	if got := rank(list, "kanban", 1); len(got) != 1 || got[0].ID != "obsidian-kanban" {
		t.Errorf("a name alone gives %+v", got)
	}
	for _, nothing := range []string{"", "  ", "?!", "qqqqzzzz"} {
		if got := rank(list, nothing, 5); len(got) != 0 {
			t.Errorf("%q gives %+v", nothing, got)
		}
	}
}

func TestTheListIsFetchedOnceADayAndKept(t *testing.T) {
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	mem := hosttest.New(hosttest.Options{})
	s := &source{raw: official(t)}
	d := newDirectory(mem, s, &now)
	search := func(d *Directory, refresh bool) *Found {
		t.Helper()
		f, err := d.Search(t.Context(), "calendar", 3, refresh)
		if err != nil || len(f.Plugins) != 3 {
			t.Fatalf("want no error and 3 Plugins, got %+v, %v", f, err)
		}
		return f
	}
	if s.asked != 0 {
		t.Error("fetched before anybody searched")
	}
	search(d, false)
	first := now
	now = now.Add(23 * time.Hour)
	if f := search(d, false); s.asked != 1 || !f.At.Equal(first) || f.Offline {
		t.Errorf("asked %d times, %+v", s.asked, f)
	}
	// Another start of the app uses what was kept, also without a network.
	s.err = errors.New("no network")
	again := newDirectory(mem, s, &now)
	if f := search(again, false); s.asked != 1 || !f.At.Equal(first) {
		t.Errorf("asked %d times, %+v", s.asked, f)
	}
	if f := search(again, true); s.asked != 2 || !f.Offline || !f.At.Equal(first) {
		t.Errorf("offline: asked %d times, %+v", s.asked, f)
	}
	now = now.Add(2 * time.Hour)
	if f := search(again, false); s.asked != 3 || !f.Offline {
		t.Errorf("old and offline: %d, %+v", s.asked, f)
	}
	s.err = nil
	if f := search(again, false); s.asked != 4 || f.Offline || !f.At.Equal(now) {
		t.Errorf("online again: %d, %+v", s.asked, f)
	}
	if f := search(again, true); s.asked != 5 || f.Offline {
		t.Errorf("refreshed: %d, %+v", s.asked, f)
	}
}

func TestWithoutAListSearchingIsANetworkError(t *testing.T) {
	now := time.Now()
	for name, s := range map[string]*source{
		"no network":     {err: fault.New(fault.Network, "error.http.unreachable", fault.P{"host": "x"})},
		"a page instead": {raw: []byte("<html>404</html>")},
		"an empty list":  {raw: []byte("[]")},
		"something else": {raw: []byte(`{"message":"rate limit"}`)},
	} {
		mem := hosttest.New(hosttest.Options{})
		if _, err := newDirectory(mem, s, &now).Search(t.Context(), "calendar", 3, false); !fault.Is(err, fault.Network) {
			t.Errorf("%s: want the error fault.Network, got %v", name, err)
		}
		if _, err := mem.Host().Store.Read(t.Context(), file); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: it was kept", name)
		}
	}
}

func TestAKeptListThatIsBrokenIsAsNone(t *testing.T) {
	now := time.Now()
	for _, kept := range []string{"", "no date\n[]", "2026-11-20T09:00:00Z\n{", "2026-11-20T09:00:00Z"} {
		mem := hosttest.New(hosttest.Options{})
		if err := mem.Host().Store.Write(t.Context(), file, []byte(kept)); err != nil {
			t.Fatal(err)
		}
		s := &source{raw: []byte(`[{"id":"a","name":"Calendar"}]`)}
		if f, err := newDirectory(mem, s, &now).Search(t.Context(), "calendar", 3, false); err != nil || len(f.Plugins) != 1 || s.asked != 1 {
			t.Errorf("%q: want no error, 1 Plugins and asked 1, got %+v, %v", kept, f, err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	list, err := parse(official(b))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		rank(list, "a calendar for my daily notes", 5)
	}
}
