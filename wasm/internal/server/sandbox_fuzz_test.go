package server

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/vaultpath"
)

// FuzzNoPathLeavesTheAllowedFolder writes, moves and copies to any path, under
// settings that allow one folder: whatever is written is inside it, in a
// simulation and so in its run.
func FuzzNoPathLeavesTheAllowedFolder(f *testing.F) {
	for _, path := range []string{
		"In/a.md", "in/a.md", "In/../Out.md", "In/%2e%2e/Out.md", `In\..\Out.md`, "/In/a.md", "In/\x00.md", "In/CON.md", "In/nul", "In /a.md",
		"In/Cafe\u0301.md", "I\u0307n/a.md", "In\u200b/a.md", "In/" + strings.Repeat("x", 300) + ".md", "In/..", "In/./a.md", "In//a.md",
		"C:/a.md", "file:///In/a.md", "In/.hidden", ".obsidian/app.json", "In/．．/a.md", "Ｉn/a.md", "In/a.md/", "In", "Inner/a.md", "",
	} {
		f.Add(path)
	}
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"In/Source.md": "s\n", "Out/Secret.md": "x\n"}})
	ui := &panel{t: f, mem: mem}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: mem.Host(), Emit: func(protocol.Event) {}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	ui.s = s
	set := free
	set.AllowedRoots = []string{"In"}
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux"}})
	f.Fuzz(func(t *testing.T, path string) {
		plan := planOf("p",
			`{"id":"a","tool":"vault.createFile","args":{"path":`+quote(path)+`,"content":"x"},"onError":"skip"}`,
			`{"id":"b","tool":"vault.copyFile","args":{"path":"In/Source.md","newPath":`+quote(path)+`,"onCollision":"unique"},"onError":"skip"}`,
			`{"id":"c","tool":"vault.rename","args":{"path":"In/Source.md","newPath":`+quote(path)+`},"onError":"skip"}`,
			`{"id":"d","tool":"vault.readFile","args":{"path":`+quote(path)+`},"onError":"skip"}`)
		r, err := ui.s.tx.OpenPlan(t.Context(), []byte(plan), nil, false)
		if err != nil {
			return // refused before anything was simulated
		}
		for _, c := range r.Files {
			clean, err := vaultpath.Clean(c.Path)
			if err != nil || clean != c.Path || !strings.HasPrefix(c.Path, "In/") {
				t.Fatalf("%q writes %q (%v)", path, c.Path, err)
			}
		}
		if found := asJSON(t, r.Findings); strings.Contains(found, "Secret") {
			t.Fatalf("%q reads %s", path, found)
		}
	})
}
