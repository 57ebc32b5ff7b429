package builtin_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// TestEveryToolSimulatesWhatItDoes makes each example's call on the vault
// itself, on an overlay over it, and as the writes which that simulation made,
// and compares outputs and bytes. The writes are then taken back one by one.
func TestEveryToolSimulatesWhatItDoes(t *testing.T) {
	for _, e := range registry(t).All() {
		if !e.Simulable {
			continue
		}
		for _, ex := range builtin.Examples(e.Name) {
			if ex.Error == "" {
				t.Run(e.Name+"/"+ex.Name, func(t *testing.T) { simulateExample(t, e, ex) })
			}
		}
	}
}

func simulateExample(t *testing.T, e *tool.Entry, ex tool.Example) {
	open := func() *hosttest.Memory {
		return hosttest.New(hosttest.Options{Files: ex.Given, Active: ex.Active, Commands: []hosttest.Command{{ID: "editor:toggle-bold", Name: "Toggle bold"}}})
	}
	run := func(env *tool.Env) tool.Data {
		t.Helper()
		data, err := e.Run(t.Context(), env, ex.Args)
		if err != nil {
			t.Fatal(err)
		}
		return asJSON(t, data)
	}
	direct := open()
	want := run(envOf(direct.Host()))

	m := open()
	before := m.Snapshot()
	h := m.Host()
	base := overlay.NewBase(h.Vault, h.Editor, now)
	simulation := overlay.New(base)
	got := run(viewEnv(h, simulation.For("call")))
	// Times of staged files are the simulation's; of others the host's.
	if d := cmp.Diff(want, got, ignoreTimes()); d != "" {
		t.Errorf("the simulation gives something else (-direct +simulated):\n%s", d)
	}
	if d := before.Diff(m.Snapshot()); d != "" {
		t.Fatalf("the simulation wrote:\n%s", d)
	}

	done := makeReal(t, h.Vault, simulation)
	if d := direct.Snapshot().Diff(m.Snapshot()); d != "" {
		t.Errorf("the run differs from the direct call:\n%s", d)
	}
	takeBack(t, h.Vault, done)
	if d := before.Diff(m.Snapshot()); d != "" {
		t.Errorf("taken back, the vault is not what it was:\n%s", d)
	}
}

// makeReal makes the writes that a simulation made, in their order.
func makeReal(t *testing.T, v host.Vault, simulation *overlay.Vault) []host.Op {
	t.Helper()
	var done []host.Op
	for _, w := range simulation.Log() {
		if w.Refused != nil {
			continue
		}
		if _, err := v.Apply(t.Context(), w.Op); err != nil {
			t.Fatal(err)
		}
		done = append(done, w.Op)
	}
	return done
}

func viewEnv(h host.Host, v *overlay.View) *tool.Env {
	env := envOf(h)
	env.Vault, env.Editor = v, v
	return env
}

func ignoreTimes() cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool {
		i, ok := p.Last().(cmp.MapIndex)
		return ok && (i.Key().String() == "mtime" || i.Key().String() == "modified" || i.Key().String() == "created" && len(p) > 3)
	}, cmp.Ignore())
}

// takeBack undoes writes backwards, from what each of them holds.
func takeBack(t *testing.T, v host.Vault, ops []host.Op) {
	t.Helper()
	for i := len(ops) - 1; i >= 0; i-- {
		op := ops[i]
		var back host.Op
		switch op.Kind {
		case host.OpCreate:
			back = host.Op{Kind: host.OpRemove, Path: op.Path, Before: op.Data}
		case host.OpModify:
			back = host.Op{Kind: host.OpModify, Path: op.Path, Before: op.Data, Data: op.Before}
		case host.OpTrash:
			back = host.Op{Kind: host.OpCreate, Path: op.Path, Data: op.Before}
		case host.OpRename:
			back = host.Op{Kind: host.OpRename, Path: op.To, To: op.Path}
		case host.OpMkdir:
			back = host.Op{Kind: host.OpRmdir, Path: op.Path}
		case host.OpRmdir:
			back = host.Op{Kind: host.OpMkdir, Path: op.Path}
		default:
			t.Fatalf("a tool made a %s", op.Kind)
		}
		if _, err := v.Apply(t.Context(), back); err != nil {
			t.Fatal(err)
		}
	}
}
