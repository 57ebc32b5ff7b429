// Package journaltest writes runs that nobody made, as somebody could who can
// write into the plugin's folder: by hand, by a folder of notes that was cloned,
// by synchronisation. It is for tests.
package journaltest

import (
	"context"
	"encoding/json"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
)

// Run is a run that never was. Ops are the writes that it claims to have made;
// with Open, those that it was about to make when it was interrupted. Device is the
// name of the device that it claims to be of.
type Run struct {
	ID, Goal string
	Device   string
	Ops      []host.Op
	Hot      bool
	Open     bool
}

// Forge writes the run into a store, with everything that a run has, and a
// marker where it is hot. What the store seals is sealed.
func Forge(t testing.TB, store host.Store, r Run) {
	t.Helper()
	ctx := t.Context()
	dir := "runs/" + r.ID
	doc, err := json.Marshal(map[string]any{
		"version": "1", "runId": r.ID, "device": r.Device, "kind": "run", "goal": r.Goal, "calls": len(r.Ops), "files": []any{}, "now": "2026-01-01T00:00:00Z",
		"plan": map[string]any{"goal": r.Goal, "assumptions": []any{}, "riskLevel": "writes", "steps": []any{}},
	})
	check(t, err)
	check(t, store.Write(ctx, dir+"/run.json", doc))
	var ops []journal.Planned
	for _, op := range r.Ops {
		p := journal.Planned{Call: "c", Op: op}
		if op.Before != nil {
			p.BeforeEtag = host.Etag(op.Before)
		}
		if op.Data != nil {
			p.AfterEtag = host.Etag(op.Data)
		}
		ops = append(ops, p)
	}
	w, err := journal.Begin(ctx, store, nothing{}, dir, journal.Header{Run: r.ID, Kind: "run", At: "2026-01-01T00:00:00.000Z", Doc: host.Etag(doc)}, ops)
	check(t, err)
	for i := range ops {
		check(t, w.Do(ctx, i))
	}
	if !r.Open { // else nothing says that they were made
		check(t, w.Close(ctx))
	}
	if r.Hot || r.Open {
		check(t, store.Write(ctx, "hot/"+r.ID, []byte(r.ID)))
		return
	}
	head, n := w.Head()
	sum := []byte(`{"run":"` + r.ID + `","kind":"run","goal":"` + r.Goal + `","startedAt":"2026-01-01T00:00:00.000Z","outcome":"ok","files":1,"calls":1,"bytes":0,` +
		`"text":{"key":"run.ok","params":{"goal":"` + r.Goal + `"}},"can":{"revert":true}}`)
	check(t, store.Write(ctx, dir+"/summary.json", sum))
	check(t, journal.WriteEnd(ctx, store, dir, journal.End{
		Outcome: "ok", Done: len(ops), Summary: sum,
		Heads:  map[string]string{journal.File: head, "run.json": host.Etag(doc)},
		Counts: map[string]int{journal.File: n, "run.json": 1},
	}))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// nothing is a vault in which every write goes well and nothing happens.
type nothing struct{ host.Vault }

func (nothing) Apply(context.Context, host.Op) (host.Info, error) { return host.Info{}, nil }

// Attack describes a forged run. Path is the one that it would write to; Allowed
// says that a person may let it, having seen it.
type Attack struct {
	Name    string
	Ops     []host.Op
	Allowed bool
}

var evil = []byte("#!/bin/sh\ntouch PWNED\n")

// Hidden are spellings of paths that nothing may be written to, whoever
// approves.
var Hidden = []string{
	".git/hooks/post-commit", ".git/config", ".obsidian/app.json", ".obsidian/plugins/evil/main.js",
	".obsidian/plugins/embedded-agent/data.json", ".trash/a.md", ".embedded-agent/policy.json", ".hidden.md", "Sub/.hidden.md",
	".GIT/config", ".Obsidian/app.json", ".Embedded-Agent/policy.json",
	"../outside.md", "Sub/../../outside.md", "/tmp/outside.md", "~/outside.md", "C:/outside.md", "file:///tmp/x.md",
	"Sub/../.git/config", "./.git/config", "Sub//../.git/config", "Sub\\..\\.git\\config", ".git\\config",
	" .git/config", ".git /config", "\u200b.git/config", "\uff0egit/config", "%2egit/config", "\u2024git/config",
	"Sub/./Note.md", "Sub//Note.md", "Sub/Note.md/", "NUL", "CON.md", "a\u0000b.md", "a\nb.md",
}

// Attacks lists what is tried, one for each way that an undo can write.
func Attacks() []Attack {
	var out []Attack
	for _, p := range Hidden {
		out = append(out, Attack{Name: "restore " + p, Ops: []host.Op{{Kind: host.OpTrash, Path: p, Before: evil}}})
	}
	for _, p := range Hidden[:8] {
		out = append(out,
			Attack{Name: "change " + p, Ops: []host.Op{{Kind: host.OpModify, Path: p, Before: evil, Data: []byte("theirs\n")}}},
			Attack{Name: "remove " + p, Ops: []host.Op{{Kind: host.OpCreate, Path: p, Data: []byte("theirs\n")}}},
			Attack{Name: "move back to " + p, Ops: []host.Op{{Kind: host.OpRename, Path: p, To: "Note.md"}}},
			Attack{Name: "move away from " + p, Ops: []host.Op{{Kind: host.OpRename, Path: "Free.md", To: p}}},
			Attack{Name: "make the folder " + p, Ops: []host.Op{{Kind: host.OpRmdir, Path: p}}},
			Attack{Name: "remove the folder " + p, Ops: []host.Op{{Kind: host.OpMkdir, Path: p}}},
		)
	}
	return append(out,
		Attack{Name: "a note's text", Allowed: true, Ops: []host.Op{{Kind: host.OpModify, Path: "Note.md", Before: evil, Data: []byte("note\n")}}},
		Attack{Name: "a new note", Allowed: true, Ops: []host.Op{{Kind: host.OpTrash, Path: "New.md", Before: evil}}},
		Attack{Name: "a note's end", Allowed: true, Ops: []host.Op{{Kind: host.OpCreate, Path: "Note.md", Data: []byte("note\n")}}},
		Attack{Name: "a note's place", Allowed: true, Ops: []host.Op{{Kind: host.OpRename, Path: "Elsewhere.md", To: "Note.md"}}},
	)
}
