package sight

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/tool"
)

func noSecrets(path string) error {
	if strings.Contains(path, "Secret") {
		return fault.New(fault.Denied, "error.path.unseen", nil)
	}
	return nil
}

func memory() *hosttest.Memory {
	return hosttest.New(hosttest.Options{
		Files:  map[string]string{"A.md": "[[S]]", "Secret/S.md": "[[A]] ⟦canary⟧"},
		Active: "Secret/S.md",
		Commands: []hosttest.Command{
			{ID: "app:reload", Name: "Reload"}, {ID: "open:Secret/S.md", Name: "Open S"}, {ID: "open:1", Name: "Open: my Secret dir/S.md"},
		},
	})
}

// TestEveryPortOfTheHostHasItsPlace fails when a port is added, or a method to
// one of them, until somebody has thought of what it tells.
func TestEveryPortOfTheHostHasItsPlace(t *testing.T) {
	want := map[string]string{
		"Vault": "Apply Backlinks List Read Stat Walk", "Editor": "State", "Workspace": "Context Focus Open", "Commands": "List Run",
		// These tell of no note, or are not handed on.
		"Changes": "Since", "Metadata": "Of", "Store": "Append List Read Remove Write", "Sandbox": "Run", "Plugins": "Installed", "Platform": "",
		"Device": "Key", "Owners": "Gone Quiet Self",
	}
	h := reflect.TypeFor[host.Host]()
	for i := range h.NumField() {
		f := h.Field(i)
		var methods []string
		if f.Type.Kind() == reflect.Interface {
			for j := range f.Type.NumMethod() {
				methods = append(methods, f.Type.Method(j).Name)
			}
		}
		slices.Sort(methods)
		if got, ok := want[f.Name]; !ok || got != strings.Join(methods, " ") {
			t.Errorf("%s has %v, known is %q: say in Over what of it may be seen", f.Name, methods, got)
		}
	}
	seen := Over(memory().Host(), noSecrets)
	if seen.Changes != nil || seen.Metadata != nil || seen.Device != nil || seen.Owners != nil {
		t.Error("ports that tell of every note, the device's key, or who works here, are handed on")
	}
}

func TestNoPortTellsOfANoteThatMayNotBeSeen(t *testing.T) {
	m := memory()
	seen, ctx := Over(m.Host(), noSecrets), t.Context()
	if _, err := seen.Vault.Stat(ctx, "Secret/S.md"); !fault.Is(err, fault.Denied) {
		t.Errorf("Stat: %v", err)
	}
	if _, err := seen.Vault.Read(ctx, "Secret/S.md"); !fault.Is(err, fault.Denied) {
		t.Errorf("Read: %v", err)
	}
	for name, list := range map[string]func() ([]host.Info, error){
		"List":         func() ([]host.Info, error) { return seen.Vault.List(ctx, "") },
		"List of it":   func() ([]host.Info, error) { return seen.Vault.List(ctx, "Secret") },
		"Walk":         func() ([]host.Info, error) { return seen.Vault.Walk(ctx, "") },
		"Walk of it":   func() ([]host.Info, error) { return seen.Vault.Walk(ctx, "Secret") },
		"List nothing": func() ([]host.Info, error) { return seen.Vault.List(ctx, "None") },
	} {
		all, _ := list()
		for _, i := range all {
			if strings.Contains(i.Path, "Secret") {
				t.Errorf("%s gives %s", name, i.Path)
			}
		}
	}
	if links, err := seen.Vault.Backlinks(ctx, "A.md"); err != nil || len(links) != 0 {
		t.Errorf("Backlinks: %v %v", links, err)
	}
	if _, err := seen.Vault.Backlinks(ctx, "Secret/S.md"); !fault.Is(err, fault.Denied) {
		t.Errorf("Backlinks of it: %v", err)
	}
	if _, err := seen.Vault.Apply(ctx, host.Op{Kind: host.OpCreate, Path: "B.md"}); !fault.Is(err, fault.Denied) {
		t.Errorf("Apply: %v", err)
	}
	if st, err := seen.Editor.State(ctx); err != nil || st != (host.EditorState{Hidden: true}) {
		t.Errorf("State: %+v %v", st, err)
	}
	w, err := seen.Workspace.Context(ctx)
	if err != nil || w.ActivePath != "" || len(w.OpenPaths) != 0 {
		t.Errorf("Context: %+v %v", w, err)
	}
	if err := seen.Workspace.Open(ctx, "Secret/S.md", false); !fault.Is(err, fault.Denied) {
		t.Errorf("Open: %v", err)
	}
	cs, err := seen.Commands.List(ctx)
	if err != nil || len(cs) != 1 || cs[0].ID != "app:reload" {
		t.Errorf("Commands: %+v %v", cs, err)
	}
	if ok, err := seen.Commands.Run(ctx, "open:Secret/S.md"); ok || err != nil || len(m.Ran()) != 0 {
		t.Errorf("Run: %v %v, ran %v", ok, err, m.Ran())
	}
}

