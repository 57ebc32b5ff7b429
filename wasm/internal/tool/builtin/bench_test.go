package builtin_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// vaultOf makes a vault of n linked notes.
func vaultOf(n int) *hosttest.Memory {
	files := make(map[string]string, n)
	for i := range n {
		files[fmt.Sprintf("Folder %d/Note %d.md", i%20, i)] = fmt.Sprintf(
			"---\ntype: note\nrating: %d\ntags: [a, b%d]\n---\n# Note %d\n\nSome text about [[Note %d]] and #tag%d.\n\n- [ ] task %d\n%s",
			i%10, i%7, i, (i+1)%n, i%13, i, strings.Repeat("A line of ordinary text.\n", 20))
	}
	return hosttest.New(hosttest.Options{Files: files})
}

func bench(b *testing.B, name string, args tool.Args, notes int) {
	m := vaultOf(notes)
	e, err := registry(b).Get(name, "")
	if err != nil {
		b.Fatal(err)
	}
	env := envOf(m.Host())
	for b.Loop() {
		if _, err := e.Run(context.Background(), env, args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQueryByProperty(b *testing.B) {
	bench(b, "vault.query", tool.Args{"where": []any{map[string]any{"property": "rating", "op": ">", "value": 5.0}}}, 2000)
}

func BenchmarkSearchRareWord(b *testing.B) {
	bench(b, "vault.searchText", tool.Args{"query": "unfindable"}, 2000)
}

func BenchmarkParseBullets(b *testing.B) {
	bench(b, "util.parseMarkdownBullets", tool.Args{"text": strings.Repeat("- a **bullet** with [[Link]]\n  - nested\n", 500)}, 1)
}

// BenchmarkSimulateCreate is one call of a foreach on the overlay.
func BenchmarkSimulateCreate(b *testing.B) {
	m := vaultOf(1000)
	h := m.Host()
	e, err := registry(b).Get("vault.createFile", "")
	if err != nil {
		b.Fatal(err)
	}
	o := overlay.New(overlay.NewBase(h.Vault, h.Editor, now))
	i := 0
	for b.Loop() {
		env := viewEnv(h, o.For(fmt.Sprint(i)))
		if _, err := e.Run(context.Background(), env, tool.Args{"folder": "New", "title": fmt.Sprint("Note of ", i), "content": "x"}); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// TestCallsCostInProportionToTheVault counts what a call asks of the host and
// what it allocates, in a vault of 850 notes and in one of 3,400: times would
// only tell how busy the machine is.
func TestCallsCostInProportionToTheVault(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("counted natively; the code is the same")
	}
	cost := func(notes int, name string, args tool.Args) (asked int, allocated uint64) {
		m := vaultOf(notes)
		e, err := registry(t).Get(name, "")
		if err != nil {
			t.Fatal(err)
		}
		env := envOf(m.Host())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := e.Run(t.Context(), env, args); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		c := m.Counts()
		return c.Reads + c.Writes, after.TotalAlloc - before.TotalAlloc
	}
	for name, args := range map[string]tool.Args{
		"vault.query":            {"withoutBacklinks": true, "sort": "-modified"},
		"vault.searchText":       {"query": "task 7"},
		"links.find":             {"kind": "broken"},
		"links.unlinkedMentions": {},
		"vault.rename":           {"path": "Folder 0", "newPath": "Moved"},
		"tags.rename":            {"from": "a", "to": "z"},
		"tasks.list":             {"status": "open"},
		"vault.delete":           {"path": "Folder 3"},
		"metadata.values":        {},
	} {
		cost(50, name, args) // what is made once is made here
		few, little := cost(850, name, args)
		many, much := cost(3400, name, args)
		if many > 5*few || much > 6*little {
			t.Errorf("%s: %d host calls and %d bytes for 850 notes, %d and %d for 3,400", name, few, little, many, much)
		}
	}
}

// BenchmarkSimulateRename is one call of a foreach on the overlay.
func BenchmarkSimulateRename(b *testing.B) {
	m := vaultOf(1000)
	h := m.Host()
	e, err := registry(b).Get("vault.rename", "")
	if err != nil {
		b.Fatal(err)
	}
	o := overlay.New(overlay.NewBase(h.Vault, h.Editor, now))
	i := 0
	for b.Loop() {
		env := viewEnv(h, o.For(fmt.Sprint(i)))
		args := tool.Args{"path": fmt.Sprintf("Folder %d/Note %d.md", i%20, i), "newPath": fmt.Sprintf("Moved/%d.md", i)}
		if _, err := e.Run(context.Background(), env, args); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// BenchmarkValidate checks the arguments of an example of every tool.
func BenchmarkValidate(b *testing.B) {
	all := registry(b).All()
	args := map[string]tool.Args{}
	for _, e := range all {
		if examples := builtin.Examples(e.Name); len(examples) > 0 {
			args[e.Name] = examples[0].Args
		}
	}
	calls := 0
	for b.Loop() {
		for _, e := range all {
			if args[e.Name] == nil {
				continue
			}
			if err := e.CheckInput(args[e.Name]); err != nil {
				b.Fatal("want no error, got:", e.Name, err)
			}
			calls++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(calls), "µs/call")
}