func TestWhatMayBeSeenIsShownAsItIs(t *testing.T) {
	m := memory()
	m.OpenNote("A.md")
	h := m.Host()
	seen, ctx := Over(h, noSecrets), t.Context()
	want, _ := h.Editor.State(ctx)
	if got, err := seen.Editor.State(ctx); err != nil || got != want || got.Path != "A.md" {
		t.Errorf("want no error, equal to want and Path \"A.md\", got %+v %v", got, err)
	}
	if data, err := seen.Vault.Read(ctx, "A.md"); err != nil || string(data) != "[[S]]" {
		t.Errorf("want no error and \"[[S]]\", got %q %v", data, err)
	}
	if w, err := seen.Workspace.Context(ctx); err != nil || w.ActivePath != "A.md" {
		t.Errorf("want no error and ActivePath \"A.md\", got %+v %v", w, err)
	}
	bare := Over(hosttest.New(hosttest.Options{Bare: true}).Host(), noSecrets)
	if bare.Editor != nil || bare.Workspace != nil || bare.Commands != nil {
		t.Error("a host without an editor has got one")
	}
}

// TestNoSpellingOfAPathGetsAroundTheRule has a folder that is kept out of sight
// in each way of the settings, and the spellings by which some system finds the
// same file.
func TestNoSpellingOfAPathGetsAroundTheRule(t *testing.T) {
	spellings := []string{
		"Café/Tagebuch.md", "café/tagebuch.md", "CAFÉ/TAGEBUCH.MD", "Cafe\u0301/Tagebuch.md", "cafe\u0301/tagebuch.MD",
		"./Café/Tagebuch.md", "/Café/Tagebuch.md", "Café//Tagebuch.md", "Café/./Tagebuch.md", `Café\Tagebuch.md`, "Café/Tagebuch.md/",
		"Café./Tagebuch.md", "Café../Tagebuch.md", "Café /Tagebuch.md", "Café. . /Tagebuch.md", "Café/Tagebuch.md.", "Café/Tagebuch.md ", "Café/Tagebuch.md. .",
		"Ca\u200bfé/Tagebuch.md", "Café/Tage\u200dbuch.md", "\ufeffCafé/Tagebuch.md", "Café/Tagebuch.md\u200b",
		"Other/../Café/Tagebuch.md", "Café/sub/../Tagebuch.md", "%43afé/Tagebuch.md/..",
	}
	for name, box := range map[string]tool.Sandbox{
		"a name":             {DenyPatterns: []string{"Café"}},
		"a name, decomposed": {DenyPatterns: []string{"cafe\u0301"}},
		"a folder's glob":    {DenyPatterns: []string{"Café/**"}},
		"a file's glob":      {DenyPatterns: []string{"*buch.md"}},
		"a path":             {DenyPatterns: []string{"CAFÉ/Tagebuch.md"}},
		"allowed folders":    {AllowedRoots: []string{"Notes", "Café au lait"}},
	} {
		box.Enabled = true
		if box.AllowedRoots == nil {
			box.AllowedRoots = []string{"/"}
		}
		for _, platform := range []string{"linux", "mac", "win", "android", "ios"} {
			p := &policy.Policy{Sandbox: box, Platform: platform, AllowRenames: true}
			for _, path := range spellings {
				err := p.MaySee(path)
				if err == nil {
					t.Errorf("%s, %s: %q may be seen", name, platform, path)
				} else if strings.Contains(strings.ToLower(err.Error()), "tage") {
					t.Errorf("%s: the refusal names the note: %v", name, err)
				}
				for _, op := range []host.Op{
					{Kind: host.OpModify, Path: path},
					{Kind: host.OpCreate, Path: path},
					{Kind: host.OpRename, Path: path, To: "Notes/x.md"},
					{Kind: host.OpRename, Path: "Notes/x.md", To: path},
				} {
					if p.CheckOp(op) == nil {
						t.Errorf("%s, %s: %s of %q is allowed", name, platform, op.Kind, path)
					}
				}
			}
			if err := p.MaySee("Notes/ordinary.md"); err != nil {
				t.Errorf("%s: want no error, got %v", name, err)
			}
		}
	}
}
